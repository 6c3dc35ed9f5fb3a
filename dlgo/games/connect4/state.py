"""Connect Four for users: a move is a column, 1 to 7."""

from __future__ import annotations

from dlgo import symmetry
from dlgo.games.connect4 import board, features, kernel
from dlgo.games.lines import InARow


class ConnectFour(InARow):
    """Four in a row on a 7x6 board where stones fall. The first player wins (Allis 1988)."""

    name = "connect4"
    title = "Connect Four"
    n = 4
    gravity = True
    opening_plies = 4
    num_actions = board.COLS
    board_rows, board_cols = board.ROWS, board.COLS
    symmetry_names = symmetry.LEFT_RIGHT
    feature_slots = features.SLOTS

    def new_kernel_state(self) -> board.ConnectFourState:
        state = board.new_state()
        kernel.reset(state)
        return state
