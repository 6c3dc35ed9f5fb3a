"""No command leaves a process behind: not killed, not terminated, not at its ordinary end.

The program and the bot from outside are as stubborn as can be: they leave a child in a session of
its own, without its environment and without a parent; the program ignores signals and the end of
its input, too. `--run-all` tries all commands with all of them, GNU Go among them, and kills
trainings, some 40 times in all.
"""

from __future__ import annotations

import itertools
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from dlgo.system import reaper
from tests.command import ROOT
from tests.conftest import RUN_ALL
from tests.gtp.programs import GNUGO, GNUGO_OPTIONS, living, mock

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")

STUBBORN = """
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
subprocess.run(["sh", "-c", "setsid env -i sleep {nap} &"])
import atexit
atexit.register(time.sleep, 3600)
def odd(name, words, number):
    if name == "genmove":
        time.sleep({wait})
    return False
"""
BOT = """
import subprocess, time
class Bot:
    def select_move(self, state):
        subprocess.run(["sh", "-c", "setsid env -i sleep {nap} &"])
        time.sleep({wait})
        return state.legal_moves()[0]
"""
DATA = ROOT / "tests/samples/dataset"

COMMANDS: dict[str, Callable[[str, Path], list[str]]] = {
    "play": lambda spec, folder: ["play", "go:size=5", "--first", spec, "--second", "random"],
    "gtp": lambda spec, folder: ["gtp", "--engine", spec, "--game", "go:size=5"],
    "analyze": lambda spec, folder: ["analyze", "go:size=5", "--engine", spec, "--stdin"],
    "generate": lambda spec, folder: [
        "generate", "go:size=5", "--engine", spec, "--games", "2", "--workers", "1", "--out",
        str(folder / "data"),
    ],
    "tournament": lambda spec, folder: [
        "tournament", "--ledger", str(folder / "games.sqlite"), "--game", "go:size=5",
        "--engine", spec, "--engine", "random", "--workers", "1",
    ],
}
TRAININGS = {
    "supervised": f"train supervised --data {DATA} --out model --net mlp:hidden=4,layers=1 "
                  "--epochs 5000",
    "alphazero": "train alphazero --game tictactoe --out run --iterations 500 --games 8 --sims 4 "
                 "--net mlp:hidden=4,layers=1 --workers 2",
}
# What a command reads; it is the end of its input that ends it.
INPUT = {"gtp": b"genmove black\n", "analyze": b"C3\n"}


def engine(kind: str, folder: Path, nap: str, wait: int) -> str:
    """The specification of an engine that thinks for `wait` seconds."""
    if kind == "gnugo":
        return f"gtp:{GNUGO} {GNUGO_OPTIONS}"
    code = {"program": STUBBORN, "bot": BOT}[kind].replace("{nap}", nap)
    code = code.replace("{wait}", str(wait))
    if kind == "program":
        return mock(folder, code)
    (folder / "bot.py").write_text(code)
    return "bot.py:Bot"


def soon(condition: Callable[[], bool], seconds: float) -> bool:
    until = time.monotonic() + seconds
    while not condition() and time.monotonic() < until:
        time.sleep(0.05)
    return condition()


