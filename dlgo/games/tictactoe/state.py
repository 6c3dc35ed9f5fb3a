"""Tic-tac-toe as people see it: `A1` to `C3`, three rows (chapter 4.1 of the book)."""

from __future__ import annotations

from dlgo import symmetry
from dlgo.api import GameSpec, GameState, Move, Point
from dlgo.games.lines import cells_in_lines
from dlgo.games.tictactoe import kernel


class TicTacToe(GameSpec):
    """Three in a row on a 3x3 board. Perfect play draws."""

    name = "tictactoe"
    title = "Tic-tac-toe"
    opening_plies = 2
    num_actions = kernel.CELLS
    board_rows = board_cols = 3
    symmetry_names = symmetry.SQUARE

    def new_kernel_state(self) -> kernel.TicTacToeState:
        state = kernel.new_state()
        kernel.reset(state)
        return state

    def move_of(self, action: int) -> Move:
        row, col = divmod(int(action), 3)
        return Move.play(Point(row + 1, col + 1))

    def action_of(self, move: Move) -> int | None:
        point = move.point
        if point is None or not (1 <= point.row <= 3 and 1 <= point.col <= 3):
            return None
        return 3 * (point.row - 1) + point.col - 1

    def winning_cells(self, state: GameState) -> list[Point]:
        return cells_in_lines(state, 3)

    def why_illegal(self, state: GameState, move: Move) -> str:
        if move.is_pass:
            return "tic-tac-toe has no pass"
        return "the cell is taken" if self.action_of(move) is not None else "it is off the board"
