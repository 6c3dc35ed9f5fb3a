"""What a fit of ratings gives: estimates with intervals, differences, who is likely ahead.

`ratings.fit_ratings` makes it. Intervals and probabilities come from the normal approximation of
the likelihood: estimates with the inverse of the observed information as their covariance.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field

import numpy as np

from dlgo.errors import DlgoError
from reports.connections import listing
from reports.davidson import Floats

ELO = 400 / np.log(10)  # Elo points in one unit of natural logarithm
Z95 = 1.959963984540054  # the normal distribution has 95% of its mass within +- this


@dataclass(frozen=True)
class Estimate:
    """A number and its 95% interval."""

    value: float
    low95: float
    high95: float


@dataclass(frozen=True)
class Rating(Estimate):
    """The rating of one entrant, in Elo on the scale of the expected score (`ratings.py`).

    Attributes:
        entrant: who.
        group: 1 for the largest set of entrants linked by games, 2 for the next, ...
        note: what to keep in mind about this rating; mostly empty.
        model: the rating on the model's own scale, where 400 points are odds of ten wins to one
            loss; the same as `value` where no game was drawn.
    """

    entrant: str = ""
    group: int = 1
    note: str = ""
    model: float = float("nan")


@dataclass(frozen=True)
class RatingTable:
    """The result of a fit.

    Attributes:
        ratings: best first.
        covariance: of the ratings in that order, Elo squared.
        first_move: advantage of moving first in Elo, or None if the term was left out.
        draw: nu, or None if no game was drawn.
        log_likelihood: of the games played (virtual ones do not count).
        games: how many.
        remarks: what to keep in mind about the whole table, in sentences.
        zero: the entrants whose mean rating is the zero of their group.
        anchor: the entrant with a rating given from outside, and that rating, or None.
    """

    ratings: tuple[Rating, ...]
    covariance: Floats = field(repr=False)
    first_move: Estimate | None
    draw: Estimate | None
    log_likelihood: float
    games: int
    remarks: tuple[str, ...] = ()
    zero: frozenset[str] = frozenset()
    anchor: tuple[str, float] | None = None

    def __getitem__(self, entrant: str) -> Rating:
        return self.ratings[self._index(entrant)]

    def __contains__(self, entrant: str) -> bool:
        return any(rating.entrant == entrant for rating in self.ratings)

    def _index(self, entrant: str) -> int:
        for index, rating in enumerate(self.ratings):
            if rating.entrant == entrant:
                return index
        raise KeyError(entrant)

    def difference(self, entrant: str, opponent: str) -> Estimate:
        """How much stronger `entrant` is than `opponent`, in Elo."""
        i, j = self._index(entrant), self._index(opponent)
        variance = self.covariance[i, i] + self.covariance[j, j] - 2 * self.covariance[i, j]
        error = float(np.sqrt(max(variance, 0.0)))
        return interval(self.ratings[i].value - self.ratings[j].value, error)

    def superiority(self) -> Floats:
        """(entrants, entrants) likelihood of superiority: how likely row is above column.

        The chance that the true difference is positive, if the truth is spread around the
        estimate as the likelihood says and no difference was more likely beforehand. NaN on
        the diagonal and between groups, which cannot be compared. One minus it is the
        one-sided p-value of "row is not stronger".
        """
        from scipy.special import ndtr

        values = np.array([rating.value for rating in self.ratings])
        groups = np.array([rating.group for rating in self.ratings])
        variances = np.diag(self.covariance)
        spread = variances[:, None] + variances[None, :] - 2 * self.covariance
        errors = np.sqrt(np.clip(spread, 0.0, None))
        comparable = (groups[:, None] == groups[None, :]) & ~np.eye(len(values), dtype=bool)
        with np.errstate(divide="ignore", invalid="ignore"):
            chance = ndtr((values[:, None] - values[None, :]) / errors)
        return np.where(comparable, chance, np.nan)

    def anchored(self, entrant: str, rating: float = 0.0) -> RatingTable:
        """The same table with `entrant` at `rating` and all others of its group moved along.

        Intervals are then those of the distance to the anchor, whose own rating is exact. No
        distance between two entrants changes.

        Raises:
            DlgoError: if no entrant has that name.
        """
        if entrant not in self:
            names = listing([rated.entrant for rated in self.ratings], most=8)
            raise DlgoError(f"anchor {entrant} is not among the entrants; there are {names}")
        index = self._index(entrant)
        base = self.ratings[index]
        inside = np.array([rated.group == base.group for rated in self.ratings])
        covariance = self.covariance - np.outer(inside, self.covariance[index])
        covariance = covariance - np.outer(covariance[:, index], inside)
        errors = np.sqrt(np.clip(np.diag(covariance), 0.0, None))
        ratings = []
        for rated, moves, error in zip(self.ratings, inside, errors, strict=True):
            if moves:
                value, low, high = bounds(rated.value - base.value + rating, error)
                model = rated.model - base.model + rating
                rated = dataclasses.replace(
                    rated, value=value, low95=low, high95=high, model=model
                )
            ratings.append(rated)
        remarks = self.remarks
        if not inside.all():
            remarks += (f"Only group {base.group} is anchored at {entrant}.",)
        return dataclasses.replace(
            self, ratings=tuple(ratings), covariance=covariance, remarks=remarks,
            anchor=(entrant, float(rating)),
        )

    def zero_text(self) -> str:
        """What the ratings are measured from, as the end of a sentence."""
        if self.anchor is not None:
            return f"{self.anchor[0]} is set to {self.anchor[1]:g}"
        if len(self.zero) == len(self.ratings):
            return "0 is the mean of the field"
        return f"0 is the mean of {len(self.zero)} of the {len(self.ratings)} entrants"


def bounds(value: float, error: float) -> tuple[float, float, float]:
    """Value, lower and upper end of the 95% interval for a standard error."""
    return float(value), float(value - Z95 * error), float(value + Z95 * error)


def interval(value: float, error: float) -> Estimate:
    """The estimate with its 95% interval for a standard error."""
    return Estimate(*bounds(value, error))
