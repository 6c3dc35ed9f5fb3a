"""A search of a million simulations stays below 500 MB, the whole process counted."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from dlgo import GameState, get_game
from engines.registry import build_engine

SEARCH = """
import re, sys
from dlgo import GameState, get_game
from engines.registry import build_engine

game = get_game(sys.argv[1])
engine = build_engine(sys.argv[2], game)
decision = engine.select_move(GameState.new_game(game))
state = GameState.new_game(game).apply_move(decision.move)
engine.select_move(state.apply_move(state.legal_moves()[0]))  # on the tree that was kept
print(decision.cost.simulations, decision.cost.nodes)
# Not getrusage, whose peak contains that of the process that started this one.
print(int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) // 1024)
"""


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak memory as Linux gives it")
@pytest.mark.parametrize(
    ("game", "spec"),
    [
        ("connect4", "mcts:sims=1000000"),
        ("draughts", "mcts:sims=300000,threads=2"),
        ("go9", "mcts:sims=1000000,rollout=heavy,rule=rave"),
        ("go19", "mcts:sims=1000000"),
        ("draughts", "mcts:sims=1000000"),
    ],
)
def test_a_search_of_a_million_simulations_is_small(game: str, spec: str) -> None:
    small = re.sub(r"sims=\d+", "sims=10", spec)
    # This fills the cache: compiling takes memory, too.
    engine = build_engine(small, get_game(game))
    engine.select_move(GameState.new_game(engine.game))
    engine.close()
    done = subprocess.run(
        [sys.executable, "-c", SEARCH, game, spec], text=True, capture_output=True,
        timeout=900, check=True,
    )
    simulations, nodes, megabytes = map(int, done.stdout.split())
    print(f"{game} {spec}: {simulations:,} simulations, {nodes:,} nodes, {megabytes} MB")
    assert nodes <= 4_000_000
    assert megabytes < 500
