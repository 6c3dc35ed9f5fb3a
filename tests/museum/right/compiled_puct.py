"""The compiled search, with the auditor's evaluator."""

import numpy as np

from dlgo import GameState, kernels
from engines.base import Budget
from engines.search.leaf_evaluator import LeafEvaluator
from engines.search.rules import PUCT
from engines.search.searcher import Searcher
from engines.search.tree import Counts, add_root

KIND = "puct"
RULE = PUCT(0.9, 0.1)


class Asked(LeafEvaluator):
    def __init__(self, game, evaluate):
        self.game, self.ask = game, evaluate

    def evaluate(self, leaves, n):
        policies = np.zeros((n, self.game.num_actions), np.float32)
        values = np.zeros(n, np.float32)
        states = [GameState.copy_of(self.game, kernels.row(leaves, i)) for i in range(n)]
        for i, (priors, value) in enumerate(self.ask(states)):
            values[i] = value
            for move, prior in priors.items():
                policies[i, self.game.action_of(move)] = prior
        return policies, values


def searched(state, evaluate, simulations, rule=RULE):
    searcher = Searcher(state.game, 20_000, False, rule, Asked(state.game, evaluate))
    searcher.set_root(state)
    searcher.simulate(Budget(sims=simulations))
    counts = Counts.empty(state.game.num_actions)
    searcher.best = add_root(searcher.tree, *counts)
    return searcher, {int(action): int(counts.visits[action]) for action in counts.by_visits()}


def search(state, evaluate, simulations):
    searcher, counts = searched(state, evaluate, simulations)
    return counts, int(searcher.best)
