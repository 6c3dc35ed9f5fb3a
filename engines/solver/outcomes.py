"""Exact results of all moves, for the games that can be solved: Connect Four, tic-tac-toe, and Hex
on boards of up to 16 cells.

    outcomes_of(get_game("connect4"))([[3, 3, 3]])  ->  [{0: -1, 1: -1, 2: 1, ...}]

A mistake is a move that gives away part of what the position was worth: a win becomes a draw or
a loss, or a draw a loss.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from dlgo.api import GameSpec, GameState
from engines.minimax.textbook import result_of
from engines.registry import build_engine
from engines.solver.solver import Solver

# Action -> result for the player to move, of a position given by the actions that led to it.
Outcomes = dict[int, int]
Solve = Callable[[Sequence[Sequence[int]]], list[Outcomes]]
_SMALL = 16  # cells of a board that alpha-beta solves in milliseconds


def outcomes_of(game: GameSpec) -> Solve | None:
    """A function that solves unfinished positions of a game; None if the game cannot be solved.

    It takes lists of actions from the start of the game. In Connect Four, a position beyond the
    book takes up to a second, and one with more than 16 stones milliseconds.
    """
    if game.name == "connect4":
        return _connect4(Solver())
    if game.name == "tictactoe":
        return _by_search(game)
    if game.name == "hex" and (cells := game.board_rows * game.board_cols) <= _SMALL:
        prover = build_engine(f"alphabeta:depth={cells + 1},solve=yes", game, 1)

        def prove(state: GameState) -> int:
            proven = prover.select_move(state).proven
            assert proven is not None  # the search reaches the end of every game
            return proven

        return _by_search(game, prove)
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


def _by_search(game: GameSpec, value_of: Callable[[GameState], int] | None = None) -> Solve:
    """Full search, for small games; or the value that `value_of` proves, after each move."""
    solved: dict[int, Outcomes] = {}

    def outcomes(state: GameState) -> Outcomes:
        if (key := state.key()) not in solved:
            values = solved[key] = {}
            for action in state.legal_actions().tolist():
                child = state.apply_move(game.move_of(action))
                value = (result_of(child) if child.is_over() else value_of(child) if value_of
                         else max(outcomes(child).values()))
                values[action] = value if child.next_player is state.next_player else -value
        return solved[key]

    def solve(lines: Sequence[Sequence[int]]) -> list[Outcomes]:
        answers = []
        for line in lines:
            state = GameState.new_game(game)
            for action in line:
                state = state.apply_move(game.move_of(int(action)))
            answers.append(outcomes(state))
        return answers

    return solve
