"""The 3x3 patterns of heavy rollouts: shapes around a point that suggest a stone on it.

The patterns are those of MoGo (Gelly, Wang, Munos and Teytaud 2006, figures 3 to 5): hane,
cuts, and moves on the first line. A diagram is seen from the point in its middle, which is
empty; every rotation and reflection of it counts, and its colour flip.

    X, O  the two colours     .  empty     #  beyond the edge     ?  anything
    x     not X, nor the edge              o  not O, nor the edge

Eight neighbours of four kinds make 16 bits; `MATCHES` holds one bit for each of the 65,536
neighbourhoods. `playout.py` and `hints` of the Go kernel look them up.
"""

from __future__ import annotations

import functools

import numpy as np

from dlgo.bits import int64
from dlgo.games.go.board import BLACK, BORDER, EMPTY, WHITE, GoState
from dlgo.jit import inline_kernel

_PATTERNS = {
    "enclosing hane": ("XOX", "...", "???"),
    "hane without cut": ("XO.", "...", "?.?"),
    "hane at the shoulder": ("XO?", "X..", "x.?"),
    "thin hane": (".O.", "X..", "..."),
    "cut": ("XO?", "O.o", "?o?"),
    "peeped cut": ("XO?", "O.X", "???"),
    "cut through": ("?X?", "O.O", "ooo"),
    "cut of a keima": ("OX?", "o.O", "???"),
    "edge: chase": ("X.?", "O.?", "###"),
    "edge: block a side cut": ("OX?", "X.O", "###"),
    "edge: block a connection": ("?X?", "x.O", "###"),
    "edge: push along": ("?XO", "x.x", "###"),
    "edge: cut below": ("?OX", "X.O", "###"),
}
_MEANING = {
    "X": (BLACK,), "O": (WHITE,), ".": (EMPTY,), "#": (BORDER,),
    "x": (WHITE, EMPTY), "o": (BLACK, EMPTY), "?": (BLACK, WHITE, EMPTY, BORDER),
}
# The neighbours in reading order of a diagram, by (row, column); the middle is left out.
_CELLS = tuple((row, col) for row in range(3) for col in range(3) if (row, col) != (1, 1))


def _symmetric(diagram: tuple[str, ...]) -> set[tuple[str, ...]]:
    """The diagram in its up to eight orientations."""
    orientations = set()
    for _ in range(4):
        diagram = tuple("".join(row) for row in zip(*diagram[::-1], strict=True))
        orientations |= {diagram, diagram[::-1]}
    return orientations


def _swapped(diagram: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(row.translate(str.maketrans("XOxo", "OXox")) for row in diagram)


def _match_table() -> np.ndarray:
    """int64[1024]: bit i tells whether the neighbourhood with index i matches a pattern."""
    bits = np.zeros(1 << 16, np.uint8)
    for diagram in _PATTERNS.values():
        for turned in _symmetric(diagram) | _symmetric(_swapped(diagram)):
            parts = (
                np.array(_MEANING[turned[row][col]]) << (2 * i)
                for i, (row, col) in enumerate(_CELLS)
            )
            bits[functools.reduce(np.add.outer, parts)] = 1
    return np.packbits(bits, bitorder="little").view(np.int64)


MATCHES = _match_table()


@inline_kernel
def neighbourhood(state: GoState, point: int, width: int) -> int:
    """The number of the eight neighbours of a point: two bits each, in reading order."""
    color = state.color
    up, down = point + width, point - width
    return (
        int64(color[up - 1]) | int64(color[up]) << 2 | int64(color[up + 1]) << 4
        | int64(color[point - 1]) << 6 | int64(color[point + 1]) << 8
        | int64(color[down - 1]) << 10 | int64(color[down]) << 12
        | int64(color[down + 1]) << 14
    )


@inline_kernel
def matches_pattern(state: GoState, point: int, width: int) -> bool:
    """Whether the eight neighbours of an empty point form one of the patterns."""
    index = neighbourhood(state, point, width)
    return (MATCHES[index >> 6] >> (index & 63)) & 1 == 1
