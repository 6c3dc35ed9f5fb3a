"""Threats of Connect Four: a cell is shown as one if a stone on it would end the game."""

from __future__ import annotations

import numpy as np

from dlgo import GameState, get_game
from dlgo.encoders import get_encoder
from dlgo.games.connect4.board import STONES_0, STRIDE, has_four
from tests.conftest import random_game

GAME = get_game("connect4")
ENCODER = get_encoder("threats", GAME)
OWN, OTHER, BLACK, OWN_THREAT, OTHER_THREAT, LANDING = range(6)


def after(line: str) -> GameState:
    state = GameState.new_game(GAME)
    for column in line:
        state = state.apply_move(GAME.move_of(int(column) - 1))
    return state


def test_a_row_of_three_threatens_on_both_sides() -> None:
    planes = ENCODER.encode(after("314151"))  # black: columns 3, 4, 5 of row 1
    assert np.argwhere(planes[..., OWN]).tolist() == [[0, 2], [0, 3], [0, 4]]
    assert np.argwhere(planes[..., OTHER]).tolist() == [[0, 0], [1, 0], [2, 0]]
    assert np.argwhere(planes[..., OWN_THREAT]).tolist() == [[0, 1], [0, 5]]
    assert np.argwhere(planes[..., OTHER_THREAT]).tolist() == [[3, 0]]
    assert np.argwhere(planes[..., LANDING]).tolist() == [
        [0, 1], [0, 5], [0, 6], [1, 2], [1, 3], [1, 4], [3, 0]]
    assert planes[..., BLACK].all()


def test_threats_that_can_be_reached_win_and_no_other_move_does() -> None:
    """For whoever is to move; the other's threats are those it would have with the turn."""
    wins = 0
    for seed in range(60):
        for state in random_game(GAME, seed, 42)[:-1]:
            planes = ENCODER.encode(state)
            reached = planes[..., OWN_THREAT] * planes[..., LANDING]
            for action in state.legal_actions():
                after_it = state.apply_move(GAME.move_of(action))
                won = after_it.is_over() and after_it.result() != 0
                assert reached[:, action].any() == won
                wins += won
            assert planes[..., LANDING].sum() == len(state.legal_actions())
            stones = int(state.kernel_state.words[STONES_0 + 1 - state.next_player.index])
            for row, col in np.argwhere(planes[..., OTHER_THREAT]):
                assert has_four(stones | 1 << (STRIDE * int(col) + int(row)))
    assert wins > 20


def test_attacks_foresee_what_a_stone_does() -> None:
    """Each plane of moves that can be made now, beside what the rules say after the move."""
    encoder = get_encoder("attacks", GAME)
    assert encoder.shape[2] == 17
    seen = np.zeros(5, int)
    for seed in range(60):
        for state in random_game(GAME, seed, 42)[:-1]:
            planes = encoder.encode(state)
            assert (planes[..., :6] == ENCODER.encode(state)).all()
            before = {tuple(cell) for cell in np.argwhere(planes[..., OWN_THREAT])}
            for action in state.legal_actions():
                row = int(np.argwhere(planes[:, action, LANDING])[0, 0])
                after_it = state.apply_move(GAME.move_of(action))
                if after_it.is_over():
                    continue
                answer = encoder.encode(after_it)  # own and other are exchanged
                new = {tuple(cell) for cell in np.argwhere(answer[..., OTHER_THREAT])} - before
                ready = [cell for cell in new if answer[cell][LANDING]]
                safe = not (answer[..., OWN_THREAT] * answer[..., LANDING]).any()
                facts = [len(new) > 0, len(new) > 1, len(ready) > 0, len(ready) > 1, safe]
                assert planes[row, action, 6:11].tolist() == facts
                seen += facts
    assert seen.min() > 20
