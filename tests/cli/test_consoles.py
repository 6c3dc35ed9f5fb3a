"""Names in any script on consoles of any encoding, and in plots whose font lacks them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import ROOT

NAMES = ("é", "名前", "😀", "Ω")
# What each console must show of the names: `?` for what it lacks.
CONSOLES = {
    "latin-1": ("latin-1", "é ?? ? ?"),
    "cp1252:strict": ("cp1252", "é ?? ? ?"),
    "utf-8": ("utf-8", "é 名前 😀 Ω"),
}


def run(*words: object, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run Python on some words. Its output stays bytes, since its encoding is in question."""
    return subprocess.run(
        [sys.executable, *map(str, words)], cwd=ROOT, capture_output=True, check=False,
        env={**os.environ, **environment},
    )


@pytest.mark.slow
@pytest.mark.parametrize("console", CONSOLES)
def test_a_console_gets_replacements(console: str, tmp_path: Path) -> None:
    lines = ["first,second,result", *(f"{name},b,0.5" for name in NAMES)]
    (tmp_path / "games.csv").write_text("\n".join(lines), encoding="utf-8")
    encoding, shown = CONSOLES[console]
    done = run("-m", "experiments.cli", "rate", tmp_path / "games.csv", PYTHONIOENCODING=console)
    assert (done.returncode, done.stderr) == (0, b"")
    rows = [line for line in done.stdout.decode(encoding).splitlines() if "| " in line][2:]
    entrants = sorted(row.split("|")[2].strip(" *") for row in rows)
    assert entrants == sorted(["b", *shown.split()])


@pytest.mark.slow
def test_messages_name_files_in_any_script(tmp_path: Path) -> None:
    """The bot's file cannot even be named where the system's names are ASCII."""
    (tmp_path / "名前.py").write_text("class Bot:\n    select_move = 1\n")
    for words in (("rate", "名前.csv"), ("play", "tictactoe", "--first", tmp_path / "名前.py:Bot",
                                       "--second", "random")):
        done = run("-m", "experiments.cli", *words, LC_ALL="C", PYTHONUTF8="0",
                   PYTHONCOERCECLOCALE="0", PYTHONIOENCODING="")
        message = done.stderr.decode("ascii")
        assert done.returncode in (1, 2) and message.startswith("dlgo: "), message
        assert message.count("\n") == 1 and "Error" not in message.partition("Bot: ")[0], message


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
@pytest.mark.parametrize(("event", "end"), [
    # While it still imports its commands.
    ("sys.meta_path.insert(0, SimpleNamespace(find_spec=press))", (-signal.SIGINT, b"")),
    ("sys.modules['experiments.cli.main'] = SimpleNamespace("
     "main=lambda: run(click.Command('it', callback=press), []))", (130, b"\ndlgo: stopped\n")),
])
def test_ctrl_c_leaves_no_traceback(event: str, end: tuple[int, bytes]) -> None:
    program = (
        "import os, signal, sys, click; from types import SimpleNamespace\n"
        "from experiments.command import run\n"
        "from experiments.cli.__main__ import main\n"
        "press = lambda *_: os.kill(os.getpid(), signal.SIGINT)\n"
        # Background jobs of a shell are deaf to Ctrl-C.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"{event}; main()"
    )
    done = run("-c", program)
    assert (done.returncode, done.stderr) == end
