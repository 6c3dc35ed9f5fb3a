"""Training learns what the games show, and goes on after its end as if nothing had been.

By default an exception stands for the end of the process, with `--run-all` it is kill -9.
"""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import math
import resource
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from dlgo import GameState, get_game
from dlgo.errors import DataError, DlgoError, ModelError, SpecError
from engines.learning.data import Dataset, GameBuilder
from engines.learning.networks.card import read_card
from engines.learning.runs import Progress
from engines.learning.runs.records import read_history
from engines.registry import build_engine
from engines.supervised.config import SupervisedConfig
from engines.supervised.trainer import train
from tests.command import dlgo_here
from tests.conftest import RUN_ALL, one_line_error
from tests.learning.breaking import broken_off, measured
from tests.learning.data.games import ShardWriter, write_unlabelled

pytest.importorskip("keras")

# Dropout and symmetries, so that every generator has a say; Adam, so that the optimiser has.
PLAN = SupervisedConfig(
    "m", "planes", "cnn:filters=4,hidden=16,dropout=0.2", value_head=True, optimizer="adam:lr=0.01",
    schedule="decay", epochs=4, batch_size=64, test=0.2, symmetries=True, seed=7,
)
# One batch holds all games: TensorFlow takes seconds to trace a step of another size. At so high a
# rate the second epoch and the third are worse than the first.
TINY = SupervisedConfig("m", "planes", "mlp:hidden=8", optimizer="adam:lr=1", epochs=1,
                        batch_size=2048, test=0.2)


def write_games(folder: Path, n: int, game_name: str = "tictactoe") -> Path:
    """Random games whose lesson is a rule: play the first free cell."""
    game = get_game(game_name)
    rng = np.random.default_rng(5)
    with ShardWriter(folder, game, {}, shard_games=32) as writer:
        for _ in range(n):
            builder, state = GameBuilder(game), GameState.new_game(game)
            while not state.is_over():
                legal = np.sort(state.legal_actions())
                action = int(rng.choice(legal))
                builder.add(action, chosen=int(legal[0]), policy={int(legal[0]): 1})
                state = state.apply_move(game.move_of(action))
            writer.add(builder.finish(state.result()))
    return folder


@pytest.fixture(scope="module")
def games(tmp_path_factory) -> Path:
    return write_games(tmp_path_factory.mktemp("games"), 150)


@pytest.mark.long
def test_a_killed_run_ends_with_the_network_of_an_unbroken_one(games, tmp_path) -> None:
    broken, whole = tmp_path / "broken", tmp_path / "whole"
    call = f"train(PLAN, Dataset.open({str(games)!r}), Path({str(broken)!r}), progress)"
    broken_off(__name__, call, 3, "training")
    assert not (broken / "card.json").exists()
    assert len(measured(broken / "training")) == 2
    train(PLAN, Dataset.open(games), broken)
    unbroken = train(PLAN, Dataset.open(games), whole)
    assert read_card(broken).network_id == unbroken.network_id
    assert measured(broken / "training") == measured(whole / "training")
    assert len(measured(whole / "training")) == 4
    assert (broken / "training/curves.png").read_bytes()[:4] == b"\x89PNG"
    cost = read_card(broken).training_cost
    assert cost["cpu_seconds"] > 0 and cost["gpu_seconds"] == 0


@pytest.mark.train
def test_it_learns_a_rule_and_plays_by_it(games: Path, tmp_path: Path) -> None:
    """The first free cell is a matter of the board alone, so held-out games must show it, too."""
    plan = SupervisedConfig("rule", "threeplane", "mlp:hidden=64,activation=relu", epochs=25,
                        optimizer="adam:lr=0.01", batch_size=64, test=0.2)
    card = train(plan, Dataset.open(games), tmp_path / "m")
    assert card.accuracy["test"]["accuracy"] > 0.9
    assert card.training["data"]["test_games"] >= 30
    game = get_game("tictactoe")
    state = GameState.new_game(game)
    engine = build_engine(f"supervised:{tmp_path / 'm'}", game)
    assert game.action_of(engine.select_move(state).move) == 0
    assert engine.network_id == card.network_id


