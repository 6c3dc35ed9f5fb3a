"""A scale: anchors with fixed ratings, and the rating of a newcomer who plays them.

The anchors' ratings come from one fit of their games among each other (`ratings.py`) and never
change again: they, the first-move advantage and the share of draws define the scale. So only the
newcomer's strength is unknown. Its estimate is the one of largest likelihood, its interval that of
the newcomer's games. The errors of the anchors' ratings are not part of it: a scale is
a definition, like the metre.

A newcomer who won all games, or lost all, gets one virtual game, half won and half lost, against
the strongest (weakest) anchor that it met, as in `ratings.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dlgo.errors import DlgoError
from dlgo.text import listing
from reports.davidson import (
    Floats,
    Observations,
    covariance_matrix,
    maximise,
    outcome_probabilities,
    score_moments,
)
from reports.rating_table import ELO, Estimate, bounds
from reports.ratings import fit_ratings

# (first, second, wins, draws, losses) as the first sees it; players by their places among anchors.
Counts = tuple[int, int, int, int, int]
# Of a first mover against a second one: places, and 1, 0.5 or 0 as the first sees it.
Game = tuple[int, int, float]


@dataclass(frozen=True)
class Scale:
    """The ratings of the anchors of a game, as they are fitted to their games.

    Attributes:
        anchors: the weakest first.
        elo: (anchors,) on the scale of the expected score, the first at 0.
        first_move, draws: ln gamma and ln nu of the model (`davidson.py`); None if left out.
        counts: of the games among the anchors.
    """

    anchors: tuple[str, ...]
    elo: tuple[float, ...]
    first_move: float | None
    draws: float | None
    counts: tuple[Counts, ...]

    @classmethod
    def fitted(cls, counts: Sequence[Counts], names: Sequence[str], zero: str) -> Scale:
        """The scale that games define, with the anchor `zero` at 0. Raises DlgoError if not all
        anchors are linked by games."""
        rows = np.array(counts)
        repeats, values = rows[:, 2:].ravel(), np.tile([1.0, 0.5, 0.0], len(rows))
        first, second = (np.repeat(np.array(names)[np.repeat(rows[:, i], 3)], repeats)
                         for i in (0, 1))
        table = fit_ratings(first.tolist(), second.tolist(), np.repeat(values, repeats).tolist())
        apart = [rating.entrant for rating in table.ratings if rating.group > 1]
        if apart:
            raise DlgoError(f"scale: no games link {listing(apart)} with {zero}; play some")
        table = table.anchored(zero)
        ratings = table.ratings[::-1]
        anchors = tuple(rating.entrant for rating in ratings)
        place = {name: anchors.index(name) for name in names}
        draws = None if table.draw is None else float(np.log(table.draw.value))
        return cls(
            anchors, tuple(round(rating.value, 1) for rating in ratings),
            None if table.first_move is None else round(
                table.first_move.value / ELO / _slope(draws), 4),
            None if draws is None else round(draws, 4),
            tuple(sorted((place[names[i]], place[names[j]], *results)
                         for i, j, *results in map(tuple, rows.tolist()))),
        )

    @cached_property
    def parameters(self) -> Floats:
        """Of the model: the anchors' strengths, 0 for the newcomer, ln gamma, ln nu."""
        strengths = np.array(self.elo) / ELO / _slope(self.draws)
        more = [value for value in (self.first_move, self.draws) if value is not None]
        return np.array([*strengths, 0.0, *more])

    def rated(self, games: Sequence[Game]) -> Estimate:
        """The newcomer's rating in Elo, with its 95% interval; it has the place after the anchors.
        Without a game: the middle of the scale."""
        size = len(self.anchors)
        rows = np.array([(i, j, 1.0, r == 1, r == 0.5, r == 0) for i, j, r in games]
                        + self._virtual(games), float)
        first, second = rows[:, :2].astype(int).T
        moved, wins, draws, losses = rows[:, 2:].T
        if self.draws is None:  # none was drawn among the anchors
            wins, draws, losses = wins + draws / 2, 0 * draws, losses + draws / 2
        played = Observations(size + 1, first, second, moved, wins, draws, losses,
                              self.first_move is not None, self.draws is not None)
        start, fixed = self.parameters.copy(), np.delete(np.arange(played.size), size)
        start[size] = start[:size].mean()
        found = maximise(played, fixed, start)
        error = np.sqrt(covariance_matrix(played, found, fixed)[size, size])
        slope = ELO * _slope(self.draws)
        return Estimate(*bounds(slope * found[size], slope * error))

    def _virtual(self, games: Sequence[Game]) -> list[tuple[float, ...]]:
        """The game that keeps the estimate finite, if it needs one."""
        size = len(self.anchors)
        points = [r if i == size else 1 - r for i, _, r in games]
        if games and 0 < sum(points) < len(points):
            return []
        met = sorted(min(i, j) for i, j, _ in games) or [size // 2]
        return [(size, met[-1 if sum(points) else 0], 0.0, 0.5, 0.0, 0.5)]

    def score(self, elo: float) -> Floats:
        """(anchors,) the expected score against each, mean of both colours."""
        (as_first, _), (as_second, _) = self._moments(elo)
        return (as_first + as_second) / 2

    def information(self, rating: Estimate) -> Floats:
        """(anchors,) how much a game against each would tell, if the rating is spread around its
        estimate as the interval says."""
        nodes, weights = np.polynomial.hermite_e.hermegauss(9)
        error = (rating.high95 - rating.value) / bounds(0.0, 1.0)[2]
        information = np.zeros(len(self.anchors))
        for node, weight in zip(nodes, weights, strict=True):
            for _, variance in self._moments(rating.value + error * node):
                information += weight * variance
        return information

    def _moments(self, elo: float) -> list[tuple[Floats, Floats]]:
        """Mean and variance of the score against each anchor, moving first and second."""
        ahead = elo / ELO / _slope(self.draws) - self.parameters[: len(self.anchors)]
        log_nu = -np.inf if self.draws is None else self.draws
        return [score_moments(*outcome_probabilities(ahead + side * (self.first_move or 0), log_nu))
                for side in (1, -1)]


def _slope(draws: float | None) -> float:
    """Elo on the scale of the expected score, of one point on the model's own (`ratings.py`)."""
    return 1.0 if draws is None else float(2 / (2 + np.exp(draws)))
