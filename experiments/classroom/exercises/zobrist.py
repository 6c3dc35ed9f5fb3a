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

from experiments.classroom.checks import agrees

_random = random.Random(3)
TABLE = {(color, row, col): _random.getrandbits(62)
         for color in "bw" for row in range(4) for col in range(5)}
TABLE["white to move"] = _random.getrandbits(62)
EMPTY, BOARD = ["....."] * 4, ["b.w..", ".bw..", "...b.", "w...."]
CAPTURES = [("b", [(0, 2), (1, 2)]), ("w", [(0, 0)]), ("b", [(3, 0)]),
            ("w", [(0, 0), (1, 1), (2, 3)])]
BOARDS = [["".join(_random.choice("bw.") for _ in range(columns)) for _ in range(rows)]
          for rows in range(1, 5) for columns in range(1, 6)]
CHECKS = [
    agrees("The turn is part of the key", key_of,
           [(EMPTY, "b", TABLE), (EMPTY, "w", TABLE), (BOARD, "w", TABLE),
            *((board, "w", TABLE) for board in BOARDS)],
           "The table has a number for white to move. The empty board with black to move has "
           "the key 0.", points=2),
    agrees("Every stone counts, by its colour and point", key_of,
           [(board, "b", TABLE)
            for board in (BOARD, ["b....", *EMPTY[1:]], [*EMPTY[1:], "....w"], *BOARDS)],
           "Which stones are on this board, and what are their numbers?", points=3),
    agrees("A move adds its stone and changes the turn", key_after,
           [(key_of(BOARD, color, TABLE), color, (3, 4), [], TABLE) for color in "bw"]
           + [(0, "b", (row, col), [], TABLE) for row in range(4) for col in range(5)],
           "Compare with key_of for the board after the move.", points=2),
    agrees("Captured stones are removed from the key", key_after,
           [(key_of(BOARD, color, TABLE), color, (2, 2), taken, TABLE)
            for color, taken in CAPTURES],
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
    'color <= "b"': "The other colour sorts after it.", 'to_move >= "w"': "The same, turned round.",
    '> "."': "No mark sorts before the one of an empty point.",
}
### END HIDDEN TESTS
