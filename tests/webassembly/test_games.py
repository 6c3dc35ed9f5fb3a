"""Rules of games as WebAssembly: the same numbers of positions, and the same random games."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dlgo import get_game, kernels
from dlgo.games import GAMES
from dlgo.jit import kernel
from dlgo.perft import perft
from dlgo.rng import below, make_rng
from dlgo.webassembly.memory import lay_out
from tests.webassembly.node import needs_node, run_in_node

pytestmark = [pytest.mark.slow, *needs_node]

SMALL = {"go": "go:size=5", "hex": "hex:size=5"}
N_GAMES, MAX_PLIES = 1000, 120


@kernel
def play_games(state, rng, actions, n_games, max_plies):
    """Random games; returns the sum of their results, and a digest of all their positions."""
    total, digest = 0, 0
    for _ in range(n_games):
        kernels.reset(state)
        ply = 0
        while ply < max_plies and not kernels.terminal(state):
            kernels.play(state, actions[below(rng, kernels.legal_actions(state, actions))])
            digest = digest * 31 + kernels.key(state)
            ply += 1
        total += kernels.result(state) if kernels.terminal(state) else 0
    return total, digest % 2**31


@pytest.mark.parametrize("name", GAMES.built_in)
def test_rules_are_the_same(name: str, tmp_path: Path) -> None:
    game = get_game(SMALL.get(name, name))
    start = game.new_kernel_state()
    depth, count = 0, 1
    while count < 10_000:
        depth += 1
        count = game.count_sequences(start, depth)
    batch = kernels.make_batch(game.scratch_state(start, room=depth + 1), depth + 1)
    kernels.copy_into(kernels.row(batch, 0), start)
    actions = np.zeros((depth + 1, game.num_actions), np.int64)
    state = game.scratch_state(start, room=MAX_PLIES)
    calls = {
        "perft": (perft, (batch, depth, actions, *np.zeros((2, depth + 1), np.int64))),
        "play_games": (play_games, (state, make_rng(7), actions[0], N_GAMES, MAX_PLIES)),
    }
    image = lay_out(calls)
    results, after = run_in_node(tmp_path, calls, image, ("perft", {}), ("play_games", {}))
    native = [function(*arguments) for function, arguments in calls.values()]
    assert results == [count, list(native[1])] and native[0] == count
    assert after == lay_out(calls).content
