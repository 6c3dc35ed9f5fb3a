"""The sequential probability ratio test: play until the answer is clear, then stop.

H0 says the difference is `elo0` points, H1 says it is
`elo1`. After each pair (or game) the log-likelihood ratio (LLR) of the two is compared with
two bounds, ln(beta / (1 - alpha)) and ln((1 - beta) / alpha): below the first H0 is accepted,
above the second H1 (Wald, Ann. Math. Statist. 16 (1945) 117-186). alpha bounds the chance of
accepting H1 where H0 is true, beta that of accepting H0 where H1 is true, whatever the
moment of looking: that is what a fixed number of games with peeking does not give.

The distribution of scores is not known, only its mean is at issue. So each hypothesis gets the
distribution that suits the counts best among those with its mean (the generalized test; Van
den Bergh 2020; `differences.py` has the formula). With pairs the counts are pentanomial, which
takes care of the likeness of the two games of a pair.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from dlgo.errors import DlgoError
from dlgo.specs import check_number
from reports.differences import Counts, score_of_elo

GOES_ON, H0, H1, BUDGET = "goes on", "H0 accepted", "H1 accepted", "budget reached"


@dataclass(frozen=True)
class SprtBounds:
    """The two hypotheses, and how sure the answer has to be.

    Attributes:
        elo0, elo1: logistic Elo differences of H0 and H1.
        alpha, beta: chances of a wrong H1 and of a wrong H0.

    Raises:
        DlgoError: unless -2000 <= elo0 < elo1 <= 2000 and alpha and beta are between 0 and 1/2.
    """

    elo0: float = 0.0
    elo1: float = 20.0
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        for name in ("elo0", "elo1"):
            check_number(getattr(self, name), f"sprt: {name}", float, -2000, 2000, DlgoError)
        if self.elo0 >= self.elo1:
            raise DlgoError(f"sprt: elo0={self.elo0:g} must be less than elo1={self.elo1:g}")
        for name in ("alpha", "beta"):
            value = getattr(self, name)
            if not 0 < value < 0.5:
                raise DlgoError(f"sprt: {name}={value:g} is not between 0 and 0.5")

    @property
    def lower(self) -> float:
        """At this LLR or below, H0 is accepted."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """At this LLR or above, H1 is accepted."""
        return math.log((1 - self.beta) / self.alpha)

    def llr(self, counts: Counts) -> float:
        """Log-likelihood ratio of H1 to H0."""
        if not counts.total:
            return 0.0
        loss0 = counts.log_likelihood_loss(score_of_elo(self.elo0))
        return loss0 - counts.log_likelihood_loss(score_of_elo(self.elo1))

    def __str__(self) -> str:
        return (
            f"H0: {self.elo0:g} Elo, H1: {self.elo1:g} Elo, alpha {self.alpha:g}, "
            f"beta {self.beta:g}"
        )


@dataclass(frozen=True)
class SprtResult:
    """Where a test stands, and why.

    Attributes:
        bounds: what was tested.
        state: `goes on`, `H0 accepted`, `H1 accepted` or `budget reached`.
        llr: the log-likelihood ratio where the test stopped, or now.
        counts: the results until then.
        unit: what was counted, `pairs` or `games`.
        unused: how many more were played than the test needed; they do not count.
    """

    bounds: SprtBounds
    state: str
    llr: float
    counts: Counts
    unit: str
    unused: int = 0

    @property
    def reason(self) -> str:
        """One sentence: how it ended and by what."""
        bounds, after = self.bounds, f"after {self.counts.total} {self.unit}"
        span = f"LLR {self.llr:.2f} in ({bounds.lower:.2f}, {bounds.upper:.2f})"
        if self.state == H1:
            text = (
                f"H1 accepted {after}: LLR {self.llr:.2f} reached the upper bound "
                f"{bounds.upper:.2f}; {bounds.elo1:g} Elo fit better than {bounds.elo0:g}"
            )
        elif self.state == H0:
            text = (
                f"H0 accepted {after}: LLR {self.llr:.2f} reached the lower bound "
                f"{bounds.lower:.2f}; {bounds.elo0:g} Elo fit better than {bounds.elo1:g}"
            )
        elif self.state == BUDGET:
            text = f"no decision: the budget of {self.unit} was reached {after}, {span}"
        else:
            text = f"no decision yet {after}: {span}; more {self.unit} would decide"
        return text + (f" ({self.unused} more {self.unit} were played)" if self.unused else "")


class Sprt:
    """A test under way: add scores as they come, look at `result` after each.

    Args:
        bounds: what to test.
        pairs: whether a score is that of a pair (0, 1/2, 1, 3/2 or 2 points) or of a game
            (0, 1/2 or 1).
        budget: stop undecided after so many pairs or games; None for no limit.
    """

    def __init__(
        self, bounds: SprtBounds, *, pairs: bool = True, budget: int | None = None
    ) -> None:
        if budget is not None and budget < 1:
            raise DlgoError(f"sprt: budget={budget} is not 1 or more")
        self._bounds, self._budget = bounds, budget
        self._best, self._unit = (2, "pairs") if pairs else (1, "games")
        self._numbers = [0] * (5 if pairs else 3)
        self._unused = 0
        self._state, self._llr = GOES_ON, 0.0

    def add(self, points: float) -> bool:
        """Count one pair or game; whether the test is over. After its end nothing counts.

        Raises:
            DlgoError: for a number of points that no pair or game can bring.
        """
        place = 2 * points
        if place != int(place) or not 0 <= points <= self._best:
            raise DlgoError(f"sprt: {points:g} points are not a result of one {self._unit[:-1]}")
        if self._state != GOES_ON:
            self._unused += 1
            return True
        self._numbers[int(place)] += 1
        counts = Counts(tuple(self._numbers))
        self._llr = self._bounds.llr(counts)
        if self._llr >= self._bounds.upper:
            self._state = H1
        elif self._llr <= self._bounds.lower:
            self._state = H0
        elif self._budget is not None and counts.total >= self._budget:
            self._state = BUDGET
        return self._state != GOES_ON

    @property
    def result(self) -> SprtResult:
        """Where the test stands."""
        return SprtResult(
            self._bounds, self._state, self._llr, Counts(tuple(self._numbers)), self._unit,
            self._unused,
        )


def run_sprt(
    points: Iterable[float], bounds: SprtBounds, *, pairs: bool = True, budget: int | None = None
) -> SprtResult:
    """Test a finished match as if while it was played: stop where the test would have stopped."""
    test = Sprt(bounds, pairs=pairs, budget=budget)
    for point in points:
        test.add(point)
    return test.result
