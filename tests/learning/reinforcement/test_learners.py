"""Learners without search: they learn, go on after kill -9 bit by bit, and refuse what is broken.

TensorFlow takes seconds to start, so one process does all. `DLGO_FULL=1` ends a process of every
learner with kill -9 and has every learner learn again with the same seed and with another; by
default one learner is broken off within the process, and one draws the curves of its run.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from dlgo import GameState, SpecError, get_game
from dlgo.errors import DataError, ModelError
from engines.learners import LEARNERS, learner_class
from engines.learning.data.experience import read_experience
from engines.learning.networks.card import read_card
from engines.learning.reinforcement.learner import train
from engines.learning.runs import Progress, records
from engines.registry import build_engine
from experiments.cli.main import cli
from tests.conftest import FULL, one_line_error
from tests.learning.breaking import broken_off, measured

pytest.importorskip("keras")

from engines.learning.networks.trainable import TrainableNetwork  # noqa: E402

NET = "mlp:hidden=64,layers=1,activation=relu"
# So much of tic-tac-toe that each learner plays clearly better than chance, with everything that
# a run may have: a pool, random starts, networks along the way.
SHORT: dict[str, Any] = {
    "iterations": 8, "games": 300, "games_at_once": 150, "batch_size": 128, "test_games": 400,
    "test_every": 8, "save_every": 4, "network": NET, "precision": "float32", "discount": 0.8,
    "optimizer": "adam:lr=0.01", "pool_share": 0.25, "random_share": 0.25,
}
LAST = "nets/0008"
DRAWN = list(LEARNERS) if FULL else ["ppo"]


def run(name: str, folder: Path, progress: Progress | None = None, **settings: Any):
    learner = learner_class(name)
    config = learner.config.make("tictactoe", **{**SHORT, **settings})
    return train(learner, config, folder, progress)


def state(folder: Path) -> list[np.ndarray]:
    with np.load(folder / "checkpoint.npz") as arrays:
        return [arrays[f"state{i}"] for i in range(len(arrays.files) - 1)]


def same(one: Path, other: Path) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(state(one), state(other), strict=True))


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A short run of each learner."""
    folders = {name: tmp_path_factory.mktemp(name) / "run" for name in LEARNERS}
    for name, folder in folders.items():
        with pytest.MonkeyPatch.context() as patch:
            if name not in DRAWN:
                patch.setattr(records, "draw_curves", lambda *_: None)
            run(name, folder)
    return folders


@pytest.fixture
def no_curves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawing a run's curves takes as long as a short run; `short` has drawn them."""
    monkeypatch.setattr(records, "draw_curves", lambda *_: None)


@pytest.mark.parametrize("name", LEARNERS)
def test_a_learner_beats_random_play_within_seconds(name: str, short: dict[str, Path]) -> None:
    card, rows = read_card(short[name] / LAST), measured(short[name])
    # Of 400 games between equals, luck gives nobody 60%.
    assert card.accuracy["random"]["score"] == rows[-1]["score_random"] > 0.6
    assert card.training["method"] == name and card.training["cpu_seconds"] > 0
    assert sum(row["games"] for row in rows) == card.training["games"]
    player = build_engine(f"{name}:model={short[name] / LAST}", "tictactoe")
    assert player.training_cpu_seconds == card.training["cpu_seconds"]


@pytest.mark.usefixtures("no_curves")
@pytest.mark.skipif(not FULL, reason="half a minute, shown by a run broken off: DLGO_FULL=1")
@pytest.mark.parametrize("name", LEARNERS)
def test_the_same_seed_gives_the_same_network_and_another_one_does_not(
    name: str, short: dict[str, Path], tmp_path: Path
) -> None:
    run(name, tmp_path / "again")
    assert same(tmp_path / "again", short[name])
    assert measured(tmp_path / "again") == measured(short[name])
    run(name, tmp_path / "other", seed=2)
    assert not same(tmp_path / "other", short[name])


def command(name: str, folder: Path) -> list[str]:
    settings = [f"--set={key}={value}" for key, value in SHORT.items()]
    return ["train", name, "--game=tictactoe", f"--out={folder}", *settings]


