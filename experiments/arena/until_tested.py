"""A match that goes on until a sequential test (SPRT) has its answer.

The workers end games in any order, but a test must not: whoever wins quickly would be counted
first. So the results wait here until all pairs before theirs are complete, and are shown to the
test in the order of the plan. The answer then depends on the seed alone, not on which core was
faster.
"""

from __future__ import annotations

from collections.abc import Collection

from experiments.arena.schedule import Pair, Plan
from experiments.arena.strategy import Result, Strategy
from reports.sprt import GOES_ON, Sprt, SprtBounds


class UntilTested(Strategy):
    """Only the first pair is sure to be played; then a tenth more at a time, on each game until
    its test is over.

    Args:
        plan: canonical, a match with `sprt`.
    """

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan, sure_pairs=1)
        self.headline = (
            f"a match of {' and '.join(plan.entrants)} on {', '.join(plan.games)} until a test "
            f"tells {plan.sprt[0]:g} from {plan.sprt[1]:g} Elo, at most {plan.max_pairs} pairs"
        )
        bounds = SprtBounds(*plan.sprt, plan.alpha, plan.beta)
        self._tests = {
            game: _OrderedTest(plan.entrants[0], Sprt(bounds, budget=plan.max_pairs))
            for game in plan.games
        }

    @property
    def verdict(self) -> str:
        """What each test says."""
        return "; ".join(f"{game}: {test.sprt.reason}" for game, test in self._tests.items())

    def further_step(
        self, open_slots: Collection[str], stopped: Collection[tuple[str, str]]
    ) -> list[Pair]:
        """The next pairs on each game whose test goes on."""
        games = [game for game in self.plan.games if not self.is_over(game)]
        matches = {game: self.open_matches(game, stopped) for game in games}
        return [
            pair for game in games if matches[game]
            for pair in self.even_pairs(game, matches[game])
        ]

    def game_ended(self, slot: str, result: Result) -> None:
        """Show it to the test of its game."""
        self._tests[result.game].add(result)

    def is_over(self, game: str) -> bool:
        """Whether the test has its answer."""
        return self._tests[game].over


class _OrderedTest:
    """Shows pairs to a test in the order of their numbers.

    Args:
        one: the entrant whose points are counted.
        sprt: the test.

    Attributes:
        over: whether the test has its answer.
    """

    def __init__(self, one: str, sprt: Sprt) -> None:
        self.sprt = sprt
        self.over = False
        self._one = one
        self._next = 0
        self._points: dict[int, list[float]] = {}

    def add(self, result: Result) -> None:
        """A game of a pair has ended."""
        points = result.result if result.first == self._one else 1 - result.result
        self._points.setdefault(result.pair, []).append(points)
        while not self.over and len(self._points.get(self._next, ())) == 2:
            self.sprt.add(sum(self._points.pop(self._next)))
            self.over = self.sprt.state != GOES_ON
            self._next += 1
