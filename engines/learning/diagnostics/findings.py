"""The doctor's findings about a run, each made by a function that checks one thing.

A check measures something and gives its finding a level and, where something is wrong, what to do:

    def results(games: Sequence[GameData]) -> Finding:
        drawn = np.mean([game.result == 0 for game in games])
        return judge("results", f"{drawn:.0%} of the games are drawn",
                     (drawn > 0.97, WATCH, "a value learns nothing from them"))
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from engines.learning.diagnostics.positions import Calibration

# WATCH: it may be as it should.
FINE, WATCH, ILL = "fine", "watch", "ill"


class Finding(NamedTuple):
    """The outcome of a check: what was checked, a level, and a sentence with the numbers."""

    name: str
    level: str
    text: str


def judge(name: str, message: str, *verdicts: tuple[bool, str, str]) -> Finding:
    """The finding of a check.

    Args:
        name: of the finding, in two or three words; tests and readers go by it.
        message: a sentence with the numbers, and with what they should be.
        verdicts: (whether it holds, level, what it means and what to do); the first that holds
            decides. If none holds, all is fine.
    """
    for holds, level, remedy in verdicts:
        if holds:
            return Finding(name, level, f"{message}: {remedy}" if remedy else message)
    return Finding(name, FINE, message)


@dataclass(repr=False)
class Diagnosis:
    """All that was found out about a run."""

    title: str
    findings: list[Finding] = field(default_factory=list)  # in the order of the checks
    history: list[dict[str, float]] = field(default_factory=list)  # rows of history.csv
    calibrations: dict[str, Calibration] = field(default_factory=dict)  # of search and network

    def __repr__(self) -> str:
        return "\n".join([self.title, *lines(self)])

    def add(self, *findings: Finding | None) -> None:
        """Add findings; None where a check had nothing to look at."""
        self.findings += [finding for finding in findings if finding is not None]

    def named(self, level: str) -> list[str]:
        """Names of the findings of this level."""
        return [finding.name for finding in self.findings if finding.level == level]

    def ranked(self) -> list[Finding]:
        """The findings, what is wrong first."""
        return sorted(self.findings, key=lambda finding: (ILL, WATCH, FINE).index(finding.level))


def lines(diagnosis: Diagnosis, *, ill_only: bool = False) -> list[str]:
    """The findings as text, what is wrong first."""
    return [
        f"{'ILL' if finding.level == ILL else finding.level:<7}{finding.name}: {finding.text}"
        for finding in diagnosis.ranked() if finding.level == ILL or not ill_only
    ]
