"""Play on until every rating is known well enough (`target_elo`).

So that no worker has to wait, a step is decided on before the one before it has ended, from the
games before that; and as the decision looks at these games only, however many others have ended,
the same plan and seed play the same games on any machine.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from experiments.arena.schedule import Pair, Plan
from experiments.arena.strategy import STEP, Result, Strategy

if TYPE_CHECKING:
    from reports.rating_table import RatingTable

# An entrant without a single point, or without losing one, has no bounded rating. After this
# many games the target is not waited for on its account.
_HOPELESS = 100

_LOG_ODDS = math.log(10) / 400  # of an Elo point
_Z95 = 1.959963984540054

# First movers, second movers, results as the first mover sees them: an element a game.
Rate = Callable[[Sequence[str], Sequence[str], Sequence[float]], "RatingTable"]


class UntilRated(Strategy):
    """The plan's `pairs`, then steps until no 95% interval is wider than the target.

    Args:
        plan: canonical, with a target.
        rate: how results become ratings; by default as reports do it.
    """

    def __init__(self, plan: Plan, rate: Rate | None = None) -> None:
        super().__init__(plan, plan.pairs)
        if rate is None:
            from reports.ratings import fit_ratings as rate  # SciPy takes a second to load
        self._rate = rate
        self._results: dict[str, Result] = {}
        self._done = False

    def game_ended(self, slot: str, result: Result) -> None:
        """Keep the result for the next decision."""
        self._results[slot] = result

    def further_step(
        self, open_slots: Collection[str], stopped: Collection[tuple[str, str]]
    ) -> list[Pair]:
        """A tenth of what was played, if an interval is too wide."""
        slots = [slot for step in self.steps[:-1] or self.steps for pair in step
                 for slot in pair.slots]
        if self._done or any(slot in open_slots for slot in slots):
            return []
        pairs, widths = [], []
        for game, results in self._distinct(slots).items():
            ratings = self._rate(
                [result.first for result in results], [result.second for result in results],
                [result.result for result in results],
            )
            wide = self._wide(ratings, results)
            widths += [(width, entrant, game) for entrant, width in wide.items()]
            matches = self.open_matches(game, stopped)
            needed = [match for match in matches if not wide.keys().isdisjoint(match)]
            if not needed:
                continue
            if self.plan.pairing == "adaptive":
                pairs += self._least_certain(game, ratings, needed, len(matches))
            else:
                pairs += self.even_pairs(game, matches)
        self._done = not pairs
        self.verdict = self._describe(max(widths, default=None))
        return pairs

    def _distinct(self, slots: Sequence[str]) -> dict[str, list[Result]]:
        """The results by game; a game that repeats another one says nothing new."""
        results = [self._results[slot] for slot in slots if slot in self._results]
        by_game = {}
        for game in self.plan.games:
            distinct = {
                (result.first, result.second, result.moves, result.result): result
                for result in results if result.game == game
            }
            if distinct:
                by_game[game] = list(distinct.values())
        return by_game

    def _wide(self, ratings: RatingTable, results: list[Result]) -> dict[str, float]:
        """Who is not known well enough, and how wide the interval is."""
        games = Counter(entrant for r in results for entrant in (r.first, r.second))
        return {
            rating.entrant: width for rating in ratings.ratings
            if (width := rating.high95 - rating.low95) > self.plan.target_elo
            and not (rating.note and games[rating.entrant] >= _HOPELESS)
        }

    def _describe(self, widest: tuple[float, str, str] | None) -> str:
        target = f"{self.plan.target_elo:g}"
        if widest is None:
            return f"the target is reached: no 95% interval wider than {target} Elo"
        width, entrant, game = widest
        why = f", and max_pairs={self.plan.max_pairs} is reached" if self._done else ""
        return (
            f"the widest 95% interval is {width:.0f} Elo, of {entrant} on {game}; "
            f"the target is {target}{why}"
        )

    def _least_certain(
        self, game: str, ratings: RatingTable, matches: list[tuple[str, str]], size: int
    ) -> list[Pair]:
        """As many pairs as a round and `STEP` of what was played, each where it says most.

        A game between two entrants whose difference has the variance v says
        log(1 + v p (1 - p)) / 2 about it (in units of log odds; p is the expected score), the
        information gained under a normal approximation (Lindley 1956).
        """
        variance, information = {}, {}
        for match in matches:
            difference = ratings.difference(*match)
            error = (difference.high95 - difference.low95) / (2 * _Z95) * _LOG_ODDS
            score = 1 / (1 + math.exp(-difference.value * _LOG_ODDS))
            variance[match], information[match] = error**2, 2 * score * (1 - score)
        started = {match: self.started[game, *match] for match in matches}
        pairs = []
        for _ in range(max(size, int(STEP * sum(started.values())))):
            free = [m for m in matches if started[m] < self.plan.max_pairs]
            if not free:
                break
            best = max(free, key=lambda m: math.log1p(variance[m] * information[m]))
            variance[best] = 1 / (1 / max(variance[best], 1e-12) + information[best])
            pairs.append(Pair(game, *best, started[best]))
            started[best] += 1
        return pairs
