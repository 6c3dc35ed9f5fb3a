"""Exact results of all moves, for the games that can be solved: Connect Four, tic-tac-toe, and Hex
on boards of up to 16 cells.

    outcomes_of(get_game("connect4"))([[3, 3, 3]])  ->  [{0: -1, 1: -1, 2: 1, ...}]

A mistake is a move that gives away part of what the position was worth: a win becomes a draw or
a loss, or a draw a loss.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dlgo.api import GameSpec, GameState
from dlgo.full_search import Outcomes, Solve, full_search
from engines.registry import build_engine
from engines.solver.solver import Solver

_SMALL = 16  # cells of a board that alpha-beta solves in milliseconds


def outcomes_of(game: GameSpec) -> Solve | None:
    """A function that solves unfinished positions of a game; None if the game cannot be solved.

    It takes lists of actions from the start of the game. In Connect Four, a position beyond the
    book takes up to a second, and one with more than 16 stones milliseconds.
    """
    if game.name == "connect4":
        return _connect4(Solver())
    if game.name == "tictactoe":
        return full_search(game)
    if game.name == "hex" and (cells := game.board_rows * game.board_cols) <= _SMALL:
        prover = build_engine(f"alphabeta:depth={cells + 1},solve=yes", game, 1)

        def prove(state: GameState) -> int:
            proven = prover.select_move(state).proven
            assert proven is not None  # the search reaches the end of every game
            return proven

        return full_search(game, prove)
    return None


def is_mistake(outcomes: Outcomes, action: int) -> bool:
    """Whether an action is worth less than the position."""
    return outcomes[action] < max(outcomes.values())


def _connect4(solver: Solver) -> Solve:
    def solve(lines: Sequence[Sequence[int]]) -> list[Outcomes]:
        texts = ["".join(str(action + 1) for action in line) for line in lines]
        answers = [answer for part in solver.analyse(texts, all_moves=True) for answer in part]
        return [
            {column: int(np.sign(score)) for column, score in enumerate(answer.scores)
             if score is not None} if answer and answer.scores else {}
            for answer in answers
        ]

    return solve
