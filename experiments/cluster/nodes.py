"""A machine of a cluster and the tasks that it does, as whoever hands them out sees it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dlgo.errors import DlgoError
from dlgo.text import error_text
from engines.jobs import Amount
from experiments.arena.machines import MachineFacts
from experiments.cluster.connection import Machine


@dataclass
class RayTask:
    """A task of Ray that is under way: one or more of ours.

    Attributes:
        keys: of ours, as far as they have not ended.
        running, amount: what it does now.
    """

    keys: list[str]
    running: list[Any] = field(default_factory=list)
    amount: Amount = Amount()


@dataclass
class Node:
    """A machine and what is known of it.

    Attributes:
        joining: its first task; None once that has ended.
        tasks: under way, by Ray's generator.
        items: games (or files) that it has brought.
        began: when its first task was started. since: when that ended.
    """

    machine: Machine
    joining: Any
    began: float
    tasks: dict[Any, RayTask] = field(default_factory=dict)
    items: int = 0
    since: float = 0.0
    cpu_seconds: float = 0.0

    @property
    def name(self) -> str:
        return self.machine.name

    def facts(self, now: float) -> MachineFacts:
        """What it does and has cost."""
        done = self.items + sum(task.amount.items for task in self.tasks.values())
        return MachineFacts(
            self.name, "ready" if self.since else "starting", done,
            done / max(now - self.since, 1.0) if self.since else 0.0,
            sum(len(task.keys) for task in self.tasks.values()),
            self.cpu_seconds, (now - self.began) * self.machine.cores,
        )


def reason_of(error: Exception) -> str:
    """What Ray says, in one line."""
    if isinstance(error, DlgoError):
        return str(error)
    if "ModuleNotFoundError" in str(error) or "ImportError" in str(error):
        lines = [line for line in str(error).splitlines() if "Error: " in line]
        return f"dlgo cannot be loaded there ({lines[-1].strip()}); install the same version there"
    first = str(error).strip().partition("\n")[0]
    return first[:150] or error_text(error)
