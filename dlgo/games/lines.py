"""Games of stones in a row for users: cells `A1`, or columns with gravity."""

from __future__ import annotations

from collections.abc import Callable

from dlgo.api import GameSpec, GameState, Move, Player, Point
from dlgo.errors import NotationError
from dlgo.moves import SWAP

DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))  # rows up, columns to the right


class InARow(GameSpec):
    """`n` stones in a row win. A move is a cell or, with gravity, a column counted from 1."""

    n: int
    gravity: bool = False

    def move_of(self, action: int) -> Move:
        column = self.gravity and action != self.swap_action
        return Move.play(int(action) + 1) if column else super().move_of(action)

    def action_of(self, move: Move) -> int | None:
        if not self.gravity or move == SWAP:
            return super().action_of(move)
        col = move.place
        if move.is_play and type(col) is int and 1 <= col <= self.board_cols:
            return col - 1
        return None

    def parse_move(self, state: GameState, text: str) -> Move:
        if not self.gravity:
            return super().parse_move(state, text)
        word = text.strip()
        if word in map(str, range(1, self.board_cols + 1)):
            return Move.play(int(word))
        raise NotationError(f"{word!r} is not a column: write a number 1-{self.board_cols}")

    def map_move(self, move: Move, to: Callable[[Point], Point]) -> Move:
        if self.gravity and type(move.place) is int:
            return Move.play(to(Point(1, move.place)).col)
        return super().map_move(move, to)

    def why_illegal(self, state: GameState, move: Move) -> str:
        if move.is_pass:
            return f"{self.title} has no pass"
        if self.action_of(move) is not None:
            return "the column is full" if self.gravity else "the cell is taken"
        if self.gravity:
            return f"there is no such column, only 1-{self.board_cols}"
        return f"it is off the {self.board_cols}x{self.board_rows} board"

    def col_label(self, col: int) -> str:
        return str(col) if self.gravity else super().col_label(col)

    def last_cell(self, state: GameState) -> Point | None:
        move = state.last_move
        if not self.gravity or move is None or not isinstance(col := move.place, int):
            return super().last_cell(state)
        rows = range(self.board_rows, 0, -1)
        return next(Point(row, col) for row in rows if self.cell(state, row, col))

    def winning_cells(self, state: GameState) -> list[Point]:
        """The stones that won, bottom row first; [] if no row is complete (yet)."""
        board = self.stones(state)
        return [
            point for point in board
            if any(
                1 + _run(board, point, rise, run) + _run(board, point, -rise, -run) >= self.n
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
