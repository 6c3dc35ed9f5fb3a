"""Solved positions of a game by class, for the games that have some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dlgo import DlgoError, GameSpec, GameState, kernels
from dlgo.full_search import Outcomes, Solve
from dlgo.games.draughts.endgames import EndgameTables
from engines.jobs import Processes
from engines.solver.outcomes import outcomes_of
from experiments.measures import connect4, draughts, hex, tictactoe
from experiments.measures.mistakes import Position

# Pieces of the largest endgames of draughts.
_PIECES = 4


def solved_positions(
    game: GameSpec, count: int, jobs: Processes
) -> Mapping[str, Sequence[Position]]:
    """`count` positions of each class; all of tic-tac-toe. Raises DlgoError for a game that has no
    solved positions."""
    if game.name == "connect4":
        return connect4.position_sets(connect4.SHIPPED, connect4.CLASSES, count, jobs)
    if game.name == "draughts":
        return draughts.draw_classes(_PIECES, count, 1)
    if game.name == "tictactoe":
        return {"all": tictactoe.all_positions()}
    if game.name == "hex":
        return hex.draw_classes(game.board_rows, count, 1)
    raise DlgoError(f"{game} has no solved positions")


def exact_outcomes(game: GameSpec) -> Solve:
    """A function as `outcomes_of` gives it, for the games that have solved positions; in draughts
    it knows endgames, and says {} of other positions."""
    if game.name != "draughts":
        if (solve := outcomes_of(game)) is None:
            raise DlgoError(f"{game} has no solved positions")
        return solve
    tables = EndgameTables.get(_PIECES)

    def outcomes(line: Sequence[int]) -> Outcomes:
        state = game.new_kernel_state()
        for action in line:
            kernels.play(state, action)
        scores = tables.scores(GameState(game, state)) or {}
        return {action: score.result for action, score in scores.items()}

    return lambda lines: [*map(outcomes, lines)]
