"""N in a row for users: a column number with gravity, else `A1`; `swap` for the pie rule."""

from __future__ import annotations

from typing import Any

import numpy as np

from dlgo import kernels, symmetry
from dlgo.api import GameState, Move, Point
from dlgo.errors import NotationError, SpecError
from dlgo.games.connectn import kernel
from dlgo.games.lines import InARow
from dlgo.moves import SWAP
from dlgo.specs import Option


class ConnectN(InARow):
    """N in a row on any board, with or without gravity and the pie rule."""

    name = "connectn"
    title = "Connect N"
    options = (
        Option("cols", 7, "columns of the board", low=1, high=kernel.MAX_SIDE),
        Option("rows", 6, "rows of the board", low=1, high=kernel.MAX_SIDE),
        Option("n", 4, "number of stones in a row that win", low=2, high=kernel.MAX_SIDE),
        Option("gravity", True, "whether stones fall to the bottom of a column"),
        Option("pie", False, "whether the second player may take over the first stone"),
    )

    def __init__(self, **settings: object) -> None:
        super().__init__(**settings)
        self.cols = self.board_cols = self.settings["cols"]
        self.rows = self.board_rows = self.settings["rows"]
        self.n = self.settings["n"]
        self.gravity = self.settings["gravity"]
        self.pie: bool = self.settings["pie"]
        if self.n > max(self.rows, self.cols):
            raise SpecError(
                f"game connectn: n={self.n} in a row do not fit on {self.cols}x{self.rows}; "
                f"n can be 2 to {max(self.rows, self.cols)} there"
            )
        places = self.cols if self.gravity else self.rows * self.cols
        self.swap_action = places if self.pie else -1
        self.num_actions = places + self.pie
        if self.gravity:
            self.symmetry_names = symmetry.LEFT_RIGHT
        else:
            square = self.rows == self.cols
            self.symmetry_names = symmetry.SQUARE if square else symmetry.OBLONG
        # So few that no player has n stones yet; only one with the pie rule, because the second
        # player judges the opening. 2 for tic-tac-toe and 4 for Connect Four, as in those games.
        most = 1 if self.pie else 4
        self.opening_plies = min(most, 2 * (self.n - 1), self.rows * self.cols // 4)

    def new_kernel_state(self) -> kernel.ConnectNState:
        state = kernel.new_state(self.rows, self.cols, self.n, self.gravity, self.pie)
        kernels.reset(state)
        return state

    def same_position(self, first: Any, second: Any) -> bool:
        return np.array_equal(first.info, second.info) and np.array_equal(first.color, second.color)

    def parse_move(self, state: GameState, text: str) -> Move:
        if not self.pie:
            return super().parse_move(state, text)
        if text.strip().lower() == SWAP.place:
            return SWAP
        try:
            return super().parse_move(state, text)
        except NotationError as error:
            raise NotationError(f"{error}, or swap") from None

    def why_illegal(self, state: GameState, move: Move) -> str:
        if move == SWAP:
            return "only the first reply may be a swap" if self.pie else "the pie rule is off"
        return super().why_illegal(state, move)

    def last_cell(self, state: GameState) -> Point | None:
        """The cell of the last stone; None after a swap."""
        if state.last_move == SWAP and state.previous_state is not None:
            state = state.previous_state
        return super().last_cell(state)
