"""A search with one tree that follows a game and keeps to a budget."""

from __future__ import annotations

from typing import Any

import numpy as np

from dlgo.api import GameSpec, GameState
from engines.base import Kernels
from engines.clock import Clock
from engines.decision import Budget
from engines.search import tree as ts
from engines.search.batched_search import BatchedSearch

# A limit of walks, since walks that end in finished games or cached positions cost no evaluation,
# and a search may consist of such walks only.
WALKS_AN_EVALUATION = 100
LONGEST_LINE = 30


class Searcher:
    """One tree and the search that grows it, for one thread.

    Args:
        capacity: maximum number of nodes.
        reuse: keep the subtree below the moves played; takes the memory of a second tree.
        rule, evaluator: as in `BatchedSearch`.
        batch: leaves that a `LeafEvaluator` evaluates in one call.
    """

    def __init__(
        self, game: GameSpec, capacity: int, reuse: bool, rule: Any, evaluator: Any,
        batch: int = 1,
    ) -> None:
        self.game, self._reuse, self._evaluator, self.rule = game, reuse, evaluator, rule
        self._search = BatchedSearch(
            game, 1, capacity, rule, evaluator, leaves=batch, reuse=reuse)
        self.new_game(0)

    @property
    def tree(self) -> ts.Tree:
        """The tree, until its root moves."""
        return self._search.tree(0)

    @property
    def evaluations(self) -> int:
        """Positions that a `LeafEvaluator` has evaluated, without cache hits."""
        return self._search.evaluations - getattr(self._evaluator, "cache_hits", 0)

    def new_game(self, seed: int) -> None:
        """Forget the tree and seed the generator."""
        self._search.seed(0, seed)
        self._root: GameState | None = None  # the position at the root of the tree

    def warm_up(self) -> None:
        """Compile the functions that only some moves need, such as keeping a subtree."""
        self._search.set_position(GameState.new_game(self.game))
        if self._reuse:
            self._search.keep(0, ts.ROOT)
        ts.find_child(self.tree, ts.ROOT, 0)
        self.new_game(0)

    def set_root(self, state: GameState) -> None:
        """Make `state` the root; keep its subtree if it is in the tree."""
        self._search.set_position(state, self._descend_to(state))
        self._root = state

    def _descend_to(self, state: GameState) -> int:
        """The node of `state` if it continues the game of the last search, else -1."""
        moves = state.moves_since(self._root)
        if moves is None or not self._reuse:
            return -1
        node, tree = ts.ROOT, self.tree
        for move in moves:
            action = self.game.action_of(move)
            node = -1 if action is None else ts.find_child(tree, node, action)
            if node < 0 or tree.visits[node] == 0:
                return -1
        # Proofs below stand, but a proven root would stop the search before it has children.
        return int(node) if tree.n_children[node] > 0 else -1

    def kernels(self, state: GameState) -> Kernels:
        """The compiled search with `state` at its root, as `Engine.kernels`."""
        self.set_root(state)
        tree, spare = self._search.rows
        line = np.zeros(LONGEST_LINE, np.int64)
        return Kernels("tree", {
            "run": self._search.run_call(),
            "set_root": (ts.set_root, (tree, state.kernel_state)),
            "find_child": (ts.find_child, (tree, ts.ROOT, 0)),
            "advance": (ts.advance, (tree, spare, ts.ROOT)),
            "add_root": (ts.add_root, (tree, *ts.Counts.empty(self.game.num_actions))),
            "principal_variation": (ts.principal_variation, (tree, ts.ROOT, line)),
        }, {})

    def simulate(self, budget: Budget) -> int:
        """Simulate until the first limit of the budget; returns the number of simulations.

        Releases the interpreter lock, so several searchers can run in threads.
        """
        simulations = budget.sims
        if simulations is None and budget.evals is not None:
            simulations = WALKS_AN_EVALUATION * budget.evals
        clock = Clock(budget, simulations)
        self._search.start(0, simulations)
        last = None if budget.evals is None else self.evaluations + budget.evals
        done = 0
        while True:
            most = self._search.asks_for or clock.next_stop(done) - done
            if last is not None:
                most = min(most, last - self.evaluations)
            done += self._search.step(most)
            if (
                self.tree.proven[ts.ROOT] != ts.UNPROVEN or clock.is_over(done)
                or self.evaluations == last
            ):
                return done
