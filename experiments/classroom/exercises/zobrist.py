"""Zobrist keys (chapter 3).

The key of a position is a number that is cheap to update after a move. Each colour at each point
has its own random number. The key is the exclusive or (`^`) of the numbers of all stones and, if
white is to move, of one more number. The key of the empty board with black to move is 0.

The table is a dict: `table[(color, row, col)]` for stones, `table["white to move"]` for the turn.
A board is a list of rows of "b", "w" and "."; rows and columns are counted from 0.
"""

from __future__ import annotations

from typing import Any


def key_of(board: list[str], to_move: str, table: dict[Any, int]) -> int:
    """The key of a board from scratch; `to_move` is "b" or "w".

    >>> table = {("b", 0, 0): 5, ("b", 0, 1): 3, ("w", 0, 0): 9, ("w", 0, 1): 6}
    >>> table["white to move"] = 16
    >>> key_of(["b."], "b", table)
    5
    >>> key_of(["bw"], "b", table)
    3
    >>> key_of(["bw"], "w", table)
    19
    """
    ### BEGIN SOLUTION
    key = table["white to move"] if to_move == "w" else 0
    for row, text in enumerate(board):
        for col, color in enumerate(text):
            if color != ".":
                key ^= table[color, row, col]
    return key
    ### END SOLUTION


def key_after(
    key: int, color: str, point: tuple[int, int], captured: list[tuple[int, int]],
    table: dict[Any, int],
) -> int:
    """The key after `color` has played at `point`, without looking at the board.

    Args:
        key: before the move, with `color` to move.
        captured: the points of the other colour's stones that the move takes off.

    >>> table = {("b", 0, 0): 5, ("b", 0, 1): 3, ("w", 0, 0): 9, ("w", 0, 1): 6}
    >>> table["white to move"] = 16
    >>> key_after(0, "b", (0, 0), [], table)
    21
    >>> key_after(21, "w", (0, 1), [], table)
    3
    >>> key_after(21, "w", (0, 1), [(0, 0)], table)
    6
    """
    ### BEGIN SOLUTION
    other = "w" if color == "b" else "b"
    key ^= table[(color, *point)] ^ table["white to move"]
    for row, col in captured:
        key ^= table[other, row, col]
    return key
    ### END SOLUTION


### BEGIN HIDDEN TESTS
import random

import numpy as np

from experiments.classroom.checks import agrees
from experiments.classroom.exercises.captures import play
from experiments.classroom.exercises.liberties import random_board

_random = random.Random(3)


def _table(rows: int, columns: int) -> dict[Any, int]:
    """New numbers for a board of this size."""
    table: dict[Any, int] = {(color, *point): _random.getrandbits(64)
                             for color in "bw" for point in np.ndindex(rows, columns)}
    return table | {"white to move": _random.getrandbits(64)}


def _moves(rows: int, columns: int):
    """The moves of a random game, as arguments of key_after."""
    board, color = ["." * columns] * rows, "b"
    table = _table(rows, columns)
    for _ in range(60):
        point = _random.randrange(rows), _random.randrange(columns)
        if after := play(board, color, point):
            other = "bw"[color == "b"]
            captured = [(r, c) for r, c in np.ndindex(rows, columns)
                        if (board[r][c], after[r][c]) == (other, ".")]
            yield key_of(board, color, table), color, point, captured, table
            board, color = after, other


SIZES = [(1, 1), (1, 6), (6, 1), (2, 3), (3, 3), (4, 5), (5, 4), (11, 12), (2, 24)]
BOARD = ["b.w..", ".bw..", "...b.", "w...."]
EMPTY = [["." * columns] * rows for rows, columns in SIZES]
STONES = [["b..", "..."], ["..w", "..."], ["...", "b.."], ["...", "..w"], ["..b", "..."]]
BOARDS = [BOARD, *STONES, *(random_board(_random, *size, marks)
                            for size in SIZES[1:] for marks in ("bw.", "bw.."))]
# Boards of one size have the same numbers. Later, all have others.
TABLES, OTHERS = ({size: _table(*size) for size in SIZES} for _ in range(2))
MOVES = [move for size in (*SIZES[1:6] * 6, *SIZES[5:]) for move in _moves(*size)]
# The first moves of games begin with the key 0.
QUIET = [move for move in MOVES if not move[3]]
CAPTURES = [move for move in MOVES if move[3]]
CHECKS = [
    agrees("The turn is part of the key", key_of,
           [(board, to_move, tables[len(board), len(board[0])]) for tables in (TABLES, OTHERS)
            for board in (*EMPTY, *BOARDS) for to_move in "wb"],
           "The table has a number for white to move. The empty board with black to move has "
           "the key 0.", points=2),
    agrees("Every stone counts, by its colour and point", key_of,
           [(board, "b", tables[len(board), len(board[0])]) for tables in (TABLES, OTHERS)
            for board in BOARDS],
           "Which stones are on this board, and what are their numbers?", points=3),
    agrees("A move adds its stone and changes the turn", key_after,
           [*(move for move in QUIET if not move[0]), *QUIET[::5]],
           "Compare with key_of for the board after the move.", points=2),
    agrees("Captured stones are removed from the key", key_after,
           [*[move for move in CAPTURES if len(move[3]) == 1][::4],
            *[move for move in CAPTURES if len(move[3]) > 1]],
           "Whose stones are captured? How do you remove a number from an exclusive or?", points=3),
]
PLANTED = {
    "the turn is forgotten": ('key = table["white to move"] if to_move == "w" else 0', "key = 0"),
    "the turn does not change": (' ^ table["white to move"]', ""),
    "captured stones of the mover": ("table[other, row, col]", "table[color, row, col]"),
    "or instead of exclusive or": ("key ^= table[color, row, col]",
                                   "key |= table[color, row, col]"),
    "one captured stone only": ("for row, col in captured:", "for row, col in captured[:1]:"),
    "numbers of 32 bits": ("key ^= table[color, row, col]",
                           "key ^= table[color, row, col] & 0xFFFFFFFF"),
    "numbers of 63 bits": ("    return key\n\n", "    return key & (1 << 63) - 1\n\n"),
    "keys are kept by board": (
        "    return key\n\n",
        '    kept = globals().setdefault("kept", {})\n'
        "    return kept.setdefault((*board, to_move), key)\n\n"),
    "white captures nothing": ("for row, col in captured:",
                               'for row, col in captured if color == "b" else []:'),
    "square boards": ("for col, color in enumerate(text):",
                      "for col, color in enumerate(text[: len(board)]):"),
    "the key before is ignored": ("key ^= table[(color, *point)]", "key = table[(color, *point)]"),
    "only white's moves change the turn": (
        ' ^ table["white to move"]', ' ^ table["white to move"] * (color == "w")'),
    "captures are used up": ("for row, col in captured:",
                             "while captured:\n        row, col = captured.pop()"),
    "the table changes": ("key = table[\"white to move\"] if to_move == \"w\" else 0",
                          'key = table["white to move"] if to_move == "w" else 0\n'
                          '    table["white to move"] += 1'),
}
EQUIVALENT = {
    "other = 'b' if color == 'w' else 'w'": "The same colour.",
    "captured is reversed": "The order of an exclusive or does not matter.",
    "captured are sorted": "The same.", "equal captured count once": "None is captured twice.",
    'color <= "b"': "The other colour sorts after it.", 'to_move >= "w"': "The same, turned round.",
    '> "."': "No mark sorts before the one of an empty point.",
}
### END HIDDEN TESTS
