"""What strength costs: which networks of a run are entrants, how they play, and the figure."""

from __future__ import annotations

import shutil
from pathlib import Path

import pandas as pd

from engines.learning.networks.store import find_model
from experiments.studies.learning_cost import draw, entries
from tests.command import assert_one_line, run_module_here


def test_the_networks_of_a_run_are_spread_over_it_and_the_last_is_among_them(
    tmp_path: Path,
) -> None:
    for iteration in (0, 10, 20, 30, 40):
        shutil.copytree(find_model("tictactoe-alphazero"), tmp_path / f"nets/{iteration:04d}")
    game, found = entries(str(tmp_path), 2, (8,))
    assert game == "tictactoe" and {entry.source for entry in found} == {str(tmp_path)}
    assert [(Path(entry.entrant.split("model=")[1]).name, entry.sims) for entry in found] == [
        ("0020", 1), ("0020", 8), ("0040", 1), ("0040", 8)]
    assert len(entries(str(tmp_path), 9, (8,))[1]) == 8, "all but the untrained one"
    assert len(entries(str(tmp_path), 9, (1, 8), untrained=True)[1]) == 10


def test_a_network_plays_alone_and_with_a_search_and_costs_what_its_data_cost_too() -> None:
    _, (alone, searching) = entries("tictactoe-supervised", 3, (8,))
    assert (alone.entrant, alone.sims) == ("supervised:model=tictactoe-supervised", 1)
    assert (searching.entrant, searching.sims) == (
        "alphazero:sims=8,model=tictactoe-supervised", 8)
    assert alone.cpu_seconds == searching.cpu_seconds > 60 and alone.method == "supervised"
    _, (alone, _) = entries("tictactoe-alphazero", 3, (8,))
    assert alone.entrant == "alphazero:sims=1,model=tictactoe-alphazero"


def test_the_figure_shows_elo_and_mistakes(tmp_path: Path) -> None:
    frame = pd.DataFrame([
        {"method": "ppo", "source": "a", "sims": sims, "cpu_seconds": cost, "rating": cost + sims,
         "low95": cost - 30, "high95": cost + 130, "mistakes": 0.3 if sims == 1 else None,
         "entrant": f"{sims} {cost}"} for sims in (1, 100) for cost in (10, 100)
    ] + [{"entrant": "random", "rating": -500.0, "low95": -600, "high95": -400}])
    draw(frame, "test", ("random",), tmp_path / "cost.png")
    assert (tmp_path / "cost.png").stat().st_size > 10_000


def test_models_of_several_games_and_none_are_refused(capsys) -> None:
    name = "experiments.studies.learning_cost"
    assert_one_line(run_module_here(capsys, name), "no MODEL is named")
    done = run_module_here(capsys, name, "tictactoe-supervised", "go5-supervised")
    assert_one_line(done, "name models of one game")


def test_networks_are_rated_and_nothing_is_played_twice(capfd, tmp_path: Path) -> None:
    name, out = "experiments.studies.learning_cost", str(tmp_path / "cost")
    first, again = (run_module_here(capfd, name, "--quick", "--workers", "1", "--out", out)
                    for _ in range(2))
    assert first.returncode == 0 and "40 found, 0 played" in again.stderr
    table = pd.read_csv(tmp_path / "cost-quick/learning_cost.csv")
    assert table["sims"].dropna().tolist() == [1, 8, 1, 8] and table["entrant"].iloc[-1] == "random"
    assert table["against random"].dropna().str.fullmatch(r"[\d.]+/[1-4]").all()
    assert table["rating"].between(table["low95"], table["high95"]).all()
