"""What a linear policy sees of moves, against diagrams and mirrors."""

from __future__ import annotations

import numpy as np
import pytest

from dlgo import GameState, Move, Player, get_game, kernels
from dlgo.games.connect4 import features as connect4
from dlgo.games.go import features as go
from dlgo.moves import parse_point
from dlgo.symmetry import symmetries
from tests.conftest import random_game
from tests.games.test_go_playout import diagram


def features(state: GameState) -> dict[int, list[int]]:
    """The values of every sensible action."""
    game = state.game
    actions, scratch = (np.empty(game.num_actions, np.int64) for _ in range(2))
    out = np.empty((game.num_actions, len(game.feature_slots)), np.int32)
    n = kernels.search_actions(state.kernel_state, actions)
    kernels.move_features(state.kernel_state, actions, n, scratch, out)
    return dict(zip(actions[:n].tolist(), out[:n].tolist(), strict=True))


def of(state: GameState, text: str) -> list[int]:
    """The values of one move, by its name."""
    return features(state)[state.game.action_of(state.game.parse_move(state, text))]


# Shapes --------------------------------------------------------------------------------------


def test_neighbourhoods_are_counted() -> None:
    """By Burnside's lemma: (images left alone by each of the symmetries) / symmetries.

    954 in the middle: 3**8 by the identity, 3**5 by each of four mirrors, 3**4 by half a turn, 3**2
    by each quarter turn. On a side 135, in a corner 18, where only one mirror is left.
    """
    middle = (3**8 + 4 * 3**5 + 3**4 + 2 * 3**2) // 8
    side, corner = (3**5 + 3**3) // 2, (3**3 + 3**2) // 2
    assert 1 + middle + side + corner == go.N_SHAPES
    # Four neighbours of eight kinds in a ring that may be turned and mirrored.
    rings = (8**4 + 2 * 8**3 + 3 * 8**2 + 2 * 8) // 8
    assert 1 + rings == go.N_CONTACTS


@pytest.mark.parametrize("spec", ["go:size=5", "go:size=9", "connect4"])
def test_mirrored_games_have_mirrored_features(spec: str) -> None:
    game = get_game(spec)
    group = symmetries(game)
    states = random_game(game, seed=3, max_plies=60)
    for k in range(1, len(group)):
        mirrored = GameState.new_game(game)
        for state, after in zip(states[:-1], states[1:], strict=True):
            expected = features(state)
            for action, values in features(mirrored).items():
                assert values == expected[int(group.actions[k, action])]
            action = game.action_of(after.last_move)
            mirrored = mirrored.apply_move(game.move_of(group.action(k, action)))


# Go: what a play does ------------------------------------------------------------------------


def test_captures_by_size_and_purpose() -> None:
    one = diagram("..... ..x.. .xo.. ..x.. .....")
    assert of(one, "D3")[go.CAPTURE] == 1
    assert of(one, "D4")[go.CAPTURE] == 0
    two = diagram("..... ..xx. .xoo. ..xx. .....")
    assert of(two, "E3")[go.CAPTURE] == 1 + go.BIG
    # White puts Black's stone on A2 in atari, by a stone that is in atari itself.
    state = diagram("..... ..... o.... x.... .....", Player.white)
    state = state.apply_move(Move.play(parse_point("A1", 5, 5)))
    assert of(state, "B1")[go.CAPTURE] == 1 + go.SAVES + go.JUST_PLAYED


def test_rescues_and_those_in_vain() -> None:
    run = diagram("..... ..o.. .ox.. ..o.. .....")
    assert of(run, "D3")[go.RESCUE] == go.FREED
    assert of(run, "A1")[go.RESCUE] == 0
    two = diagram("..... ..oo. .oxx. ..oo. .....")
    assert of(two, "E3")[go.RESCUE] == go.FREED + go.BIG
    # B1 leaves C1 as the only liberty.
    vain = diagram("..... ..... ..... oo... x..o.")
    assert of(vain, "B1")[go.RESCUE] == go.STILL_IN_ATARI
    two_in_vain = diagram("..... ..... oo... xo... x..o.")
    assert of(two_in_vain, "B1")[go.RESCUE] == go.STILL_IN_ATARI + go.BIG


def test_self_ataris_by_the_stones_they_lose() -> None:
    state = diagram("..... ..... o.... .o... x....")
    assert of(state, "A2")[go.SELF_ATARI] == 2  # with A1: two stones, the liberty at B1
    alone = diagram("..... ..... ..... .o... ..o..")
    assert of(alone, "B1")[go.SELF_ATARI] == 1  # a lone stone with A1 left
    assert of(alone, "A1")[go.SELF_ATARI] == 0
    big = diagram("..... ..... ooo.. xxxo. ...o.")
    assert of(big, "A1")[go.SELF_ATARI] == 0  # B1 and C1 are left
    full = diagram("..... ..... oooo. xxxxo .o.o.")
    assert of(full, "A1")[go.SELF_ATARI] == 3  # five stones, C1 is left


def test_response_distance_place_and_passes() -> None:
    game = get_game("go:size=9")
    start = GameState.new_game(game)
    assert of(start, "E5")[go.RESPONSE] == of(start, "E5")[go.DISTANCE] == 0
    state = start.apply_move(Move.play(parse_point("E5", 9, 9)))
    shapes = {text: of(state, text)[go.SHAPE] for text in ("E6", "F6", "E7")}
    assert of(state, "E6")[go.RESPONSE] == shapes["E6"]
    assert of(state, "F6")[go.RESPONSE] == go.N_SHAPES + shapes["F6"]
    assert of(state, "E7")[go.RESPONSE] == 0
    # dx + dy + max(dx, dy), less 1: touching 1, diagonal 2, a jump of one 3.
    distances = [of(state, text)[go.DISTANCE] for text in ("E6", "F6", "E7", "A1")]
    assert distances == [1, 2, 3, 11]
    places = [of(state, text)[go.PLACE] for text in ("A1", "A2", "B2", "C4", "D3", "E4")]
    assert places == [1, 2, 3, 9, 9, 14]  # D3 is C4 in the mirror
    passed = state.apply_move(Move.pass_turn())
    assert of(state, "pass") == [0, 0, 0, 0, 0, 0, 0, go.PASS]
    assert of(passed, "pass") == [0, 0, 0, 0, 0, 0, 0, go.SECOND_PASS]
    assert of(passed, "E6")[go.RESPONSE] == 0  # the last move was no play


# Connect Four --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("moves", "column", "outcome"),
    [
        ("1 2 1 2 1 3", "1", connect4.WINS),
        ("1 2 1 2 1", "1", connect4.BLOCKS),
        ("1 2 1 2 1 3", "4", 0),
        # Black has 2, 3 and 4 of the first row, White of the second.
        ("2 7 3 2 4 3 7 4 7", "5", connect4.BLOCKS | connect4.SPOILS),
        ("2 7 3 2 4 3 7 4", "1", connect4.WINS | connect4.GIVES),
        ("2 3 4 2 6 3 6 4", "1", connect4.GIVES),
    ],
)
def test_outcomes_in_connect_four(moves: str, column: str, outcome: int) -> None:
    game = get_game("connect4")
    state = game.start().play(*moves.split())
    assert of(state, column)[0] == outcome
