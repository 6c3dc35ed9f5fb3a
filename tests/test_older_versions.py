"""What older versions wrote is read, and gone on with: ledgers, data, models, runs, saved games.

`samples/README.md` says how each file was made; `learning/runs/test_old_runs.py` looks closer at
runs of training.
"""

from __future__ import annotations

import csv
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from engines.registry import engine_class, engine_names
from tests.command import dlgo_here

SAMPLES = Path(__file__).with_name("samples")

Command = Callable[..., str]


@pytest.fixture
def dlgo(capfd: pytest.CaptureFixture[str]) -> Command:
    """Runs the command and returns what it says; it must succeed."""
    def run(*arguments: object) -> str:
        done = dlgo_here(capfd, *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    return run


def history(folder: Path) -> list[dict[str, str]]:
    """The lines of a run's history.csv."""
    with (folder / "history.csv").open() as file:
        return list(csv.DictReader(file))


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the samples that a test may write to."""
    return Path(shutil.copytree(SAMPLES, tmp_path / "samples"))


@pytest.mark.usefixtures("forked_workers")
def test_a_tournament_goes_on_in_an_old_ledger(dlgo: Command, copy: Path) -> None:
    """The plan's old spellings mean the entrants that the ledger holds: nothing is played anew."""
    ledger = copy / "games_format2.sqlite"
    before = sqlite3.connect(ledger).execute("SELECT slot, moves FROM games").fetchall()
    assert len(before) == 34
    dlgo("tournament", copy / "plan_of_games.toml", "--ledger", ledger, "--workers", 1)
    assert sqlite3.connect(ledger).execute("SELECT slot, moves FROM games").fetchall() == before
    dlgo("tournament", copy / "plan_of_games.toml", "--ledger", ledger, "--workers", 1,
         "--engine", "heuristic")
    after = sqlite3.connect(ledger).execute("SELECT first, second FROM games").fetchall()
    assert len(after) > 34
    assert all("heuristic" in players for players in after[34:])


def test_an_old_ledger_is_rated(dlgo: Command, copy: Path) -> None:
    dlgo("rate", copy / "games_format2.sqlite", "--csv", copy / "ratings.csv")
    assert "supervised" in (copy / "ratings.csv").read_text()


@pytest.mark.usefixtures("forked_workers")
def test_old_data_is_added_to_and_learned_from(dlgo: Command, copy: Path) -> None:
    said = dlgo("data", "show", copy / "dataset")
    assert "30" in said
    dlgo("generate", "tictactoe", "--engine", "mcts:sims=20", "--against", "random", "--games",
         40, "--shard-games", 12, "--opening-plies", 3, "--sample-plies", 4, "--temperature",
         0.8, "--seed", 3, "--workers", 1, "--out", copy / "dataset")
    for shard in ("games-000000.npz", "games-000001.npz"):
        assert (copy / "dataset" / shard).read_bytes() == (SAMPLES / "dataset" / shard).read_bytes()
    assert len(list((copy / "dataset").glob("*.npz"))) == 4


def test_an_old_run_of_alphazero_goes_on(dlgo: Command, copy: Path) -> None:
    """With names that settings had then, and with names of today."""
    before = history(copy / "alphazero")
    networks = sorted(path.name for path in (copy / "alphazero" / "nets").iterdir())
    assert networks == ["0000", "0001", "0002"]
    again = ("train", "alphazero", "--game", "tictactoe", "--net", "mlp:hidden=4,layers=1",
               "--games", 6, "--sims", 4, "--workers", 1, "--seed", 3, "--runtime", "onnx",
               "--set", "batch_size=16", "--out", copy / "alphazero")
    dlgo(*again, "--iterations", 3, "--set", "promote=0.5", "--set", "gating_games=2")
    assert (copy / "alphazero" / "nets" / "0003").is_dir()
    after = history(copy / "alphazero")
    for old, new in zip(before, after, strict=False):
        for name, value in old.items():  # version 0.1.0 wrote six digits
            assert float(new[name]) == pytest.approx(float(value), rel=1e-4), name
    assert len(after) == 3


@pytest.mark.parametrize("model", ["supervised", "alphazero/nets/0002"])
def test_an_old_model_plays(dlgo: Command, copy: Path, model: str) -> None:
    engine = f"supervised:model={copy / model}"
    said = dlgo("play", "tictactoe", "--first", engine, "--second", "random", "--delay", 0,
                "--seed", 1)
    assert "Game over" in said


@pytest.mark.parametrize("name", sorted(path.name for path in (SAMPLES / "saved").iterdir()))
def test_an_old_saved_game_is_shown(dlgo: Command, copy: Path, name: str) -> None:
    dlgo("show", copy / "saved" / name, "--out", copy / "game.png")
    assert (copy / "game.png").stat().st_size > 1000


@pytest.mark.parametrize("name", ["unfinished_connect4.txt", "unfinished_draughts.pdn",
                                  "unfinished_go.sgf"])
def test_an_old_saved_game_is_played_on(dlgo: Command, copy: Path, name: str) -> None:
    dlgo("play", "--resume", copy / "saved" / name, "--first", "random", "--second", "random",
         "--delay", 0, "--seed", 1, "--save", copy / name)
    old, new = (copy / "saved" / name).read_text(), (copy / name).read_text()
    assert len(new) > len(old)


def test_every_former_name_is_in_the_docs() -> None:
    text = (SAMPLES.parents[1] / "docs" / "names.md").read_text()
    for name in engine_names():
        for option in engine_class(name).options:
            for alias in option.aliases:
                assert f"| `{alias}` | `{option.name}` |" in text, (name, alias)
