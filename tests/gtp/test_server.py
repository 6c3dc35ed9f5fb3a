"""`dlgo gtp`: the specification's commands and their failures."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from sgfmill import boards, common

from dlgo import Player, get_game
from dlgo.records.sgf import write_sgf
from engines.base import Budget
from experiments.gtp.clock import Clock
from experiments.gtp.session import limited, stones_of
from tests.conftest import random_game
from tests.gtp.talk import Talk

# --- administration -------------------------------------------------------------------------


def test_administrative_commands() -> None:
    talk = Talk()
    assert talk.raw("1 protocol_version") == "=1 2\n\n"
    assert talk("name") == "dlgo"
    assert re.fullmatch(r"\d+\.\d+.*", talk("version"))
    assert talk("known_command genmove") == "true"
    assert talk("known_command Genmove") == talk("known_command") == "false"
    talk.fails("frobnicate", "unknown command")
    assert talk.raw("77") == "?77 unknown command\n\n"
    assert talk.raw("") == talk.raw("  # nothing") == ""


def test_all_commands_of_the_standard_and_its_tournament_and_regression_subsets_are_known() -> None:
    talk = Talk()
    known = talk("list_commands").split("\n")
    assert {
        "protocol_version", "name", "version", "known_command", "list_commands", "quit",
        "boardsize", "clear_board", "komi", "play", "genmove", "undo", "showboard",
        "fixed_handicap", "place_free_handicap", "set_free_handicap", "time_settings",
        "time_left", "final_score", "final_status_list", "loadsgf", "reg_genmove",
    } <= set(known)
    for name in known:
        assert talk(f"known_command {name}") == "true"
        if name != "quit":
            assert "unknown command" not in talk.raw(name)


# --- setup ----------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["supervised", "alphazero:sims=2"])
def test_a_size_that_the_engine_has_no_model_for_is_refused_at_once(
    engine: str, tmp_path: Path
) -> None:
    talk = Talk("go9", engine)
    talk("play b C3")
    talk.fails("boardsize 13", "unacceptable size: no ")
    assert talk("genmove w"), "the old game goes on"
    record = tmp_path / "game.sgf"
    record.write_bytes(b"(;GM[1]SZ[13];B[aa])")
    talk.fails(f"loadsgf {record}", "cannot load file: no ")
    assert talk("undo") == talk("undo") == "", "with its moves"
    talk.fails("undo", "cannot undo")


def test_boardsize_and_komi() -> None:
    talk = Talk()
    for size in ("1", "26", "2147483647"):
        talk.fails(f"boardsize {size}", "unacceptable size")
    for size in ("", "x", "-3", "9.0"):
        talk.fails(f"boardsize {size}", "syntax error")
    talk.fails("boardsize 5 7", "unacceptable size: 5 by 7 is not a square")
    assert talk("boardsize 9 9") == ""
    assert talk("boardsize 25") == ""
    assert talk("play b Z25") == ""
    talk("boardsize 5")
    talk("play w E5")
    talk.fails("komi x", "syntax error")
    # "The engine must accept the komi even if it should be ridiculous."
    for komi in ("6.5", "-100", "0.25", "1e30", "0"):
        talk(f"komi {komi}")
        assert talk.stones == "w E5"
    talk("komi 1e30")
    assert talk("genmove b") != ""
    talk("komi 24.25")
    talk("clear_board")
    talk("play b C3")
    assert talk("final_score") == "B+0.75"  # the whole board


def test_komi_in_the_middle_keeps_moves_and_undo() -> None:
    talk = Talk()
    for line in ("play b A1", "play w B2", "komi 3.5", "undo", "komi 4.5", "undo"):
        talk(line)
    assert talk.stones == ""
    talk.fails("undo", "cannot undo")
    assert talk.server.session.state.game.komi == 4.5


def test_handicap() -> None:
    talk = Talk("go:size=9")
    assert talk("fixed_handicap 4").split() == ["C3", "G7", "C7", "G3"]
    talk.fails("undo", "cannot undo")  # "It is never possible to undo handicap placements."
    talk.fails("fixed_handicap 2", "board not empty")
    talk.fails("place_free_handicap 2", "board not empty")
    talk.fails("set_free_handicap A1 B2", "board not empty")
    for command in ("fixed_handicap", "place_free_handicap"):
        talk("clear_board")
        for number in ("0", "1", "81", "500"):
            talk.fails(f"{command} {number}", "invalid number of stones")
        talk.fails(f"{command} x", "syntax error")
    for size, asked, least in ((9, 7, 7), (9, 30, 9), (5, 4, 2), (2, 3, 2), (3, 2, 2)):
        talk(f"boardsize {size}")
        vertices = talk(f"place_free_handicap {asked}").split()
        assert least <= len(set(vertices)) == len(vertices) <= asked
    talk("boardsize 5")
    for vertices in ("", "A1", "A1 A1", "A1 pass", "A1 F6", " ".join(
        f"{col}{row}" for col in "ABCDE" for row in range(1, 6)
    )):
        talk.fails(f"set_free_handicap {vertices}", "bad vertex list")
    assert talk("set_free_handicap A1 b2 E5") == ""
    assert talk.stones == "b A1 b B2 b E5"
    assert talk("genmove w") != ""


# --- play -----------------------------------------------------------------------------------


def test_play_and_undo() -> None:
    talk = Talk()
    for line, message in (
        ("play", "syntax error"), ("play b", "syntax error"), ("play red A1", "syntax error"),
        ("play b I3", "syntax error"), ("play b A9", "syntax error"), ("play b", "syntax error"),
    ):
        talk.fails(line, message)
    talk("play B a1")
    talk.fails("play w A1", "illegal move")
    talk("play white PASS")
    talk("play black E5")
    assert talk.stones == "b A1 b E5"
    for _ in range(3):
        talk("undo")
    assert talk.stones == ""
    talk.fails("undo", "cannot undo")


def test_a_colour_may_move_twice_in_a_row() -> None:
    """"Consecutive moves of the same color are not considered illegal"."""
    talk = Talk()
    for vertex in ("B1", "A2", "A1"):  # fills an own eye, which is legal
        talk(f"play b {vertex}")
    assert talk.stones == "b A1 b B1 b A2"
    talk("genmove b")
    talk("genmove b")
    talk("undo")
    talk("undo")
    assert talk.stones == "b A1 b B1 b A2"
    talk("play w C1")
    talk("play w B2")
    talk("play w A3")
    assert talk.stones == "w C1 w B2 w A3"  # captured


def test_a_move_that_only_superko_forbids_is_played_and_said(
    capsys: pytest.CaptureFixture[str]
) -> None:
    """Random games under the simple ko rule, which come back to earlier positions."""
    notes = 0
    for seed in range(10):
        talk = Talk("go:size=3")
        states = random_game(get_game("go:size=3,ko=simple"), seed, max_plies=60, passes=False)
        for before, after in zip(states, states[1:], strict=False):
            forbidden = not talk.server.session.state.is_valid_move(after.last_move)
            talk(f"play {before.next_player.name} {after.game.move_text(after.last_move)}")
            assert stones_of(talk.server.session.state) == stones_of(after)
            told = capsys.readouterr().err
            assert told.count("superko") == told.count("\n") == forbidden
            notes += forbidden
    assert notes > 3
    talk.fails("play w D9", "syntax error")


def test_after_two_passes_the_game_can_go_on() -> None:
    talk = Talk()
    for line in ("play b C3", "play w pass", "play b pass"):
        talk(line)
    assert "game over" in talk("showboard")
    assert re.fullmatch(r"[A-E][1-5]|pass", talk("genmove w"))
    for line in ("play b pass", "play w pass", "play w A1", "play b resign", "play w B1"):
        talk(line)
    assert talk("reg_genmove b")


def test_reg_genmove_plays_nothing() -> None:
    talk = Talk()
    assert re.fullmatch(r"[A-E][1-5]", talk("reg_genmove w"))
    assert talk.stones == ""


# --- time -----------------------------------------------------------------------------------


def test_syntax_of_the_clocks() -> None:
    talk = Talk()
    for line in (
        "time_settings 300 30 5", "time_settings 0 0 0", "time_settings 2147483647 1 0",
        "time_left b 12 0", "time_left white 0 3", "kgs-time_settings none",
        "kgs-time_settings absolute 60", "kgs-time_settings byoyomi 60 10 3",
        "kgs-time_settings canadian 60 300 25", "time_settings 0.5 1.5 1", "time_left b -2 0",
    ):
        assert talk(line) == ""
    for line in (
        "time_settings 1 2", "time_settings -1 0 0", "time_settings 1 1 1.5",
        "time_settings a b c", "time_left b 1", "time_left x 1 1", "kgs-time_settings",
        "kgs-time_settings fischer 1", "kgs-time_settings byoyomi 1",
    ):
        talk.fails(line, "syntax error")


@pytest.mark.parametrize(
    ("line", "seconds"),
    [("time_settings 0 1 1", 1.0), ("time_left b 2 0", 2.0), ("time_left b 3 5", 0.6),
     ("kgs-time_settings byoyomi 0 1 5", 1.0), ("time_left b 0 0", 0.3)],
)
def test_the_engine_keeps_to_its_time(line: str, seconds: float) -> None:
    """It would need hours for a billion simulations. CPU time: others may be at work."""
    talk = Talk("go:size=9", "mcts:sims=1e9,nodes_max=100000")
    talk(line)
    began = time.process_time()
    talk("genmove b")
    assert time.process_time() - began < seconds


def test_a_whole_game_fits_into_the_main_time_and_overtime_follows() -> None:
    for clock, budget in ((Clock(60), 60.0), (Clock(60, 10, 1), 1e9)):
        used, empty = 0.0, 361
        for _ in range(150):
            seconds = clock.seconds_for_a_move(Player.black, empty)
            left, stones = clock.left.get(Player.black, (60.0, 0))
            assert 0 <= seconds <= (left if not stones else left / stones) + 10
            clock.spend(Player.black, seconds)
            used, empty = used + seconds, max(empty - 2, 0)
        assert used <= budget
    assert clock.left[Player.black] == (10, 1)


@pytest.mark.parametrize("way", ["main time", "with stones", "all time with stones"])
@pytest.mark.parametrize(("kind", "main", "period", "count"), [
    ("byoyomi", 30, 2, 5), ("byoyomi", 600, 30, 3), ("byoyomi", 5, 10, 1), ("byoyomi", 0, 1, 2),
    ("canadian", 30, 2, 1), ("canadian", 60, 120, 20), ("canadian", 0, 30, 5),
])
def test_no_move_of_a_long_game_is_late(
    kind: str, main: float, period: float, count: int, way: str
) -> None:
    """A controller's own clock, and three ways of telling what is left of its main time."""
    talk = Talk("go:size=9")
    talk(f"kgs-time_settings {kind} {main} {period} {count}")
    japanese = kind == "byoyomi"
    left, over, stones, empty = main, period, count, 81
    thought = 0.0
    for _ in range(100):
        if left > 0 and way == "main time":
            shown = left, 0
        elif left > 0 and way == "with stones":
            shown = left, stones
        elif left > 0:
            shown = left + period * (stones if japanese else 1), stones
        else:
            shown = over, stones
        talk("time_left black {} {}".format(*shown))
        seconds = talk.server.session.clock.seconds_for_a_move(Player.black, empty)
        assert seconds <= left / 10 + 1.3 * (period if japanese else period / count)
        thought, empty = thought + seconds, max(empty - 2, 0)
        seconds += 0.04  # the way to the controller
        left, late = max(left - seconds, 0.0), max(seconds - left, 0.0)
        if japanese:
            stones -= int(late // period)
            assert stones > 0, "all periods are used up"
        else:
            over -= late
            stones -= late > 0
            assert over > 0, "the period ended before its stones were played"
            if stones == 0:
                over, stones = period, count
    assert thought > 0.8 * main, "time is not used"


@pytest.mark.slow
def test_an_analysis_may_begin_with_a_key_or_a_colour() -> None:
    talk = Talk("go:size=5", "mcts:sims=20")
    for words in ("avoid b C3 1 interval 5", "5 avoid w C3,D4 1", "allow b A1 1", "maxmoves 3 5"):
        for command in ("lz-analyze", "kata-analyze"):
            assert "info move" in talk(f"{command} {words}")
            assert "info move" in talk(f"{command} white {words}")
    talk.fails("lz-analyze green", "syntax error: 'green' is not a colour")


# --- records --------------------------------------------------------------------------------


def test_loadsgf_shows_the_position_before_a_move(tmp_path: Path) -> None:
    """Against sgfmill's board."""
    states = random_game(get_game("go:size=5,komi=2.5"), seed=4, max_plies=40, passes=False)
    path = tmp_path / "game.sgf"
    path.write_bytes(write_sgf(states[-1]))
    talk = Talk()
    for number in (1, 2, 17, len(states), 999, None):
        assert talk(f"loadsgf {path} {number or ''}") == ""
        assert talk("showboard") != ""
        played = len(states) - 1 if number is None else min(number, len(states)) - 1
        board = boards.Board(5)
        for before, after in zip(states[:played], states[1:played + 1], strict=True):
            if point := after.last_move.point:
                board.play(point.row - 1, point.col - 1, before.next_player.name[0])
        stones = board.list_occupied_points()
        expected = sorted(f"{color} {common.format_vertex(point)}" for color, point in stones)
        assert sorted(re.findall(r"\w \w\d", talk.stones)) == expected
        assert talk.server.session.state.next_player is states[played].next_player
    assert talk.server.session.komi == 2.5
    for _ in range(len(states) - 1):
        talk("undo")
    talk.fails("undo", "cannot undo")
    talk.fails("loadsgf", "syntax error")
    talk.fails(f"loadsgf {path} x", "syntax error")
    spaced = path.with_name("my game 7.sgf")
    spaced.write_bytes(path.read_bytes())
    for number in ("", " 1"):
        assert talk(f"loadsgf {spaced}{number}") == ""
    talk.fails("loadsgf no such file.sgf", "cannot load file: no such file.sgf: cannot be read")
    talk.fails(f"loadsgf {tmp_path}", "cannot load file")
    talk.fails("loadsgf no-such-file.sgf", "cannot load file")
    path.write_text("(;GM[1]SZ[5];B[aa];W[bb];B[aa];W[cc])")  # up to the illegal move
    assert talk(f"loadsgf {path}") == "" and sorted(re.findall(r"\w \w\d", talk.stones)) == [
        "b A5", "w B4",
    ]
    path.write_text("(;GM[1]SZ[5]HA[2];B[aa];B[ee];W[bb];B[cc])")  # move 4 is that of C3
    assert talk(f"loadsgf {path} 4") == ""
    assert sorted(re.findall(r"\w \w\d", talk.stones)) == ["b A5", "b E1", "w B4"]


@pytest.mark.parametrize(
    ("own", "clock", "wall"), [(1.0, 5.0, 1.0), (9.0, 5.0, 5.0), (None, 5.0, 5.0)])
def test_neither_the_clock_nor_the_engines_own_limit_is_passed(own, clock, wall) -> None:
    assert limited(Budget(sims=10, wall=own), {"sims", "wall"}, clock) == Budget(sims=10, wall=wall)
    assert limited(Budget(sims=10, wall=own), {"sims"}, clock) == Budget(sims=10, wall=own)
