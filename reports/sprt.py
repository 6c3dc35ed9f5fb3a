"""The sequential probability ratio test: play until the answer is clear, then stop.

H0 says the difference is `elo0` points, H1 says it is `elo1`. After each pair (or game) the
log-likelihood ratio (LLR) of the two is compared with two bounds, ln(beta / (1 - alpha)) and
ln((1 - beta) / alpha): below the first H0 is accepted, above the second H1 (Wald, Ann. Math.
Statist. 16 (1945) 117-186). alpha bounds the chance of accepting H1 where H0 is true, beta that of
accepting H0 where H1 is true, whatever the moment of looking: that is what a fixed number of games
with peeking does not give.

The distribution of scores is not known, only its mean is at issue. So each hypothesis gets the
distribution that suits the counts best among those with its mean (the generalized test; Van den
Bergh 2020; `differences.py` has the formula). With pairs the counts are pentanomial, which takes
care of the likeness of the two games of a pair.

Hypotheses in normalized Elo compare the mean with the spread of the scores instead. Then the
expected number of games depends little on the share of draws, so the same two numbers suit quiet
and sharp openings, fast and slow games.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from dlgo.errors import DlgoError
from dlgo.specs import check_number
from dlgo.text import number_of
from reports.differences import MOST_NORMALIZED, Counts, score_of_elo

ELO_MODELS = ("logistic", "normalized")
GOES_ON, H0, H1, BUDGET = "goes on", "H0 accepted", "H1 accepted", "budget reached"


@dataclass(frozen=True)
class SprtBounds:
    """The two hypotheses, Elo differences, and the chances of a wrong H1 (alpha) and H0.
    Raises DlgoError unless -2000 <= elo0 < elo1 <= 2000 (normalized: 500), 0 < alpha, beta < 1/2.
    """

    elo0: float = 0.0
    elo1: float = 20.0
    alpha: float = 0.05
    beta: float = 0.05
    elo_model: str = "logistic"  # or "normalized"

    def __post_init__(self) -> None:
        if self.elo_model not in ELO_MODELS:
            raise DlgoError(f"sprt: elo_model={self.elo_model} is not {' or '.join(ELO_MODELS)}")
        most = MOST_NORMALIZED if self.elo_model == "normalized" else 2000.0
        for name in ("elo0", "elo1"):
            check_number(getattr(self, name), f"sprt: {name}", float, -most, most, DlgoError)
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
        if self.elo_model == "normalized":
            return counts.normalized_loss(self.elo0) - counts.normalized_loss(self.elo1)
        loss0 = counts.log_likelihood_loss(score_of_elo(self.elo0))
        return loss0 - counts.log_likelihood_loss(score_of_elo(self.elo1))

    @property
    def unit(self) -> str:
        """What the differences are measured in."""
        return "normalized Elo" if self.elo_model == "normalized" else "Elo"

    def __str__(self) -> str:
        return (f"H0: {self.elo0:g} {self.unit}, H1: {self.elo1:g} {self.unit}, "
                f"alpha {self.alpha:g}, beta {self.beta:g}")


class Sprt:
    """A test under way: add scores as they come, look at `state` after each.

    Args:
        pairs: whether a score is that of a pair (0, 1/2, 1, 3/2 or 2 points) or of a game
            (0, 1/2 or 1).
        budget: pairs or games after which the test stops undecided; None for no limit.

    Attributes:
        state: `goes on`, `H0 accepted`, `H1 accepted` or `budget reached`.
        counts: the results until then.
        unused: how many more were played than the test needed; they do not count.
    """

    def __init__(
        self, bounds: SprtBounds, *, pairs: bool = True, budget: int | None = None
    ) -> None:
        self._bounds, self._budget = bounds, budget
        self._unit = "pair" if pairs else "game"
        self.counts = Counts((0,) * (5 if pairs else 3))
        self.state, self.unused, self._llr = GOES_ON, 0, 0.0

    @property
    def is_over(self) -> bool:
        """Whether it has its answer."""
        return self.state != GOES_ON

    def add(self, *points: float) -> None:
        """Add the points of pairs or games. Those after the end of the test count in `unused`
        only."""
        for point in points:
            if self.is_over:
                self.unused += 1
                continue
            numbers = list(self.counts.numbers)
            numbers[int(2 * point)] += 1
            self.counts = Counts(tuple(numbers))
            self._llr = self._bounds.llr(self.counts)
            if self._llr >= self._bounds.upper:
                self.state = H1
            elif self._llr <= self._bounds.lower:
                self.state = H0
            elif self._budget is not None and self.counts.total >= self._budget:
                self.state = BUDGET

    @property
    def reason(self) -> str:
        """One sentence: how it ended and by what, or where it stands."""
        bounds, moment = self._bounds, f"after {number_of(self.counts.total, self._unit)}"
        if self.state in (H0, H1):
            better, worse = bounds.elo1, bounds.elo0
            name, bound = "upper", bounds.upper
            if self.state == H0:
                better, worse, name, bound = worse, better, "lower", bounds.lower
            text = (f"{self.state} {moment}: LLR {self._llr:.2f} reached the {name} bound "
                    f"{bound:.2f}; {better:g} {bounds.unit} fits better than {worse:g}")
        else:
            span = f"LLR {self._llr:.2f} in ({bounds.lower:.2f}, {bounds.upper:.2f})"
            text = f"no decision yet {moment}: {span}; play more {self._unit}s"
            if self.state == BUDGET:
                text = f"no decision: the budget of {self._unit}s was reached {moment}, {span}"
        if self.unused:
            verb = "was" if self.unused == 1 else "were"
            text += f" ({number_of(self.unused, f'more {self._unit}')} {verb} played)"
        return text
