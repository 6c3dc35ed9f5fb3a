"""Bots in a sandbox: entrants like any other, each game in a copy of a process of its own."""

from __future__ import annotations

import platform
from pathlib import Path

import psutil
import pytest

from dlgo import GameState, get_game
from dlgo.jit import shared_cache
from dlgo.records.failures import Failure
from engines.base import Budget
from engines.isolation import engine as engine_module
from engines.isolation.engine import IsolatedEngine
from engines.programs import confine, sandbox
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
    found += [len({os.stat(folder).st_mtime_ns // 10**9 for folder in folders})]
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
    raise RuntimeError(f"{beside} {rights} {zlib.crc32(str(found).encode())} {found}")
"""


def test_a_bot_remembers_nothing_of_earlier_games(folder, monkeypatch) -> None:
    """Games begin in copies of one process, which see their own bot alone; where the system refuses
    that, in new processes."""
    if not sandbox.copies_work():
        pytest.skip("no namespaces within a sandbox")
    game = get_game("tictactoe")
    found, host, roots = [], None, []
    for number, student in enumerate(("alice", "mallory", "alice", "mallory")):
        path = folder / student / "remembers.py"
        path.write_text(REMEMBERS)
        confined = Sandbox([folder / student], SMALL, shared_cache(), shelf=folder)
        if number == 3:
            monkeypatch.setattr(engine_module, "copies_work", lambda: False)
            host.kill()
            host = None
        engine = IsolatedEngine(str(path), game, 60, sandbox=confined, host=host, in_copy=True)
        engine.new_game(1)
        with pytest.raises(ProgramError) as caught:
            engine.select_move(GameState.new_game(game))
        beside, text = caught.value.text.split("] ", 1)
        assert beside.endswith(f"['{student}'")
        found.append(text)
        roots.append(engine.pid)
        host = engine.release()
        assert (host is not None) == (number < 3)
    assert found[0] == found[1] == found[2] and "'CapEff:', '0000000000000000'" in found[0], found
    assert "'Seccomp:', '2'" in found[0] or platform.machine() not in confine._ARCHITECTURES
    assert len(set(roots)) == 2
    assert not left_behind(folder)


# Says that it has left and stays; or leaves an answer to a request of the next game.
STAYS = """\
import __main__
def select_move(state):
    leave = __main__._Host._leave_copy
    def forged(host):
        if FORGES:
            host._server.tell({"left": True})
            leave(host)
        return {"left": True}
    __main__._Host._leave_copy = forged
    return state.legal_moves()[0]
"""
PRINTS = """\
def select_move(state):
    print("what I know")
    return state.legal_moves()[0]
"""


def test_a_bot_cannot_reach_into_games_of_others(folder) -> None:
    """The process that serves all bots ends if one has tampered with its messages."""
    if not sandbox.copies_work():
        pytest.skip("no namespaces within a sandbox")
    game, host = get_game("tictactoe"), None
    bots = ("FORGES = 0\n" + STAYS, "FORGES = 1\n" + STAYS, PRINTS,
            "def select_move(state):\n    return {}[1]\n")
    for number, source in enumerate(bots):
        path = folder / f"mallory/reaches{number}.py"
        path.write_text(source)
        confined = Sandbox([folder / "mallory"], SMALL, shared_cache(), shelf=folder)
        engine = IsolatedEngine(
            f"{path}:select_move", game, 60, sandbox=confined, host=host, in_copy=True)
        engine.new_game(1)
        if number == 3:
            with pytest.raises(ProgramError, match="KeyError") as caught:
                engine.select_move(GameState.new_game(game))
            assert "what I know" not in str(caught.value)
        else:
            engine.select_move(GameState.new_game(game))
        host = engine.release()
        assert (host is not None) == (number >= 2), source
    host.kill()
