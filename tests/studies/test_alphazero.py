"""The learning curve of a run, and Go on 5x5: what they measure, and what they refuse."""

from __future__ import annotations

import io
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from dlgo import get_game
from dlgo.errors import ModelError
from engines.alphazero.config import make_config
from engines.alphazero.run import train
from engines.learners import LEARNERS
from engines.learning.networks.card import read_card
from engines.registry import EngineSpec, engine_class, engine_names
from experiments.arena.progress import PlainReporter
from experiments.arena.schedule import Plan
from experiments.arena.tournament import run_tournament
from experiments.chapters import ch14_go5 as az_go5
from experiments.studies import rated, variants
from tests.conftest import FULL

pytestmark = pytest.mark.usefixtures("shared_workers")


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    """Three tiny iterations of tic-tac-toe."""
    folder = tmp_path_factory.mktemp("az") / "run"
    plan = make_config("tictactoe", iterations=3, games=8, sims=4, workers=1, runtime="onnx",
                     network="resnet:blocks=0,filters=8")
    train(plan, folder)
    return folder


def test_points_are_spread_over_the_run_with_its_ends_and_what_they_cost(run: Path) -> None:
    points = rated.network_points(run, 1, (1, 8), "batch=2")
    assert [(one.iteration, one.sims) for one in points] == [(0, 1), (0, 8), (3, 1), (3, 8)]
    assert [one.games for one in points] == [0, 0, 24, 24]
    assert points[0].cpu_seconds == 0 < points[2].cpu_seconds
    settings = dict(EngineSpec.parse(points[3].engine).settings)
    assert settings["model"] == str(run / "nets" / "0003") and settings["batch"] == 2
    assert [one.iteration for one in rated.network_points(run, 9, (1,))] == [0, 1, 2, 3]


def test_a_folder_without_networks_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="holds no networks"):
        rated.network_points(tmp_path, 3, (1,))


def test_the_table_has_the_ledgers_scores(run: Path, tmp_path: Path) -> None:
    points = rated.network_points(run, 1, (8,))
    game, other = str(get_game("tictactoe")), EngineSpec.parse("random").text
    engines = tuple(one.engine for one in points)
    plan = Plan((game,), (*engines, other), pairs=4, seed=1, kind="gauntlet", challengers=engines)
    run_tournament(
        plan.canonical(), tmp_path / "l.sqlite", workers=1, progress=PlainReporter(io.StringIO())
    )
    frame = rated.rated_points(game, points, (other,), tmp_path / "l.sqlite")
    assert frame["entrant"].tolist() == [*engines, other]
    assert frame["iteration"].dropna().tolist() == [0, 3]
    scores = frame[f"against {other}"].tolist()
    assert all(text.split("/")[1] in "87654" for text in scores[:2]) and not scores[2]
    assert (frame["low95"] < frame["rating"]).all() and (frame["rating"] < frame["high95"]).all()


def test_every_engine_that_plays_go_is_an_opponent() -> None:
    names = {EngineSpec.parse(one).name for one in az_go5.opponents("go5-alphazero")}
    ours = {
        name for name in engine_names() if engine_class(name).__module__.startswith("engines.")
    }
    # GNU Go may be absent; the solver knows no Go; the textbook's are searches that are there; of
    # some learners no network comes with the package, nor an AlphaGo.
    absent = {"gtp", "solver", "alphago", "fast_policy", *LEARNERS}
    assert names >= {name for name in ours - absent if "textbook" not in name}


def test_black_takes_the_whole_board() -> None:
    """The network that comes with the package, with little search, against weak players."""
    rows = list(az_go5.play_black(
        "alphazero:model=go5-alphazero,sims=50", ["random", "mcts:sims=50"], games=1, seed=2,
    ))
    assert [(row["opening"], row["margin"], row["won"]) for row in rows] == [("C3", 25, True)] * 2


@pytest.mark.skipif(not FULL, reason="a quarter of a minute: DLGO_FULL=1")
def test_variants_are_trained_and_rated_and_not_twice(tmp_path: Path) -> None:
    out = tmp_path / "variants"
    arguments = ["--learner", "alphazero", "--quick", "--variant", "forced=2", "--out", str(out)]
    first = CliRunner().invoke(variants.main, arguments)
    assert first.exit_code == 0, first.output
    out /= "alphazero-quick"
    runs = pd.read_csv(out / "runs.csv")
    assert sorted(zip(runs["variant"], runs["seed"], strict=True)) == [
        ("base", 1), ("base", 2), ("forced=2", 1), ("forced=2", 2)]
    assert abs(runs["rating"].sum()) < 0.01
    ends = [
        read_card(out / run / "nets" / "0002").training["cpu_seconds"]
        for run in ("base-1", "base-2", "forced=2-1", "forced=2-2")
    ]
    assert runs["cpu_seconds"].max() == min(ends) > 0, "nobody had more than the cheapest run"
    assert pd.read_csv(out / "variants.csv")["runs"].tolist() == [2, 2]
    again = CliRunner().invoke(variants.main, arguments)
    assert again.exit_code == 0 and "nothing left to play" in again.output
    assert again.output.splitlines()[-4:] == first.output.splitlines()[-4:]
