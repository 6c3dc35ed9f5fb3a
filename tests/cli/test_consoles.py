"""Names in any script on consoles of any encoding, and in plots whose font lacks them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import ROOT

NAMES = ("é", "名前", "😀", "Ω")
# What each console must show of the names: `?` for what it lacks.
CONSOLES = {
    "ascii": ("ascii", {"PYTHONIOENCODING": "ascii"}, "? ?? ? ?"),
    "latin-1": ("latin-1", {"PYTHONIOENCODING": "latin-1"}, "é ?? ? ?"),
    "cp1252:strict": ("cp1252", {"PYTHONIOENCODING": "cp1252:strict"}, "é ?? ? ?"),
    "utf-8": ("utf-8", {"PYTHONIOENCODING": "utf-8"}, "é 名前 😀 Ω"),
    "C": ("ascii", {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0",
                    "PYTHONIOENCODING": ""}, "? ?? ? ?"),
}


@pytest.fixture
def games(tmp_path: Path) -> Path:
    lines = ["first,second,result", *(f"{name},b,0.5" for name in NAMES)]
    (tmp_path / "games.csv").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path / "games.csv"


def run(*words: object, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run Python on some words. Its output stays bytes, since its encoding is in question."""
    return subprocess.run(
        [sys.executable, *map(str, words)], cwd=ROOT, capture_output=True, check=False,
        env={**os.environ, **environment},
    )


@pytest.mark.parametrize("console", CONSOLES)
def test_a_console_gets_replacements(console: str, games: Path) -> None:
    encoding, environment, shown = CONSOLES[console]
    done = run("-m", "experiments.cli", "rate", games, **environment)
    assert (done.returncode, done.stderr) == (0, b"")
    rows = [line for line in done.stdout.decode(encoding).splitlines() if "| " in line][2:]
    entrants = sorted(row.split("|")[2].strip(" *") for row in rows)
    assert entrants == sorted(["b", *shown.split()])


@pytest.mark.parametrize("console", CONSOLES)
def test_messages_name_files_in_any_script(console: str, tmp_path: Path) -> None:
    """The bot's file cannot even be named where the system's names are ASCII."""
    encoding, environment, _ = CONSOLES[console]
    (tmp_path / "名前.py").write_text("class Bot:\n    select_move = 1\n")
    for words in (("rate", "名前.csv"), ("engines", "--名前"), ("play", "tictactoe", "--first",
                  tmp_path / "名前.py:Bot", "--second", "random")):
        done = run("-m", "experiments.cli", *words, **environment)
        message = done.stderr.decode(encoding)
        assert done.returncode in (1, 2) and message.startswith("dlgo: "), message
        assert message.count("\n") == 1 and "Error" not in message.partition("Bot: ")[0], message


def test_a_font_that_lacks_characters_gives_one_line(tmp_path: Path) -> None:
    script = tmp_path / "draw.py"
    script.write_text(f"""
import warnings
from pathlib import Path
import click
from experiments.command import run
from reports.figures import new_figure, save

@click.command()
def draw():
    for name in ("名前", "日本語", "名前 和英"):
        figure = new_figure(3, 2)
        figure.text(0.1, 0.5, name)
        save(figure, Path({str(tmp_path)!r}) / "plot")
    warnings.warn("another warning stays")

run(draw, [])
""", encoding="utf-8")
    done = run(script, PYTHONPATH=str(ROOT))
    told = done.stderr.decode()
    assert done.returncode == 0 and (tmp_path / "plot.png").exists()
    assert "Glyph" not in told and told.count("lacks characters") == 1
    assert "another warning stays" in told
