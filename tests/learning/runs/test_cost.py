"""What the card of a network says its training cost."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from engines.learning.runs import RunConfig
from engines.learning.runs.run import about_training


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
