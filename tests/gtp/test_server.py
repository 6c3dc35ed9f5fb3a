"""`dlgo gtp`: the specification's commands and their failures, and input that is hostile."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sgfmill import boards, common

from dlgo import GameState, Player, get_game
from dlgo.sgf import write_sgf
from engines.registry import EngineSpec, build_engine
from experiments.arena.match import EngineCache, GameTask, play_game
from experiments.gtp.clock import Clock
from experiments.gtp.server import MAX_LINE, Server
from experiments.gtp.session import Session
from tests.conftest import random_game
from tests.gtp.programs import GNUGO, GNUGO_OPTIONS, living, needs_gnugo

FULL = os.environ.get("DLGO_FULL") == "1"
SERVER = f"gtp:{sys.executable} -m experiments.cli gtp"
# A response: a mark, a number or none, text without an empty line, an empty line.
RESPONSE = re.compile(r"[=?](\d{1,10})?( [^\n]*|(?=\n))(\n[^\n]+)*\n\n")


class Talk:
    """A server in this process."""

    def __init__(self, game: str = "go:size=5,komi=0.5", engine: str = "random") -> None:
        self.server = Server(Session(get_game(game), EngineSpec.parse(engine), seed=1))

    def raw(self, line: str) -> str:
        return "".join(self.server.answer(line))

    def __call__(self, line: str) -> str:
        """The result of a command that works."""
        response = self.raw(line)
        assert response.startswith("="), response
        return response[1:].strip()

    def fails(self, line: str, message: str) -> None:
        response = self.raw(line)
        assert response.startswith("? " + message), response
        assert response.count("\n") == 2

    @property
    def stones(self) -> str:
        """The stones as `b A1 w B2`."""
        state = self.server.session.state
        return " ".join(
            f"{player.name[0]} {'ABCDE'[col - 1]}{row}"
            for row in range(1, 6) for col in range(1, 6)
            if (player := state.game.cell(state, row, col)) is not None
        )


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


def test_boardsize_and_komi() -> None:
    talk = Talk()
    for size in ("1", "26", "2147483647"):
        talk.fails(f"boardsize {size}", "unacceptable size")
    for size in ("", "x", "-3", "9.0"):
        talk.fails(f"boardsize {size}", "syntax error")
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


def test_a_ko_may_not_be_retaken_at_once() -> None:
    talk = Talk()
    for line in ("b B1", "b A2", "b B3", "w C1", "w D2", "w C3", "b C2", "w B2"):
        talk(f"play {line}")
    talk.fails("play b C2", "illegal move: C2 is illegal: ko")
    talk("play b E5")
    talk("play w E1")
    talk("play b C2")


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
    """It would need hours for a billion simulations."""
    talk = Talk("go:size=9", "mcts:sims=1e9,nodes_max=100000")
    talk("clear_board")
    talk(line)
    began = time.monotonic()
    talk("genmove b")
    assert time.monotonic() - began < seconds


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
    # Three periods of Japanese byo-yomi: each move may take one, and is not taken a third of it.
    japanese = Clock(0, 10, 3, japanese=True)
    assert 5 < japanese.seconds_for_a_move(Player.black, 100) < 10
    japanese.left[Player.black] = (10, 3)
    assert 5 < japanese.seconds_for_a_move(Player.black, 100) < 10
    for seconds, periods in ((9, 3), (12, 2), (25, 1), (5, 1)):
        japanese.spend(Player.black, seconds)
        assert japanese.left[Player.black] == (10, periods)
    assert Clock().seconds_for_a_move(Player.black, 361) is None
    assert Clock(10, 1, 0).seconds_for_a_move(Player.black, 361) is None  # "no limit"


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
    talk.fails(f"loadsgf {tmp_path}", "cannot load file")
    talk.fails("loadsgf no-such-file.sgf", "cannot load file")
    path.write_text("(;GM[1]SZ[5];B[aa];W[aa])")
    talk.fails(f"loadsgf {path}", "cannot load file")


# --- hostile input --------------------------------------------------------------------------

WORDS = [
    "boardsize", "clear_board", "komi", "play", "genmove", "undo", "fixed_handicap", "b", "w",
    "place_free_handicap", "set_free_handicap", "time_settings", "time_left", "final_score",
    "final_status_list", "loadsgf", "reg_genmove", "showboard", "kgs-genmove_cleanup",
    "kgs-time_settings", "byoyomi", "lz-analyze", "analyze", "kata-analyze", "known_command",
    "list_commands", "name", "dlgo-game", "go:size=4", "connect4", "tictactoe", "draughts", "go:",
    "black", "white", "A1", "b2", "C3", "D4", "E5", "pass", "resign", "dead", "alive", "1", "2",
    "3", "4", "5", "9", "0", "-1", "2147483647", "99999999999999999999", "1e30", "nan", "6.5",
    "interval", "#", "\t", "\r", "\x00", "\x1b[2J", "ü", "\u2028", "\ud7ff", "٣", "README.md",
    "/dev/zero", "..", "%s", "{}", "'", '"', "\\", "9" * 5000, "x" * 3000, "11-15", "4",
]


# Lines that make sense, most of the time; `?` is any word.
LINES = [
    "play b ?", "play w ?", "play b C2", "play w C3", "genmove b", "genmove w", "genmove ?",
    "undo", "komi 6.5", "komi ?", "boardsize 4", "boardsize ?", "clear_board", "fixed_handicap ?",
    "set_free_handicap A1 B2 ?", "place_free_handicap ?", "time_settings ? ? ?", "final_score",
    "time_settings 1 1 1", "time_left b ? ?", "final_status_list ?", "loadsgf ? ?", "showboard",
    "reg_genmove w", "kgs-genmove_cleanup b", "kgs-time_settings ? ? ? ?", "lz-analyze ? 1",
    "kata-analyze b interval ?", "dlgo-game ?", "known_command ?", "list_commands", "? ? ?", "?",
]


def hostile_lines(seed: int, count: int) -> Iterator[str]:
    """Command lines: sound ones, random words in some places, letters put in and left out."""
    rng = random.Random(seed)
    for _ in range(count):
        line = "".join(
            rng.choice(WORDS) if char == "?" else char for char in rng.choice(LINES)
        )
        if rng.random() < 0.3:
            line = f"{rng.randrange(10**rng.randint(1, 11))} {line}"
        for _ in range(rng.choice((0, 0, 0, 0, 1, 3))):
            at = rng.randrange(len(line) + 1)
            line = line[:at] + chr(rng.choice((rng.randrange(128), rng.randrange(0xD800)))) + (
                line[at + rng.randint(0, 2):]
            )
        yield line.replace("\n", " ")


@pytest.mark.parametrize("seed", range(5 if FULL else 1))
def test_no_line_ends_the_server_or_shows_a_fault_of_it(seed: int) -> None:
    """5 x 2,000 lines with DLGO_FULL=1."""
    talk = Talk("go:size=4", "random")
    worked = 0
    for number, line in enumerate(hostile_lines(seed, 2000 if FULL else 1000)):
        if line.split() and line.split()[0] == "quit":
            continue
        response = talk.raw(line)
        assert not response or RESPONSE.fullmatch(response), (number, line, response)
        assert "internal error" not in response, (number, line, response)
        worked += response.startswith("=")
        if number % 100 == 99:  # the games of other names are left again
            talk(f"dlgo-game go:size={2 + number % 7}")
    assert worked > 300


def serve(data: bytes, *options: str, timeout: float = 120) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "experiments.cli", "gtp", "--engine", "random", "--game",
         "go:size=5", "--seed", "1", *options],
        input=data, capture_output=True, timeout=timeout, check=False,
    )


def test_bytes_through_a_pipe() -> None:
    """Invalid UTF-8, lines of megabytes, CRLF, no last line end: one response each."""
    rng = random.Random(7)
    lines = [rng.randbytes(rng.randrange(1, 60)).replace(b"\n", b"") for _ in range(200)]
    lines += [b"x" * (MAX_LINE + 1), b"\xff" * 3_000_000, b"name\r", b"9 name"]
    done = serve(b"\n".join(lines))
    assert done.returncode == 0
    assert done.stderr == b""
    text = done.stdout.decode()
    assert text.endswith("= dlgo\n\n=9 dlgo\n\n")
    assert text.count("line too long") == 2
    assert "".join(match[0] for match in RESPONSE.finditer(text)) == text


def test_quit_answers_first_and_the_rest_is_not_read() -> None:
    done = serve(b"4 quit\nname\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"=4\n\n", b"")


def test_a_bad_engine_or_game_is_one_line() -> None:
    for options in (("--engine", "mtcs"), ("--game", "chess"), ("--engine", "solver")):
        done = serve(b"name\n", *options)
        assert done.returncode == 2
        assert done.stdout == b""
        assert len(done.stderr.splitlines()) == 1


class Child:
    """A server in a process, spoken to line by line."""

    def __init__(self, *options: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "experiments.cli", "gtp", *options],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            # Where the tests run in the background, Ctrl-C is ignored, and that is inherited.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        assert self.ask("name") == "= dlgo\n"

    def send(self, line: str) -> None:
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def ask(self, line: str) -> str:
        self.send(line)
        return self.rest()

    def rest(self) -> str:
        return "".join(iter(self.process.stdout.readline, "\n"))

    def end(self) -> tuple[int, str]:
        try:
            _, error = self.process.communicate(timeout=20)
        finally:
            self.process.kill()
        return self.process.returncode, error


def test_analysis_streams_until_the_next_line() -> None:
    child = Child("--engine", "mcts:sims=1000", "--game", "go:size=5")
    for command, pattern in (("lz-analyze 10", r"\d{1,5}"), ("5 kata-analyze b interval 5",
                                                             r"[01]\.\d{4}")):
        child.send(command)
        assert child.process.stdout.readline() == f"={'5' if command[0] == '5' else ''}\n"
        visits = []
        for _ in range(4):
            line = child.process.stdout.readline()
            found = re.findall(
                rf"info move ([A-E][1-5]|pass) visits (\d+) winrate ({pattern}) "
                rf"prior {pattern} order \d+ pv \1[^i]*", line,
            )
            assert found
            assert "".join(line.split("info move ")[1:]).count("visits") == len(found)
            visits.append(sum(int(count) for _, count, _ in found))
        assert visits == sorted(visits)
        assert visits[-1] > visits[0]
        # The lines that come on until ours is read end with the empty one.
        child.send("name")
        assert all(line.startswith("info") for line in child.rest().splitlines())
        assert child.rest() == "= dlgo\n"
    child.send("lz-analyze 10")  # and the end of the input ends it, too
    status, error = child.end()
    assert (status, error) == (0, "")


def test_ctrl_c_ends_it_without_a_traceback() -> None:
    for work in ("", "lz-analyze 10"):
        child = Child("--engine", "mcts:sims=100", "--game", "go:size=5")
        child.send(work)
        time.sleep(0.3)
        child.process.send_signal(signal.SIGINT)
        status, error = child.end()
        assert (status, error.strip()) == (130, "dlgo: stopped")


# --- with other programs --------------------------------------------------------------------


@pytest.mark.parametrize("game", ["connect4", "draughts", "go:size=5", "tictactoe"])
def test_our_engine_plays_over_gtp(game: str) -> None:
    """Both sides of the protocol together, in several games."""
    spec = get_game(game)
    options = f"--engine mcts:sims=50 --game {game} --seed {os.getpid()}"
    away = build_engine(f"{SERVER} {options}", spec)
    state = GameState.new_game(spec)
    while not state.is_over() and len(state.moves()) < 30:
        decision = away.select_move(state)
        assert state.is_valid_move(decision.move)
        state = state.apply_move(decision.move)
    away.close()
    assert len(state.moves()) >= 5
    assert living(options.replace(" ", "\0")) == []


@needs_gnugo
@pytest.mark.parametrize(
    ("size", "games"), [(5, 2), (9, 1)] if not FULL else [(5, 4), (9, 12), (13, 2), (19, 2)]
)
def test_gnu_go_against_the_server(size: int, games: int, tmp_path: Path) -> None:
    """A referee between two GTP programs: all moves legal, and both count the same score."""
    game = f"go:size={size},komi=0.5"
    ours = f"{SERVER} --engine mcts:sims={20 if not FULL else 300} --game go:size={size} --seed 1"
    theirs = f"gtp:{GNUGO} {GNUGO_OPTIONS} --never-resign --level 1 --seed {{seed}}"
    engines = EngineCache()
    for number in range(games):
        first, second = (ours, theirs)[:: 1 - 2 * (number % 2)]
        record = play_game(GameTask("", game, first, second, 0, (), seed=number), engines)
        assert not record.failed, record.reason
        state = record.replay()
        assert state.is_over()
        path = tmp_path / f"{number}.sgf"
        path.write_bytes(write_sgf(state))
        margin = state.game.margin(state)
        expected = f"{'B' if margin > 0 else 'W'}+{abs(margin)}"
        assert gnugo(f"loadsgf {path}", "komi 0.5", "final_score")[-1] == expected
        talk = Talk(game)
        talk(f"loadsgf {path}")
        assert talk("final_score") == expected
    engines.close()


def gnugo(*commands: str, options: str = GNUGO_OPTIONS) -> list[str]:
    """GNU Go's results of some commands, all of which must work."""
    done = subprocess.run(
        [str(GNUGO), *options.split()], input="\n".join([*commands, "quit", ""]),
        capture_output=True, text=True, timeout=300, check=True,
    )
    results = done.stdout.split("\n\n")[: len(commands)]
    assert all(result.startswith("=") for result in results), results
    return [result[1:].strip() for result in results]


