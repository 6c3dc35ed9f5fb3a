"""Networks with convolutions, compiled: they answer, and guide a search, as with ONNX Runtime."""

from __future__ import annotations

import numpy as np
import pytest

from dlgo import GameState, get_game
from dlgo.errors import DlgoError
from engines.learning.networks.leaf_evaluator import encoder_of
from engines.learning.networks.runtimes import load_runtime
from engines.learning.networks.store import DENSE_FILE, ONNX_FILE, load_card, shipped_models
from engines.registry import build_engine
from tests.conftest import RUN_ALL, one_line_error, random_game

MODELS = [name for name in shipped_models()
          if ONNX_FILE in (files := load_card(name)[1].files) and DENSE_FILE not in files]
# Those with a pool, with a turned board, and with few cells.
FEW = ["draughts-q_learning", "go9-alphazero", "tictactoe-ppo"]


@pytest.mark.parametrize("name", MODELS if RUN_ALL else FEW)
def test_shipped_networks_answer_as_with_onnx_runtime(name: str) -> None:
    runtime, compiled = load_runtime(name), load_runtime(name, "compiled")
    game = get_game(runtime.card.game)
    encoder = encoder_of(runtime.card, game)
    states = [state for seed in range(4) for state in random_game(game, seed, 60)[:-1:2]]
    planes = np.stack([encoder.encode(state) for state in states])
    answers = compiled.evaluate(planes)
    for head, expected in runtime.evaluate(planes).items():
        assert answers[head].shape == expected.shape and np.ptp(expected) > 0.1
        tolerance = 1e-4 * max(1, np.abs(expected).max())
        assert np.abs(answers[head] - expected).max() <= tolerance, head


@pytest.mark.parametrize("spec", ["alphazero:sims=100,", "supervised:"])
def test_engines_decide_as_with_onnx_runtime(spec: str) -> None:
    game = get_game("tictactoe")
    engines = [build_engine(f"{spec}runtime={kind}", game, 1) for kind in ("onnx", "compiled")]
    for seed in range(3):
        for state in random_game(game, seed)[:-1]:
            one, other = (engine.select_move(state) for engine in engines)
            assert one.move == other.move and one.policy == pytest.approx(other.policy, abs=1e-5)
            assert one.value == pytest.approx(other.value, abs=1e-5)


def test_without_the_package_that_reads_it_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dlgo.extras.find_spec", lambda name: None)
    with one_line_error(DlgoError, 'pip install "dlgo-suite[web]"'):
        load_runtime("tictactoe-ppo", "compiled")
    assert build_engine("ppo", "tictactoe").select_move(GameState.new_game(get_game("tictactoe")))
