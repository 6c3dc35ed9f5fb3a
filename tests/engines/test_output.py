"""What an external engine prints: kept, quoted when it fails, shown to those who ask for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments.arena.referee import EngineCache, play_game
from tests.arena.mocks import make_task
from tests.command import dlgo, dlgo_here
from tests.conftest import RUN_ALL

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")

BOTS = '''
import os, sys

print("the file is loaded")

class Prints:
    def __init__(self, to="stdout", end="\\n"):
        self.file, self.end = getattr(sys, to), end
    def select_move(self, state):
        print("move", len(state.moves()), "caf\\u00e9", file=self.file, end=self.end)
        if len(state.moves()) > 3:
            self.fail()
        return state.legal_moves()[0]
    def fail(self): pass

class Raises(Prints):
    def fail(self): raise ValueError("eel")

class Exits(Prints):
    def fail(self): os._exit(3)

class Cheats(Prints):
    def select_move(self, state):
        super().select_move(state)
        taken = [state.last_move] if len(state.moves()) > 3 else state.legal_moves()
        return taken[0]

class Controls(Prints):
    def select_move(self, state):
        print("\\x1b[2J\\rred")
        return state.legal_moves()[0]
'''


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "bots.py").write_text(BOTS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("bot", "shown"), [
    ("bots.py:Prints", False), ("bots.py:Prints:to=stderr", True), ("bots.py:Controls", True),
    *([("bots.py:Prints", True), ('bots.py:Prints:end=" "', True)] if RUN_ALL else []),
])
def test_prints_are_shown_to_those_who_ask(bot: str, shown: bool, capfd) -> None:
    done = dlgo_here(capfd, "play", "tictactoe", "--first", bot, "--second", "random", "--delay",
                     0, "--seed", 1, *(["--show-output"] if shown else []))
    assert done.returncode == 0
    assert "caf\u00e9" not in done.stdout and "red" not in done.stdout
    lines = [line for line in done.stderr.splitlines() if line.startswith("bots.py:")]
    if not shown:
        assert not lines
    elif "Controls" in bot:  # what a terminal would obey is made visible
        assert rf"{bot} | \x1b[2J\rred" in lines and "\x1b" not in done.stderr
    elif "end" not in bot:
        assert {f"{bot} | the file is loaded", f"{bot} | move 0 caf\u00e9",
                f"{bot} | move 4 caf\u00e9"} <= {*lines}
        assert lines.count(f"{bot} | the file is loaded") == 1


@pytest.mark.parametrize(("bot", "reason"), [
    ("Raises", "ValueError: eel; its last words: 'move 2 caf\u00e9 / move 4 caf\u00e9"),
    ("Exits", "process died (exit code 3); its last words: 'move 2 caf\u00e9 / move 4"),
    ("Cheats", "; its last words: 'move 2 caf\u00e9 / move 4 caf\u00e9"),
])
def test_the_last_lines_are_quoted_when_it_fails(bot: str, reason: str) -> None:
    engines = EngineCache()
    record = play_game(make_task(f"bots.py:{bot}", "random"), engines)
    engines.close()
    assert record.failed and reason in record.reason.replace(" while first was thinking", "")


@pytest.mark.slow
def test_a_gtp_stream_holds_nothing_of_it(folder: Path) -> None:
    done = dlgo("gtp", "--game", "tictactoe", "--engine", "bots.py:Raises", cwd=folder,
                stdin="genmove b\ngenmove w\ngenmove b\ngenmove w\ngenmove b\nquit\n")
    answers = [line for line in done.stdout.splitlines() if line]
    assert all(line.startswith(("=", "?")) for line in answers), done.stdout
    failed = [line for line in answers if line.startswith("?")]
    assert failed and "its last words: 'move" in failed[0]
    assert "loaded" not in done.stdout
