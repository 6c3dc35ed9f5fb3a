"""Bots in a sandbox: entrants like any other, each game in a process of its own."""

from __future__ import annotations

import platform
from pathlib import Path

import psutil
import pytest

from dlgo import GameState, get_game
from dlgo.jit import shared_cache
from dlgo.records.failures import Failure
from engines.base import Budget
from engines.isolation.engine import IsolatedEngine
from engines.programs import confine
from engines.programs.program import ProgramError
from engines.programs.sandbox import Sandbox
from tests.sandboxed import SMALL, left_behind, sandboxed

pytestmark = sandboxed


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Hand-ins of two students; only the first one is shown to the sandbox."""
    folder = tmp_path_factory.mktemp("class")
    for name in ("mallory", "alice"):
        (folder / name).mkdir()
        (folder / name).chmod(0o777)
    return folder


def test_a_bot_in_a_sandbox_is_an_entrant_like_any(folder) -> None:
    """It plays what it plays at home; what it eats is named as any engine's failure is."""
    bots = folder / "mallory"
    (bots / "first.py").write_text(
        "def select_move(state):\n    return state.legal_moves()[0]\n"
    )
    (bots / "eats.py").write_text(
        "import os, mmap, time\n"
        "def select_move(state):\n"
        "    for _ in range(8):\n"
        "        if os.fork() == 0:\n"
        "            mmap.mmap(-1, 100 << 20).write(bytes(100 << 20)) and time.sleep(1000)\n"
        "    time.sleep(1000)\n"
    )
    game = get_game("tictactoe")
    state = GameState.new_game(game)
    state.apply_move(state.legal_moves()[0]).is_over()
    sandbox = Sandbox([bots], SMALL, shared_cache())
    engine = IsolatedEngine(str(bots / "first.py"), game, 60, sandbox=sandbox)
    engine.new_game(1)
    decision = engine.select_move(state, Budget())
    assert decision.move == state.legal_moves()[0]
    assert sum(psutil.Process(engine._host.process).cpu_times()[:2]) > 0.1
    engine.close()
    engine = IsolatedEngine(str(bots / "eats.py"), game, 60, sandbox=sandbox)
    engine.new_game(1)
    with pytest.raises(ProgramError, match="over memory") as caught:
        engine.select_move(state, Budget())
    assert caught.value.failure is Failure.OVER_MEMORY
    engine.close()
    assert not left_behind(folder)


# Tells what it finds, by an exception, and leaves what it can for the next game.
REMEMBERS = """\
import fcntl, os, signal, zlib
def select_move(state):
    folders = "/tmp", "/dev/shm"
    found = [os.getpid(), os.getppid(), sorted(p for p in os.listdir("/proc") if p.isdigit())]
    found += [sorted(os.listdir(folder)) for folder in folders]
    found += [[os.stat(folder).st_mtime > 10**9 for folder in folders]]
    found += [os.nice(0), os.listdir("/dev/pts"), sorted(os.listdir("/proc/self/fd"))]
    for name in os.listdir("/proc/self/fd"):
        try:
            found += [name, fcntl.fcntl(int(name), fcntl.F_GETPIPE_SZ)]
            fcntl.fcntl(int(name), fcntl.F_SETPIPE_SZ, 4096)
        except OSError:
            pass
    status = open("/proc/self/status").readlines()
    rights = [line.split() for line in status if line[:6] in ("CapEff", "Seccom")]
    for pid in range(1, os.getpid()):
        try:
            open(f"/proc/{pid}/mem", "r+b").close()
        except OSError:
            found.append(pid)
    for folder in folders:
        open(f"{folder}/x", "w").close()
        os.utime(folder, (0, 0)) if os.stat(folder).st_uid == os.getuid() else None
    os.nice(3)
    if os.fork() == 0:
        os.setsid()
        signal.pause()
    beside = os.listdir(os.path.dirname(os.path.dirname(__file__)))
    raise RuntimeError(f"{beside} {rights} {zlib.crc32(str(found).encode()):010}")
"""


@pytest.mark.slow
def test_each_process_of_a_bot_finds_the_same_and_its_own_files_alone(folder) -> None:
    game, found = get_game("tictactoe"), []
    for student in ("alice", "mallory", "alice"):
        path = folder / student / "remembers.py"
        path.write_text(REMEMBERS)
        confined = Sandbox([folder / student], SMALL, shared_cache())
        engine = IsolatedEngine(str(path), game, 60, sandbox=confined)
        engine.new_game(1)
        with pytest.raises(ProgramError) as caught:
            engine.select_move(GameState.new_game(game))
        beside, text = caught.value.text.split("] ", 1)
        assert beside.endswith(f"['{student}'")
        found.append(text)
        engine.close()
    assert found[0] == found[1] == found[2] and "'CapEff:', '0000000000000000'" in found[0], found
    assert "'Seccomp:', '2'" in found[0] or platform.machine() not in confine._ARCHITECTURES
    assert not left_behind(folder)