@needs_gnugo
@pytest.mark.parametrize("size", [5, 9])
def test_final_score_is_gnu_gos_on_finished_random_games(size: int) -> None:
    """Random games that fill no eyes end with every stone alive or captured."""
    rng_engine = build_engine("random", get_game(f"go:size={size},komi=3.5"))
    agreed = 0
    for seed in range(30 if FULL else 6):
        rng_engine.new_game(seed)
        state = GameState.new_game(rng_engine.game)
        while not state.is_over():
            state = state.apply_move(rng_engine.select_move(state).move)
        moves = [f"play {p.name} {state.game.move_text(m)}" for p, m in state.history()[1]]
        talk = Talk(str(state.game))
        for line in moves:
            talk(line)
        theirs = gnugo(f"boardsize {size}", "komi 3.5", *moves, "final_score")[-1]
        assert talk("final_score") == theirs
        agreed += 1
    assert agreed


@needs_gnugo
@pytest.mark.parametrize("size", [4, 9])
def test_legality_is_gnu_gos(size: int) -> None:
    """Every point of random positions, superko included."""
    game = get_game(f"go:size={size}")
    checked = forbidden = 0
    for seed in range(12 if FULL else 3):
        states = random_game(game, seed, max_plies=120, passes=False)
        commands: list[str] = [f"boardsize {size}", "clear_board"]
        expected: list[str] = [""] * 2
        for before, after in zip(states, states[1:], strict=False):
            player, move = before.next_player.name, after.last_move
            for action in range(size * size):
                point = game.move_of(action)
                commands.append(f"is_legal {player} {game.move_text(point)}")
                expected.append(str(int(before.is_valid_move(point))))
            commands.append(f"play {player} {game.move_text(move)}")
            expected.append("")
        assert gnugo(*commands) == expected
        checked += len(commands)
        forbidden += expected.count("0")
    assert checked > 1000
    assert forbidden > 100
