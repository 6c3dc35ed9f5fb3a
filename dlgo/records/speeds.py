"""How fast the processors were on which a ledger's games were played: a measured reference each.

Each is a number of random games of Connect Four a CPU second (`experiments/arena/provenance.py`).
The ledger keeps the last one of each machine; what a kind of processor is worth is their median.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable
from typing import NamedTuple

from dlgo.errors import LedgerError
from dlgo.records.ledger import Ledger

_META = "speeds"


class Speed(NamedTuple):
    """What a machine was measured to do.

    Attributes:
        worker: its name in a cluster; "" outside of one.
        machine: its processor and cores, as games have it.
        rate: random games a CPU second.
    """

    worker: str
    machine: str
    rate: float


def kind_of(machine: str) -> str:
    """The kind of processor of a machine: what its text says without the number of cores."""
    return machine.rpartition(", ")[0] or machine


def speeds(ledger: Ledger) -> list[Speed]:
    """What was measured. Raises LedgerError if it cannot be read."""
    try:
        rows = [Speed(str(w), str(m), float(r)) for w, m, r in ledger.get_meta(_META) or []]
    except (TypeError, ValueError) as error:
        raise LedgerError(
            f"ledger {ledger.path}: {_META!r} is damaged ({error!r}); name another file"
        ) from error
    if any(not 0 < row.rate < math.inf for row in rows):
        raise LedgerError(f"ledger {ledger.path}: {_META!r} is damaged (a rate that cannot be); "
                          "name another file")
    return rows


def store_speeds(ledger: Ledger, measured: Iterable[Speed]) -> None:
    """Keep what was measured, instead of what the same machines did before.

    Raises:
        LedgerError: if the ledger cannot be read or written.
    """
    new = {(row.worker, row.machine): row for row in measured}
    if new:
        kept = {(row.worker, row.machine): row for row in speeds(ledger)}
        ledger.set_meta(_META, [list(row) for row in (kept | new).values()])


def forget_speeds(ledger: Ledger, worker: str) -> None:
    """Leave out what a worker is said to do. Args, raises: as `store_speeds`."""
    ledger.set_meta(_META, [list(row) for row in speeds(ledger) if row.worker != worker])


def speeds_by_kind(ledger: Ledger) -> dict[str, float]:
    """Random games a CPU second of each kind of processor: the median of its machines."""
    rates: dict[str, list[float]] = {}
    for row in speeds(ledger):
        rates.setdefault(kind_of(row.machine), []).append(row.rate)
    return {kind: statistics.median(measured) for kind, measured in sorted(rates.items())}
