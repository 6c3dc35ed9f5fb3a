"""What the moves of a game cost: a row for each, packed into bytes until somebody looks.

A fast game has thirty moves in a millisecond or two. Thirty objects, pickled and sent to
another process, would take longer than some engines think. So the worker writes plain rows of
64 bytes, and they stay so until they reach the ledger.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

# action (-1: resignation), player, CPU s, wall s, nodes, simulations, evaluations, value (or nan)
ROW = struct.Struct("<qqddqqqd")


@dataclass(frozen=True)
class MoveCost:
    """What one move cost: a row of `costs`."""

    ply: int
    player: int
    cpu: float
    wall: float
    nodes: int
    simulations: int
    evaluations: int
    value: float | None


class PackedCosts(Sequence[MoveCost]):
    """The costs of a game's moves, as a sequence of `MoveCost` that is unpacked when read.

    Args:
        data: rows of `ROW`.
        first_ply: the ply of the first row: the length of the opening.
    """

    def __init__(self, data: bytes, first_ply: int) -> None:
        self.data = data
        self.first_ply = first_ply

    def rows(self) -> Iterator[tuple[int, int, float, float, int, int, int, float | None]]:
        """The fields of each `MoveCost`, without the objects."""
        ply = self.first_ply
        for _, player, cpu, wall, nodes, sims, evals, value in ROW.iter_unpack(self.data):
            yield ply, player, cpu, wall, nodes, sims, evals, None if math.isnan(value) else value
            ply += 1

    def __len__(self) -> int:
        return len(self.data) // ROW.size

    @overload
    def __getitem__(self, index: int) -> MoveCost: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[MoveCost, ...]: ...
    def __getitem__(self, index: int | slice) -> MoveCost | tuple[MoveCost, ...]:
        return tuple(self)[index]

    def __iter__(self) -> Iterator[MoveCost]:
        return (MoveCost(*row) for row in self.rows())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"PackedCosts({len(self)} moves)"
