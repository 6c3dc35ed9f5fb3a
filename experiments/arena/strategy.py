"""How many pairs of each match a tournament plays: a fixed number, or as results demand.

A strategy names the pairs to be played, a step at a time, and receives the results of the games.
The `Agenda` makes games of the pairs and keeps track of finished games. To depend only on the plan
and its seed, a strategy must not look at the order in which games end.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from dlgo.text import number_of
from experiments.arena.schedule import CanonicalPlan, Openings, Pair

if TYPE_CHECKING:
    from reports.rating_table import RatingTable

# A step beyond the sure pairs is this share of what was played: the results are looked at a few
# dozen times, however long the tournament.
_STEP = 0.1
# An entrant without a single point, or without losing one, has no bounded rating. After this
# many games the target is not waited for on its account.
_HOPELESS = 100

# First movers, second movers, results as the first mover sees them: an element a game.
Rate = Callable[[Sequence[str], Sequence[str], Sequence[float]], "RatingTable"]


class Result(NamedTuple):
    """The data of a game for a strategy; `result` is from the view of `first`."""

    game: str
    first: str
    second: str
    pair: int
    moves: str
    result: float


class Strategy:
    """Rounds (one pair of every match) up to `sure_pairs`, then the pairs of a subclass.

    Attributes:
        matches: who meets whom, on each game.
        openings: of the games.
        deadline: by `time.monotonic`; from then on no further game begins.
        headline: what is played, a sentence; "" if the plan says it.
    """

    deadline = math.inf
    headline = ""
    _verdict = ""

    def __init__(self, plan: CanonicalPlan, sure_pairs: int) -> None:
        self.plan = plan
        self.sure_pairs = sure_pairs
        # Number of pairs of (game, one, other) in the steps so far; and the steps.
        self._started: Counter[tuple[str, str, str]] = Counter()
        self.steps: list[list[Pair]] = []
        self.matches = plan.matches()
        self.openings = Openings(plan)

    @property
    def verdict(self) -> str:
        """How it stands, a sentence; "" if there is nothing to say."""
        return self._verdict

    @staticmethod
    def of(plan: CanonicalPlan) -> Strategy:
        """How a plan says when to stop. Raises DlgoError for a test with impossible bounds, or if
        openings are too long for a game."""
        if plan.sprt is not None:
            return UntilTested(plan)
        return UntilRated(plan) if plan.target_elo is not None else Strategy(plan, plan.pairs)

    def next_step(
        self, open_slots: Collection[str], exclusions: Collection[tuple[str, str]]
    ) -> list[Pair]:
        """The pairs to be played next; none if there are none, or if it is too early to say.
        `open_slots`: games of the steps that have not ended; `exclusions`: (game, entrant) that
        play no more."""
        number = len(self.steps)
        if number < self.sure_pairs:
            step = [Pair(game, *match, self.plan.pair_number(match, number))
                    for match in self.matches for game in self.plan.games]
        else:
            step = self.further_step(open_slots, exclusions)
        if step:
            for pair in step:
                self._started[pair.match] = pair.number + 1
            self.steps.append(step)
        return step

    def coming(self) -> Collection[Pair]:
        """Known pairs beyond the sure ones that will be played."""
        return ()

    def further_step(
        self, open_slots: Collection[str], exclusions: Collection[tuple[str, str]]
    ) -> list[Pair]:
        """Like `next_step`, after the sure pairs."""
        return []

    def game_ended(self, slot: str, result: Result) -> None:
        """Called once for each game of the steps: when it ends, or at once if the ledger has it."""

    def is_over(self, game: str) -> bool:
        """Whether the remaining games of the steps are not needed any more."""
        return False

    def further_pairs(self, game: str, exclusions: Collection[tuple[str, str]]) -> list[Pair]:
        """The same number of further pairs for every match on a game that may have some."""
        matches = [
            match for match in self.matches if not {(game, name) for name in match} & {*exclusions}
            and self._started[game, *match] < self.plan.max_pairs
        ]
        n_pairs = max((self._started[game, *match] for match in matches), default=0)
        last = min(n_pairs + max(1, int(_STEP * n_pairs)), self.plan.max_pairs)
        return [Pair(game, *match, k) for k in range(n_pairs, last) for match in matches]


class FromResults(Strategy):
    """The sure pairs, then steps that depend on results.

    So that no worker has to wait, a step is decided on before the one before it has ended, from the
    games before that; and as the decision looks at these games only, however many others have
    ended, the same plan and seed play the same games on any machine.
    """

    def __init__(self, plan: CanonicalPlan, sure_pairs: int) -> None:
        super().__init__(plan, sure_pairs)
        self._results: dict[str, Result] = {}

    def game_ended(self, slot: str, result: Result) -> None:
        self._results[slot] = result

    def further_step(
        self, open_slots: Collection[str], exclusions: Collection[tuple[str, str]]
    ) -> list[Pair]:
        slots = [slot for step in self.steps[:-1] or self.steps for pair in step
                 for slot in pair.slots]
        if any(slot in open_slots for slot in slots):
            return []
        return self.decide(
            [self._results[slot] for slot in slots if slot in self._results], exclusions)

    def decide(
        self, results: Sequence[Result], exclusions: Collection[tuple[str, str]]
    ) -> list[Pair]:
        """The next step after these games; none if it was the last. Stopped entrants leave games
        out."""
        raise NotImplementedError


def different(results: Iterable[Result]) -> list[Result]:
    """The games without those that repeat another one, which say nothing new."""
    return list({(*result[:3], result.moves, result.result): result for result in results}.values())


class UntilRated(FromResults):
    """The plan's `pairs`, then steps until no 95% interval is wider than `target_elo`. `rate` makes
    results ratings; by default as reports do it."""

    def __init__(self, plan: CanonicalPlan, rate: Rate | None = None) -> None:
        super().__init__(plan, plan.pairs)
        if rate is None:
            from reports.ratings import fit_ratings as rate  # SciPy takes a second to load
        self._rate: Any = rate
        self._done = False

    def decide(
        self, results: Sequence[Result], exclusions: Collection[tuple[str, str]]
    ) -> list[Pair]:
        if self._done:
            return []
        pairs: list[Pair] = []
        widths: list[tuple[float, str, str]] = []
        for game in self.plan.games:
            of_game = different(result for result in results if result.game == game)
            wide = self._wide(of_game) if of_game else {}
            widths += [(width, entrant, game) for entrant, width in wide.items()]
            further = self.further_pairs(game, exclusions) if wide else []
            if any(not wide.keys().isdisjoint(pair.match[1:]) for pair in further):
                pairs += further
        self._done = not pairs
        self._tell(max(widths, default=None))
        return pairs

    def _wide(self, results: list[Result]) -> dict[str, float]:
        """Who is not known well enough, and how wide the interval is."""
        _, first, second, _, _, points = zip(*results, strict=True)
        games = Counter(first + second)
        return {
            rating.entrant: width for rating in self._rate(first, second, points).ratings
            if (width := rating.high95 - rating.low95) > (self.plan.target_elo or 0)
            and not (rating.note and games[rating.entrant] >= _HOPELESS)
        }

    def _tell(self, widest: tuple[float, str, str] | None) -> None:
        target = f"{self.plan.target_elo:g}"
        if widest is None:
            self._verdict = f"the target is reached: no 95% interval wider than {target} Elo"
            return
        width, entrant, game = widest
        reason = f", and max_pairs={self.plan.max_pairs} is reached" if self._done else ""
        self._verdict = (f"the widest 95% interval is {width:.0f} Elo, of {entrant} on {game}; "
                         f"the target is {target}{reason}")


class UntilTested(Strategy):
    """A match that continues until a sequential test (SPRT) has its answer, on each game.

    Only the first pair is sure to be played; then a tenth more at a time. The workers end games in
    any order, but a test must not see them in this order: quick wins would be counted first. So
    results wait until all pairs before theirs are complete, and are shown to the test in the order
    of the plan.
    """

    def __init__(self, plan: CanonicalPlan) -> None:
        from reports.sprt import Sprt, SprtBounds

        super().__init__(plan, sure_pairs=1)
        assert plan.sprt is not None
        low, high = plan.sprt
        bounds = SprtBounds(low, high, plan.alpha, plan.beta, plan.elo_model)
        self.headline = (
            f"a match of {' and '.join(plan.entrants)} on {', '.join(plan.games)}, until a test "
            f"decides between {low:g} and {high:g} {bounds.unit}, at most "
            f"{number_of(plan.max_pairs, 'pair')}"
        )
        self._tests = {game: Sprt(bounds, budget=plan.max_pairs) for game in plan.games}
        # Points of the first entrant in games of pairs that the test has not seen.
        self._waiting: dict[tuple[str, int], list[float]] = {}

    @property
    def verdict(self) -> str:
        """What each test says."""
        return "; ".join(f"{game}: {test.reason}" for game, test in self._tests.items())

    def further_step(
        self, open_slots: Collection[str], exclusions: Collection[tuple[str, str]]
    ) -> list[Pair]:
        return [pair for game in self.plan.games if not self.is_over(game)
                for pair in self.further_pairs(game, exclusions)]

    def game_ended(self, slot: str, result: Result) -> None:
        game, test = result.game, self._tests[result.game]
        first = result.first == self.plan.entrants[0]
        points = result.result if first else 1 - result.result
        self._waiting.setdefault((game, result.pair), []).append(points)
        while not test.is_over and len(self._waiting.get((game, test.counts.total), ())) == 2:
            test.add(sum(self._waiting.pop((game, test.counts.total))))

    def is_over(self, game: str) -> bool:
        return self._tests[game].is_over
