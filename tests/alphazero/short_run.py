"""A run of seconds, which the tests of the loop share."""

from __future__ import annotations

from engines.alphazero.config import make_config
from engines.learning.runs import Progress
from tests.conftest import RUN_ALL
from tests.learning.breaking import Killed

SETTINGS = {"iterations": 4 if RUN_ALL else 3, "games": 24, "sims": 4,
            "network": f"resnet:blocks={1 if RUN_ALL else 0},filters=4", "workers": 2, "seed": 3,
            "runtime": "onnx"}
PLAN = make_config("tictactoe", **SETTINGS)


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
