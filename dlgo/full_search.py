"""Exact results of all moves by full search, for games as small as tic-tac-toe.

    full_search(get_game("tictactoe"))([[4, 1]])  ->  [{0: 1, 2: 1, 3: 1, 5: 0, ...}]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dlgo.api import GameSpec, GameState
from dlgo.moves import Player

# Action -> result for the player to move, of a position given by the actions that led to it.
Outcomes = dict[int, int]
Solve = Callable[[Sequence[Sequence[int]]], list[Outcomes]]


def full_search(game: GameSpec, value_of: Callable[[GameState], int] | None = None) -> Solve:
    """A function that solves unfinished positions, given by their actions from the start; with
    `value_of`, which proves the value for the player to move, it looks only one move ahead."""
    solved: dict[int, Outcomes] = {}

    def outcomes(state: GameState) -> Outcomes:
        if (key := state.key()) not in solved:
            values = solved[key] = {}
            for action in state.legal_actions().tolist():
                child = state.apply_move(game.move_of(action))
                black_moved = state.next_player is Player.black
                if child.is_over():
                    values[action] = child.result() if black_moved else -child.result()
                    continue
                value = value_of(child) if value_of else max(outcomes(child).values())
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
