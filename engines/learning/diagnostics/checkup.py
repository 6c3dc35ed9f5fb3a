"""What the doctor has found: findings with a level and a sentence, and how they are printed.

Filled in by `doctor.py` and `doctor_network.py`; `doctor_page.py` makes a page of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from engines.learning.diagnostics.survey import Calibration

FINE, WATCH, ILL = "fine", "watch", "ill"


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        name: what, in two or three words; tests and readers go by it.
        level: FINE, WATCH (it may be as it should) or ILL.
        text: a sentence with the numbers.
    """

    name: str
    level: str
    text: str


@dataclass
class CheckUp:
    """All that was found out about a run.

    Attributes:
        title: what run. findings: in the order of looking.
        history: rows of history.csv, numbers by name.
        calibrations: of the search and of the network, by name.
        times: CPU and wall seconds by what they were spent on.
    """

    title: str
    findings: list[Finding] = field(default_factory=list)
    history: list[dict[str, float]] = field(default_factory=list)
    calibrations: dict[str, Calibration] = field(default_factory=dict)
    times: dict[str, float] = field(default_factory=dict)

    def say(self, name: str, level: str, text: str) -> None:
        """Add a finding."""
        self.findings.append(Finding(name, level, text))

    def ill(self) -> list[str]:
        """Names of what is wrong."""
        return [one.name for one in self.findings if one.level == ILL]


def judge_values(found: CheckUp, name: str, whose: str, calibration: Calibration) -> None:
    """Say whether expected values and results go together."""
    r, n = calibration.correlation, calibration.positions
    text = (
        f"values of {whose} and results go together with a correlation of {r:+.2f} over {n:,} "
        "positions that were not proved"
    )
    # Of n independent pairs |r| stays below 3 / sqrt(n); positions of a game are no such.
    doubt = 10 / np.sqrt(max(n, 1))
    if n < 50:
        found.say(name, FINE, text + ": too few to tell")
    elif r < -0.1 and r < -doubt:
        found.say(name, ILL, text + ": the sign of the value is turned around")
    elif r < max(0.05, doubt / 3):
        found.say(name, WATCH, text + ": it says nothing yet about who wins")
    else:
        bias = max((abs(a - b) for a, b, count in calibration.bins if count >= 0.05 * n),
                   default=0.0)
        found.say(name, FINE, text + f"; expected and found differ by {bias:.2f} at most")


def lines(found: CheckUp, all_of_it: bool = True) -> list[str]:
    """The findings as text, what is wrong first."""
    order = {ILL: 0, WATCH: 1, FINE: 2}
    ranked = sorted(found.findings, key=lambda one: order[one.level])
    return [
        f"{one.level.upper() if one.level == ILL else one.level:<7}{one.name}: {one.text}"
        for one in ranked if all_of_it or one.level == ILL
    ]
