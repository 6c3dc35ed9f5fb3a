"""Nash averaging and alpha-Rank: known games, and the values of OpenSpiel 2.0.2."""

from __future__ import annotations

import math
import sys
from types import ModuleType

import numpy as np
import pytest

from dlgo.errors import DlgoError
from reports.equilibria import agents_against_tasks, alpha_rank, nash_averaging

ROCK_PAPER_SCISSORS = np.array([[0.0, -1, 1], [1, 0, -1], [-1, 1, 0]])


def antisymmetric(size: int, seed: int, ties: bool = False) -> np.ndarray:
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.integers(-1, 2, (size, size)) if ties else rng.normal(size=(size, size)), 1)
    return (upper - upper.T).astype(float)


# Nash averaging


def test_rock_paper_scissors_is_uniform():
    weights, gains = nash_averaging(ROCK_PAPER_SCISSORS)
    assert weights == pytest.approx([1 / 3] * 3, abs=1e-9) and gains == pytest.approx([0] * 3)


def test_of_an_order_only_the_best_counts():
    strengths = np.array([30.0, 10.0, 70.0, 69.0])
    weights, gains = nash_averaging(strengths[:, None] - strengths)
    assert weights == pytest.approx([0, 0, 1, 0], abs=1e-9)
    assert gains == pytest.approx(strengths - 70)


def test_copies_change_nothing_but_share_their_weight():
    """The example of "Re-evaluating evaluation": A, B and C beat each other in a circle (99%, log
    odds 4.6), and C comes twice."""
    a = 4.6
    weights, gains = nash_averaging(
        np.array([[0, a, -a, -a], [-a, 0, a, a], [a, -a, 0, 0], [a, -a, 0, 0]]))
    assert weights == pytest.approx([1 / 3, 1 / 3, 1 / 6, 1 / 6], abs=1e-8)
    assert gains == pytest.approx([0, 0, 0, 0], abs=1e-8)


@pytest.mark.parametrize(("gains", "weights"), [
    ([[0, -1, -1], [1, 0, -1], [1, 1, 0]], [0, 0, 1]),
    ([[0, 234, 34, -270], [-234, 0, -38, -464], [-34, 38, 0, -270], [270, 464, 270, 0]],
     [0, 0, 0, 1]),
    ([[0, 3, -2, 1, -4], [-3, 0, 5, -1, 2], [2, -5, 0, 3, -1], [-1, 1, -3, 0, 2],
      [4, -2, 1, -2, 0]], [0.2173913, 0.2173913, 0.11594203, 0.27536232, 0.17391304]),
    ([[0, 2, -1, 3], [-2, 0, 2, 1], [1, -2, 0, 2], [-3, -1, -2, 0]], [0.4, 0.2, 0.4, 0]),
    (np.zeros((4, 4)), [0.25] * 4),
])
def test_weights_are_those_of_openspiel(gains, weights):
    assert nash_averaging(gains)[0] == pytest.approx(weights, abs=1e-6)


@pytest.mark.parametrize(("scores", "agents", "tasks", "worth"), [
    ([[0, 5, 2], [4, 1, 3], [2, 3, 9], [1, 0, 0]], [0.25641024, 0.36752135, 0.37606841, 0],
     [0.44444444, 0.55555555, 0], [0.55555555, 0.55555556, 0.55555556, 0.11111111]),
    ([[3, 1, 7, 2], [1, 6, 2, 4], [5, 2, 1, 8]], [0.35294117, 0.35294118, 0.29411765],
     [0, 0.22058826, 0.41176468, 0.367647], [0.41176471] * 3),
    # Of its own tests: both best agents share the weight.
    ([[0, 0, 0], [1, 10, 100], [2, 20, 200], [3, 30, 300], [3, 30, 300]], [0, 0, 0, 0.5, 0.5],
     [1 / 3] * 3, [0, 1 / 3, 2 / 3, 1, 1]),
])
def test_agents_against_tasks_are_those_of_openspiel(scores, agents, tasks, worth):
    found = agents_against_tasks(np.array(scores, float))
    for values, wanted in zip(found, (agents, tasks, worth), strict=True):
        assert values == pytest.approx(wanted, abs=1e-6)


def test_a_task_that_all_solve_alike_decides_nothing():
    agents, _, worth = agents_against_tasks(np.array([[1.0, 5.0], [2.0, 5.0]]))
    assert np.isfinite(agents).all() and np.isfinite(worth).all()


@pytest.mark.parametrize("seed", range(5))
def test_the_most_mixed_equilibrium_is_taken(seed):
    """No step inside the set of equilibria has more entropy: found here by a general solver."""
    from scipy.optimize import minimize

    gains = antisymmetric(6, seed, ties=True)
    weights, values = nash_averaging(gains)
    assert values.max() < 1e-9 and weights.sum() == pytest.approx(1)

    def loss(x: np.ndarray) -> float:
        return float(sum(p * math.log(p) for p in x if p > 1e-12))

    answer = minimize(loss, np.full(6, 1 / 6), method="SLSQP", bounds=[(0, 1)] * 6, constraints=[
        {"type": "eq", "fun": lambda x: x.sum() - 1}, {"type": "ineq", "fun": lambda x: -gains @ x},
    ], options={"ftol": 1e-12, "maxiter": 500})
    assert loss(weights) <= answer.fun + 1e-6


@pytest.mark.parametrize("gains", [[[0, 1], [1, 0]], [[0, math.nan], [math.nan, 0]], [1, 2]])
def test_what_is_no_game_is_refused(gains):
    with pytest.raises(DlgoError, match="antisymmetric"):
        nash_averaging(gains)


# alpha-Rank


@pytest.mark.parametrize("size", [2, 3, 7, 15])
@pytest.mark.parametrize("ties", [False, True])
def test_alpha_rank_is_that_of_openspiel(size, ties, monkeypatch):
    pytest.importorskip("pyspiel")
    drawing = "open_spiel.python.egt.alpharank_visualizer"  # needs networkx
    monkeypatch.setitem(sys.modules, drawing, ModuleType(drawing))
    theirs = pytest.importorskip("open_spiel.python.egt.alpharank")
    gains = antisymmetric(size, 3 * size, ties)
    for epsilon in (0.01, 0.1):
        wanted = theirs.compute([gains], use_inf_alpha=True, inf_alpha_eps=epsilon)[2]
        assert alpha_rank(gains, epsilon=epsilon) == pytest.approx(wanted, abs=1e-6)


def test_alpha_rank_of_known_games():
    assert alpha_rank(ROCK_PAPER_SCISSORS) == pytest.approx([1 / 3] * 3)
    strengths = np.array([30.0, 10.0, 70.0])
    assert alpha_rank(strengths[:, None] - strengths).argmax() == 2
    assert alpha_rank(np.zeros((1, 1))) == pytest.approx([1])
