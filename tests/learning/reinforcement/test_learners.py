"""Learners from their own games: they learn, go on after kill -9 bit by bit, and refuse what is
broken.

TensorFlow takes seconds to start, so one process does all. `--run-all` ends a process of every
learner with kill -9; by default one learner is broken off within the process, and one draws the
curves of its run.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from dlgo import GameState, SpecError, get_game
from dlgo.errors import DataError, ModelError
from engines.learners import LEARNERS, learner_class
from engines.learning.data.experience import read_experience
from engines.learning.data.records import NO_RESULT
from engines.learning.diagnostics.findings import Diagnosis
from engines.learning.networks.card import read_card
from engines.learning.reinforcement.doctor import examine_run
from engines.learning.reinforcement.learner import train
from engines.learning.runs import Progress
from engines.learning.runs.records import read_history
from engines.registry import build_engine
from experiments.cli.main import cli
from tests.conftest import RUN_ALL, one_line_error
from tests.learning.breaking import broken_off, measured

pytest.importorskip("keras")

from engines.learning.networks.trainable import TrainableNetwork  # noqa: E402

pytestmark = pytest.mark.train

# So much of tic-tac-toe that each learner plays clearly better than chance, with everything that
# a run may have: a pool, random starts, networks along the way.
SHORT: dict[str, Any] = {
    "iterations": 6, "games": 240, "games_at_once": 120, "batch_size": 128, "test_games": 400,
    "test_every": 6, "save_every": 3, "network": "mlp:hidden=64,layers=1,activation=relu",
    "precision": "float32", "discount": 0.8, "optimizer": "adam:lr=0.01", "pool_share": 0.25,
    "random_share": 0.25,
}
LAST = "nets/0006"
DRAWN = list(LEARNERS) if RUN_ALL else ["ppo"]


def short_settings(name: str) -> dict[str, Any]:
    """Those of `SHORT` that a learner has; fewer games for descent, which learns from trees."""
    settings = {key: SHORT[key] for key in SHORT.keys() & learner_class(name).config.options()}
    own = {"descent": {"games": 24, "sims": 6},
           "ntuple": {"games": 4800, "network": "walks:length=6"}}
    return settings | own.get(name, {})


def run(name: str, folder: Path, progress: Progress | None = None, **settings: Any):
    learner = learner_class(name)
    config = learner.config.make(
        "tictactoe", **{**short_settings(name), "curves": False, **settings})
    return train(learner, config, folder, progress)


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A short run of each learner."""
    folders = {name: tmp_path_factory.mktemp(name) / "run" for name in LEARNERS}
    for name, folder in folders.items():
        run(name, folder, curves=name in DRAWN)
    return folders


@pytest.mark.parametrize("name", LEARNERS)
def test_a_learner_beats_random_play_and_leaves_what_a_run_leaves(
    name: str, short: dict[str, Path]
) -> None:
    folder = short[name]
    card, rows = read_card(folder / LAST), measured(folder)
    # Of 400 games between equals, luck gives nobody 60%.
    assert card.accuracy["random"]["score"] == rows[-1]["score_random"] > 0.6
    assert card.training["method"] == name and card.training["cpu_seconds"] > 0
    assert sum(row["games"] for row in rows) == card.training["games"]
    if name in DRAWN:
        assert (folder / "curves.png").read_bytes()[:4] == b"\x89PNG"
    assert {path.name for path in (folder / "nets").iterdir()} == {"0000", "0003", "0006"}
    for model in (folder, folder / LAST):  # the folder of a run is a model
        player = build_engine(f"{name}:model={model}", "tictactoe")
        assert player.training_cpu_seconds == card.training["cpu_seconds"]
        assert player.network_id == card.network_id
    if name == "ntuple":  # it learns while it plays
        return
    last = read_experience(folder / "experience/000006.npz", get_game("tictactoe"), "planes")
    assert last.provenance["iteration"] == 6
    if name == "descent":  # the games, and the lines of their trees
        assert (last.results != NO_RESULT).sum() == 24 < last.n_games
        return
    assert last.n_games == SHORT["games"]
    learned = len(last.decisions) / last.plies.sum()
    assert 0.5 < learned < 0.95, "the pool's decisions and random ones are not learned from"


