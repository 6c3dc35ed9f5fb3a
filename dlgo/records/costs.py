"""The costs of a game's moves: a row for each, packed into bytes until they are read.

A fast game has thirty moves in a millisecond or two. Thirty objects, pickled and sent to
another process, would take longer than some engines think. So the worker writes plain rows of
64 bytes, and they stay so in the ledger.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from typing import Any, NamedTuple

# action (-1: resignation, or not known), player, CPU s, wall s, nodes, simulations, evaluations,
# value (or nan)
ROW = struct.Struct("<qqddqqqd")


def last_value(data: bytes) -> tuple[int | None, float | None]:
    """The player of the last of some packed moves, and the result that its engine expects."""
    if len(data) < ROW.size:
        return None, None
    _, player, *_, value = ROW.unpack(data[-ROW.size :])
    return player, None if math.isnan(value) else value


class MoveCost(NamedTuple):
    """The cost of one move."""

    ply: int
    player: int
    cpu: float
    wall: float
    nodes: int
    simulations: int
    evaluations: int
    value: float | None


class PackedCosts(Sequence[MoveCost]):
    """The costs of a game's moves, rows of `ROW`, as a sequence of `MoveCost`, unpacked when read.

    `first_ply` is the ply of the first row: the length of the opening.
    """

    def __init__(self, data: bytes, first_ply: int) -> None:
        self.data = data
        self.first_ply = first_ply

    @classmethod
    def of(cls, costs: Sequence[MoveCost]) -> PackedCosts:
        """The same costs, packed."""
        if isinstance(costs, PackedCosts):
            return costs
        rows = (
            ROW.pack(-1, cost.player, cost.cpu, cost.wall, cost.nodes, cost.simulations,
                     cost.evaluations, math.nan if cost.value is None else cost.value)
            for cost in costs
        )
        return cls(b"".join(rows), costs[0].ply if costs else 0)

    def totals(self, player: int) -> CostTotals:
        """The total cost of the moves of one player."""
        rows = [row[2:7] for row in ROW.iter_unpack(self.data) if row[1] == player]
        if not rows:
            return CostTotals()
        columns = [*zip(*rows, strict=True)]
        return CostTotals(len(rows), *map(sum, columns), *map(max, columns))

    def __len__(self) -> int:
        return len(self.data) // ROW.size

    def __getitem__(self, index: Any) -> Any:
        return tuple(self)[index]

    def __iter__(self) -> Iterator[MoveCost]:
        for ply, row in enumerate(ROW.iter_unpack(self.data), self.first_ply):
            cost = MoveCost(ply, *row[1:])
            yield cost._replace(value=None) if math.isnan(row[-1]) else cost

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"PackedCosts({len(self)} moves)"


@dataclass(frozen=True)
class CostTotals:
    """The total cost of some moves: sums, and the largest values (`max_`)."""

    moves: int = 0
    cpu: float = 0.0
    wall: float = 0.0
    nodes: int = 0
    simulations: int = 0
    evaluations: int = 0
    max_cpu: float = 0.0
    max_wall: float = 0.0
    max_nodes: int = 0
    max_simulations: int = 0
    max_evaluations: int = 0

    def plus(self, other: CostTotals) -> CostTotals:
        """Both together."""
        mine, theirs = astuple(self), astuple(other)
        return CostTotals(*map(sum, zip(mine[:6], theirs[:6], strict=True)),
                          *map(max, mine[6:], theirs[6:]))
