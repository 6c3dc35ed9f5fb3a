"""What the card of a network says its training cost."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from engines.learners import learner_class
from engines.learning.networks.card import read_card
from engines.learning.runs import RunConfig
from engines.learning.runs.run import about_training

TINY: dict[str, Any] = {"network": "mlp:hidden=8,layers=1,activation=relu", "iterations": 1,
                        "games": 4, "precision": "float32"}


@dataclass(frozen=True)
class OwnConfig(RunConfig):
    owner = "cost"

    seed: int = 1


@pytest.mark.parametrize(("gpu", "seconds"), [(None, 0.5), ("gpu:0", 3.5)])
def test_learning_on_a_gpu_costs_gpu_seconds(gpu: str | None, seconds: float) -> None:
    rows = [{"games": 10, "cpu_seconds": 7.0, "wall_seconds": 9.0, "train_wall_seconds": 2.0},
            {"games": 10, "train_wall_seconds": 1.0}]
    about = about_training(
        "zero", OwnConfig(), rows, gpu, (5.0, 6.0), {"cpu_seconds": 1.0, "gpu_seconds": 0.5})
    assert about["gpu_seconds"] == seconds
    assert (about["cpu_seconds"], about["wall_seconds"]) == (13.0, 15.0)


def costs(folder: Path) -> list[float]:
    """GPU seconds of a run's first network and of its last one."""
    return [read_card(folder / f"nets/{number}").training.get("gpu_seconds", 0.0)
            for number in ("0000", "0001")]


@pytest.fixture()
def gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Learning believes that there is a GPU, so that its seconds count as GPU seconds."""
    pytest.importorskip("keras")
    from engines.learning.networks import backend

    monkeypatch.setattr(backend, "gpu_name", lambda: "gpu:0")


@pytest.mark.train
@pytest.mark.parametrize("name", ["ppo", "descent"])
def test_a_run_adds_its_gpu_seconds_to_those_of_its_first_network(
    name: str, gpu: None, tmp_path: Path
) -> None:
    from engines.learning.reinforcement.learner import train

    learner = learner_class(name)
    settings = {**TINY, "test_games": 2}
    train(learner, learner.config.make("tictactoe", **settings), tmp_path / "first")
    begun, first = costs(tmp_path / "first")
    assert begun == 0 < first
    model = str(tmp_path / "first/nets/0001")
    more = learner.config.make("tictactoe", **settings | {"first_network": model})
    train(learner, more, tmp_path / "second")
    begun, last = costs(tmp_path / "second")
    assert begun == first < last
