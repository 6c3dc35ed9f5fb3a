"""What the machines of a cluster do and have cost so far, in figures: for lines and for the studio.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from dlgo.text import duration, one_line


class MachineFacts(NamedTuple):
    """A machine, since the command began."""

    name: str  # as the ledger calls it
    state: str  # "ready", "starting" or "lost"
    done: int  # games (or files) it has brought
    rate: float  # of them a second, since it was ready
    held: int  # portions of work, or games, that it has now
    cpu_seconds: float  # of all its processes, as far as they have told
    core_seconds: float  # its cores times the seconds since it takes part: what is paid for

    def text(self) -> str:
        """One machine of a line."""
        state = "" if self.state == "ready" else f", {self.state}"
        rate = f"{self.rate:,.0f}" if self.rate >= 10 else f"{self.rate:.2g}"
        return f"{self.name} {self.done:,} ({rate}/s{state})"


class ClusterFacts(NamedTuple):
    """All machines: those there are and those that were."""

    machines: tuple[MachineFacts, ...]
    waiting: int  # portions of work, or games, that no machine has yet
    price: float | None = None  # of a core for an hour, in any currency

    @property
    def cpu_seconds(self) -> float:
        """CPU time of all machines."""
        return sum(machine.cpu_seconds for machine in self.machines)

    @property
    def core_seconds(self) -> float:
        """Time of all cores, busy or not."""
        return sum(machine.core_seconds for machine in self.machines)

    @property
    def cost(self) -> float | None:
        """What it has cost so far."""
        return None if self.price is None else self.price * self.core_seconds / 3600

    def text(self, items: str) -> str:
        """A line for people; `items` is what `done` counts."""
        machines = ", ".join(machine.text() for machine in self.machines) or "none yet"
        cost = "" if self.cost is None else f", which costs {self.cost:.3g}"
        return (f"{items} by machine: {machines}; {self.waiting:,} wait; CPU time "
                f"{duration(self.cpu_seconds)}, of cores {duration(self.core_seconds)}{cost}")

    def to_json(self) -> dict[str, Any]:
        """The facts and what follows from them."""
        return self._asdict() | {
            "machines": [machine._asdict() for machine in self.machines],
            "cpu_seconds": self.cpu_seconds, "core_seconds": self.core_seconds, "cost": self.cost,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> ClusterFacts:
        """What `to_json` was made of. Raises KeyError, TypeError or ValueError for nonsense."""
        machines = tuple(
            MachineFacts(
                one_line(row["name"]), one_line(row["state"]), int(row["done"]),
                _finite(row["rate"]), int(row["held"]), _finite(row["cpu_seconds"]),
                _finite(row["core_seconds"]),
            ) for row in data["machines"]
        )
        price = None if data["price"] is None else _finite(data["price"])
        return cls(machines, int(data["waiting"]), price)


def _finite(value: Any) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{number} is not finite")
    return number
