"""Every chapter script runs with `--quick` and says at its top what to look for."""

from __future__ import annotations

import ast
import shutil
from pathlib import Path

import pytest

from tests.command import ROOT, run_module

GNUGO = Path("/usr/games/gnugo")
SCRIPTS = sorted((ROOT / "experiments/chapters").glob("ch*.py"))


def test_there_are_scripts() -> None:
    assert len(SCRIPTS) >= 18


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_is_short_and_explains_itself(script: Path) -> None:
    text = script.read_text()
    assert len(text.splitlines()) <= 130
    doc = ast.get_docstring(ast.parse(text)) or ""
    assert doc.startswith("Chapter ")
    assert f"python -m experiments.chapters.{script.stem}" in doc
    assert "look for" in doc


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_runs_quickly(script: Path) -> None:
    if script.stem == "ch08_gnugo" and not (shutil.which("gnugo") or GNUGO.exists()):
        pytest.skip("needs GNU Go")
    done = run_module(f"experiments.chapters.{script.stem}", "--quick")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) >= 5
