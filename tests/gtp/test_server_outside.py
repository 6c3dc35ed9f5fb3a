"""`dlgo gtp` against what comes from outside: hostile input, signals, other programs.

`--run-all` sends twenty times as many hostile lines, asks more engines and plays more games.
"""

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

from dlgo import GameState, get_game
from dlgo.records.sgf import write_sgf
from engines.registry import build_engine
from experiments.arena.referee import EngineCache, GameTask, play_game
from experiments.gtp.server import MAX_LINE
from tests.command import assert_one_line, dlgo_here
from tests.conftest import RUN_ALL, random_game
from tests.gtp.programs import GNUGO, GNUGO_OPTIONS, living, needs_gnugo
from tests.gtp.talk import Talk

SERVER = f"gtp:{sys.executable} -m experiments.cli gtp"
# A response: a mark, a number or none, text without an empty line, an empty line.
RESPONSE = re.compile(r"[=?](\d{1,10})?( [^\n]*|(?=\n))(\n[^\n]+)*\n\n")


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


@pytest.mark.parametrize("seed", range(2 if RUN_ALL else 1))
def test_no_line_ends_the_server_or_shows_a_fault_of_it(seed: int) -> None:
    """2 x 2,000 lines with --run-all."""
    talk = Talk("go:size=4", "random")
    worked = 0
    for number, line in enumerate(hostile_lines(seed, 2000 if RUN_ALL else 500)):
        if line.split() and line.split()[0] == "quit":
            continue
        response = talk.raw(line)
        assert not response or RESPONSE.fullmatch(response), (number, line, response)
        assert "internal error" not in response, (number, line, response)
        worked += response.startswith("=")
        if number % 100 == 99:  # the games of other names are left again
            talk(f"dlgo-game go:size={2 + number % 7}")
    assert worked > (300 if RUN_ALL else 150)


def test_bytes_through_a_pipe() -> None:
    """Invalid UTF-8, lines of megabytes, CRLF, no last line end: one response each."""
    rng = random.Random(7)
    lines = [rng.randbytes(rng.randrange(1, 60)).replace(b"\n", b"") for _ in range(200)]
    lines += [b"x" * (MAX_LINE + 1), b"\xff" * 3_000_000, b"name\r", b"9 name"]
    done = subprocess.run(
        [sys.executable, "-m", "experiments.cli", "gtp", "--engine", "random", "--game",
         "go:size=5", "--seed", "1"],
        input=b"\n".join(lines), capture_output=True, timeout=120, check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    text = done.stdout.decode()
    assert text.endswith("= dlgo\n\n=9 dlgo\n\n")
    assert text.count("line too long") == 2
    assert "".join(match[0] for match in RESPONSE.finditer(text)) == text


def test_all_commands_of_a_file_are_answered_though_it_has_ended(tmp_path: Path) -> None:
    """The end of the input comes long before the first move is found. After `quit`, nothing is."""
    (tmp_path / "commands").write_bytes(b"genmove black\nname\nfrobnicate\n4 quit\nname\n")
    words = [sys.executable, "-m", "experiments.cli", "gtp", "--game", "go:size=9", "--engine",
             "mcts:sims=10000"]
    with (tmp_path / "commands").open() as file:
        done = subprocess.run(words, stdin=file, stdout=subprocess.PIPE, text=True, check=True)
    move, *others = done.stdout.removesuffix("\n\n").split("\n\n")
    assert move.startswith("= ") and others == ["= dlgo", "? unknown command", "=4"]


def test_a_bad_engine_or_game_is_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    for options, part in ((("--engine", "mtcs"), "did you mean mcts"),
                          (("--game", "chess"), "unknown game")):
        done = dlgo_here(capfd, "gtp", "--game", "go:size=5", *options, stdin="name\n")
        assert_one_line(done, part)
        assert done.stdout == ""


class Child:
    """A server in a process, spoken to line by line."""

    def __init__(self, *options: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "experiments.cli", "gtp", *options],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            # Where the tests run in the background, Ctrl-C is ignored, and that is inherited.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )

    def send(self, line: str) -> None:
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def rest(self) -> str:
        return "".join(iter(self.process.stdout.readline, "\n"))

    def end(self) -> tuple[int, str]:
        try:
            _, error = self.process.communicate(timeout=120)
        finally:
            self.process.kill()
        return self.process.returncode, error.strip()


@pytest.mark.slow
def test_analysis_streams_until_the_next_line_and_ctrl_c_ends_it() -> None:
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
    child.send("lz-analyze 10")
    child.process.stdout.readline()
    child.process.send_signal(signal.SIGINT)
    assert child.end() == (130, "dlgo: stopped")


@pytest.mark.parametrize(
    "engine", ["mcts", "alphabeta:wall=1", "puct:sims=100"] if RUN_ALL else ["alphabeta:wall=1"])
def test_a_long_analysis_hears_the_next_line_at_once(engine: str) -> None:
    """Without being asked between slices, it would take 1,000 s."""
    child = Child("--engine", engine, "--game", "go:size=9")
    child.send("name")
    assert child.rest() == "= dlgo\n"
    child.send("lz-analyze 100000")
    time.sleep(0.3)
    start = time.monotonic()
    child.send("name")
    assert "info move" in child.rest()
    assert child.rest() == "= dlgo\n"
    assert time.monotonic() - start < 120
    child.send("lz-analyze 10")  # and the end of the input ends it, too
    assert child.end() == (0, "")


# --- with other programs --------------------------------------------------------------------


@pytest.mark.parametrize(
    "game", ["draughts", "go:size=5", *(("connect4", "tictactoe") if RUN_ALL else ())]
)
def test_our_engine_plays_over_gtp(game: str) -> None:
    """Both sides of the protocol together, in several games."""
    spec = get_game(game)
    # One seed, since some games of Go end with the fourth move; the time out tells our process.
    mark = f"600.{os.getpid()}"
    options = f"--engine mcts:sims=50 --game {game} --seed 1 --move-timeout {mark}"
    away = build_engine(f"{SERVER} {options}", spec)
    state = GameState.new_game(spec)
    while not state.is_over() and len(state.moves()) < 30:
        decision = away.select_move(state)
        assert state.is_valid_move(decision.move)
        state = state.apply_move(decision.move)
    away.close()
    assert len(state.moves()) >= 5
    assert living(mark) == []


@pytest.mark.slow
@needs_gnugo
@pytest.mark.parametrize(
    ("size", "games"), [(9, 1)] if not RUN_ALL else [(5, 4), (9, 4), (13, 1), (19, 1)]
)
def test_gnu_go_against_the_server(size: int, games: int, tmp_path: Path) -> None:
    """A referee between two GTP programs: all moves legal, and both count the same score."""
    game = f"go:size={size},komi=0.5"
    ours = f"{SERVER} --engine mcts:sims={300 if RUN_ALL else 20} --game go:size={size} --seed 1"
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
    for seed in range(10 if RUN_ALL else 6):
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


@needs_gnugo
@pytest.mark.parametrize("size", [4, 9])
def test_legality_is_gnu_gos(size: int) -> None:
    """Every point of random positions, superko included."""
    game = get_game(f"go:size={size}")
    checked = forbidden = 0
    for seed in range(4 if RUN_ALL else 3):
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
