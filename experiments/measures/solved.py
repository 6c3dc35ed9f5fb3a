"""Solved positions of a game by class, for the games that have some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dlgo import DlgoError, GameSpec
from engines.jobs import Processes
from experiments.measures import connect4, draughts, hex, tictactoe
from experiments.measures.mistakes import Position


def solved_positions(
    game: GameSpec, count: int, jobs: Processes
) -> Mapping[str, Sequence[Position]]:
    """`count` positions of each class; all of tic-tac-toe. Raises DlgoError for a game that has no
    solved positions."""
    if game.name == "connect4":
        return connect4.position_sets(connect4.SHIPPED, connect4.CLASSES, count, jobs)
    if game.name == "draughts":
        return draughts.draw_classes(4, count, 1)
    if game.name == "tictactoe":
        return {"all": tictactoe.all_positions()}
    if game.name == "hex":
        return hex.draw_classes(game.board_rows, count, 1)
    raise DlgoError(f"{game} has no solved positions")
