"""What the doctor has to say about a run: findings, made by tables of checks.

A check measures something of the evidence and compares it with thresholds. The first threshold
that is crossed gives the finding its level, and the sentence what to do about it:

    Check("results", shares_of_results, "{won:.0%} won by who begins, {drawn:.0%} drawn",
          Threshold(WATCH, lambda m: m.games >= 20 and m.drawn > 0.97, "a value learns nothing"))

`{...}` is filled in with the numbers measured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from engines.learning.diagnostics.positions import Calibration

FINE, WATCH, ILL = "fine", "watch", "ill"

# Numbers by name; thresholds read them as attributes.
Measure = SimpleNamespace


@dataclass(frozen=True)
class Threshold:
    """What a measure means where it is crossed.

    Attributes:
        level: of the finding: ILL, WATCH (it may be as it should) or FINE.
        crossed: whether a measure crosses it.
        remedy: what it means and what to do, the end of the finding's sentence.
    """

    level: str
    crossed: Callable[[Measure], bool]
    remedy: str = ""


class Check:
    """A row of a table of checks.

    Args:
        name: of the finding, in two or three words; tests and readers go by it.
        measure: the numbers that the evidence gives, or None if it has none.
        message: a sentence with the numbers, and with what they should be.
        thresholds: in this order; if none is crossed, all is fine.
    """

    def __init__(
        self, name: str, measure: Callable[[Any], Measure | None], message: str,
        *thresholds: Threshold,
    ) -> None:
        self.name, self.measure, self.message = name, measure, message
        self.thresholds = thresholds

    def finding(self, evidence: Any) -> Finding | None:
        """What the check finds; None where the evidence says nothing about it."""
        measure = self.measure(evidence)
        if measure is None:
            return None
        verdict = next(
            (threshold for threshold in self.thresholds if threshold.crossed(measure)),
            Threshold(FINE, lambda m: True),
        )
        text = self.message + (f": {verdict.remedy}" if verdict.remedy else "")
        return Finding(self.name, verdict.level, text.format_map(vars(measure)))


@dataclass(frozen=True)
class Finding:
    """The outcome of a check.

    Attributes:
        name: what was checked. level: FINE, WATCH or ILL. text: a sentence with the numbers.
    """

    name: str
    level: str
    text: str


@dataclass
class Diagnosis:
    """All that was found out about a run.

    Attributes:
        title: what run. findings: in the order of the checks.
        history: rows of history.csv, numbers by name.
        calibrations: of the search and of the network, by name.
    """

    title: str
    findings: list[Finding] = field(default_factory=list)
    history: list[dict[str, float]] = field(default_factory=list)
    calibrations: dict[str, Calibration] = field(default_factory=dict)

    def add(self, checks: Iterable[Check], evidence: Any) -> None:
        """Make these checks."""
        findings = (check.finding(evidence) for check in checks)
        self.findings += [finding for finding in findings if finding is not None]

    def named(self, level: str) -> list[str]:
        """Names of the findings of this level."""
        return [finding.name for finding in self.findings if finding.level == level]

    def ranked(self) -> list[Finding]:
        """The findings, what is wrong first."""
        order = [ILL, WATCH, FINE]
        return sorted(self.findings, key=lambda finding: order.index(finding.level))

    def level(self, name: str) -> str | None:
        """The level of a finding; None if there is none of that name."""
        return next(
            (finding.level for finding in self.findings if finding.name == name), None
        )


def lines(diagnosis: Diagnosis, *, ill_only: bool = False) -> list[str]:
    """The findings as text, what is wrong first."""
    return [
        f"{'ILL' if finding.level == ILL else finding.level:<7}{finding.name}: {finding.text}"
        for finding in diagnosis.ranked() if finding.level == ILL or not ill_only
    ]
