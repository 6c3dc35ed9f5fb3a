"""Tic-tac-toe and Connect Four against OpenSpiel and known statistics."""

from __future__ import annotations

import numpy as np
import pytest

from dlgo import GameState, Move, Player, get_game, kernels
from dlgo.rng import make_rng
from tests.conftest import assert_agrees_with_openspiel


@pytest.mark.parametrize(
    ("spec", "theirs"), [("tictactoe", "tic_tac_toe"), ("connect4", "connect_four")]
)
def test_random_games_agree_with_openspiel(spec: str, theirs: str) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    game, other = get_game(spec), pyspiel.load_game(theirs)
    for seed in range(200):
        assert_agrees_with_openspiel(game, other, seed)


def test_random_tic_tac_toe_has_the_known_shares() -> None:
    """Uniform play: first player 58.49%, draws 12.70%, second 28.81% (exact enumeration)."""
    game = get_game("tictactoe")
    start = GameState.new_game(game).kernel_state
    work, rng = game.scratch_state(start), make_rng(7)
    results = np.zeros(3)
    for _ in range(60_000):
        kernels.copy_into(work, start)
        results[1 + kernels.rollout(work, rng)] += 1
    shares = results / results.sum()
    # Three standard errors of 60,000 games are 0.006.
    assert np.abs(shares - [0.2881, 0.1270, 0.5849]).max() < 0.006


def test_number_of_connect_four_positions() -> None:
    """Distinct positions after n plies: OEIS A212693. Keys tell them all apart."""
    start = GameState.new_game(get_game("connect4"))
    level = {start.key(): start}
    counts = []
    for _ in range(5):
        following = {}
        for state in level.values():
            for move in state.legal_moves():
                child = state.apply_move(move)
                following[child.key()] = child
        level = following
        counts.append(len(level))
    assert counts == [7, 49, 238, 1120, 4263]


@pytest.mark.parametrize(
    ("columns", "winner"),
    [
        ("1213141", Player.black),  # vertical
        ("14241424", Player.white),
        ("1122334", Player.black),  # horizontal
        ("12233434464", Player.black),  # rising
        ("76655454424", Player.black),  # falling
    ],
)
def test_four_in_a_row_ends_the_game(columns: str, winner: Player) -> None:
    state = GameState.new_game(get_game("connect4"))
    for column in columns:
        assert not state.is_over()
        state = state.apply_move(Move.play(int(column)))
    assert state.is_over()
    assert state.winner() is winner


def test_a_line_does_not_run_from_the_top_of_a_column_into_the_next() -> None:
    """Three on top of column 1 and one at the bottom of column 2 are neighbours in the word."""
    state = GameState.new_game(get_game("connect4"))
    for column in "21416113151":
        state = state.apply_move(Move.play(int(column)))
    assert [state.game.cell(state, row, 1) for row in (4, 5, 6)] == [Player.black] * 3
    assert state.game.cell(state, 1, 2) is Player.black
    assert not state.is_over()
