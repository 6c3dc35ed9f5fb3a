"""Hex for users: a move is a cell, `a1` in the upper left, as Hex players write; or `swap`."""

from __future__ import annotations

from typing import Any

import numpy as np

from dlgo import kernels
from dlgo.api import GameState, Move, Point
from dlgo.games.hex import kernel
from dlgo.games.lettered import Lettered
from dlgo.moves import SWAP
from dlgo.specs import Option


class Hex(Lettered):
    """Red joins top and bottom, blue left and right. The first player wins (Nash 1952)."""

    name = "hex"
    title = "Hex"
    options = (
        Option("size", 11, "cells on a side", low=2, high=kernel.MAX_SIZE),
        Option("swap", False, "whether the second player may take over the first stone"),
    )
    symmetry_names = ("identity", "rotate180")
    colour_symmetry = "antitranspose"

    def __init__(self, **settings: object) -> None:
        super().__init__(**settings)
        self.size = self.board_rows = self.board_cols = self.settings["size"]
        self.swap: bool = self.settings["swap"]
        self.num_actions = self.size**2 + self.swap
        self.opening_plies = 1 if self.swap else 2  # one that the second player judges
        if self.swap:
            self.swap_action, self.named_moves = self.size**2, {"swap": SWAP}
            self.extra_planes = ("1 everywhere if a swap is legal, else 0",)

    def new_kernel_state(self) -> kernel.HexState:
        state = kernel.HexState(
            np.array([self.size, self.swap, 0, 0, 0, 0]), np.zeros(kernel.WIDTH**2, np.int8),
            np.zeros(self.size**2, np.int16))
        kernels.reset(state)
        return state

    def same_position(self, first: Any, second: Any) -> bool:
        return (
            np.array_equal(first.words, second.words)
            and np.array_equal(first.board, second.board)
        )

    def why_illegal(self, state: GameState, move: Move) -> str:
        if move.is_pass:
            return "Hex has no pass"
        if move == SWAP:
            return "only the first reply may be a swap" if self.swap else "the swap rule is off"
        return "the cell is taken" if self.action_of(move) is not None else "there is no such cell"

    def last_cell(self, state: GameState) -> Point | None:
        """The cell of the last stone, also of one that was swapped."""
        swapped = next(iter(self.stones(state)), None)
        return swapped if state.last_move == SWAP else super().last_cell(state)

    def winning_cells(self, state: GameState) -> list[Point]:
        """A shortest chain that joins the winner's sides; [] if nobody has won by a chain."""
        winner = int(state.kernel_state.words[kernel.WINNER])
        own = {point for point, player in self.stones(state).items() if player.index == winner}
        chains = [[point] for point in own if point[winner] == 1]
        for chain in chains:  # it grows: first all of one stone, then all of two
            row, col = chain[-1]
            if chain[-1][winner] == self.size:
                return chain
            near = {Point(row + rise, col + run) for rise, run in kernel.NEIGHBOURS} & own
            own -= near
            chains += [[*chain, point] for point in sorted(near)]
        return []
