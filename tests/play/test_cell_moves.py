"""Clicks on a board, read off the rules."""

from __future__ import annotations

import pytest

from experiments.play.cell_moves import cell_moves
from tests.conftest import random_game
from tests.golden.update import golden_games


@pytest.mark.parametrize("game", golden_games(), ids=str)
def test_every_legal_move_but_a_pass_can_be_clicked(game) -> None:
    for state in random_game(game, seed=8, max_plies=60):
        moves = cell_moves(state)
        plays = {move for move in state.legal_moves() if move.is_play}
        assert {move.move for move in moves} == plays
        assert len({(move.start, move.end) for move in moves}) == len(plays)
