"""What `dlgo ogs` makes of the server's data: moves, positions, clocks. Nothing here connects."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from dlgo import GameState, Move, Player, Point, get_game
from dlgo.errors import IllegalMoveError
from experiments.online.clocks import seconds_for_a_move
from experiments.online.position import after, follow, stones_to_accept
from experiments.online.protocol import (
    GameData,
    ProtocolError,
    format_move,
    format_points,
    parse_challenge,
    parse_game,
    parse_move,
    parse_points,
)
from experiments.online.terms import Terms

BLACK, WHITE = {"id": 1, "username": "ann"}, {"id": 2, "username": "bob"}


def game(**settings: Any) -> GameData:
    return parse_game({
        "game_id": 5, "width": 5, "height": 5, "rules": "chinese", "komi": 7.5,
        "players": {"black": BLACK, "white": WHITE}, "moves": [], "phase": "play", **settings,
    })


def test_moves_are_written_as_the_server_writes_them() -> None:
    """The letters count from the upper left corner, and none is left out."""
    assert format_move(Move.play(Point(19, 1)), 19) == "aa"  # A19
    assert format_move(Move.play(Point(4, 16)), 19) == "pp"  # Q4
    assert format_move(Move.play(Point(1, 9)), 9) == "ii"  # J1
    assert format_move(Move.pass_turn(), 9) == ".."
    spec = get_game("go:size=9")
    for action in range(spec.num_actions):
        move = spec.move_of(action)
        assert parse_move(format_move(move, 9), 9) == move
    assert parse_move([0, 0, 1234], 9) == Move.play(Point(9, 1))
    points = frozenset((Point(1, 1), Point(9, 9), Point(9, 1)))
    assert parse_points(format_points(points, 9), 9) == points


@pytest.mark.parametrize("value", ["a", "aaa", "jj", "A1", "ä.", [0], [0, 9], [-1, 0], None, 3,
                                   [True, 1], {"x": 1}, ["a", "b"], {"x": "1", "y": "2"}])
def test_what_is_no_move_on_9x9_is_refused(value) -> None:
    with pytest.raises(ProtocolError, match="move"):
        parse_move(value, 9)


def test_free_handicap_stones_are_moves_in_a_row() -> None:
    stones = [[0, 0], [4, 4]]
    settings = {"handicap": 2, "free_handicap_placement": True, "score_handicap": True}
    placing = follow(game(moves=stones[:1], **settings))
    assert (placing.player, placing.to_place) == (Player.black, 1)
    placed = follow(game(moves=stones, **settings))
    assert (placed.player, placed.to_place) == (Player.white, 0)
    assert placed.state.game.komi == 7.5 + 2
    later = follow(game(moves=[*stones, [2, 2], [2, 3]], **settings))
    assert later.player is Player.white
    assert later.state.game.cell(later.state, 3, 3) is Player.white


def test_fixed_handicap_stones_are_on_the_board() -> None:
    data = game(rules="aga", handicap=3, initial_player="white", score_handicap=True,
                aga_handicap_scoring=True, initial_state={"black": "bbbddb", "white": ""})
    position = follow(data)
    assert position.player is Player.white
    assert position.state.game.komi == 7.5 + 2  # one less than stones, by AGA rules
    assert all(position.state.game.cell(position.state, *at) is Player.black
               for at in ((4, 2), (2, 2), (4, 4)))
    with pytest.raises(ProtocolError, match="initial_state"):
        game(rules="aga", handicap=3)


def test_a_game_is_followed_where_our_ko_rule_is_stricter() -> None:
    """Random games on 3x3 under the simple ko rule repeat earlier positions."""
    simple, strict = get_game("go:size=3,ko=simple"), get_game("go:size=3,ko=positional")
    rng, repeated = np.random.default_rng(1), 0
    for _ in range(30):
        state, ours, moves = GameState.new_game(simple), GameState.new_game(strict), []
        while not state.is_over() and len(moves) < 60:
            plays = [move for move in state.legal_moves() if move.is_play] or [Move.pass_turn()]
            moves.append(plays[rng.integers(len(plays))])
            state = state.apply_move(moves[-1])
            try:
                ours = ours.apply_move(moves[-1]) if ours is not None else None
            except IllegalMoveError:
                ours = None
        data = dataclasses.replace(game(width=3, height=3), moves=tuple(moves))
        repeated += ours is None
        assert np.array_equal(follow(data).state.kernel_state.color, state.kernel_state.color)
    assert repeated > 3


def test_play_goes_on_after_two_passes() -> None:
    data = game(moves=[[1, 1], [3, 3], [-1, -1], [-1, -1]])
    over = follow(data)
    assert over.state.is_over()
    move = Move.play(Point(3, 3))
    resumed = after(over, data.with_move(move), move)
    assert not resumed.state.is_over() and resumed.player is Player.white
    assert follow(data.with_move(move)).state.game.cell(resumed.state, 4, 2) is Player.black


def test_impossible_moves_are_named() -> None:
    with pytest.raises(ProtocolError, match="rules forbid: move 2, white: D2 .*occupied"):
        follow(game(moves=[[3, 3], [3, 3]]))


# --- clocks ---

NOW = 1_700_000_000_000
BYOYOMI = {"system": "byoyomi", "main_time": 600, "period_time": 30, "periods": 5}
FISCHER = {"system": "fischer", "initial_time": 120, "time_increment": 10, "max_time": 300}


def seconds(time_control: dict[str, Any], left: Any, gone: float = 0.0, **clock: Any) -> float:
    """What black, to move for `gone` seconds, takes on an empty 9x9 board."""
    data = game(time_control=time_control, clock={
        "last_move": NOW - 1000 * gone, "black_time": left, **clock})
    return seconds_for_a_move(data, Player.black, 81, NOW)


def test_main_time_lasts_for_the_game_and_periods_for_a_move() -> None:
    main = {"thinking_time": 600, "periods": 5, "period_time": 30}
    assert 30 < seconds(BYOYOMI, main) < 600 / 27 + 30
    period = {"thinking_time": 0, "periods": 5, "period_time": 30}
    assert 20 < seconds(BYOYOMI, period) < 30
    assert 10 < seconds(BYOYOMI, period, gone=15) < 15  # half of it has passed
    assert 10 < seconds(BYOYOMI, period, gone=30 + 15) < 15  # a period has been lost
    assert seconds(BYOYOMI, {**period, "periods": 1}, gone=31) < 0.1
    # From the main time into the first period.
    assert 10 < seconds(BYOYOMI, {**main, "thinking_time": 5}, gone=20) < 15


@pytest.mark.parametrize("left", [0.5, 2.0, 8.0, 60.0])
def test_what_a_move_adds_by_fischer_is_not_spent_before(left) -> None:
    assert seconds(FISCHER, {"thinking_time": left}) < left
    assert seconds(FISCHER, {"thinking_time": 60}) > 60 / 27 + 5


def test_other_clocks() -> None:
    assert 100 / 40 < seconds({"system": "absolute", "total_time": 600},
                              {"thinking_time": 100}) < 100 / 20
    simple = {"system": "simple", "per_move": 20}
    assert 15 < seconds(simple, 0) < 20 and seconds(simple, 0, gone=25) < 0.1
    assert seconds({"system": "none"}, None) is None


def test_a_clock_that_stands_still_or_cannot_be_read() -> None:
    paused = {"pause": {"paused": True, "paused_since": NOW - 3_590_000}}
    running = seconds(FISCHER, {"thinking_time": 60}, gone=10)
    assert seconds(FISCHER, {"thinking_time": 60}, gone=3600, **paused) == running
    assert seconds(FISCHER, {"thinking_time": "soon"}) == 1.0
    assert seconds({"system": "hourglass"}, {}) == 1.0
    expires = seconds(FISCHER, {"thinking_time": 60}, expiration=NOW + 3000)
    assert expires < 3


# --- the end, and the beginning ---


def test_marks_that_change_the_winner_are_not_accepted() -> None:
    """Black holds 15 of 25 points, and has no dead stone."""
    walls = [[x, y] for y in range(5) for x in (1, 3)]
    state = follow(game(komi=0.5, moves=[*walls, [2, 2], [-1, -1], [-1, -1]])).state
    everything = frozenset(Point(row, 2) for row in range(1, 6)) | {Point(3, 3)}
    assert stones_to_accept(state, frozenset(), Player.black) == frozenset()
    assert stones_to_accept(state, everything, Player.black) == frozenset()
    # To White the same marks are a present.
    assert stones_to_accept(state, everything, Player.white) == everything


SETTLED = """
    .x.x.....
    xxxx.....
    ooooooooo
    .........
    .........
    ......x..
    ooooooooo
    .o.o.o.o.
    oooo.oooo
