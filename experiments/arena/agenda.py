"""What is played next: the plan round by round, what is in the ledger already left out.

A round is one pair of every meeting. Without a target that is all. With one, the ratings so far
decide, after the plan's `pairs`, whether further games are played and, with adaptive pairing,
which. So that no worker has to wait, the decision about a step is made before the one before
it has ended, from the games before that; and as it looks at these games only, however many
others have ended, the same plan and seed play the same games on any machine.

A match with a sequential test (SPRT) goes on until that has its answer: `sequential.py`.

An entrant that fails again and again is stopped: its further games are left out.

Called by `tournament.py`; `executor.py` takes the games from it.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol

from dlgo.records.ledger import GameRecord
from experiments.arena.limits import Limits
from experiments.arena.match import GameTask
from experiments.arena.openings import Openings
from experiments.arena.schedule import Plan, pair_tasks
from experiments.arena.sequential import NewTest, Trial

# A step beyond the plan's `pairs` is this share of what was played: the ratings are computed a
# few dozen times, however long the tournament.
_STEP = 0.1
# An entrant without a single point, or without losing one, has no bounded rating. After so many
# games the target is not waited for on its account.
_HOPELESS = 100

_LOG_ODDS = math.log(10) / 400  # of an Elo point
_Z95 = 1.959963984540054


class Estimate(Protocol):
    """A number with a 95% interval."""

    value: float
    low95: float
    high95: float


class EntrantRating(Estimate, Protocol):
    """The rating of an entrant; `note` says if the games do not bound it."""

    entrant: str
    note: str


class Ratings(Protocol):
    """What a rating function returns; `reports.ratings.RatingTable` is one."""

    ratings: tuple[EntrantRating, ...]

    def difference(self, one: str, other: str) -> Estimate:
        """How much stronger `one` is than `other`, in Elo."""


# First movers, second movers, results as the first mover sees them: an element a game. It is
# handed in, because this package knows nothing of ratings (`reports.ratings.fit_ratings` fits).
Rate = Callable[[Sequence[str], Sequence[str], Sequence[float]], Ratings]


class Result(NamedTuple):
    """What ratings need to know of a game."""

    game: str
    first: str
    second: str
    moves: str
    result: float


class Agenda:
    """A source of tasks for the executor.

    Args:
        plan: canonical.
        played: the games that the ledger holds, by slot. The results may be left out (None)
            if the plan has no target.
        limits: when an entrant is stopped.
        stopped: entrants stopped earlier: (game, entrant) -> why.
        rate: for a plan with a target.
        test: for a match with a sequential test.

    Attributes:
        stopped: (game, entrant) -> why, with those stopped now.
        planned: games decided on so far, those found in the ledger included.
        found: of these, in the ledger from the start.
        left_out: of these, not played because an entrant was stopped.
        verdict: how it stands with the target or the test; "" without one.
    """

    def __init__(
        self, plan: Plan, played: dict[str, Result | None], limits: Limits,
        stopped: dict[tuple[str, str], str] | None = None, rate: Rate | None = None,
        test: NewTest | None = None,
    ) -> None:
        self.stopped = dict(stopped or {})
        self.planned = self.found = self.left_out = 0
        self._verdict = ""
        self._plan = plan
        self._limits = limits
        self._rate = rate
        self._found = played
        self._results: dict[str, Result] = {}  # played now, if there is a target
        self._openings = Openings(plan.seed, plan.opening_plies)
        self._meetings = plan.meetings()
        self._queue: deque[GameTask] = deque()
        self._open: set[str] = set()  # slots handed out or waiting
        self._failures: Counter[tuple[str, str]] = Counter()
        # Slots of each step; the last one is being played, the one before it may be.
        self._steps: list[list[str]] = []
        self._played_pairs: Counter[tuple[str, str, str]] = Counter()
        self._done = False
        # One match for each game; the first entrant's points are counted.
        self._trials = {
            game: Trial(plan.entrants[0], test()) for game in plan.games
        } if test is not None else {}
        # With a test, only the first pair is sure to be played.
        pairs = 1 if self._trials else plan.pairs
        self._rounds_left = deque(range(pairs))
        # The number of games is known at the start, but not their openings.
        meetings = [(game, *meeting) for meeting in self._meetings for game in plan.games]
        self.planned = 2 * pairs * len(meetings)
        missing = Counter(
            (game, one, other)
            for pair in range(pairs) for game, one, other in meetings
            for first, second in ((one, other), (other, one))
            if f"{game}|{first}|{second}|{pair}" not in played
        )
        self._incomplete = set(missing if plan.ends_by_itself else meetings)
        self.found = self.planned - missing.total()
        self._undrawn = self.planned - self.found

    def may_need(self, task: GameTask) -> bool:
        """Whether games of this meeting may be played."""
        meetings = {(task.game, *task.players), (task.game, *task.players[::-1])}
        return bool(meetings & self._incomplete) and self.wanted(task)

    @property
    def verdict(self) -> str:
        """See the class."""
        if self._trials:
            return "; ".join(f"{game}: {trial.reason}" for game, trial in self._trials.items())
        return self._verdict

    # --- the executor's side ----------------------------------------------------------------

    def take(self, count: int) -> list[GameTask]:
        """Up to `count` games; fewer if what comes next is not decided yet."""
        taken: list[GameTask] = []
        while len(taken) < count:
            if self._queue:
                task = self._queue.popleft()
                if self.wanted(task):
                    taken.append(task)
            elif not self._next_step():
                break
        return taken

    def wanted(self, task: GameTask) -> bool:
        """Whether a game is still to be played; if not, it is taken off the list."""
        if task.game in self._trials and self._trials[task.game].over:
            if task.slot in self._open:
                self._open.discard(task.slot)
                self.planned -= 1
            return False
        if not any((task.game, spec) in self.stopped for spec in task.players):
            return True
        if task.slot in self._open:
            self._open.discard(task.slot)
            self.left_out += 1
        return False

    def left(self) -> int:
        """About how many games are still to be taken."""
        return len(self._queue) + self._undrawn

    def finished(self, records: list[GameRecord]) -> None:
        """Games have ended."""
        for record in records:
            self._open.discard(record.slot)
            if self._plan.target_elo is not None:
                self._results[record.slot] = result_of(record)
            if self._trials:
                self._trials[record.game].note(record.pair, record.first, record.result)
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

    # --- steps ------------------------------------------------------------------------------

    def _next_step(self) -> bool:
        """Put the next games on the queue. False if there are none, or not yet."""
        if self._rounds_left:
            pair = self._rounds_left.popleft()
            self._put([(g, *m, pair) for m in self._meetings for g in self._plan.games])
            return True
        if self._trials:
            return self._next_trial_step()
        if self._plan.target_elo is None or self._done or self._rate is None:
            return False
        known = self._steps[:-1] or self._steps
        if any(slot in self._open for step in known for slot in step):
            return False  # a straggler
        wanted = self._next_pairs(known)
        self._done = not wanted
        return self._add_step(wanted)

    def _next_trial_step(self) -> bool:
        """The next pairs of the matches whose tests go on, a tenth of those played."""
        wanted = []
        for game, trial in self._trials.items():
            (one, other), = self._meetings
            if not trial.over and self._may_go_on(game, one, other):
                wanted += self._even(game, [(one, other)])
        return self._add_step(wanted)

    def _add_step(self, wanted: list[tuple[str, str, str, int]]) -> bool:
        """Put pairs that go beyond the plan's first rounds on the queue, if there are any."""
        if not wanted:
            return False
        before = self.planned
        self._put(wanted)
        self.planned = before + len(self._steps[-1])
        self.found += sum(slot in self._found for slot in self._steps[-1])
        return True

    def _put(self, pairs: Iterable[tuple[str, str, str, int]]) -> None:
        slots = []
        for game, one, other, pair in pairs:
            self._played_pairs[game, one, other] = pair + 1
            for task in pair_tasks(self._plan.seed, self._openings, game, one, other, pair):
                slots.append(task.slot)
                known = self._found.get(task.slot)
                if known is not None and self._trials:
                    self._trials[game].note(pair, task.first, known.result)
                if task.slot not in self._found:
                    self._undrawn -= 1
                    self._open.add(task.slot)
                    self._queue.append(task)
        self._undrawn = max(self._undrawn, 0)
        self._steps.append(slots)

    def _next_pairs(self, known: list[list[str]]) -> list[tuple[str, str, str, int]]:
        """The pairs of the next step: game, entrants, number."""
        target = self._plan.target_elo
        assert target is not None and self._rate is not None
        by_game: dict[str, dict[tuple[str, str, str, str], float]] = {}
        for slot in (slot for step in known for slot in step):
            result = self._results.get(slot) or self._found.get(slot)
            if result is not None:
                # A game that repeats another one says nothing new.
                key = (result.first, result.second, result.moves, str(result.result))
                by_game.setdefault(result.game, {})[key] = result.result
        wanted, widths = [], []
        for game in self._plan.games:
            meetings = [m for m in self._meetings if self._may_go_on(game, *m)]
            games = by_game.get(game)
            if not games:
                continue
            ratings = self._rate(
                [k[0] for k in games], [k[1] for k in games], list(games.values())
            )
            wide = self._wide(ratings, Counter(k[i] for k in games for i in (0, 1)), target)
            widths += [(width, who, game) for who, width in wide.items()]
            needed = [m for m in meetings if m[0] in wide or m[1] in wide]
            if not needed:
                continue
            if self._plan.pairing == "adaptive":
                wanted += self._least_certain(game, ratings, needed, len(meetings))
            else:
                wanted += self._even(game, meetings)
        worst = max(widths, default=None)
        if worst is None:
            self._verdict = f"the target is reached: no 95% interval wider than {target:g} Elo"
        else:
            why = "" if wanted else f", and max_pairs={self._plan.max_pairs} is reached"
            self._verdict = f"the widest 95% interval is {worst[0]:.0f} Elo, of {worst[1]} on " \
                           f"{worst[2]}; the target is {target:g}{why}"
        return wanted

    def _may_go_on(self, game: str, one: str, other: str) -> bool:
        return (
            (game, one) not in self.stopped and (game, other) not in self.stopped
            and self._played_pairs[game, one, other] < self._plan.max_pairs
        )

    def _wide(self, ratings: Ratings, games: Counter[str], target: float) -> dict[str, float]:
        """Who is not known well enough, and how wide the interval is."""
        return {
            rating.entrant: rating.high95 - rating.low95
            for rating in ratings.ratings
            if rating.high95 - rating.low95 > target
            and not (rating.note and games[rating.entrant] >= _HOPELESS)
        }

    def _even(
        self, game: str, meetings: list[tuple[str, str]]
    ) -> list[tuple[str, str, str, int]]:
        """The same number of pairs for every meeting."""
        done = max(self._played_pairs[game, *meeting] for meeting in meetings)
        last = min(done + max(1, int(_STEP * done)), self._plan.max_pairs)
        return [(game, *meeting, pair) for pair in range(done, last) for meeting in meetings]

    def _least_certain(
        self, game: str, ratings: Ratings, meetings: list[tuple[str, str]], size: int
    ) -> list[tuple[str, str, str, int]]:
        """As many pairs as a round and `_STEP` of what was played, each where it says most.

        A game between two entrants whose difference has the variance v says
        log(1 + v p (1 - p)) / 2 about it (in units of log odds; p is the expected score), the
        information gained under a normal approximation (Lindley 1956).
        """
        variance, information = {}, {}
        for meeting in meetings:
            difference = ratings.difference(*meeting)
            error = (difference.high95 - difference.low95) / (2 * _Z95) * _LOG_ODDS
            score = 1 / (1 + math.exp(-difference.value * _LOG_ODDS))
            variance[meeting], information[meeting] = error**2, 2 * score * (1 - score)
        played = sum(self._played_pairs[game, *meeting] for meeting in meetings)
        pairs = []
        for _ in range(max(size, int(_STEP * played))):
            free = [
                m for m in meetings if self._played_pairs[game, *m] < self._plan.max_pairs
            ]
            if not free:
                break
            best = max(free, key=lambda m: math.log1p(variance[m] * information[m]))
            variance[best] = 1 / (1 / max(variance[best], 1e-12) + information[best])
            pairs.append((game, *best, self._played_pairs[game, *best]))
            self._played_pairs[game, *best] += 1
        return pairs


def result_of(record: GameRecord) -> Result:
    """What ratings need of a record."""
    return Result(record.game, record.first, record.second, record.moves, record.result)
