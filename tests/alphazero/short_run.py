"""A run of seconds, which the tests of the loop share."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from engines.alphazero import train as training
from engines.alphazero.config import AlphaZeroConfig, make_config
from engines.jobs import Inline
from engines.learning.networks.card import Card
from engines.learning.runs import Progress
from tests.conftest import RUN_ALL
from tests.learning.breaking import Killed

SETTINGS = {"iterations": 4 if RUN_ALL else 3, "games": 24, "sims": 4,
            "network": f"resnet:blocks={1 if RUN_ALL else 0},filters=4", "workers": 2, "seed": 3,
            "runtime": "onnx"}
PLAN = make_config("tictactoe", **SETTINGS)


def train(config: AlphaZeroConfig, folder: Path, progress: Progress | None = None) -> Card:
    """A run whose games this process plays, and that leaves no curves: a worker takes seconds to
    start, and drawing takes as long as a short run. `test_train.py` runs the command as it is."""
    return training.train(dataclasses.replace(config, curves=False), folder, progress, Inline())


class Listener(Progress):
    """Keeps the lines."""

    def __init__(self, lines: list[str]) -> None:
        self.line = lines.append


def dying(write, call: int):
    """A function that writes and fails at a given call, which writes nothing."""
    calls = 0

    def die(*args, **options) -> None:
        nonlocal calls
        calls += 1
        if calls == call:
            raise Killed
        write(*args, **options)

    return die
