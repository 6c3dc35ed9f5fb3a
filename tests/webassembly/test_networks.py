"""Networks as WebAssembly: all of their numbers are the same, to the bit."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlgo import get_game
from dlgo.webassembly.memory import lay_out
from engines.registry import build_engine
from tests.conftest import random_game
from tests.webassembly.node import needs_node, run_in_node

pytestmark = [pytest.mark.slow, *needs_node]


@pytest.mark.parametrize(("game", "engine"), [
    ("go:size=9,komi=7", "supervised"), ("connect4", "supervised:model=connect4-alphazero"),
    ("draughts", "actor_critic"), ("tictactoe", "ppo"),
])
def test_networks_are_the_same(tmp_path: Path, game: str, engine: str) -> None:
    spec = get_game(game)
    *_, state = random_game(spec, 1, 6)
    separator = "," if ":" in engine else ":"
    calls = build_engine(f"{engine}{separator}runtime=compiled", spec, 1).kernels(state).calls
    image = lay_out(calls)
    results, after = run_in_node(tmp_path, calls, image, ("score_actions", {}))
    function, arguments = calls["score_actions"]
    assert results == [list(function(*arguments))]
    assert after == lay_out(calls).content
