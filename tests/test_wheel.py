"""The wheel holds all that playing needs: it is built, installed elsewhere, and played with."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.command import ROOT

PACKAGES = ("dlgo", "engines", "experiments", "reports")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which nothing but the wheel has been installed."""
    pytest.importorskip("setuptools")
    source, target = (tmp_path_factory.mktemp(name) for name in ("source", "target"))
    for name in PACKAGES:
        shutil.copytree(
            ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__", ".*")
        )
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    done = subprocess.run(
        # What pip runs, in three processes of which this is the last.
        [sys.executable, "-c", "from setuptools.build_meta import build_wheel; build_wheel('.')"],
        cwd=source, capture_output=True, text=True, check=False,
    )
    assert done.returncode == 0, done.stderr
    (wheel,) = source.glob("dlgo-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target)
    return target


def run(installed: Path, folder: Path, *arguments: str) -> str:
    """Run Python in an empty folder, with the installed packages before all others."""
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, timeout=300,
        env={**os.environ, "PYTHONPATH": str(installed)}, check=False, stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_has_every_file_of_the_packages(installed: Path) -> None:
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*"):
            parts = path.relative_to(ROOT).parts
            if path.suffix in ("", ".md", ".pyc") or any(p.startswith(".") for p in parts):
                continue  # folders, notes, caches
            if path.is_file():
                assert (installed / path.relative_to(ROOT)).is_file(), path
    assert list((installed / "experiments/plans").glob("*.toml"))


def test_what_is_installed_plays_and_lists(installed: Path, tmp_path: Path) -> None:
    code = "import dlgo, experiments.cli.main as m; print(dlgo.__file__, m.__file__)"
    assert run(installed, tmp_path, "-c", code).count(str(installed)) == 2
    played = run(
        installed, tmp_path, "-m", "experiments.cli", "play", "tictactoe", "--first",
        "supervised", "--second", "mcts:sims=50", "--delay", "0",
    )
    assert "Game over: " in played
    assert "go9-alphazero" in run(installed, tmp_path, "-m", "experiments.cli", "models")
    entry = next(installed.glob("dlgo-*.dist-info")) / "entry_points.txt"
    assert "dlgo = experiments.cli.main:main" in entry.read_text()
