"""N in a row as people see it: a column number with gravity, else `A1`; `swap` for the pie."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dlgo import kernels, symmetry
from dlgo.api import GameSpec, GameState, Move, Point
from dlgo.errors import NotationError, SpecError
from dlgo.games.connectn import kernel
from dlgo.games.lines import cells_in_lines
from dlgo.specs import Option

SWAP = Move.play("swap")


class ConnectN(GameSpec):
    """N in a row on any board, with or without gravity and the pie rule."""

    name = "connectn"
    title = "Connect N"
    options = (
        Option("cols", 7, "columns of the board", low=1, high=kernel.MAX_SIDE),
        Option("rows", 6, "rows of the board", low=1, high=kernel.MAX_SIDE),
        Option("n", 4, "how many in a row win", low=2, high=kernel.MAX_SIDE),
        Option("gravity", True, "whether stones fall to the bottom of a column"),
        Option("pie", False, "whether the first reply may be to take over the first stone"),
    )

    def __init__(self, **settings: object) -> None:
        super().__init__(**settings)
        self.cols: int = self.settings["cols"]
        self.rows: int = self.settings["rows"]
        self.n: int = self.settings["n"]
        self.gravity: bool = self.settings["gravity"]
        self.pie: bool = self.settings["pie"]
        if self.n > max(self.rows, self.cols):
            raise SpecError(
                f"game connectn: n={self.n} in a row do not fit on {self.cols}x{self.rows}; "
                f"n can be 2 to {max(self.rows, self.cols)} there"
            )
        places = self.cols if self.gravity else self.rows * self.cols
        self.swap_action: int = places if self.pie else -1  # -1: there is no swap
        self.num_actions = places + self.pie
        self.board_rows, self.board_cols = self.rows, self.cols
        if self.gravity:
            self.symmetry_names = symmetry.LEFT_RIGHT
        else:
            square = self.rows == self.cols
            self.symmetry_names = symmetry.SQUARE if square else symmetry.OBLONG
        # Few enough that nobody has n stones yet; only one with the pie rule, for the second
        # player is to judge the opening. 2 for tic-tac-toe, 4 for Connect Four, as there.
        most = 1 if self.pie else 4
        self.opening_plies = min(most, 2 * (self.n - 1), self.rows * self.cols // 4)

    def new_kernel_state(self) -> kernel.ConnectNState:
        state = kernel.new_state(self.rows, self.cols, self.n, self.gravity, self.pie)
        kernels.reset(state)
        return state

    def same_position(self, one: Any, other: Any) -> bool:
        return np.array_equal(one.info, other.info) and np.array_equal(one.color, other.color)

    def move_of(self, action: int) -> Move:
        if action == self.swap_action:
            return SWAP
        if self.gravity:
            return Move.play(int(action) + 1)
        row, col = divmod(int(action), self.cols)
        return Move.play(Point(row + 1, col + 1))

    def action_of(self, move: Move) -> int | None:
        if move == SWAP:
            return self.swap_action if self.pie else None
        if self.gravity:
            col = move.place
            return col - 1 if move.is_play and type(col) is int and 1 <= col <= self.cols else None
        point = move.point
        if point is None or not (1 <= point.row <= self.rows and 1 <= point.col <= self.cols):
            return None
        return (point.row - 1) * self.cols + point.col - 1

    def move_text(self, move: Move) -> str:
        return str(move.place) if move.is_play and not move.point else super().move_text(move)

    def parse_move(self, state: GameState, text: str) -> Move:
        word = text.strip().lower()
        if self.pie and word == SWAP.place:
            return SWAP
        if not self.gravity:
            return super().parse_move(state, text)
        if word in map(str, range(1, self.cols + 1)):
            return Move.play(int(word))
        or_swap = ", or swap" if self.pie else ""
        raise NotationError(f"{word!r} is not a column: write a number 1-{self.cols}{or_swap}")

    def map_move(self, move: Move, to: Callable[[Point], Point]) -> Move:
        if self.gravity and type(move.place) is int:
            return Move.play(to(Point(1, move.place)).col)
        return super().map_move(move, to)

    def why_illegal(self, state: GameState, move: Move) -> str:
        if move.is_pass:
            return "Connect N has no pass"
        if move == SWAP:
            return "only the first reply may be a swap" if self.pie else "the pie rule is off"
        if self.action_of(move) is not None:
            return "the column is full" if self.gravity else "the cell is taken"
        if self.gravity:
            return f"there is no such column, only 1-{self.cols}"
        return f"it is off the {self.cols}x{self.rows} board"

    def winning_cells(self, state: GameState) -> list[Point]:
        """The stones that won, bottom row first; [] if no row is complete (yet)."""
        return cells_in_lines(state, self.n)

    def col_label(self, col: int) -> str:
        return str(col) if self.gravity else super().col_label(col)

    def last_cell(self, state: GameState) -> Point | None:
        move = state.last_move
        if move is None or not move.is_play:
            return None
        if move == SWAP:
            return self.last_cell(state.previous_state)
        if not self.gravity:
            return move.point
        rows = range(self.rows, 0, -1)
        return next(Point(r, move.place) for r in rows if self.cell(state, r, move.place))
