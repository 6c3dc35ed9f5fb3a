"""Facts about Gumbel search: how simulations are shared out, and that few of them help.

`--run-all` plays tic-tac-toe and Go by it as well.
"""

from __future__ import annotations

import collections

import numpy as np
import pytest

from dlgo import GameState, get_game, kernels
from engines.base import Budget
from engines.search import gumbel
from engines.search import tree as ts
from engines.search.batched_search import BatchedSearch
from engines.search.leaf_evaluator import LeafEvaluator
from engines.search.searcher import Searcher
from tests.alphazero.test_self_play import begin, finish

GAME = get_game("connect4")
START = GameState.new_game(GAME)


def reference(considered: int, simulations: int) -> list[int]:
    """Appendix of the paper, as DeepMind's mctx has it: visits of the move tried at each step."""
    if considered <= 1:
        return list(range(simulations))
    rounds = int(np.ceil(np.log2(considered)))
    sequence: list[int] = []
    visits, left = [0] * considered, considered
    while len(sequence) < simulations:
        for _ in range(max(1, simulations // (rounds * left))):
            sequence += visits[:left]
            visits[:left] = [n + 1 for n in visits[:left]]
        left = max(2, left // 2)
    return sequence[:simulations]


@pytest.mark.parametrize("considered", [1, 2, 3, 4, 7, 16])
@pytest.mark.parametrize("simulations", [1, 8, 16, 50, 200])
def test_the_plan_is_that_of_the_paper(considered: int, simulations: int) -> None:
    visits = [gumbel.considered_visits(considered, simulations, k) for k in range(simulations)]
    assert visits == reference(considered, simulations)


class Fixed(LeafEvaluator):
    """Priors of the start, and a value for each first column, whatever is played after it."""

    def __init__(self, priors: np.ndarray, wins: np.ndarray) -> None:
        self._priors = priors.astype(np.float32)
        self._values = 2 * wins - 1  # for player 0
        self._first = {
            START.apply_move(move).key(): GAME.action_of(move) for move in START.legal_moves()
        }

    def evaluate(self, leaves, n):
        policies = np.tile(self._priors, (n, 1))
        values = np.zeros(n, np.float32)
        for i in range(n):
            leaf = kernels.row(leaves, i)
            column = self._first.get(int(kernels.key(leaf)))
            if column is not None:
                values[i] = self._values[column] * (1 - 2 * kernels.to_move(leaf))
        return policies, values


PRIORS = np.array([0.30, 0.25, 0.20, 0.10, 0.08, 0.05, 0.02])
WINS = np.array([0.5, 0.45, 0.55, 0.6, 0.7, 0.4, 0.9])


def planted(
    agent: LeafEvaluator, rule: gumbel.Gumbel, n: int, simulations: int, scale: float
) -> BatchedSearch:
    """n searches of the start position, with different noise."""
    search = BatchedSearch(GAME, n, 4000, rule, agent, room=50)
    return finish(begin(search, [START] * n, 7, [simulations] * n, scale))


def test_simulations_are_shared_out_by_halving() -> None:
    """16 for 4 moves: two rounds, 2 each, then 4 more each for the better two."""
    rule = gumbel.Gumbel(4, *gumbel.GUMBEL_SCALES)
    searcher = Searcher(GAME, 4000, False, rule, Fixed(PRIORS, WINS), batch=1)
    searcher.set_root(START)
    searcher.simulate(Budget(sims=17))  # the first looks at the root
    tree = searcher.tree
    first = int(tree.first_child[ts.ROOT])
    visits = {int(tree.action[c]): int(tree.visits[c]) for c in range(first, first + 7)}
    # Without noise, the four likeliest are considered.
    assert sorted(visits.values()) == [0, 0, 0, 2, 2, 6, 6]
    assert all(visits[column] for column in range(4))
    assert int(tree.action[gumbel.best_child(rule, tree)]) in (2, 3)


def test_one_simulation_draws_from_the_prior() -> None:
    """The largest g + log P of all moves is a sample of P (Gumbel-max)."""
    stats = pytest.importorskip("scipy.stats")
    rule = gumbel.Gumbel(1, *gumbel.GUMBEL_SCALES)
    search = planted(Fixed(PRIORS, WINS), rule, 1500, 2, 1.0)
    drawn = collections.Counter(
        int(search.tree(i).action[gumbel.best_child(rule, search.tree(i))]) for i in range(1500)
    )
    counts = [drawn[column] for column in range(7)]
    assert stats.chisquare(counts, 1500 * PRIORS).pvalue > 1e-3


@pytest.mark.parametrize("considered", [2, 4, 7])
def test_few_simulations_improve_on_the_prior(considered: int) -> None:
    """As many simulations as moves considered: each move's worth is known, and E[q] rises."""
    rule = gumbel.Gumbel(considered, *gumbel.GUMBEL_SCALES)
    agent = Fixed(PRIORS, WINS)
    search = planted(agent, rule, 600, considered + 1, 1.0)
    played = []
    policy = np.empty(7)
    improved = []
    for i in range(600):
        tree = search.tree(i)
        played.append(WINS[int(tree.action[gumbel.best_child(rule, tree)])])
        gumbel.improved_policy(rule, tree, search.noise[i], policy)
        assert policy.sum() == pytest.approx(1)
        improved.append(policy @ WINS)
    before = PRIORS @ WINS
    error = np.std(played) / np.sqrt(600)
    assert np.mean(played) > before + 3 * error
    assert np.mean(improved) > before


def test_the_noise_is_taken_out_of_what_is_learned() -> None:
    """If all moves are worth the same, the improved policy is the prior, whatever was drawn."""
    rule = gumbel.Gumbel(4, *gumbel.GUMBEL_SCALES)
    search = planted(Fixed(PRIORS, np.full(7, 0.5)), rule, 20, 9, 1.0)
    policy = np.empty(7)
    for i in range(20):
        actions, priors = search.priors(i)
        assert priors == pytest.approx(PRIORS[actions], rel=1e-4)
        gumbel.improved_policy(rule, search.tree(i), search.noise[i], policy)
        assert policy == pytest.approx(PRIORS, abs=0.02)
