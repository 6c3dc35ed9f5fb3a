"""Facts about AlphaZero in one file: its gradient, its search, and that it learns."""

from __future__ import annotations

import ast
import subprocess
import sys

import numpy as np
import pytest

from experiments.chapters import microzero
from tests.command import ROOT
from tests.conftest import RUN_ALL

EMPTY = np.zeros(9, dtype=int)
FILE = ROOT / "experiments/chapters/microzero.py"


def board(text: str) -> np.ndarray:
    """A board whose player to move has the x."""
    return np.array([{".": 0, "x": 1, "o": -1}[cell] for cell in text])


def loss(network: microzero.Network, boards, policies, values) -> float:
    *_, given, estimates = network.forward(boards)
    errors = (estimates - values) ** 2
    return float(np.mean(-(policies * np.log(given + 1e-12)).sum(axis=1) + errors))


def test_it_imports_numpy_and_nothing_else_and_is_short() -> None:
    text = FILE.read_text()
    names = {alias.name for node in ast.parse(text).body if isinstance(node, ast.Import)
             for alias in node.names}
    assert names == {"numpy", "sys", "time"} and text.count("\n") <= 200
    assert not any(isinstance(node, ast.ImportFrom) for node in ast.walk(ast.parse(text)))


def test_a_line_of_three_loses_for_the_player_to_move() -> None:
    assert microzero.result(board("ooo.xx...")) == -1
    assert microzero.result(board("xoxoxooxo")) == 0
    assert microzero.result(board("oo..xx...")) is None


def test_the_gradient_is_that_of_the_loss() -> None:
    """Adam's first step moves each weight against the sign of its gradient."""
    rng = np.random.default_rng(5)
    network = microzero.Network(rng, width=4)
    for bias in network.weights[4:]:
        bias[:] = rng.normal(size=bias.shape)  # at 0 the empty board would stand on an edge of relu
    boards = np.array([EMPTY, board("x.o......"), board("xo.ox....")])
    policies = np.where(boards == 0, rng.random((3, 9)), 0)
    policies /= policies.sum(axis=1, keepdims=True)
    values = np.array([0.5, -1.0, 1.0])
    before = [weight.copy() for weight in network.weights]
    slopes = []
    for weight in network.weights:
        slope = np.zeros_like(weight)
        for place in np.ndindex(weight.shape):
            kept = weight[place]
            weight[place] = kept + 1e-6
            above = loss(network, boards, policies, values)
            weight[place] = kept - 1e-6
            slope[place] = (above - loss(network, boards, policies, values)) / 2e-6
            weight[place] = kept
        slopes.append(slope)
    network.learn(boards, policies, values)
    for old, new, slope in zip(before, network.weights, slopes, strict=True):
        steep = np.abs(slope) > 1e-4
        assert np.array_equal(np.sign(old - new)[steep], np.sign(slope)[steep])


def test_the_search_wins_at_once_and_stops_a_threat() -> None:
    network = microzero.Network(np.random.default_rng(3))
    assert microzero.search(board("xx.oo...."), network, 100).argmax() == 2
    assert microzero.search(board("x..oo...."), network, 200).argmax() == 5


@pytest.mark.slow
def test_it_learns() -> None:
    """With `--run-all` no line of play is lost in the end, from either side."""
    network = microzero.train(seed=1, iterations=60 if RUN_ALL else 4, progress=lambda line: None)
    untrained = microzero.Network(np.random.default_rng(1))
    lost, before = (sum(microzero.lost_lines(EMPTY, one, 40 if RUN_ALL else 1, first)
                        for first in (True, False)) for one in (network, untrained))
    assert lost == 0 if RUN_ALL else lost < before / 3


def test_a_person_plays_it() -> None:
    code = ("import numpy, sys\nsys.path.insert(0, 'experiments/chapters')\nimport microzero\n"
            "microzero.game(microzero.Network(numpy.random.default_rng(1)), 200)")
    ended = subprocess.run(
        [sys.executable, "-c", code], input="x\n4\n4\n" + "0\n1\n2\n3\n5\n6\n7\n8\n" * 3,
        cwd=ROOT, capture_output=True, text=True,
    )
    assert ended.stdout.rstrip().endswith(("A draw.", "You win.", "You lose.")), ended.stderr
