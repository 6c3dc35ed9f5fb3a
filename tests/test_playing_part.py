"""What plays, rates and reports needs no package of the extra `train`.

One process, in which these packages cannot be imported, runs all commands.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
# Run before a program: these packages are as if they were not installed.
BLOCK = """
import sys
for name in ("jax", "keras", "onnx", "tensorflow"):
    sys.modules[name] = None
"""
# They train, or write networks.
TRAINING = {
    f"engines.learning.networks.{name}"
    for name in ("architectures", "backend", "onnx_export", "optimizers", "saving", "trainable")
} | {"engines.learning.reinforcement.losses"}


# Runs commands, and says how each ended; then imports modules, and says which cannot be.
PROGRAM = """
import contextlib, importlib, io, json
from experiments.cli.main import main
commands, modules = json.load(sys.stdin)
ends, missing = [], []
for words in commands:
    out, error = io.StringIO(), io.StringIO()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
            main(words)
    except SystemExit as end:
        ends.append((int(end.code or 0), error.getvalue()))
for name in modules:
    try:
        importlib.import_module(name)
    except ImportError as error:
        missing.append(f"{name}: {error}")
json.dump((ends, missing), sys.stdout)
"""
WORKING = [
    "tournament --game=tictactoe --engine=alphazero:sims=4 --engine=supervised --pairs=1 "
    "--workers=1 --ledger=l.sqlite",
    "report l.sqlite --bootstrap=0 --out=page",
    "tournament --game=connect4 --engine=alphazero:sims=4,runtime=int8 "
    "--engine=alphazero:sims=4 --pairs=1 --workers=1 --ledger=int8.sqlite",
    "generate tictactoe --engine=random --games=20 --workers=1 --out=games",
]
REFUSED = [
    "train alphazero --game=tictactoe --out=run",
    "train supervised --data=games --out=run",
    "train quantise connect4-ppo --out=run",
    "play tictactoe --first=supervised:runtime=keras --second=random",
    "connectx export --model=connect4-alphazero --out=agent.py",
]
pytestmark = pytest.mark.docs
MODULES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for package in ("dlgo", "engines", "experiments", "reports")
    for path in sorted((ROOT / package).rglob("*.py"))
    if not re.fullmatch(r"(ch\d\d|python|windows)\.py", path.name)  # a notebook runs; not Windows
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("playing")


@pytest.fixture(scope="module")
def said(folder: Path) -> tuple[dict[str, tuple[int, str]], list[str]]:
    """How each command ended, with its errors, and the modules that cannot be imported."""
    commands = WORKING + REFUSED
    modules = [n for n in MODULES if n not in TRAINING and not n.endswith("__main__")]
    done = subprocess.run(
        [sys.executable, "-c", BLOCK + PROGRAM], cwd=folder, capture_output=True, text=True,
        input=json.dumps(([text.split() for text in commands], modules)), check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr
    ends, missing = json.loads(done.stdout.splitlines()[-1])
    return dict(zip(commands, ends, strict=True)), missing


def test_every_module_but_those_that_train_can_be_imported(said) -> None:
    assert len(MODULES) > 200 and set(MODULES) >= TRAINING
    assert said[1] == []


def test_networks_play_and_are_rated(said, folder: Path) -> None:
    for command in WORKING:
        status, error = said[0][command]
        assert status == 0, error
    assert (folder / "page/report.html").exists()


@pytest.mark.parametrize("command", REFUSED)
def test_what_needs_the_extra_says_how_to_install_it(command: str, said, folder: Path) -> None:
    status, error = said[0][command]
    assert status == 2, error
    assert len(error.strip().splitlines()) == 1
    assert 'pip install "dlgo-suite[train]"' in error
    assert not (folder / "run").exists()
