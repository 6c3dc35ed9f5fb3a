"""The next games: those that the strategy asks for and the ledger does not hold yet.

An entrant that fails again and again is stopped: its further games are left out.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Iterable

from dlgo.records.game_record import GameRecord
from dlgo.text import number_of
from engines.jobs import Source
from experiments.arena.plan_keys import Limits
from experiments.arena.referee import GameTask
from experiments.arena.schedule import CanonicalPlan, Pair
from experiments.arena.strategy import Result, Strategy


class Agenda(Source[GameTask]):
    """The games of a tournament, as a source of tasks.

    Args:
        found: the games that the ledger holds, by slot. The results may be left out (None) if the
            plan ends by itself.
        stopped: entrants stopped earlier: (game, entrant) -> why. As attribute, with those
            stopped now.
        strategy: which games, until when; by default as the plan says.

    Attributes:
        out_of_time: whether the strategy's deadline has kept games from being played.
        planned, stored: games decided on so far; how many of them the ledger held at the start.
        played, failures: games kept now, and how many ended by an engine's fault.
    """

    def __init__(
        self, plan: CanonicalPlan, results: dict[str, Result | None], limits: Limits,
        stopped: dict[tuple[str, str], str] | None = None, strategy: Strategy | None = None,
    ) -> None:
        self.strategy = strategy or Strategy.of(plan)
        self.stopped = dict(stopped or {})
        self.out_of_time = False
        self.planned = self.stored = self.played = self.failures = 0
        self._plan, self._limits, self._found = plan, limits, results
        self._queue: deque[GameTask] = deque()
        self._open: set[str] = set()  # slots handed out or waiting
        self._handed_out = 0
        self._failures_in_a_row: Counter[tuple[str, str]] = Counter()
        self._matches = [(game, *match) for match in self.strategy.matches for game in plan.games]
        self._whole: set[tuple[str, str, str]] = set()  # matches that are all in the ledger
        self._coming = self.strategy.coming()
        for match in self._matches:
            n_missing = self.planned - self.stored
            self._count(Pair(*match, plan.pair_number(match[1:], k))
                        for k in range(self.strategy.sure_pairs))
            if plan.ends_by_itself and self.planned - self.stored == n_missing:
                self._whole.add(match)
        self._whole -= {pair.match for pair in self._coming}
        self._count(self._coming)

    def _count(self, pairs: Iterable[Pair], sign: int = 1) -> None:
        """Pairs are decided on (or, with -1, no longer)."""
        for pair in pairs:
            for slot in pair.slots:
                self.planned += sign
                self.stored += sign * (slot in self._found)

    def engines(self) -> list[tuple[str, str]]:
        """(game, entrant) of the games that may be played."""
        return list(dict.fromkeys(
            (game, entrant) for game, *match in self._matches
            if (game, *match) not in self._whole and self._may_play(game, match)
            for entrant in match
        ))

    def _may_play(self, game: str, players: Iterable[str]) -> bool:
        return not self.strategy.is_over(game) and not any(
            (game, entrant) in self.stopped for entrant in players)

    def keep(self, records: list[GameRecord]) -> None:
        """These games are in the ledger now."""
        self.played += len(records)
        self.failures += sum(record.failed for record in records)

    # --- a source of tasks ------------------------------------------------------------------

    def take(self, count: int) -> list[GameTask]:
        """Up to `count` games; fewer if what comes next is not decided yet."""
        batch: list[GameTask] = []
        while len(batch) < count and not self.out_of_time:
            if self._queue:
                task = self._queue.popleft()
                if self.wanted(task):
                    batch.append(task)
            elif not self._add_step():
                break
        self._handed_out += len(batch)
        return batch

    def wanted(self, task: GameTask) -> bool:
        """Whether a game is still to be played; if not, it is taken off the list."""
        if time.monotonic() >= self.strategy.deadline:
            self.out_of_time = True
            return False
        if self._may_play(task.game, task.players):
            return True
        if self.strategy.is_over(task.game):
            self.planned -= task.slot in self._open
        self._open.discard(task.slot)
        return False

    def remaining(self) -> int:
        """About how many games are still to be taken."""
        return max(0, self.planned - self.stored - self._handed_out)

    def finished(self, records: list[GameRecord]) -> None:
        """Games have ended."""
        for record in records:
            self._open.discard(record.slot)
            if not self._plan.ends_by_itself:
                self.strategy.game_ended(record.slot, result_of(record))
            for player, entrant in enumerate((record.first, record.second)):
                self._count_failure(record, player, entrant)

    def _count_failure(self, record: GameRecord, player: int, entrant: str) -> None:
        key, most = (record.game, entrant), self._limits.max_failures
        if not record.failed or record.result != float(player):
            self._failures_in_a_row[key] = 0
            return
        self._failures_in_a_row[key] += 1
        if most and self._failures_in_a_row[key] >= most and key not in self.stopped:
            self.stopped[key] = (f"failed {number_of(most, 'game')} in a row, the last one: "
                                 f"{record.reason}")

    def _add_step(self) -> bool:
        """Queue the games of the strategy's next step. False if there is none, or not yet."""
        step = self.strategy.next_step(self._open, self.stopped)
        # In the first round, all entrants meet once before colours are swapped, so that there is
        # something to report early.
        later: list[GameTask] = []
        for pair in step:
            for number, task in enumerate(self.strategy.openings.tasks(pair)):
                if task.slot not in self._found:
                    self._open.add(task.slot)
                    (later if pair.number == 0 and number else self._queue).append(task)
                elif (result := self._found[task.slot]) is not None:
                    self.strategy.game_ended(task.slot, result)
        self._queue.extend(later)
        if step:
            if len(self.strategy.steps) > self.strategy.sure_pairs:
                self._count(step)
            self._count(self._coming, -1)
            self._coming = self.strategy.coming()
            self._count(self._coming)
        return bool(step)


def result_of(record: GameRecord) -> Result:
    """The parts of a record that a strategy needs."""
    return Result(
        record.game, record.first, record.second, record.pair, record.moves, record.result
    )