@pytest.mark.parametrize("name", LEARNERS if RUN_ALL else ["q_learning", "descent"])
def test_a_killed_run_goes_on_to_the_weights_of_an_unbroken_one(
    name: str, short: dict[str, Path], tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    # In the first step of learning from the games of iteration 5.
    broken_off(__name__, f"run({name!r}, Path({str(folder)!r}), progress)", 5, "learning")
    assert len(measured(folder)) == 4
    settings = [f"--set={key}={value}" for key, value in short_settings(name).items()]
    done = CliRunner().invoke(
        cli, ["train", name, "--game=tictactoe", f"--out={folder}", *settings])
    assert done.exit_code == 0 and "continuing after iteration" in done.output
    *_, score, last = done.output.splitlines()
    assert score.startswith("run-0006: ") and "against random play" in score
    assert last.startswith("play against it: dlgo play tictactoe --second")
    assert measured(folder) == measured(short[name])
    assert read_card(folder / LAST).network_id == read_card(short[name] / LAST).network_id
    states = [np.load(place / "checkpoint.npz") for place in (folder, short[name])]
    for part in states[0].files:
        if part.startswith("state"):  # the optimiser's, too
            np.testing.assert_array_equal(states[0][part], states[1][part])


def test_an_iteration_more_goes_on_and_other_settings_do_not(
    short: dict[str, Path], tmp_path: Path
) -> None:
    shutil.copytree(short["policy_gradient"], tmp_path / "run")
    run("policy_gradient", tmp_path / "run", iterations=7)
    assert len(measured(tmp_path / "run")) == 7
    with one_line_error(ModelError, "holds a run with entropy=0.01; use the same settings"):
        run("policy_gradient", tmp_path / "run", entropy=0.5)
    shutil.rmtree(tmp_path / "run/nets/0007")
    with one_line_error(ModelError, "run has 7 iterations, and no network of the last one: raise"):
        spent = [row["cpu_seconds"] for row in read_history(tmp_path / "run", ["cpu_seconds"])]
        run("policy_gradient", tmp_path / "run", cpu_minutes=(sum(spent) - spent[-1] / 2) / 60)


@pytest.mark.parametrize("name", ["policy_gradient", "descent"])
def test_a_limit_of_cpu_time_ends_a_run_and_its_schedules(name: str, tmp_path: Path) -> None:
    settings = {"games": 24, "games_at_once": 24, "test_games": 2, "iterations": 1, "decay": 0.1}
    folder = tmp_path / "run"
    run(name, folder, cpu_minutes=0.005, **settings)
    card = run(name, folder, cpu_minutes=0.025, **settings)  # goes on
    rows = read_history(folder, ["cpu_seconds", "learning_rate"])
    *before, spent = np.cumsum([row["cpu_seconds"] for row in rows])
    assert before[-1] < 1.5 <= spent, "iterations=1 does not count"
    assert card.training["cpu_seconds"] == pytest.approx(spent, abs=0.06)
    assert card.training["iterations"] == len(rows), "the last network is saved"
    assert rows[-1]["learning_rate"] == pytest.approx(0.01 * 0.1 ** (before[-1] / 1.5))
    title = examine_run(folder, learner_class(name).config).title
    assert title.endswith(f"iteration {len(rows)}, until 0.025 CPU minutes are spent")


def test_epsilon_falls_to_the_middle_of_the_iterations_or_of_the_cpu_time() -> None:
    config = learner_class("q_learning").config.make(
        "tictactoe", iterations=5, epsilon=0.5, last_epsilon=0.1)
    rows = [{"cpu_seconds": 7.5}] * 4
    for settings, wanted in ((config, [0.5, 0.3, 0.1, 0.1, 0.1]),
                             (replace(config, cpu_minutes=1), [0.5, 0.4, 0.3, 0.2, 0.1])):
        assert [settings.epsilon_of(rows[:n]) for n in range(5)] == pytest.approx(wanted)


@pytest.mark.parametrize(("name", "damaged", "error", "message"), [
    ("policy_gradient", "nets/*/network.keras", ModelError,
     "checksum differs): it is damaged or of another model; copy the folder again; restore"),
    ("q_learning", "experience/000005.npz", DataError,
     "000005.npz is a damaged experience file: it is cut off; the run needs"),
])
def test_files_that_a_run_still_needs_and_that_are_damaged_are_named(
    name: str, damaged: str, error: type[Exception], message: str, short: dict[str, Path],
    tmp_path: Path,
) -> None:
    folder = tmp_path / "run"
    shutil.copytree(short[name], folder)
    for path in folder.glob(damaged):
        path.write_bytes(path.read_bytes()[:700])
    before = (folder / "checkpoint.npz").read_bytes()
    with one_line_error(error, message):
        run(name, folder, iterations=7)
    assert (folder / "checkpoint.npz").read_bytes() == before


def test_a_player_refuses_a_network_of_another_kind(short: dict[str, Path]) -> None:
    policy, values = (short[name] / LAST for name in ("policy_gradient", "q_learning"))
    for spec, game, part in (
        (f"q_learning:model={policy}", "tictactoe", "has no values of actions"),
        (f"ppo:model={values}", "tictactoe", "has no policy head"),
        (f"policy_gradient:model={policy}", "connect4", "trained on tictactoe, not on connect4"),
        ("actor_critic", "tictactoe", "no actor_critic model comes with the package"),
    ):
        with one_line_error(ModelError, part):
            build_engine(spec, game)
    start = GameState.new_game(get_game("tictactoe"))
    greedy = build_engine(f"q_learning:model={values}", "tictactoe").select_move(start)
    assert sorted(greedy.policy.values()) == [0.0] * 8 + [1.0] and -1 <= greedy.value <= 1
    spread = build_engine(f"q_learning:model={values},epsilon=0.9", "tictactoe")
    assert min(spread.select_move(start).policy.values()) == pytest.approx(0.1)


def test_the_doctor_reads_the_folder_of_a_run(
    short: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ppo", "q_learning", "descent"):
        done = CliRunner().invoke(cli, ["doctor", str(short[name])])
        assert done.exit_code == 0, done.exception
        assert f": {name}, tictactoe, mlp" in done.output
        assert ("value sign" if name == "descent" else "scores 0.500 in 64") in done.output
    monkeypatch.setattr("engines.learners.examine", lambda folder: Diagnosis("a short run"))
    done = CliRunner().invoke(cli, ["doctor", str(short["descent"])])
    assert done.output == "a short run\nnothing can be judged yet; train for more iterations\n"


@pytest.mark.parametrize(("gone", "found", "checked", "cut"), [
    ("checkpoint.npz", "checkpoint", True, True),
    ("experience/*", "network and experience", False, True),
    ("nets/*/network.onnx", "network and experience", False, False),
])
def test_the_doctor_finds_what_a_killed_run_has_not_written(
    gone: str, found: str, checked: bool, cut: bool, short: dict[str, Path], tmp_path: Path
) -> None:
    shutil.copytree(short["ppo"], tmp_path / "run")
    for path in (tmp_path / "run").glob(gone):
        path.write_bytes(path.read_bytes()[:50]) if cut else path.unlink()
    done = CliRunner().invoke(cli, ["doctor", str(tmp_path / "run")])
    assert done.exit_code == 0 and done.exception is None, done.output
    assert f" {found}: " in done.output, done.output
    assert ("policy entropy: " in done.output) is checked, done.output


def test_a_loss_that_is_not_a_number_is_named_at_its_step(
    short: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(short["policy_gradient"], tmp_path / "run")
    before = (tmp_path / "run/checkpoint.npz").read_bytes()
    learn = TrainableNetwork.learn
    monkeypatch.setattr(
        TrainableNetwork, "learn",
        lambda self, planes, targets, weights: learn(
            self, planes, {head: array * np.nan for head, array in targets.items()}, weights),
    )
    with one_line_error(ModelError, "in step 1 of iteration 7 the loss is nan; iteration 6 is"):
        run("policy_gradient", tmp_path / "run", iterations=8)
    assert (tmp_path / "run/checkpoint.npz").read_bytes() == before


@pytest.mark.parametrize(("settings", "part"), [
    (["--set", "entropyy=1"], "did you mean entropy"),
    (["--set", "pool_share=2"], "out of range"),
    (["--set", "test_games=3"], "not an even number"),
    (["--net", "resnett"], "did you mean resnet"),
    (["--game", "connect5"], "connect4"),
    (["--set", "encoder=alphago49"], "encoder"),
])
def test_mistakes_are_refused_before_anything_is_written(
    settings: list[str], part: str, tmp_path: Path
) -> None:
    arguments = ["train", "policy_gradient", "--game=connect4", f"--out={tmp_path / 'run'}"]
    done = CliRunner().invoke(cli, arguments + settings)
    assert isinstance(done.exception, SpecError | DataError) and part in str(done.exception)
    assert not (tmp_path / "run").exists()
