"""`dlgo ogs` as a process, with engines in processes of their own, against a mock of OGS."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dlgo import GameState, get_game
from dlgo.system import processes
from engines.base import Decision
from engines.isolation.pool import EngineLimits
from experiments.online.player import OnlinePlayer
from tests.command import assert_one_line, dlgo_here
from tests.online.harness import start_process
from tests.online.mock_game import MockGame, random_opponent
from tests.online.mock_server import KEY, MockServer

# Plays well until its process dies, at every move of games on 5x5; on 9x9 at its third move once.
DYING = """
import os, random
from pathlib import Path
class Bot:
    def select_move(self, state):
        size, moves = state.game.size, len(state.moves())
        once = Path(__file__).with_name("died")
        if moves > 3 and (size == 5 or not once.exists()):
            if size == 9:
                once.touch()
            os._exit(3)
        moves = state.sensible_moves()
        return random.choice([move for move in moves if not move.is_pass] or moves)
"""

needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def start(server: MockServer, tmp_path: Path) -> Iterator[Start]:
    started = []

    def start(*options: str) -> subprocess.Popen[str]:
        started.append(start_process(server, tmp_path, *options))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()


@needs_proc
def test_killed_in_mid_game_and_started_again_it_plays_to_the_count(
    server, start, tmp_path
) -> None:
    """Two games at once, by a search. In one it is the other's turn when the kill comes; in the
    other, the bot's move has been sent and has not arrived."""
    options = ("--engine=mcts:sims=20", "--size=5", "--max-games=2")
    first = start(*options)
    games = [MockGame(n, 5, n == 1, random_opponent) for n in (1, 2)]
    server.hold = lambda game: game.id == 1 and len(game.moves) > 6
    server.on_move = lambda game: game.id == 2 and len(game.moves) > 6
    server.wait(lambda: server.said("bot/config"), "it comes")
    for game in games:
        server.begin(game)
    server.wait(lambda: len(games[0].moves) > 6 and games[1].sent > len(games[1].moves) // 2,
                "they play")
    engines = processes.descendants(first.pid)
    first.send_signal(signal.SIGKILL)
    first.wait()
    before = [game.moves[:] for game in games]
    second = start(*options)
    server.go_on()
    for game in games:
        server.wait(lambda game=game: game.phase == "finished", f"game {game.id} ends")
        assert game.outcome.endswith("points")
    assert engines and not any(Path(f"/proc/{pid}").exists() for pid in engines)
    assert [game.moves[:7] for game in games] == [moves[:7] for moves in before]
    # A third game is left open by the second Ctrl-C.
    last = server.begin(MockGame(3))
    server.wait(lambda: last.moves, "it plays")
    second.send_signal(signal.SIGINT)
    server.wait(lambda: server.said("bot/config")[-1]["decline_new_challenges"], "it says so")
    second.send_signal(signal.SIGINT)
    assert second.wait(120) == 130
    assert last.phase == "play" and not server.said("game/resign")
    said = (tmp_path / "out").read_text()
    assert "1 game open on the server" in said.splitlines()[-1]
    assert KEY not in said and "Traceback" not in said and "internal error" not in said


def test_an_engine_that_keeps_dying_loses_one_game_and_no_other(server, start, tmp_path) -> None:
    (tmp_path / "dying.py").write_text(DYING)
    start(f"--engine={tmp_path / 'dying.py'}:Bot", "--size=5", "--max-games=2")
    server.wait(lambda: server.said("bot/config"), "it comes")
    lost = server.begin(MockGame(1, 5, True, random_opponent))
    other = server.begin(MockGame(2, 9, False, random_opponent))
    server.wait(lambda: lost.phase == "finished", "it resigns")
    assert lost.outcome == "Resignation"
    server.wait(lambda: len(other.moves) > 8, "it plays on")
    assert [data["game_id"] for data in server.said("game/resign")] == [1]
    said = (tmp_path / "out").read_text().splitlines()
    assert sum("game 1: " in line and "process died (exit code 3)" in line for line in said) == 3
    assert any("3 failures in a row: resigning this game" in line for line in said)
    assert sum("game 2: " in line and "trying again" in line for line in said) == 1


def test_a_wrong_key_and_no_key_are_one_line(server, tmp_path, capfd, monkeypatch) -> None:
    options = ("ogs", f"--server={server.url}", "--engine=random")
    monkeypatch.setenv("DLGO_OGS_KEY", "wrong-key-1")
    done = dlgo_here(capfd, *options)
    assert_one_line(done, "does not accept this API key")
    assert "wrong-key-1" not in done.stdout + done.stderr
    assert "DLGO_OGS_KEY" not in os.environ  # no engine can read it
    assert_one_line(dlgo_here(capfd, *options), "there is no API key")
    empty = tmp_path / "key"
    empty.touch(stat.S_IRUSR | stat.S_IWUSR)
    assert_one_line(dlgo_here(capfd, *options, f"--key-file={empty}"), "there is no API key")
    assert_one_line(dlgo_here(capfd, *options, "--key-file=/no/key"), "cannot be read")
    empty.write_text("two words")
    assert_one_line(dlgo_here(capfd, *options, f"--key-file={empty}"), "it must be one word")


def test_a_key_that_others_can_read_is_told_of(server, tmp_path, capfd) -> None:
    file = tmp_path / "key"
    file.write_text("wrong-key-1")
    file.chmod(0o644)
    done = dlgo_here(capfd, "ogs", f"--server={server.url}", "--engine=random", "--key-file", file)
    note, error = done.stderr.splitlines()
    assert "other users can read" in note and "chmod 600" in note
    assert "does not accept this API key" in error and done.returncode == 2


def test_what_cannot_begin_is_one_line(server, tmp_path, capfd, monkeypatch) -> None:
    for options, part in (
        (("--engine=mtcs",), "did you mean mcts"),
        (("--engine=solver",), "plays connect4 and draughts only"),
        (("--server=ftp://x",), "not an address like"),
        (("--server=http://[::1",), "not an address like"),
        (("--server=http://127.0.0.1:99999",), "not an address like"),
        (("--server=http://a..b",), "cannot reach http://a..b"),
        (("--server=http://127.0.0.1:9",), "cannot reach http://127.0.0.1:9"),
    ):
        monkeypatch.setenv("DLGO_OGS_KEY", KEY)
        given = (f"--server={server.url}", "--engine=random", "--size=5", *options)
        assert_one_line(dlgo_here(capfd, "ogs", *given), part)


def test_the_clock_limits_a_search_without_end() -> None:
    state = GameState.new_game(get_game("go:size=5"))

    async def choose() -> tuple[Decision, float]:
        player = OnlinePlayer("mcts:sims=1000000000", EngineLimits(1, 1), 1)
        try:
            await player.prepare("1", state)
            start = time.monotonic()
            return await player.choose("1", state, 0.2, 0), time.monotonic() - start
        finally:
            player.close()

    decision, seconds = asyncio.run(choose())
    assert decision.cost.simulations < 10**8 and 0.1 < seconds < 120
