"""The stones that won a game of n in a row, for displays. Works on any `GameSpec`."""

from __future__ import annotations

from dlgo.api import GameState, Player, Point

DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))  # rows up, columns to the right


def cells_in_lines(state: GameState, n: int) -> list[Point]:
    """All cells that stand in a row of `n` or more of one colour, bottom row first."""
    game = state.game
    board = {
        Point(row, col): player
        for row in range(1, game.board_rows + 1)
        for col in range(1, game.board_cols + 1)
        if (player := game.cell(state, row, col)) is not None
    }
    return [
        point for point in board
        if any(
            1 + _run(board, point, rise, run) + _run(board, point, -rise, -run) >= n
            for rise, run in DIRECTIONS
        )
    ]


def _run(board: dict[Point, Player], point: Point, rise: int, run: int) -> int:
    """Stones of the colour on `point` that follow it without a gap, in one direction."""
    length = 0
    following = Point(point.row + rise, point.col + run)
    while board.get(following) is board[point]:
        length += 1
        following = Point(following.row + rise, following.col + run)
    return length
