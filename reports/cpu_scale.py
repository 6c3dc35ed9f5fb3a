"""CPU times of several kinds of processors, in seconds of one of them.

A second of a processor that plays twice as many random games in it counts as two. That is one
measure for all engines: one that lives on large networks, or on memory, may gain more or less from
another processor. And it changes what is reported, not what was played: a budget of a CPU second
was a CPU second of the machine that played.
"""

from __future__ import annotations

from dataclasses import dataclass

from dlgo.errors import LedgerError
from dlgo.records.ledger import Ledger
from dlgo.records.speeds import kind_of, speeds_by_kind


@dataclass(frozen=True)
class CpuScale:
    """How CPU times are scaled.

    Attributes:
        kind: the processor in whose seconds they are.
        factors: of each kind of processor, what a second of it is worth there.
    """

    kind: str
    factors: dict[str, float]

    def __str__(self) -> str:
        worth = ", ".join(f"{kind} {factor:.2f}" for kind, factor in self.factors.items())
        return (f"seconds of {self.kind}, by random games of Connect Four; a second of each kind "
                f"is worth: {worth}")


def scale_cpu(ledger: Ledger, wanted: str) -> CpuScale:
    """From now on, let a ledger show CPU times in seconds of one kind of processor.

    Args:
        wanted: its name, or a part of it that no other has.

    Raises:
        LedgerError: if no such processor was measured, or one that has played was not.
    """
    machines = {record.machine for record in ledger.games()}
    rates = speeds_by_kind(ledger)
    exact = [kind for kind in rates if kind == wanted]
    fits = exact or [kind for kind in rates if wanted.lower() in kind.lower()]
    if len(fits) != 1:
        known = ", ".join(rates) or "none; `dlgo ledger FILE measure` measures the one it runs on"
        raise LedgerError(f"--scale-cpu {wanted!r} names {len(fits)} of the processors that were "
                          f"measured for ledger {ledger.path}; they are {known}")
    missing = sorted({kind_of(machine) for machine in machines} - rates.keys())
    if missing:
        raise LedgerError(
            f"ledger {ledger.path} has games of processors that were not measured: "
            f"{', '.join(missing)}; run `dlgo ledger FILE measure` on such a machine"
        )
    kinds = {kind_of(machine) for machine in machines}
    factors = {kind: rates[kind] / rates[fits[0]] for kind in sorted(kinds)}
    ledger.scale_cpu({machine: factors[kind_of(machine)] for machine in machines})
    return CpuScale(fits[0], factors)
