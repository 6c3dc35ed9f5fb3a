"""The tree search as WebAssembly: the same tree, states and generators in memory, bit by bit."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dlgo import GameState, get_game
from dlgo.webassembly.memory import BASE, Image, lay_out
from engines.registry import build_engine
from engines.search import search
from tests.webassembly.node import needs_node, run_in_node

pytestmark = [pytest.mark.slow, *needs_node]


def memory_of_search(
    monkeypatch: pytest.MonkeyPatch, folder: Path, game: str, engine: str
) -> tuple[Image, bytes, bytes]:
    """Memory before an engine's longest search, after it here, and after it in node."""
    records: list[Any] = []
    run = search.run

    def record(*arguments: Any) -> tuple[int, int]:
        calls = {"run": (run, arguments)}
        image, result = lay_out(calls), run(*arguments)
        records.append((calls, image, result, lay_out(calls).content))
        return result

    monkeypatch.setattr(search, "run", record)
    spec = get_game(game)
    build_engine(engine, spec, seed=1).select_move(GameState.new_game(spec))
    calls, image, result, here = max(records, key=lambda entry: entry[2][0])
    results, there = run_in_node(folder, calls, image, ("run", {}))
    assert results == [list(result)] and result[0] >= 200
    return image, here, there


@pytest.mark.parametrize(("game", "engine"), [
    ("connect4", "mcts:sims=2000"), ("connect4", "puct:sims=2000"),
    ("go:size=9,komi=7", "mcts:sims=300,rollout=heavy,rule=rave"),
    ("connect4", "alphazero:sims=300,model=connect4-alphazero,runtime=compiled"),
])
def test_searches_are_the_same(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, game: str, engine: str
) -> None:
    _, here, there = memory_of_search(monkeypatch, tmp_path, game, engine)
    assert there == here


def test_a_network_differs_in_last_digits_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Products of float32 are rounded before they are added; moves and visits are the same."""
    engine = "alphazero:sims=300,model=connect4-alphazero-wide"
    image, *memories = memory_of_search(monkeypatch, tmp_path, "connect4", engine)
    for name, view in image.views["run"].items():
        here, there = (
            np.frombuffer(memory, view.dtype, math.prod(view.shape), view.address - BASE)
            for memory in memories)
        tolerance = 1e-4 if view.dtype.startswith("float") else 0
        np.testing.assert_allclose(there, here, tolerance, tolerance, err_msg=name)
