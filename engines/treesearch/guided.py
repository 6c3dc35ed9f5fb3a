"""Tree search by a guide: a compiled evaluator that gives a policy as well as a value.

`leaf_evaluator.py` leaves the compiled loop at each leaf to ask in Python, which takes longer than
a small network's answer. A guide is asked from within the loop, and only about the moves that the
leaf has. The search is the same, step by step.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from dlgo.api import GameSpec
from dlgo.dispatch import by_class
from dlgo.jit import inline_kernel, kernel
from engines.clock import NO_LIMIT
from engines.decision import Budget
from engines.treesearch.leaf_evaluator import WALKS_AN_EVALUATION
from engines.treesearch.search import walk
from engines.treesearch.searcher import Searcher
from engines.treesearch.tree import BUDGET, ROOT, UNPROVEN, back_up, expand


@by_class
def assess(guide, state, actions, n, priors):
    """What a guide says of a position whose game is not over.

    Args:
        guide: a `NamedTuple`, whose class says which function this is. It may hold scratch arrays:
            one for each thread.
        state: the position; unchanged afterwards.
        actions: int64, of which the first `n` are its moves; n may be 0.
        priors: float32[n or more], out: of these moves, not negative, of the sum 1.

    Returns:
        The value, -1 to 1, as the player to move sees it.
    """


class GuidedSearcher(Searcher):
    """A searcher whose leaves are valued, and whose moves are weighed, by a guide."""

    def __init__(
        self, game: GameSpec, capacity: int, reuse: bool, rule: Any, guide: Any
    ) -> None:
        self._priors = np.empty(game.num_actions, np.float32)
        super().__init__(game, capacity, reuse, rule, evaluator=guide, expand=0)

    def simulate(self, budget: Budget) -> int:
        self._left = NO_LIMIT if budget.evals is None else budget.evals
        if budget.sims is None and budget.evals is not None:
            # Walks that end in finished games cost no evaluation, and there may be no others.
            budget = dataclasses.replace(budget, sims=WALKS_AN_EVALUATION * budget.evals)
        # The first simulation of a new tree only looks at the root.
        fresh = self.tree.n_children[ROOT] == 0
        self.tree.info[BUDGET] = 0 if budget.sims is None else budget.sims - fresh
        return super().simulate(budget)

    def _run(self, simulations: int) -> int:
        assert self._root is not None
        ran, asked = run_guided(
            self.tree, self._root.kernel_state, self._work, self._scratch, self._priors,
            self._rng, simulations, self._left, self._rule, self._evaluator,
        )
        self._left -= asked
        self.evaluations += asked
        return int(ran)


@kernel
def run_guided(tree, root, work, scratch, priors, rng, simulations, evaluations, rule, guide):
    """Run simulations from `root` until their number, that of evaluations, or a proof is reached.

    Args:
        tree, root, work, scratch, rng, simulations, rule: as of `search.run`.
        priors: float32[num_actions], scratch.
        evaluations: how often the guide may be asked.
        guide: see `assess`.

    Returns:
        (simulations, evaluations): how many there were.
    """
    path = scratch.path
    asked = 0
    for done in range(simulations):
        if tree.proven[ROOT] != UNPROVEN or asked == evaluations:
            return done, asked
        _, valued = simulate_once(
            tree, root, work, path, scratch.actions, priors, rng, rule, guide
        )
        asked += valued
    return simulations, asked


@inline_kernel
def simulate_once(tree, root, work, path, actions, priors, rng, rule, guide):
    """One simulation. Arguments as of `run_guided`; `path` and `actions` are scratch.

    Returns:
        (leaf, whether the guide was asked about it).
    """
    length = walk(tree, root, work, path, rule)
    node = path[length - 1]
    unknown = tree.proven[node] == UNPROVEN
    if unknown:
        value = _value_and_expand(tree, node, work, actions, priors, rng, guide)
    else:
        value = float(tree.proven[node])
    back_up(tree, path, length, value)
    return node, unknown


@inline_kernel
def _value_and_expand(tree, node, state, actions, priors, rng, guide):
    """Give a leaf children with the guide's priors, if there is room; its value for player 0."""
    n = 0
    if tree.n_children[node] == 0 and expand(tree, node, state, actions, rng):
        n = tree.n_children[node]
    value = assess(guide, state, actions, n, priors)
    first = tree.first_child[node]
    for i in range(n):
        tree.prior[first + i] = priors[i]
    return (1 - 2 * tree.mover[node]) * value
