"""The shared API: moves, games by name, and states that never change."""

from __future__ import annotations

import copy
import pickle

import pytest

from dlgo import (
    GameState,
    IllegalMoveError,
    Move,
    NotationError,
    Player,
    Point,
    SpecError,
    get_game,
)
from tests.conftest import one_line_error

GAMES = ("tictactoe", "connect4", "go:size=5", "draughts")


def test_moves_since_are_those_that_lead_from_an_earlier_state_of_the_same_game() -> None:
    start = get_game("connect4").start()
    state = start.play("4", "4", "1")
    after = state.play("2", "resign")
    assert after.moves_since(state) == [Move.play(2), Move.resign()]
    assert after.moves_since(start) == after.moves()
    assert state.moves_since(state) == []
    for elsewhere in (after, start.play("3"), get_game("go9").start(), None):
        assert state.moves_since(elsewhere) is None


def test_a_state_cannot_be_changed() -> None:
    state = GameState.new_game(get_game("connect4"))
    with pytest.raises(AttributeError, match="immutable"):
        state.last_move = Move.pass_turn()
    with pytest.raises(AttributeError, match="immutable"):
        del state.game


def test_resignation_gives_the_game_to_the_opponent() -> None:
    state = GameState.new_game(get_game("tictactoe")).apply_move(Move.play(Point(1, 1)))
    over = state.apply_move(Move.resign())
    assert over.is_over()
    assert over.winner() is Player.black
    assert over.result() == 1
    assert over.legal_moves() == []
    assert "resignation" in over.game.result_text(over)
    assert pickle.loads(pickle.dumps(over)) == over != state
    assert copy.deepcopy(over) is over


@pytest.mark.parametrize(
    ("spec", "moves", "bad", "rule"),
    [
        ("tictactoe", ["A1"], Move.play(Point(1, 1)), "taken"),
        ("tictactoe", [], Move.play(Point(4, 1)), "off the 3x3 board"),
        ("tictactoe", [], Move.pass_turn(), "no pass"),
        ("tictactoe", ["A1", "B1", "A2", "B2", "A3"], Move.play(Point(3, 3)), "over"),
        ("connect4", ["4"] * 6, Move.play(4), "column is full"),
        ("connect4", [], Move.play(8), "no such column"),
        ("connect4", [], Move.play(Point(1, 1)), "no such column"),
        ("go:size=5", ["C3"], Move.play(Point(3, 3)), "occupied"),
        ("go:size=5", [], Move.play(Point(0, 3)), "off the 5x5 board"),
        ("go:size=5", ["pass", "pass"], Move.pass_turn(), "over"),
        ("go:size=5", ["B1", "E5", "A2"], Move.play(Point(1, 1)), "self-capture"),
    ],
)
def test_an_illegal_move_names_the_rule(spec: str, moves: list[str], bad: Move, rule: str) -> None:
    state = get_game(spec).start().play(*moves)
    assert not state.is_valid_move(bad)
    with pytest.raises(IllegalMoveError, match=rule):
        state.apply_move(bad)


@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.parametrize(
    "nonsense",
    [
        Move.play(None), Move.play("A1"), Move.play(Point("A", 1)), Move.play(Point(1.0, 1)),
        Move("dance", Point(1, 1)), Move.play((1,)), Move("play", [1, 2]),
    ],
    ids=repr,
)
def test_nonsense_is_no_valid_move(spec: str, nonsense: Move) -> None:
    state = GameState.new_game(get_game(spec))
    assert not state.is_valid_move(nonsense)
    with pytest.raises(IllegalMoveError):
        state.apply_move(nonsense)


@pytest.mark.parametrize(
    ("spec", "text"),
    [("go:size=9", text) for text in ("", "I5", "K1", "A0", "A10", "5", "AA", "A²", "A99999999")]
    + [("connect4", text) for text in ("0", "8", "x", "4.0", "")]
    + [("connectn:pie=yes", text) for text in ("8", "01", "+1", "swop")]
    + [("tictactoe", text) for text in ("D1", "A4", "pass", "swap")],
)
def test_text_that_is_no_move(spec: str, text: str) -> None:
    state = GameState.new_game(get_game(spec))
    with pytest.raises(NotationError) as error:
        state.game.parse_move(state, text)
    assert "\n" not in str(error.value)


def test_coordinates_start_lower_left_and_skip_i() -> None:
    state = GameState.new_game(get_game("go:size=9"))
    assert state.game.parse_move(state, "A1").point == Point(1, 1)
    assert state.game.parse_move(state, "J9").point == Point(9, 9)
    board = str(state.apply_move(Move.play(Point(1, 1)))).splitlines()
    assert board[8].startswith(" 1 [x]")
    assert board[9].split() == list("ABCDEFGHJ")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("chess", "unknown game 'chess'"),
        ("conect4", "did you mean connect4"),
        ("go:size=1", "out of range"),
        ("go:size=nine", "whole number"),
        ("go:komi=7.3", "neither whole nor half"),
        ("go:sise=9", "did you mean size"),
        ("go:", "after the colon"),
        ("go:size", "not key=value"),
        ("go:size=9,size=5", "twice"),
        ("", "no name"),
        ("go:komi=nan", "out of range"),
    ],
)
def test_a_bad_game_is_refused_in_one_line(text: str, part: str) -> None:
    with one_line_error(SpecError, part):
        get_game(text)


def test_specifications_have_one_canonical_text() -> None:
    assert str(get_game("go9")) == str(get_game("go")) == "go:size=9"
    assert str(get_game("go:komi=7,size=5")) == "go:size=5,komi=7"
    assert get_game("go", size=13) == get_game("go13")
