"""Othello for users: a move is a cell, `a1` in the upper left, or `pass`."""

from __future__ import annotations

import numpy as np

from dlgo import kernels
from dlgo.api import GameState, Move
from dlgo.games.bitrows import count
from dlgo.games.lettered import Lettered
from dlgo.games.othello import kernel
from dlgo.specs import Option


class Othello(Lettered):
    """More discs win. With 6x6 cells the second player wins 20-16 (Feinstein 1993)."""

    name = "othello"
    title = "Othello"
    options = (Option("size", 8, "cells on a side, even", low=4, high=kernel.MAX_SIZE),)
    opening_plies = 4
    symmetry_names = ("identity", "rotate180", "transpose", "antitranspose")
    named_moves = {"pass": Move.pass_turn()}

    def __init__(self, **settings: object) -> None:
        super().__init__(**settings)
        self.size = self.board_rows = self.board_cols = self.settings["size"]
        if self.size % 2:
            raise ValueError("size is odd; write an even number of cells")
        self.pass_action = self.size**2
        self.num_actions = self.size**2 + 1

    def new_kernel_state(self) -> kernel.OthelloState:
        state = kernel.OthelloState(
            np.array([self.size] * 2 + [0] * 4), np.zeros((4, self.size + 2), np.int64))
        kernels.reset(state)
        return state

    def why_illegal(self, state: GameState, move: Move) -> str:
        if move.is_pass:
            return "there is a legal play"
        if self.action_of(move) is None:
            return "there is no such cell"
        if move.point and self.cell(state, *move.point) is not None:
            return "the cell is taken"
        return "it encloses no disc"

    def discs(self, state: GameState) -> list[int]:
        """How many discs black and white have."""
        return [count(rows) for rows in state.kernel_state.rows[:2]]

    def result_text(self, state: GameState) -> str:
        text, (less, more) = super().result_text(state), sorted(self.discs(state))
        if state.last_move is not None and state.last_move.is_resign:
            return text
        return f"{text} {more}-{less}"

    def render(self, state: GameState) -> str:
        return "{}\nblack {}, white {}".format(super().render(state), *self.discs(state))
