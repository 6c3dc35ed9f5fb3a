"""Encoders by name, their errors, and moves by index."""

from __future__ import annotations

import pytest

from dlgo import Move, NotationError, Point, SpecError, get_game
from dlgo.encoders import default_encoder, encoder_names, get_encoder
from tests.command import dlgo_here
from tests.conftest import random_game

GAMES = ("tictactoe", "connect4", "connectn:pie=yes", "draughts", "go:size=5")


def test_every_game_has_the_generic_encoders_and_a_default() -> None:
    for spec in GAMES:
        game = get_game(spec)
        names = encoder_names(game)
        assert {"oneplane", "threeplane", "planes", "zero"} <= set(names)
        assert default_encoder(game) in names
        assert all(get_encoder(name, game).name == name for name in names)


def test_go_has_those_of_the_book() -> None:
    """With the numbers of planes that the book gives."""
    game = get_game("go", size=19)
    for name, planes in (
        ("oneplane", 1), ("sevenplane", 7), ("simple", 11), ("zero11", 11), ("zero", 17),
        ("alphago", 48), ("alphago49", 49), ("alphago41", 41),
    ):
        assert get_encoder(name, game).shape == (19, 19, planes)


@pytest.mark.parametrize(("name", "spec", "message"), [
    ("simpel", "go", r"unknown encoder 'simpel' \(did you mean simple\?\); encoders of go are"),
    ("alphago", "draughts", "encoder 'alphago' is for go; encoders of draughts are oneplane"),
    ("", "connect4", "unknown encoder ''"),
])
def test_a_wrong_name_gets_one_line(name: str, spec: str, message: str) -> None:
    with pytest.raises(SpecError, match=message) as error:
        get_encoder(name, get_game(spec))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("spec", GAMES)
def test_moves_and_indices_go_round(spec: str) -> None:
    game = get_game(spec)
    encoder = get_encoder(default_encoder(game), game)
    assert encoder.num_actions == game.num_actions
    for state in random_game(game, 1, max_plies=60):
        for move in state.legal_moves():
            index = encoder.index_of(move)
            assert 0 <= index < encoder.num_actions and encoder.move_at(index) == move
    with pytest.raises(NotationError, match="resign"):
        encoder.index_of(Move.resign())
    for index in (-1, game.num_actions):
        with pytest.raises(NotationError, match=f"index {index}"):
            encoder.move_at(index)


def test_the_book_counts_the_points_row_by_row() -> None:
    """Listing 6.4: width * (row - 1) + column - 1; listing 14.1: the pass comes after them."""
    encoder = get_encoder("zero", get_game("go", size=9))
    assert encoder.index_of(Move.play(Point(3, 5))) == 9 * 2 + 4
    assert encoder.move_at(81) == Move.pass_turn()


def test_the_command_lists_every_plane(capsys) -> None:
    done = dlgo_here(capsys, "encoders", "go9")
    assert done.returncode == 0
    game = get_game("go9")
    for name in encoder_names(game):
        for plane, doc in enumerate(get_encoder(name, game).planes):
            assert f"{plane:>5}  {doc}" in done.stdout
    everything = dlgo_here(capsys, "encoders").stdout
    assert all(f"\n{game}: " in "\n" + everything for game in ("go", "draughts", "connect4"))
