"""Boards of tic-tac-toe as the texts of exercises describe them."""

from __future__ import annotations

import functools

LINES = ("012", "345", "678", "036", "147", "258", "048", "246")


@functools.cache
def line_marks(board: str) -> list[str]:
    """The marks of each line."""
    return ["".join(board[int(point)] for point in line) for line in LINES]


@functools.cache
def completes(board: str, player: str) -> set[int]:
    """The empty points that complete a line of a player."""
    lines = zip(LINES, line_marks(board), strict=True)
    return {int(line[marks.index(".")]) for line, marks in lines
            if sorted(marks) == sorted("." + 2 * player)}


def opponent(player: str) -> str:
    """The other player."""
    return "o" if player == "x" else "x"


@functools.cache
def has_won(board: str, player: str) -> bool:
    """Whether a player has a line."""
    return 3 * player in line_marks(board)


@functools.cache
def is_over(board: str) -> bool:
    """Whether somebody has won or no point is empty."""
    return has_won(board, "x") or has_won(board, "o") or "." not in board


@functools.cache
def valid_board(board: str) -> None:
    """Assert that a game leads to the board; the text does not say who begins."""
    assert isinstance(board, str) and len(board) == 9 and set(board) <= set("xo.")
    assert abs(board.count("x") - board.count("o")) <= 1, f"{board}: players take turns"
    for player in "xo":
        assert not has_won(board, player) or (
            not has_won(board, opponent(player))
            and board.count(player) >= board.count(opponent(player))), f"{board}: play went on"
