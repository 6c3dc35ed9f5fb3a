"""Which game is played next: what the strategy asks for, less what the ledger holds already.

An entrant that fails again and again is stopped: its further games are left out.
"""

from __future__ import annotations

import math
import time
from collections import Counter, deque
from collections.abc import Iterable
from typing import NamedTuple

from dlgo.records.ledger import GameRecord
from engines.jobs import Source
from experiments.arena.limits import Limits
from experiments.arena.openings import Openings
from experiments.arena.referee import GameTask
from experiments.arena.schedule import Pair, Plan, pair_tasks
from experiments.arena.strategy import Result, Strategy


def strategy_of(plan: Plan) -> Strategy:
    """How a plan says when to stop. Raises DlgoError for a test with bounds it cannot have."""
    if plan.sprt is not None:
        from experiments.arena.until_tested import UntilTested

        return UntilTested(plan)
    if plan.target_elo is not None:
        from experiments.arena.until_rated import UntilRated

        return UntilRated(plan)
    return Strategy(plan, plan.pairs)


class _Tally(NamedTuple):
    """How many games, and how many of them were in the ledger from the start."""

    games: int = 0
    stored: int = 0

    def plus(self, other: _Tally, sign: int = 1) -> _Tally:
        """Both together; with `sign` -1 this one without the other."""
        return _Tally(self.games + sign * other.games, self.stored + sign * other.stored)