@pytest.mark.train
def test_training_stops_when_it_no_longer_helps_and_keeps_the_best(games, tmp_path) -> None:
    """At so high a rate the loss jumps about; the network of the best epoch is the one kept."""
    plan = SupervisedConfig("m", "planes", "mlp:hidden=16", optimizer="sgd:lr=20", epochs=40,
                        patience=2, test=0.2)
    card = train(plan, Dataset.open(games), tmp_path / "m")
    rows = measured(tmp_path / "m" / "training")
    with (tmp_path / "m/training/history.csv").open() as file:
        losses = [float(row["test_cross_entropy"]) for row in csv.DictReader(file)]
    assert len(rows) < 40
    best = card.training["best_epoch"]
    assert len(rows) == best + 2
    assert losses[best - 1] == min(losses)
    assert card.accuracy["test"]["cross_entropy"] == min(losses)

    lines = []

    class Listener(Progress):
        def line(self, text):
            lines.append(text)

    assert train(plan, Dataset.open(games), tmp_path / "m", Listener()) == card
    assert [line.partition(":")[0] for line in lines] == ["it was already trained"]


@pytest.mark.train
def test_a_limit_of_cpu_time_ends_training_and_the_cosine(games: Path, tmp_path: Path) -> None:
    timed = dataclasses.replace(TINY, cpu_minutes=0.05, schedule="cosine")
    card = train(timed, Dataset.open(games), tmp_path)
    rows = read_history(tmp_path / "training", ["cpu_seconds", "learning_rate"])
    *before, spent = np.cumsum([row["cpu_seconds"] for row in rows])
    assert before[-1] < 3 <= spent == pytest.approx(card.training["cpu_seconds"], abs=0.1)
    first, *_, last = (row["learning_rate"] for row in rows)
    assert last == pytest.approx(first * (1 + math.cos(math.pi * before[-1] / 3)) / 2,
                                 abs=first / 1000)  # the times in the table are rounded


def test_ctrl_c_says_what_is_kept(games: Path, tmp_path: Path) -> None:
    class Interrupter(Progress):
        def status(self, status):
            if status.iteration == 2:
                raise KeyboardInterrupt

    plan = dataclasses.replace(TINY, epochs=3)
    with pytest.raises(KeyboardInterrupt, match="stopped after epoch 1 of 3.*to continue"):
        train(plan, Dataset.open(games), tmp_path / "m", Interrupter())
    assert len(measured(tmp_path / "m/training")) == 1


