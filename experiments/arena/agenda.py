"""Which game is played next: what the strategy asks for, less what the ledger holds already.

An entrant that fails again and again is stopped: its further games are left out.
"""

from __future__ import annotations

import math
import time
from collections import Counter, deque
from collections.abc import Iterable

from dlgo.records.ledger import GameRecord
from experiments.arena.limits import Limits
from experiments.arena.openings import Openings
from experiments.arena.referee import GameTask
from experiments.arena.schedule import Pair, Plan, pair_tasks
from experiments.arena.strategy import FixedPairs, Result, Strategy


def strategy_of(plan: Plan) -> Strategy:
    """How a plan says when to stop. Raises DlgoError for a test with bounds it cannot have."""
    if plan.sprt is not None:
        from experiments.arena.until_tested import UntilTested

        return UntilTested(plan)
    if plan.target_elo is not None:
        from experiments.arena.until_rated import UntilRated

        return UntilRated(plan)
    return FixedPairs(plan)


class Agenda:
    """A source of tasks for the executor.

    Args:
        plan: canonical.
        played: the games that the ledger holds, by slot. The results may be left out (None)
            if the plan ends by itself.
        limits: when an entrant is stopped.
        stopped: entrants stopped earlier: (game, entrant) -> why.
        strategy: when to stop; by default as the plan says.
        deadline: by `time.monotonic`; from then on no further game begins. None: never.

    Attributes:
        stopped: (game, entrant) -> why, with those stopped now.
        left_out: of these, not played because an entrant was stopped.
        out_of_time: whether the deadline has kept games from being played.
    """

    def __init__(
        self, plan: Plan, played: dict[str, Result | None], limits: Limits,
        stopped: dict[tuple[str, str], str] | None = None, strategy: Strategy | None = None,
        deadline: float | None = None,
    ) -> None:
        self.out_of_time = False
        self._deadline = math.inf if deadline is None else deadline
        self.stopped = dict(stopped or {})
        self.left_out = 0
        self._strategy = strategy or strategy_of(plan)
        self._plan = plan
        self._limits = limits
        self._played = played
        self._openings = Openings(plan.seed, plan.opening_plies)
        self._queue: deque[GameTask] = deque()
        self._open: set[str] = set()  # slots handed out or waiting
        self._failures: Counter[tuple[str, str]] = Counter()
        # How many games there are is known at the start, but not their openings.
        sure = self._strategy.sure_pairs
        pairs = [Pair(game, *m, 0) for m in plan.matches() for game in plan.games]
        games = {pair.match: sure * len(pair.slots) for pair in pairs}
        self._sure = games.keys()
        stored = self._count_stored(pairs)
        self._planned = sum(games.values())
        self._stored = stored.total()
        self._undrawn = self._planned - self._stored
        self._look_ahead()
        self._incomplete = {
            match for match, number in games.items()
            if stored[match] < number or not plan.ends_by_itself
        }

    def _count_stored(self, pairs: Iterable[Pair]) -> Counter[tuple[str, str, str]]:
        """How many sure games of each pair's match are in the ledger."""
        matches = {
            slot.rpartition("|")[0]: pair.match for pair in pairs for slot in pair.slots
        }
        stored: Counter[tuple[str, str, str]] = Counter()
        for slot in self._played:
            players, _, pair = slot.rpartition("|")
            if players in matches and pair.isdecimal() and int(pair) < self._strategy.sure_pairs:
                stored[matches[players]] += 1
        return stored

    def _look_ahead(self) -> None:
        """Count what the strategy already knows that it will ask for."""
        slots = [slot for pair in self._strategy.coming() for slot in pair.slots]
        self._coming = len(slots)
        self._coming_stored = sum(slot in self._played for slot in slots)

    @property
    def planned(self) -> int:
        """Games decided on so far, those in the ledger included."""
        return self._planned + self._coming

    @property
    def stored(self) -> int:
        """Of these, how many were in the ledger from the start."""
        return self._stored + self._coming_stored

    @property
    def headline(self) -> str:
        """What is played, a sentence; "" if the plan says it."""
        return self._strategy.headline

    @property
    def verdict(self) -> str:
        """How it stands with the target or the test; "" without one."""
        return self._strategy.verdict

    def may_need(self, task: GameTask) -> bool:
        """Whether games of this match may be played."""
        matches = {(task.game, *task.players), (task.game, *task.players[::-1])}
        return bool(matches & self._incomplete) and self.wanted(task)

    # --- the executor's side ----------------------------------------------------------------

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
        if self._strategy.is_over(task.game):
            if task.slot in self._open:
                self._open.discard(task.slot)
                self._planned -= 1
            return False
        if not any((task.game, spec) in self.stopped for spec in task.players):
            return True
        if task.slot in self._open:
            self._open.discard(task.slot)
            self.left_out += 1
        return False

    def remaining(self) -> int:
        """About how many games are still to be taken."""
        return len(self._queue) + self._undrawn

    def is_open(self) -> bool:
        """Nothing comes when nothing is under way: what is decided depends on games alone."""
        return False

    def finished(self, records: list[GameRecord]) -> None:
        """Games have ended."""
        for record in records:
            self._open.discard(record.slot)
            if not self._plan.ends_by_itself:
                self._strategy.game_ended(record.slot, result_of(record))
            for player, spec in enumerate((record.first, record.second)):
                self._count_failure(record, player, spec)

    def _count_failure(self, record: GameRecord, player: int, spec: str) -> None:
        key, most = (record.game, spec), self._limits.max_failures
        if not record.failed or record.result != float(player):
            self._failures[key] = 0
            return
        self._failures[key] += 1
        if most and self._failures[key] >= most and key not in self.stopped:
            self.stopped[key] = f"failed {most} games in a row, the last one: {record.reason}"

    def _add_step(self) -> bool:
        """Queue the games of the strategy's next step. False if there is none, or not yet."""
        step = self._strategy.next_step(self._open, self.stopped)
        # In the first round everybody meets everybody once before colours are swapped, so that
        # there is something to report early.
        later: list[GameTask] = []
        for pair in step:
            sure = pair.match in self._sure and pair.number < self._strategy.sure_pairs
            for number, task in enumerate(pair_tasks(self._plan.seed, self._openings, pair)):
                stored = task.slot in self._played
                if not sure:
                    self._planned += 1
                    self._stored += stored
                elif not stored:
                    self._undrawn -= 1
                if not stored:
                    self._open.add(task.slot)
                    (later if pair.number == 0 and number else self._queue).append(task)
                elif (result := self._played[task.slot]) is not None:
                    self._strategy.game_ended(task.slot, result)
        self._queue.extend(later)
        if step:
            self._look_ahead()
        return bool(step)


def result_of(record: GameRecord) -> Result:
    """What a strategy needs of a record."""
    return Result(
        record.game, record.first, record.second, record.pair, record.moves, record.result
    )