def left(nap: str) -> list[int]:
    """The processes of a command: those with its mark, and those that threw the mark away."""
    found = living(nap)
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if f"={nap}\0".encode() in (folder / "environ").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def assert_nothing_outlives(
    words: list[str], how: int | None, folder: Path, nap: str, at_work: Callable[[], bool],
    stdin: bytes = b"", pause: float = 0.0,
) -> None:
    """Start a command, end it when it is `at_work` and `pause` seconds later, and look around.

    Args:
        how: the signal that ends it; None: the end of its input, or of its work.
        nap: a number so odd that it tells whose processes they are.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", "experiments.cli", *words], cwd=folder, stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT), "DLGO_TEST_MARK": nap},
    )
    try:
        process.stdin.write(stdin)
        process.stdin.flush()
        assert soon(at_work, 300), "it did not come to work"
        if how is None:
            process.stdin.close()
        else:
            time.sleep(pause)
            process.send_signal(how)
        process.wait(timeout=300)
        assert soon(lambda: not left(nap), 120), left(nap)
    finally:
        process.kill()
        process.wait()
        for pid in left(nap):
            os.kill(pid, signal.SIGKILL)


# A search of hours, one in Python, a bot that sleeps (also when it is tried at the start).
ENGINES = {"compiled": "mcts:sims=1e9,nodes_max=100000", "Python": "minimax:depth=20",
           "a bot": "bot.py:Bot"}
# Starts the engine, asks for a move, and tells the number of the engine's process.
CONTROLLER = """
import subprocess, sys, time
where = {"pipe": subprocess.PIPE, "nowhere": subprocess.DEVNULL}[sys.argv[1]]
engine = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=where)
engine.stdin.write(b"name\\ngenmove black\\n")
engine.stdin.flush()
print(engine.pid, flush=True)
time.sleep(3600)
"""


@pytest.mark.parametrize(("kind", "output"), [*itertools.product(ENGINES, ("pipe", "nowhere"))]
                         if RUN_ALL else [("compiled", "pipe"), ("a bot", "nowhere")])
def test_an_engine_ends_with_its_controller(kind: str, output: str, tmp_path: Path) -> None:
    """Within about a second on a quiet machine; the limit is for busy ones."""
    engine(kind="bot", folder=tmp_path, nap=new_nap(), wait=3600)
    controller = subprocess.Popen(
        [sys.executable, "-c", CONTROLLER, output, sys.executable, "-m", "experiments.cli", "gtp",
         "--game", "go:size=9", "--engine", ENGINES[kind]],
        cwd=tmp_path, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    server = psutil.Process(int(controller.stdout.readline()))
    try:
        assert soon(lambda: server.cpu_times().user > 5 or bool(server.children()), 300)
        controller.kill()
        controller.wait()
        assert soon(lambda: not server.is_running() or server.status() == "zombie", 60)
    finally:
        controller.kill()
        if server.is_running():
            server.kill()


def test_what_a_program_leaves_at_once_is_ended() -> None:
    """The program has ended, and its child is an orphan, before the reaper looks at either."""
    nap = new_nap()
    ours, theirs = os.pipe()
    try:
        subprocess.run(
            [sys.executable, reaper.SCRIPT, "run", str(ours), "/bin/sh", "-c",
             f"setsid env -i sleep {nap} &"],
            pass_fds=[ours], check=True,
        )
        assert not living(nap)
    finally:
        os.close(ours)
        os.close(theirs)
        for pid in living(nap):
            os.kill(pid, signal.SIGKILL)


def new_nap() -> str:
    return f"36{os.getpid()}.{time.monotonic_ns() % 10**6}"


def cases() -> Iterator[tuple[str, str, int | None]]:
    """Command, kind of engine, and how it ends."""
    ends = (signal.SIGKILL, signal.SIGTERM, None)
    # What ends with its work is left out: what workers leave behind is in the arena's tests.
    every = [case for case in itertools.product(COMMANDS, ("program", "bot", "gnugo"), ends)
             if case[2] is not None or (case[0] in ("play", "gtp") and case[1] != "gnugo")]
    if RUN_ALL:
        yield from every
        return
    # Every command once, every kind of engine, every end.
    yield from (("play", "program", signal.SIGTERM), ("gtp", "program", None),
                ("tournament", "program", signal.SIGKILL), ("analyze", "bot", signal.SIGKILL),
                ("generate", "bot", signal.SIGKILL), ("gtp", "gnugo", signal.SIGKILL))


@pytest.mark.slow
@pytest.mark.parametrize(("command", "kind", "how"), list(cases()))
def test_nothing_outlives_a_command(
    command: str, kind: str, how: int | None, tmp_path: Path
) -> None:
    if kind == "gnugo" and not GNUGO.exists():
        pytest.skip(f"needs GNU Go at {GNUGO}")
    nap = new_nap()
    words = COMMANDS[command](
        engine(kind, tmp_path, nap, 0 if how is None else 3600), tmp_path)
    sign = str(GNUGO) if kind == "gnugo" else nap
    assert_nothing_outlives(
        words, how, tmp_path, nap, lambda: bool({*living(sign)} & {*left(nap)}),
        INPUT.get(command, b""), random.random() if RUN_ALL else 0,
    )


@pytest.mark.long
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("learner", TRAININGS)
def test_nothing_outlives_a_training(learner: str, how: int, tmp_path: Path) -> None:
    pytest.importorskip("keras")
    nap = new_nap()
    files = {"supervised": "model/training/history.csv", "alphazero": "run/history.csv"}
    for _ in range(2):  # the second one goes on
        assert_nothing_outlives(
            TRAININGS[learner].split(), how, tmp_path, nap,
            (tmp_path / files[learner]).exists, pause=2 + 3 * random.random(),
        )
