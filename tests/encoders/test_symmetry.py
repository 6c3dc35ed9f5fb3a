"""Turned and mirrored boards: planes, policies and legal moves go along."""

from __future__ import annotations

import numpy as np
import pytest

from dlgo import GameState, Move, Point, get_game
from dlgo.encoders import get_encoder
from dlgo.symmetry import symmetries

# How many symmetries each game has.
ORDERS = {
    "tictactoe": 8, "go:size=5": 8, "connect4": 2, "connectn:cols=4,rows=4,n=3,pie=yes": 2,
    "connectn:cols=4,rows=4,n=3,gravity=no,pie=yes": 8, "connectn:cols=5,rows=3,n=3,gravity=no": 4,
    "draughts": 1,
}


@pytest.mark.parametrize("spec", ORDERS)
def test_symmetries_form_a_group(spec: str) -> None:
    """As many as there should be, all different, each undone by one of them, and closed."""
    game = get_game(spec)
    group = symmetries(game)
    assert len(group) == ORDERS[spec] and group.names[0] == "identity"
    for maps in (group.cells, group.actions):
        known = {tuple(one) for one in maps.tolist()}
        assert len(known) == len(group)
        assert {tuple(one[other]) for one in maps for other in maps} == known
        n = np.arange(maps.shape[1])
        for k, inverse in enumerate(group.inverse):
            assert (maps[k][maps[inverse]] == n).all()


def test_planes_and_policies_move_to_the_same_place() -> None:
    """On a board whose actions are its cells, a stone's plane and its move stay together."""
    game = get_game("go", size=5)
    group = symmetries(game)
    for k in range(len(group)):
        for action in range(25):
            state = GameState.new_game(game).apply_move(game.move_of(group.action(k, action)))
            planes = get_encoder("oneplane", game).encode(state)
            assert planes.reshape(-1)[group.action(k, action)] == -1
            assert group.cells[k][group.action(k, action)] == action
        assert group.action(k, 25) == 25  # the pass stays a pass


def test_a_quarter_turn_is_against_the_clock() -> None:
    """The right end of the bottom row goes to the top of the right column."""
    game = get_game("go", size=9)
    group = symmetries(game)
    action = game.action_of(Move.play(Point(1, 9)))
    turned = group.action(group.names.index("rotate90"), action)
    assert game.move_of(turned) == Move.play(Point(9, 9))
