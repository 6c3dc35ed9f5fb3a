"""What people and their machines do to dlgo, as programs for any operating system.

    python scenarios.py NAME

runs one in the working folder, with `python -m dlgo` of the same Python. The last line that it
prints begins with "ok: "; what is wrong raises an exception. Only the standard library and psutil
are used, so that dlgo need not be importable here.
"""

from __future__ import annotations

import contextlib
import csv
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

WINDOWS = sys.platform == "win32"
DLGO = [sys.executable, "-m", "dlgo"]
# Wall seconds for what follows at once on a quiet machine.
PATIENCE = 120.0

BOTS = '''
import os, random, sys, time

class Slow:
    def select_move(self, state):
        time.sleep(0.1)
        return random.Random(len(state.moves())).choice(state.legal_moves())

class Crashes:
    def select_move(self, state):
        os._exit(7)

class Raises:
    def select_move(self, state):
        raise ValueError("eel")

class Hangs:
    def select_move(self, state):
        time.sleep(3600)

class Prints:
    def select_move(self, state):
        print("caf\\u00e9 " * 1000)
        os.write(2, b"\\xff" * 100000)
        return state.legal_moves()[0]

class Eats:
    def select_move(self, state):
        eaten = []
        while True:
            eaten.append(bytearray(b"x" * (8 << 20)))

class Burns:
    """Half a second of CPU time for each move."""
    def select_move(self, state):
        until = time.process_time() + 0.5
        while time.process_time() < until:
            pass
        return state.legal_moves()[0]
'''
BURNT = 0.5


