"""What plays, rates and reports needs no package of the extra `train`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
# Run before a program: these packages are as if they were not installed.
BLOCK = """
import sys
for name in ("keras", "onnx", "tensorboard", "tensorflow", "tf2onnx"):
    sys.modules[name] = None
"""
# They train, or write networks.
TRAINING = {
    f"engines.learning.networks.{name}"
    for name in ("architectures", "backend", "optimizers", "saving")
} | {"engines.learning.reinforcement.losses"}


def run(program: str, *arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-c", BLOCK + program, *arguments], cwd=ROOT, capture_output=True,
        text=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def command(*arguments: str) -> subprocess.CompletedProcess:
    return run("from experiments.cli.main import main; main()", *arguments)


def test_every_module_but_those_that_train_can_be_imported() -> None:
    modules = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for package in ("dlgo", "engines", "experiments", "reports")
        for path in sorted((ROOT / package).rglob("*.py"))
    ]
    wanted = [
        name for name in modules if name not in TRAINING and not name.endswith("__main__")
    ]
    assert len(wanted) > 200 and set(modules) >= TRAINING
    done = run("""
import importlib
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except ImportError as error:
        print(name, error)
""", *wanted)
    assert (done.stdout, done.returncode) == ("", 0), done.stdout + done.stderr


def test_networks_play_and_are_rated(tmp_path: Path) -> None:
    done = command(
        "tournament", "--game", "tictactoe", "--engine", "alphazero:sims=4", "--engine",
        "supervised", "--pairs", "1", "--workers", "1", "--ledger", str(tmp_path / "l.sqlite"),
    )
    assert done.returncode == 0, done.stderr
    done = command("report", str(tmp_path / "l.sqlite"), "--out", str(tmp_path / "page"))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "page/report.html").exists()


@pytest.mark.parametrize("arguments", [
    ("train", "alphazero", "--game=tictactoe", "--out={}/run"),
    ("train", "supervised", "--data={}/games", "--out={}/run"),
    ("play", "tictactoe", "--first=supervised:runtime=keras", "--second=random"),
    ("connectx", "export", "--model=connect4-alphazero", "--out={}/agent.py"),
])
def test_what_needs_the_extra_says_how_to_install_it(arguments, tmp_path: Path) -> None:
    if arguments[1] == "supervised":
        made = command("generate", "tictactoe", "--engine=random", "--games=20", "--workers=1",
                       f"--out={tmp_path / 'games'}")
        assert made.returncode == 0, made.stderr
    done = command(*(argument.format(tmp_path) for argument in arguments))
    assert done.returncode == 2, done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert "pip install 'dlgo[train]'" in done.stderr
    assert not (tmp_path / "run").exists()