@pytest.mark.usefixtures("no_curves")
@pytest.mark.parametrize("name", LEARNERS if FULL else ["q_learning"])
def test_a_killed_run_goes_on_to_the_weights_of_an_unbroken_one(
    name: str, short: dict[str, Path], tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    # In the first step of learning from the games of iteration 6.
    call = f"run({name!r}, Path({str(folder)!r}), progress)"
    broken_off(__name__, call, 6, "learning")
    assert len(measured(folder)) == 5
    done = CliRunner().invoke(cli, command(name, folder))
    assert done.exit_code == 0 and "continuing after iteration" in done.output
    *_, score, last = done.output.splitlines()
    assert score.startswith("run-0008: ") and "against random play" in score
    assert last.startswith("play against it: dlgo play tictactoe --second")
    assert same(folder, short[name]) and measured(folder) == measured(short[name])
    assert read_card(folder / LAST).network_id == read_card(short[name] / LAST).network_id


@pytest.mark.parametrize("name", LEARNERS)
def test_a_run_leaves_its_experience_its_curves_and_its_pool(
    name: str, short: dict[str, Path]
) -> None:
    folder = short[name]
    if name in DRAWN:
        assert (folder / "curves.png").read_bytes()[:4] == b"\x89PNG"
    assert {path.name for path in (folder / "nets").iterdir()} == {"0000", "0004", "0008"}
    last = read_experience(folder / "experience/000008.npz", get_game("tictactoe"), "planes")
    assert last.n_games == SHORT["games"] and last.provenance["iteration"] == 8
    learned = len(last.decisions) / last.plies.sum()
    assert 0.5 < learned < 0.95, "the pool's decisions and random ones are not learned from"
    decisions = last.decisions
    np.testing.assert_allclose(
        last.advantages[decisions] + last.values[decisions], last.returns[decisions], atol=1e-6)


@pytest.mark.usefixtures("no_curves")
def test_an_iteration_more_goes_on_and_other_settings_do_not(
    short: dict[str, Path], tmp_path: Path
) -> None:
    shutil.copytree(short["policy_gradient"], tmp_path / "run")
    run("policy_gradient", tmp_path / "run", iterations=9)
    assert len(measured(tmp_path / "run")) == 9
    with one_line_error(ModelError, "holds a run with entropy=0.01; choose another folder"):
        run("policy_gradient", tmp_path / "run", entropy=0.5)


@pytest.mark.usefixtures("no_curves")
def test_a_pool_whose_files_have_gone_is_named(short: dict[str, Path], tmp_path: Path) -> None:
    shutil.copytree(short["policy_gradient"], tmp_path / "run")
    for name in ("0000", "0004", "0008"):
        (tmp_path / f"run/nets/{name}/network.keras").unlink()
    before = (tmp_path / "run/checkpoint.npz").read_bytes()
    with one_line_error(ModelError, "has no network.keras; copy the whole folder; put the files"):
        run("policy_gradient", tmp_path / "run", iterations=10)
    assert (tmp_path / "run/checkpoint.npz").read_bytes() == before


@pytest.mark.usefixtures("no_curves")
def test_experience_that_is_still_needed_and_has_gone_is_named(
    short: dict[str, Path], tmp_path: Path
) -> None:
    shutil.copytree(short["q_learning"], tmp_path / "run")
    path = tmp_path / "run/experience/000007.npz"
    path.write_bytes(path.read_bytes()[:700])
    with one_line_error(DataError, "000007.npz: not a readable experience file: it is cut off"):
        run("q_learning", tmp_path / "run", iterations=9)
    assert len(measured(tmp_path / "run")) == 8


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


def test_the_doctor_reads_the_folder_of_a_run(short: dict[str, Path]) -> None:
    for name in ("ppo", "q_learning"):
        done = CliRunner().invoke(cli, ["doctor", str(short[name])])
        assert done.exit_code == 0, done.exception
        assert f": {name}, tictactoe, mlp" in done.output and "scores 0.500 in 64" in done.output


@pytest.mark.parametrize("name", LEARNERS)
def test_the_folder_of_a_run_is_a_model(name: str, short: dict[str, Path]) -> None:
    engine = build_engine(f"{name}:model={short[name]}", "tictactoe")
    assert engine.network_id == read_card(short[name] / LAST).network_id


@pytest.mark.parametrize(("gone", "found", "checked"), [
    ("history.csv", "history", True), ("plan.json", "plan", True),
    ("experience/*", "network and experience", False),
    ("nets/*/network.onnx", "network and experience", False),
])
@pytest.mark.parametrize("cut", [True, False])
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


@pytest.mark.usefixtures("no_curves")
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
    with one_line_error(ModelError, "in step 1 of iteration 9 the loss is nan; iteration 8 is"):
        run("policy_gradient", tmp_path / "run", iterations=10)
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