def dlgo(*words: str, timeout: float = 600, **more: Any) -> subprocess.CompletedProcess[str]:
    """The end of a command and what it printed, both outputs together."""
    done = subprocess.run(
        [*DLGO, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout,
        stdin=subprocess.DEVNULL, check=False, **more,
    )
    text = done.stdout.decode(errors="replace")
    print(text)
    assert "Traceback" not in text
    return subprocess.CompletedProcess(done.args, done.returncode, text)


def tournament(ledger: str, *engines: str, pairs: int = 3, more: tuple[str, ...] = ()) -> list[str]:
    """The words of a tournament."""
    given = [word for engine in engines for word in ("--engine", engine)]
    return ["tournament", "--ledger", ledger, "--game", "tictactoe", "--pairs", str(pairs),
            "--workers", "2", "--seed", "1", *given, *more]


def games(ledger: str) -> dict[str, tuple[str, float, str | None]]:
    """The moves, result and failure of each game, by slot. Empty if there is no ledger yet."""
    with contextlib.suppress(sqlite3.Error), contextlib.closing(
        sqlite3.connect(f"file:{ledger}?mode=ro", uri=True)
    ) as base:
        rows = base.execute("select slot, moves, result, failure from games").fetchall()
        return {slot: (moves, result, failure) for slot, moves, result, failure in rows}
    return {}


def wait_for(what: str, condition: Callable[[], Any], seconds: float = PATIENCE) -> None:
    """Wait until a condition holds."""
    until = time.perf_counter() + seconds
    while not condition():
        assert time.perf_counter() < until, f"not within {seconds:g} s: {what}"
        time.sleep(0.05)


def family(process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """All that a process has started."""
    return psutil.Process(process.pid).children(recursive=True)


def commands(processes: list[psutil.Process]) -> str:
    """The command lines of those that still run, or run already."""
    lines = []
    for one in processes:
        with contextlib.suppress(psutil.Error):
            lines.append(" ".join(one.cmdline()))
    return "\n".join(lines)


def assert_gone(processes: list[psutil.Process], seconds: float = 30) -> float:
    """The seconds until all have ended."""
    began = time.perf_counter()
    _, alive = psutil.wait_procs(processes, seconds)
    alive = [one for one in alive if one.status() != psutil.STATUS_ZOMBIE]
    assert not alive, alive
    return time.perf_counter() - began


def start(*words: str, **more: Any) -> subprocess.Popen[bytes]:
    """A command that is going on."""
    return subprocess.Popen([*DLGO, *words], stdin=subprocess.DEVNULL, **more)


def killed_and_resumed() -> str:
    """A tournament killed (on Windows by TerminateProcess) and continued: the same games."""
    Path("bots.py").write_text(BOTS)
    engines = ("random", "bots.py:Slow")
    assert dlgo(*tournament("whole.sqlite", *engines)).returncode == 0
    process = start(*tournament("killed.sqlite", *engines))
    wait_for("games", lambda: len(games("killed.sqlite")) > 1)
    started = family(process)
    process.kill()
    process.wait()
    seconds = assert_gone(started)
    stored = games("killed.sqlite")
    assert dlgo(*tournament("killed.sqlite", *engines)).returncode == 0
    assert games("killed.sqlite") == games("whole.sqlite")
    assert stored.items() <= games("killed.sqlite").items()
    return (f"{len(stored)} of 6 games were kept, {len(started)} processes ended within "
            f"{seconds:.1f} s, the games are those of an unbroken tournament")


def one_ledger() -> str:
    """Two tournaments on one ledger: the second is refused, and says by whom."""
    Path("bots.py").write_text(BOTS)
    words = tournament("one.sqlite", "random", "bots.py:Slow", pairs=40)
    first = start(*words)
    wait_for("games", lambda: games("one.sqlite"))
    second = dlgo(*words)
    refused = re.search(r"in use by another tournament \(process (\d+)\)", second.stdout)
    assert second.returncode == 2 and refused
    assert int(refused[1]) in [first.pid, *(one.pid for one in family(first))]
    assert first.poll() is None
    first.kill()
    first.wait()
    return "the second names the first and ends with status 2; the first goes on"


def lost_worker() -> str:
    """A worker that is killed: its games are played again, and nobody loses for it."""
    Path("bots.py").write_text(BOTS)
    process = start(*tournament("lost.sqlite", "random", "bots.py:Slow"))
    wait_for("games", lambda: games("lost.sqlite"))
    worker = next(one for one in family(process) if "spawn_main" in commands([one]))
    started = worker.children(recursive=True)
    worker.kill()
    assert process.wait(PATIENCE) == 0
    assert_gone(started)
    assert len(games("lost.sqlite")) == 6
    assert {failure for _, _, failure in games("lost.sqlite").values()} == {None}
    return "6 games, none lost"


def bad_bots() -> str:
    """Bots that crash, raise, hang, print, eat memory: each loses with its reason."""
    Path("bots.py").write_text(BOTS)
    names = ("Crashes", "Raises", "Hangs", "Prints", "Eats")
    limits = ("--move-timeout", "5", "--memory-mb", "300", "--max-failures", "0")
    for name in names:
        done = dlgo(*tournament(f"{name}.sqlite", "random", f"bots.py:{name}", pairs=1,
                                more=limits))
        assert done.returncode == 0
    failures = {name: {one[2] for one in games(f"{name}.sqlite").values()} for name in names}
    wanted = {"Crashes": {"process died"}, "Raises": {"crash"}, "Hangs": {"timeout"},
              "Prints": {None}, "Eats": {"over memory"}}
    assert failures == wanted, failures
    return "process died, crash, timeout, played, over memory"


def ctrl_c() -> str:
    """Ctrl-C while a tournament runs: status 130, no traceback, no process left."""
    Path("bots.py").write_text(BOTS)
    words = tournament("stopped.sqlite", "random", "bots.py:Slow", pairs=20)
    # On Windows all programs of a console hear Ctrl-C; this one has a console of its own.
    code = ("import os, runpy, signal, sys, threading, time\n"
            "def press():\n"
            "    while not os.path.exists('now'):\n"
            "        time.sleep(0.1)\n"
            "    os.kill(0, signal.CTRL_C_EVENT) if os.name == 'nt' "
            "else os.kill(os.getpid(), signal.SIGINT)\n"
            "threading.Thread(target=press, daemon=True).start()\n"
            f"sys.argv = ['dlgo', *{words!r}]\n"
            "runpy.run_module('dlgo', run_name='__main__')\n")
    flags = {"creationflags": subprocess.CREATE_NEW_CONSOLE} if WINDOWS else {}
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **flags)
    wait_for("games", lambda: games("stopped.sqlite"))
    started = family(process)
    Path("now").touch()
    text = process.communicate(timeout=PATIENCE)[0].decode(errors="replace")
    print(text)
    assert process.returncode == 130, process.returncode
    assert "Traceback" not in text and "dlgo: " in text
    return f"status 130, {len(started)} processes ended within {assert_gone(started):.1f} s"


def orphans() -> str:
    """A killed `dlgo play`: the bot that is thinking ends with it."""
    Path("bots.py").write_text(BOTS)
    process = start("play", "tictactoe", "--first", "bots.py:Hangs", "--second", "random")
    wait_for("a bot", lambda: "engines.isolation.host" in commands(family(process)))
    time.sleep(2)
    started = family(process)
    process.kill()
    process.wait()
    return f"{len(started)} processes ended within {assert_gone(started):.1f} s"


def studio() -> str:
    """The studio answers, and ends with its parent's kill."""
    process = start("web", "--no-browser", "--port", "8479")
    address, page = "http://127.0.0.1:8479/", b""
    while not page and process.poll() is None:
        time.sleep(0.5)
        with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=5) as answer:
            page = answer.read()
    process.kill()
    process.wait()
    assert b"<html" in page
    return f"a page of {len(page)} bytes"


