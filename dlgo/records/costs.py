"""What the moves of a game cost: a row for each, packed into bytes until somebody looks.

A fast game has thirty moves in a millisecond or two. Thirty objects, pickled and sent to
another process, would take longer than some engines think. So the worker writes plain rows of
64 bytes, and they stay so until they reach the ledger. There SQLite adds them up (`SIDE_COSTS`,
`COST_TOTALS`).
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

# action (-1: resignation), player, CPU s, wall s, nodes, simulations, evaluations, value (or nan)
ROW = struct.Struct("<qqddqqqd")


def last_value(data: bytes) -> tuple[int | None, float | None]:
    """Who made the last of some packed moves, and what that engine expects for itself."""
    if len(data) < ROW.size:
        return None, None
    _, player, *_, value = ROW.unpack(data[-ROW.size :])
    return player, None if math.isnan(value) else value


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


@dataclass(frozen=True)
class CostSums:
    """What some moves have cost together.

    Attributes:
        moves: their number; the rest are sums over them.
    """

    moves: int
    cpu: float
    wall: float
    nodes: int
    simulations: int
    evaluations: int


@dataclass(frozen=True)
class CostTotals(CostSums):
    """What the moves of an entrant have cost in all games of one game.

    Attributes:
        game, entrant: who, and at what.
        max_cpu, max_wall, max_nodes, max_simulations, max_evaluations: the dearest move.
    """

    game: str
    entrant: str
    max_cpu: float
    max_wall: float
    max_nodes: int
    max_simulations: int
    max_evaluations: int


@dataclass(frozen=True)
class SideCosts(CostSums):
    """What the moves of one side of one game have cost together.

    Attributes:
        slot, player: which game, and which side (0: first, 1: second).
    """

    slot: str
    player: int


_SECONDS, _COUNTS = ("cpu", "wall"), ("nodes", "simulations", "evaluations")


def _aggregates(text: str, columns: Sequence[str] = _SECONDS + _COUNTS) -> str:
    return ", ".join(text.format(column) for column in columns)


# `sum` fails where whole numbers become too large, and an engine from outside says what it likes.
_SUMS = (
    f"{_aggregates('sum({0}) AS {0}', _SECONDS)}, "
    f"{_aggregates('CAST(total({0}) AS INTEGER) AS {0}', _COUNTS)}"
)
_MOVES = "costs JOIN games ON games.id = costs.game_id"
SIDE_COSTS = (
    f"SELECT count(*), {_SUMS}, slot, player FROM {_MOVES} GROUP BY game_id, player"
)
COST_TOTALS = f"""
SELECT sum(moves), {_SUMS}, game, entrant, {_aggregates("max(max_{0})")} FROM (
    SELECT game, CASE player WHEN 0 THEN first ELSE second END AS entrant, count(*) AS moves,
        {_SUMS}, {_aggregates("max({0}) AS max_{0}")}
    FROM {_MOVES} GROUP BY game, first, second, player
) GROUP BY game, entrant ORDER BY game, entrant
"""
# Their columns as `check_row` knows them.
SIDE_COLUMNS = tuple(name.replace("moves", "count") for name in SideCosts.__dataclass_fields__)
TOTAL_COLUMNS = tuple(name.replace("moves", "count") for name in CostTotals.__dataclass_fields__)
