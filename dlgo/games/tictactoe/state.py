"""Tic-tac-toe for users: `A1` to `C3`, three in a row (chapter 4.1 of the book)."""

from __future__ import annotations

from dlgo import symmetry
from dlgo.games.lines import InARow
from dlgo.games.tictactoe import kernel


class TicTacToe(InARow):
    """Three in a row on a 3x3 board. Perfect play draws."""

    name = "tictactoe"
    title = "Tic-tac-toe"
    n = 3
    opening_plies = 2
    num_actions = kernel.CELLS
    board_rows = board_cols = 3
    symmetry_names = symmetry.SQUARE

    def new_kernel_state(self) -> kernel.TicTacToeState:
        state = kernel.new_state()
        kernel.reset(state)
        return state
