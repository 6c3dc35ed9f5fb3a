"""The result of a fit of ratings: estimates with intervals, differences, probabilities of
superiority.

Intervals and probabilities come from the normal approximation of the likelihood: estimates with the
inverse of the observed information as their covariance.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from dlgo.errors import DlgoError
from dlgo.text import listing
from reports.davidson import Floats, Observations
from reports.intervals import Z95

ELO = 400 / np.log(10)  # Elo points in one unit of natural logarithm


@dataclass(frozen=True)
class Estimate:
    """A number and its 95% interval."""

    value: float
    low95: float
    high95: float


@dataclass(frozen=True)
class Rating(Estimate):
    """The rating of one entrant, in Elo on the scale of the expected score (`ratings.py`)."""

    entrant: str = ""
    group: int = 1  # 1 for the largest set of entrants linked by games, 2 for the next, ...
    note: str = ""  # what to keep in mind about this rating; mostly empty
    model: float = float("nan")  # on the model's own scale: 400 points are odds of ten to one


@dataclass(frozen=True)
class RatingTable:
    """The result of `ratings.fit_ratings`."""

    ratings: tuple[Rating, ...]  # best first
    covariance: Floats = field(repr=False)  # of these, Elo squared
    first_move: Estimate | None  # Elo; None if the term was left out
    draw: Estimate | None  # nu; None if no game was drawn
    log_likelihood: float  # of the games played; virtual ones do not count
    games: int
    played: Observations = field(repr=False)  # these games; entrants by their places in `ratings`
    remarks: tuple[str, ...] = ()  # sentences on the whole table
    zero: frozenset[str] = frozenset()  # whose mean rating is the zero of their group
    anchor: tuple[str, float] | None = None  # an entrant and its given rating

    @cached_property
    def index(self) -> dict[str, int]:
        """Entrant -> place in `ratings`."""
        return {rating.entrant: i for i, rating in enumerate(self.ratings)}

    def __getitem__(self, entrant: str) -> Rating:
        return self.ratings[self.index[entrant]]

    def __contains__(self, entrant: str) -> bool:
        return entrant in self.index

    def difference(self, entrant: str, opponent: str) -> Estimate:
        """How much stronger `entrant` is than `opponent`, in Elo."""
        i, j = self.index[entrant], self.index[opponent]
        variance = self.covariance[i, i] + self.covariance[j, j] - 2 * self.covariance[i, j]
        error = float(np.sqrt(max(variance, 0.0)))
        return Estimate(*bounds(self.ratings[i].value - self.ratings[j].value, error))

    def superiority(self) -> Floats:
        """(entrants, entrants) likelihood of superiority: how likely row is above column.

        It is the chance that the true difference is positive, if the truth is spread around the
        estimate as the likelihood says. NaN on the diagonal and between groups. One minus it is
        the one-sided p-value of "row is not stronger".
        """
        from scipy.special import ndtr

        values = np.array([rating.value for rating in self.ratings])
        groups = np.array([rating.group for rating in self.ratings])
        variances = np.diag(self.covariance)
        spread = variances[:, None] + variances[None, :] - 2 * self.covariance
        errors = np.sqrt(np.clip(spread, 0.0, None))
        comparable = (groups[:, None] == groups[None, :]) & ~np.eye(len(values), dtype=bool)
        with np.errstate(divide="ignore", invalid="ignore"):
            chances = ndtr((values[:, None] - values[None, :]) / errors)
        return np.where(comparable, chances, np.nan)

    def anchored(self, entrant: str, rating: float = 0.0) -> RatingTable:
        """The same table with one entrant at a given rating; no distance changes. Raises DlgoError
        if it is not among the entrants."""
        if entrant not in self:
            raise DlgoError(f"anchor {entrant} is not among the entrants; there are "
                            f"{listing(list(self.index), most=8)}")
        index, base = self.index[entrant], self[entrant]
        inside = np.array([rated.group == base.group for rated in self.ratings])
        covariance = self.covariance - np.outer(inside, self.covariance[index])
        covariance = covariance - np.outer(covariance[:, index], inside)
        errors = np.sqrt(np.clip(np.diag(covariance), 0.0, None))
        ratings = []
        for rated, moves, error in zip(self.ratings, inside, errors, strict=True):
            if moves:
                value, low, high = bounds(rated.value - base.value + rating, error)
                model = rated.model - base.model + rating
                rated = replace(rated, value=value, low95=low, high95=high, model=model)
            ratings.append(rated)
        remark = f"Only group {base.group} is anchored at {entrant}."
        return replace(
            self, ratings=tuple(ratings), covariance=covariance, anchor=(entrant, float(rating)),
            remarks=self.remarks if inside.all() else (*self.remarks, remark),
        )

    def zero_text(self) -> str:
        """The zero of the ratings, as the end of a sentence."""
        if self.anchor is not None:
            return f"{self.anchor[0]} is set to {self.anchor[1]:g}"
        if len(self.zero) == len(self.ratings):
            return "0 is the mean of the field"
        return f"0 is the mean of {len(self.zero)} of the {len(self.ratings)} entrants"


def bounds(value: float, error: float) -> tuple[float, float, float]:
    """Value, lower and upper end of the 95% interval for a standard error."""
    return float(value), float(value - Z95 * error), float(value + Z95 * error)