"""


def test_the_stone_that_is_dead_is_marked() -> None:
    """Whoever has not marked it: G4 is Black's only stone among White's living ones."""
    rows = SETTLED.split()
    stones = {colour: "".join(chr(97 + x) + chr(97 + y) for y, row in enumerate(rows)
                              for x, mark in enumerate(row) if mark == letter)
              for colour, letter in (("black", "x"), ("white", "o"))}
    state = follow(game(width=9, height=9, komi=-48.5, initial_state=stones)).state
    assert stones_to_accept(state, frozenset(), Player.white) == {Point(4, 7)}
    # Black wins if it counts as alive, and accepts that nobody marks it.
    assert stones_to_accept(state, frozenset(), Player.black) == frozenset()


@pytest.mark.parametrize("terms", [Terms(), Terms((9, 19), "ranked", ("live",), 3, 4, 2.0)])
def test_the_usual_challenge_is_accepted(terms) -> None:
    sent = {"challenge_id": 3, "user": {"id": 1, "username": "ann"}, "width": 9, "height": 9,
            "rules": "chinese", "ranked": True, "handicap": 0,
            "time_control": {**BYOYOMI, "speed": "live"}}
    assert not terms.refusal(parse_challenge(sent), 0)
    assert terms.refusal(parse_challenge(sent), terms.most_games)
    # The server decides about the handicap: up to nine stones.
    automatic = terms.refusal(parse_challenge({**sent, "handicap": -1}), 0)
    assert (not automatic) == (terms.most_handicap == 9)
    picky = dataclasses.replace(terms, players=("bob",))
    assert "chosen accounts only" in picky.refusal(parse_challenge(sent), 0)