class Agenda(Source[GameTask]):
    """The games of a tournament, as a source of tasks.

    Args:
        plan: canonical.
        found: the games that the ledger holds, by slot. The results may be left out (None)
            if the plan ends by itself.
        limits: when an entrant is stopped.
        stopped: entrants stopped earlier: (game, entrant) -> why.
        strategy: when to stop; by default as the plan says.
        deadline: by `time.monotonic`; from then on no further game begins. None: never.

    Attributes:
        strategy: as above.
        stopped: (game, entrant) -> why, with those stopped now.
        out_of_time: whether the deadline has kept games from being played.
        played, failures: games kept now, and how many ended by an engine's fault.
    """

    def __init__(
        self, plan: Plan, found: dict[str, Result | None], limits: Limits,
        stopped: dict[tuple[str, str], str] | None = None, strategy: Strategy | None = None,
        deadline: float | None = None,
    ) -> None:
        self.strategy = strategy or strategy_of(plan)
        self.stopped = dict(stopped or {})
        self.out_of_time = False
        self.played = self.failures = 0
        self._plan, self._limits, self._found = plan, limits, found
        self._deadline = math.inf if deadline is None else deadline
        self._openings = Openings(plan.seed, plan.opening_plies)
        self._queue: deque[GameTask] = deque()
        self._open: set[str] = set()  # slots handed out or waiting
        self._failures_in_a_row: Counter[tuple[str, str]] = Counter()
        # Games that have been asked for; that surely will be; and that the strategy knows of
        # besides. How many are sure is known at the start, but not their openings.
        self._asked = _Tally()
        matches = self._stored_in_matches()
        sure = {match: self.strategy.sure_pairs * len(Pair(*match, 0).slots) for match in matches}
        self._sure = _Tally(sum(sure.values()), sum(matches.values()))
        self._coming = self._tally(self.strategy.coming())
        self._matches = matches.keys()
        self._whole = {
            match for match in matches if plan.ends_by_itself and matches[match] == sure[match]
        }

    def _stored_in_matches(self) -> dict[tuple[str, str, str], int]:
        """How many sure games of each match are in the ledger."""
        pairs = [Pair(game, *m, 0) for m in self._plan.matches() for game in self._plan.games]
        matches = {slot.rpartition("|")[0]: pair.match for pair in pairs for slot in pair.slots}
        counts = {pair.match: 0 for pair in pairs}
        for slot in self._found:
            match, _, number = slot.rpartition("|")
            if match in matches and number.isdecimal() and int(number) < self.strategy.sure_pairs:
                counts[matches[match]] += 1
        return counts

    def _tally(self, pairs: Iterable[Pair]) -> _Tally:
        slots = [slot for pair in pairs for slot in pair.slots]
        return _Tally(len(slots), sum(slot in self._found for slot in slots))

    def _expected(self) -> _Tally:
        """All games decided on so far."""
        return self._asked.plus(self._sure).plus(self._coming)

    @property
    def planned(self) -> int:
        """Games decided on so far, those in the ledger included."""
        return self._expected().games

    @property
    def stored(self) -> int:
        """Of these, how many were in the ledger from the start."""
        return self._expected().stored

    def may_need(self, task: GameTask) -> bool:
        """Whether games of this match may be played."""
        matches = {(task.game, *task.players), (task.game, *task.players[::-1])}
        return not matches & self._whole and self.wanted(task)

    def keep(self, records: list[GameRecord]) -> None:
        """These games are in the ledger now."""
        self.played += len(records)
        self.failures += sum(record.failed for record in records)

    # --- a source of tasks ------------------------------------------------------------------

    def take(self, count: int) -> list[GameTask]:
        """Up to `count` games; fewer if what comes next is not decided yet."""
        taken: list[GameTask] = []
        while len(taken) < count and not self.out_of_time:
            if self._queue:
                task = self._queue.popleft()
                if self.wanted(task):
                    taken.append(task)
            elif not self._add_step():
                break
        return taken

    def wanted(self, task: GameTask) -> bool:
        """Whether a game is still to be played; if not, it is taken off the list."""
        if time.monotonic() >= self._deadline:
            self.out_of_time = True
            return False
        if self.strategy.is_over(task.game):
            if task.slot in self._open:
                self._open.discard(task.slot)
                self._asked = self._asked.plus(_Tally(1), -1)
            return False
        if not any((task.game, spec) in self.stopped for spec in task.players):
            return True
        self._open.discard(task.slot)
        return False

    def remaining(self) -> int:
        """About how many games are still to be taken."""
        return len(self._queue) + self._sure.games - self._sure.stored

    def finished(self, records: list[GameRecord]) -> None:
        """Games have ended."""
        for record in records:
            self._open.discard(record.slot)
            if not self._plan.ends_by_itself:
                self.strategy.game_ended(record.slot, result_of(record))
            for player, spec in enumerate((record.first, record.second)):
                self._count_failure(record, player, spec)

    def _count_failure(self, record: GameRecord, player: int, spec: str) -> None:
        key, most = (record.game, spec), self._limits.max_failures
        if not record.failed or record.result != float(player):
            self._failures_in_a_row[key] = 0
            return
        self._failures_in_a_row[key] += 1
        if most and self._failures_in_a_row[key] >= most and key not in self.stopped:
            self.stopped[key] = f"failed {most} games in a row, the last one: {record.reason}"

    def _add_step(self) -> bool:
        """Queue the games of the strategy's next step. False if there is none, or not yet."""
        step = self.strategy.next_step(self._open, self.stopped)
        # In the first round everybody meets everybody once before colours are swapped, so that
        # there is something to report early.
        later: list[GameTask] = []
        for pair in step:
            tally = self._tally([pair])
            self._asked = self._asked.plus(tally)
            if pair.match in self._matches and pair.number < self.strategy.sure_pairs:
                self._sure = self._sure.plus(tally, -1)
            for number, task in enumerate(pair_tasks(self._plan.seed, self._openings, pair)):
                if task.slot not in self._found:
                    self._open.add(task.slot)
                    (later if pair.number == 0 and number else self._queue).append(task)
                elif (result := self._found[task.slot]) is not None:
                    self.strategy.game_ended(task.slot, result)
        self._queue.extend(later)
        if step:
            self._coming = self._tally(self.strategy.coming())
        return bool(step)


def result_of(record: GameRecord) -> Result:
    """What a strategy needs of a record."""
    return Result(
        record.game, record.first, record.second, record.pair, record.moves, record.result
    )
