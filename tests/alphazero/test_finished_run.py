"""What a run leaves: the doctor examines it, and it plays."""

from __future__ import annotations

import csv
import itertools
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from dlgo.errors import ModelError
from engines.alphazero.doctor import examine_run
from engines.learning.networks.card import read_card
from engines.registry import build_engine
from experiments.cli.main import cli

pytestmark = pytest.mark.train


def test_the_doctor_examines_a_run(whole: Path, tmp_path: Path) -> None:
    runner = CliRunner()
    told = runner.invoke(cli, ["doctor", str(whole), "--html", str(tmp_path / "page.html")])
    assert told.exit_code == 0, told.output
    for name in ("value sign", "policy learned", "evaluator load", "exact results"):
        assert f"{name}: " in told.output
    assert (tmp_path / "page.html").read_text().count("<svg") == 5
    with pytest.raises(ModelError, match="holds no run"):
        examine_run(tmp_path)


@pytest.mark.parametrize(("gone", "found", "checked"), [
    (("history.csv", "plan.json"), "", True), (("checkpoint.npz",), "checkpoint", True),
    (("games/*",), "games", False), (("nets/*/network.onnx",), "network", True),
    (("checkpoint.npz", "history.csv"), "history", False),
])
def test_the_doctor_finds_what_a_killed_run_has_not_written(
    gone: tuple[str, ...], found: str, checked: bool, whole: Path, tmp_path: Path
) -> None:
    """The checkpoint has what plan.json and history.csv have, and the other way round."""
    shutil.copytree(whole, tmp_path / "run")
    for path in itertools.chain(*((tmp_path / "run").glob(pattern) for pattern in gone)):
        path.write_bytes(path.read_bytes()[:50])
    told = CliRunner().invoke(cli, ["doctor", str(tmp_path / "run")])
    assert told.exit_code == 0 and told.exception is None, told.output
    assert f" {found}: " in told.output or not found, told.output
    assert ("value sign: " in told.output) is checked, told.output


def test_a_run_that_was_killed_in_its_first_iteration_has_nothing_to_examine(
    whole: Path, tmp_path: Path
) -> None:
    shutil.copy(whole / "plan.json", tmp_path)
    told = CliRunner().invoke(cli, ["doctor", str(tmp_path), "--html", str(tmp_path / "p.html")])
    assert told.exit_code == 0, told.output
    assert "iteration 0 of" in told.output and "iterations: none is finished" in told.output


def test_the_folder_of_a_run_is_the_network_that_it_plays_with(whole: Path, tmp_path: Path) -> None:
    def played(folder: Path) -> str:
        return build_engine(f"alphazero:sims=2,model={folder}", "tictactoe").network_id

    networks = [read_card(folder).network_id for folder in sorted((whole / "nets").iterdir())]
    assert played(whole) == networks[-1] != networks[-2]
    shutil.copytree(whole, tmp_path / "run")
    with (whole / "history.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    with (tmp_path / "run/history.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0].keys() - {"promoted"}, "promoted"])
        writer.writeheader()
        writer.writerows(
            {**row, "promoted": float(row is not rows[-1])} for row in rows)
    assert played(tmp_path / "run") == networks[-2]  # the last one was not promoted
    (tmp_path / "run/history.csv").unlink()
    assert played(tmp_path / "run") == networks[0]  # no iteration is finished
    shutil.rmtree(tmp_path / "run/nets")
    (tmp_path / "run/nets").mkdir()
    with pytest.raises(ModelError, match="no network yet"):
        played(tmp_path / "run")
