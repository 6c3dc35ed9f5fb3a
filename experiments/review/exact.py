"""Which games can be solved, by which engine, and in how much time; scores of Connect Four."""

from __future__ import annotations

from dlgo import GameSpec, GameState
from experiments.review.game_review import Evaluation

# Cells of a board that is solved whole, move by move, without a solver of its own.
_SMALL = 16
# Wall seconds for a position; somebody waits. The solver with its book needs less for nearly all.
SECONDS = 10.0


def exact_engine(game: GameSpec) -> str | None:
    """The engine that proves the result of any position of a game; None if there is none."""
    cells = game.board_rows * game.board_cols
    if game.name == "connect4":
        return "solver"
    if game.name in ("tictactoe", "connectn") and cells <= _SMALL:
        return f"alphabeta:depth={cells + 1},solve=yes"
    return None


def score_of(state: GameState, evaluation: Evaluation) -> int | None:
    """The score of a solved Connect Four position, as the solver and its test sets count it.

    +v if the player to move wins with their (22 - v)th stone, -v if the other one does, 0 for a
    draw. None in any other game, and where the value is not proved.
    """
    if state.game.name != "connect4" or not evaluation.proven or state.is_over():
        return None
    share, plies = evaluation.share(state.next_player), evaluation.plies_to_end
    if share == 0.5:
        return 0
    if plies is None:
        return None
    stones = len(state.moves())
    if share > 0.5:  # the last stone is the mover's
        return 22 - (stones // 2 + (plies + 1) // 2)
    return -(22 - ((stones + 1) // 2 + plies // 2))