@pytest.fixture(scope="module")
def trained(games: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a model after one epoch of `TINY`."""
    folder = tmp_path_factory.mktemp("trained") / "m"
    train(TINY, Dataset.open(games), folder)
    return folder


@pytest.mark.train
def test_other_settings_or_data_do_not_continue_a_run(games, trained, tmp_path) -> None:
    shutil.copytree(trained, tmp_path / "m")
    for other, part in (
        ({"seed": 2}, "seed=1"), ({"network": "mlp:hidden=9"}, "network=mlp:hidden=8"),
        ({"games": 20}, "games=None"),
    ):
        with one_line_error(ModelError, part):
            train(dataclasses.replace(TINY, **other), Dataset.open(games), tmp_path / "m")
    others = Dataset.open(write_games(tmp_path / "others", 40))
    with one_line_error(ModelError, "digest="):
        train(TINY, others, tmp_path / "m")


def test_a_run_that_goes_on_knows_the_best_network_so_far(games, trained, tmp_path) -> None:
    shutil.copytree(trained, tmp_path / "m")
    card = train(dataclasses.replace(TINY, epochs=3), Dataset.open(games), tmp_path / "m")
    assert (card.training["epochs"], card.training["best_epoch"]) == (3, 1)
    assert card.network_id == read_card(trained).network_id


def test_damaged_files_of_a_run_are_refused(games, trained, tmp_path) -> None:
    shutil.copytree(trained, tmp_path / "m")
    checkpoint = (tmp_path / "m/training/checkpoint.npz").read_bytes()
    for name, content, part in (
        ("checkpoint.npz", b"", "is a damaged checkpoint"),
        ("checkpoint.npz", checkpoint[: len(checkpoint) // 2], "is a damaged checkpoint"),
        ("checkpoint.npz", b"PK\x03\x04 and no more", "is a damaged checkpoint"),
        ("checkpoint.npz", b"\x80\x04.", "is not a checkpoint"),
        ("plan.json", b"[" * 100_000, "plan.json"),
        ("plan.json", b'{"a": ' + b"9" * 5000 + b"}", "plan.json"),
    ):
        (tmp_path / "m/training/checkpoint.npz").write_bytes(checkpoint)
        (tmp_path / "m/training" / name).write_bytes(content)
        with one_line_error(DlgoError, part):
            train(TINY, Dataset.open(games), tmp_path / "m")


def test_a_finished_model_is_not_overwritten(games, trained, tmp_path) -> None:
    """As one that somebody else trained: its folder has no state to continue from."""
    shutil.copytree(trained, tmp_path / "m", ignore=shutil.ignore_patterns("training"))
    before = read_card(tmp_path / "m")
    with one_line_error(ModelError, "name another folder"):
        train(TINY, Dataset.open(games), tmp_path / "m")
    assert read_card(tmp_path / "m") == before


@pytest.mark.train
def test_learning_that_explodes_is_named_and_the_last_good_state_kept(games, tmp_path) -> None:
    # Each step turns the weights around and makes them forty times as large; an epoch is a step.
    config = dataclasses.replace(
        TINY, network="resnet:blocks=0,filters=2,l2=1", optimizer="sgd:lr=20", epochs=50)
    for _ in range(2):  # as often as one tries
        with pytest.raises(ModelError) as caught:
            train(config, Dataset.open(games), tmp_path / "m")
        message = str(caught.value)
        assert "smaller learning rate" in message and "is the last saved one" in message
        assert "epoch 0 is the last" not in message and "\n" not in message
        assert any(word in message for word in ("nan", "inf", "not finite"))
    assert not (tmp_path / "m/card.json").exists()


@contextlib.contextmanager
def files_no_larger_than(n_bytes: int) -> Iterator[None]:
    """No file may grow beyond a limit, as on a disk that is full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))  # Python ignores the signal
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("kilobytes", [0, 8, 40] if RUN_ALL else [8])
def test_a_full_disk_is_one_line_and_the_same_command_continues(
    kilobytes: int, games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["train", "supervised", f"--data={games}", f"--out={tmp_path / 'm'}",
               "--net=mlp:hidden=16", "--epochs=2", "--batch-size=2048", "--encoder=planes"]
    with files_no_larger_than(1024 * kilobytes):
        full = dlgo_here(capsys, *command)
    assert full.returncode in (1, 2), full.stderr
    last = full.stderr.strip().splitlines()[-1]
    assert last.startswith("dlgo: ") and str(tmp_path / "m") in last, full.stderr
    assert "Traceback" not in full.stderr and "internal error" not in full.stderr
    assert not (tmp_path / "m/card.json").exists()
    done = dlgo_here(capsys, *command)
    assert done.returncode == 0, done.stderr
    assert not list((tmp_path / "m").rglob("*.tmp*"))


def test_mistakes_show_before_anything_is_trained(games: Path, tmp_path: Path) -> None:
    data = Dataset.open(games)
    bare = Dataset.open(write_unlabelled(tmp_path / "bare"))
    for changes, where, error in (
        ({"network": "cnnn"}, data, SpecError), ({"optimizer": "adam:lr=-1"}, data, SpecError),
        ({"schedule": "cosin"}, data, SpecError), ({"encoder": "plane"}, data, SpecError),
        ({"games": 10_000}, data, DataError), ({}, bare, DataError),
    ):
        with one_line_error(error, ""):
            train(dataclasses.replace(TINY, **changes), where, tmp_path / "m")
    assert not (tmp_path / "m").exists()