def odd_folders() -> str:
    """A folder with spaces and umlauts, and one whose path has over 200 characters."""
    here = Path.cwd()
    deep = here / ("long" * 15) / ("path" * 15)
    deep = deep / ("x" * max(1, 215 - len(str(deep))))
    for folder in (here / "Bücher und Spiele", deep):
        folder.mkdir(parents=True, exist_ok=True)
        for words in (
            ["new", "engine", "greedy"], ["new", "game", "my_game"],
            ["check", "greedy.py", "--game", "tictactoe"],
            tournament("g.sqlite", "random", "greedy.py", pairs=1),
            tournament("h.sqlite", "random", str(folder / "greedy.py"), pairs=1),
            ["report", "g.sqlite", "--out", "r"], ["ledger", "g.sqlite", "check"],
            ["play", "my_game.py", "--first", "random", "--second", "random", "--delay", "0"],
        ):
            assert dlgo(*words, cwd=folder).returncode == 0, words
        assert (folder / "r/report.html").stat().st_size > 10_000
    return f"{len(str(deep))} characters"


def code_pages() -> str:
    """Outputs in the encodings of old consoles: no traceback, boards can be read."""
    for encoding in ("cp1252", "cp437", "ascii"):
        environment = {**os.environ, "PYTHONIOENCODING": encoding}
        for words in (["play", "go:size=5", "--first", "random", "--second", "random", "--delay",
                       "0"], ["watch", "tictactoe"], ["class", "list"], ["engines"]):
            done = dlgo(*words, env=environment)
            assert done.returncode == 0, (encoding, words)
    return "cp1252, cp437, ascii"


def cpu_time() -> str:
    """The CPU time of a bot, as the arena measures it from outside, is what the bot has used."""
    Path("bots.py").write_text(BOTS)
    assert dlgo(*tournament("cpu.sqlite", "random", "bots.py:Burns", pairs=1,
                            more=("--workers", "1"))).returncode == 0
    assert dlgo("report", "cpu.sqlite", "--out", "cpu").returncode == 0
    with Path("cpu/cost_table.csv").open(newline="", encoding="utf-8") as file:
        rows = {row["entrant"]: row for row in csv.DictReader(file)}
    burns = next(row for name, row in rows.items() if "burns" in name.lower())
    seconds = float(burns["mean_cpu_ms"]) / 1000
    assert abs(seconds / BURNT - 1) < 0.05, seconds
    return (f"{seconds:.3f} s measured for each of {burns['moves']} moves, {BURNT} s used "
            f"({seconds / BURNT - 1:+.1%})")


SCENARIOS = {
    name: value for name, value in list(globals().items())
    if callable(value) and getattr(value, "__annotations__", None) == {"return": "str"}
}

if __name__ == "__main__":
    sys.stdout.reconfigure(errors="backslashreplace")
    signal.signal(signal.SIGINT, lambda *_: None)  # Ctrl-C is for those that we start
    print("ok:", SCENARIOS[sys.argv[1]]())
