"""Searches side by side: each has a root, a tree and a random generator.

A network evaluates a hundred positions in one call much faster than one by one. A single game has
one leaf at a time, or a few with virtual loss; in self-play, many games have one leaf each. The
trees are rows of a batch, as positions are rows of a batch of states. The searches are independent:
one may start a move while its neighbour is in the middle of one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec, GameState
from dlgo.errors import SpecError
from dlgo.rng import make_rng
from engines.base import Call
from engines.clock import NO_LIMIT
from engines.search import search
from engines.search import tree as ts
from engines.search.gumbel import Gumbel, draw_gumbel, unperturbed
from engines.search.rules import RAVE, add_noise, draw_noise
from engines.search.tree import BUDGET, MAX_DEPTH, ROOT

NO_ACTION = -1
NEEDS_PYTHON = "the leaves of its search are evaluated in Python, which a page has not"


class BatchedSearch:
    """`n` searches, each with a root position, a tree, a generator and simulations to go.

    Args:
        capacity: maximum number of nodes in each tree.
        rule: selection rule, see `rules.py`.
        evaluator: a `LeafEvaluator`, or a compiled one from `evaluators.py`.
        room: plies of the longest game.
        leaves: leaves of each search that a `LeafEvaluator` evaluates in one call.
        reuse: allow searches to keep subtrees, which takes the memory of one more tree.

    Attributes:
        roots: batch of n states; set a row and call `set_root`.
        remaining: int64[n], number of simulations that each search still wants; 0: it rests.
        noise: float64[n, num_actions], the noise in each root's priors; 0 where there is none.
        evaluations, steps: number of leaves that the `LeafEvaluator` has evaluated, and of calls.
        asks_for: leaves of each search that one call from Python evaluates; None: the compiled
            loop evaluates them.
    """

    def __init__(
        self, game: GameSpec, n: int, capacity: int, rule: Any, evaluator: Any, room: int = 0,
        leaves: int = 1, reuse: bool = True,
    ) -> None:
        self._game, self._rule, self._evaluator = game, rule, evaluator
        start = game.new_kernel_state()
        tree = ts.new_tree(capacity, game.num_actions, amaf=isinstance(rule, RAVE))
        # With `reuse` there is a spare one, where the subtree that is kept is copied to.
        self._trees = kernels.make_batch(tree, n + reuse)
        self.rows = [kernels.row(self._trees, k) for k in range(n + reuse)]
        self._plan = np.zeros((n, 2), np.int64)
        self._plan[:, search.TREE], self._spare = np.arange(n), n
        self.remaining = self._plan[:, search.REMAINING]
        self.roots = kernels.make_batch(game.scratch_state(start, room), n)
        self._rngs = np.zeros((n, len(make_rng(0))), np.uint64)
        self.noise, self._noise_weight = np.zeros((n, game.num_actions)), np.zeros(n)
        self._excluded = np.full(n, NO_ACTION)
        self._unopened: set[int] = set()  # searches whose root has no children yet
        leaf = game.scratch_state(start, room + MAX_DEPTH + 2)
        self._states = kernels.make_batch(leaf, n * leaves)
        # In most games a state with more plies behind it needs no more memory.
        self._grows = [a.shape for a in leaf] != [a.shape for a in game.scratch_state(start)]
        self._paths = np.zeros((n * leaves, MAX_DEPTH + 2), np.int32)
        self._ways = np.zeros((n * leaves, 2), np.int64)
        self._scratch = search.new_scratch(game.num_actions)
        self._past: tuple[Any, int] | None = None  # of a single search, what led to its root
        self._compiled, self._expand_at = evaluator, search.SECOND_VISIT
        if not isinstance(evaluator, tuple):  # compiled ones are named tuples
            self._compiled = evaluator.compiled() if leaves == 1 else None
            self._expand_at = search.AT_ONCE
        self.asks_for = leaves if self._compiled is None else None
        self.evaluations = self.steps = 0

    def __len__(self) -> int:
        return len(self.remaining)

    def seed(self, i: int, seed: int) -> np.ndarray:
        """Seed the generator of search `i`, and return it to share it with the game."""
        self._rngs[i] = make_rng(seed)
        return self._rngs[i]

    def tree(self, i: int) -> ts.Tree:
        """The tree of search `i`, until its root moves."""
        return self.rows[self._plan[i, search.TREE]]

    def set_position(self, state: GameState, node: int = -1) -> None:
        """Make `state` the root of a single search, keeping the subtree of `node` (-1: none)."""
        if node < 0:
            ts.set_root(self.tree(0), state.kernel_state)
        elif node > 0:
            self.keep(0, node)
        self.roots, n = kernels.alone(state.kernel_state), len(self._ways)
        history = 0 if self.asks_for is None else self._evaluator.history
        if self._grows or history:
            work = self._game.scratch_state(state.kernel_state, room=MAX_DEPTH + 2)
            self._states = kernels.make_batch(work, n)
        if history:
            self._past, self._work = self._evaluator.window(state), work
            self._windows = kernels.make_batch(work, n * (history + 1))
            self._known = np.empty(n, np.int64)

    def set_root(self, i: int) -> None:
        """Start search `i` with an empty tree at its root position."""
        ts.set_root(self.tree(i), kernels.row(self.roots, i))

    def advance(self, i: int, action: int) -> None:
        """Move root `i` along an action that was played, keeping the subtree below it."""
        tree = self.tree(i)
        child = int(ts.find_child(tree, ROOT, action))
        # A node without children would stop the search before it starts, if it is proven.
        if child < 0 or tree.n_children[child] == 0:
            self.set_root(i)
        else:
            self.keep(i, child)

    def keep(self, i: int, node: int) -> None:
        """Make a node the root of search `i`, keeping its subtree only."""
        ts.advance(self.tree(i), self.rows[self._spare], node)
        self._plan[i, search.TREE], self._spare = self._spare, int(self._plan[i, search.TREE])

    def start(
        self, i: int, simulations: int | None, noise_weight: float = 0.0,
        concentration: float = 0.0, excluded: int = NO_ACTION,
    ) -> None:
        """Start search `i`.

        Args:
            simulations: number of new simulations; None: no limit.
            noise_weight: share of the root's priors that Dirichlet noise replaces, so that moves
                with a small prior are tried sometimes; 0: none. With the rule Gumbel, the factor
                of its variables: 1 or 0.
            concentration: alpha of the noise, summed over all sensible moves: with 10, each of 40
                moves has 0.25. Fewer moves have larger alphas, as in AlphaZero (0.3 in chess,
                0.03 in Go).
            excluded: an action to leave out while there is another sensible one.
        """
        self.remaining[i] = NO_LIMIT if simulations is None else simulations
        if self._noise_weight[i] > 0:
            self.noise[i] = 0.0
        self._noise_weight[i], self._excluded[i] = noise_weight, excluded
        tree = self.tree(i)
        fresh = tree.n_children[ROOT] == 0
        # The first simulation of a new tree only looks at the root.
        tree.info[BUDGET] = 0 if simulations is None else simulations - fresh
        if noise_weight > 0:
            root, rng, actions = kernels.row(self.roots, i), self._rngs[i], self._scratch.actions
            if isinstance(self._rule, Gumbel):
                n = kernels.search_actions(root, actions)
                draw_gumbel(actions, n, rng, noise_weight, self.noise[i])
            else:
                draw_noise(root, actions, concentration, rng, self.noise[i])
        if noise_weight > 0 or excluded != NO_ACTION:
            if fresh:
                self._unopened.add(i)
            else:
                self._open(i)

    def _open(self, i: int) -> None:
        """Apply the excluded action and the noise of `start` to the children of root `i`."""
        tree, excluded = self.tree(i), self._excluded[i]
        if excluded != NO_ACTION and tree.n_children[ROOT] > 1:
            child = ts.find_child(tree, ROOT, excluded)
            if child >= 0:
                ts.remove_child(tree, ROOT, child)
        if self._noise_weight[i] > 0:
            add_noise(self._rule, tree, self.noise[i], self._noise_weight[i])

    def priors(self, i: int) -> tuple[np.ndarray, np.ndarray]:
        """(actions, priors) of root `i` from the network, without the noise."""
        tree, weight = self.tree(i), self._noise_weight[i]
        first = int(tree.first_child[ROOT])
        span = slice(first, first + int(tree.n_children[ROOT]))
        actions, priors = tree.action[span].astype(np.int64), tree.prior[span].astype(np.float64)
        if isinstance(self._rule, Gumbel):
            priors = unperturbed(priors, self.noise[i, actions])
        elif 0 < weight < 1:
            priors = np.maximum(priors - weight * self.noise[i, actions], 0) / (1 - weight)
        return actions, priors

    def run_call(self) -> Call:
        """The kernel that simulates, and its arguments for one simulation. Raises SpecError if the
        evaluator needs Python."""
        if self._compiled is None:
            raise SpecError(NEEDS_PYTHON)
        return search.run, (
            self._trees, self._plan, self.roots, self._rngs, self._states, self._paths,
            self._scratch, 1, self._expand_at, self._rule, self._compiled)

    def step(self, most: int = 1) -> int:
        """Run up to `most` simulations in every search that wants some; returns their number.

        `remaining` decreases. A `LeafEvaluator` that is not compiled is called once.
        """
        if self._compiled is not None:
            if self._unopened:  # the first simulation only looks at the root
                most = 1
            simulations, valued = search.run(
                self._trees, self._plan, self.roots, self._rngs, self._states, self._paths,
                self._scratch, most, self._expand_at, self._rule, self._compiled,
            )
        else:
            simulations, valued = search.collect(
                self._trees, self._plan, self.roots, self._rngs, self._states, self._paths,
                self._ways, self._scratch, min(most, self.asks_for or most), self._rule,
            )
            if valued:
                policies, values = self._ask(valued)
                search.absorb(
                    self._trees, self._plan, self._rngs, self._states, self._paths, self._ways,
                    valued, policies, values, self._scratch.actions,
                )
        if self._unopened:
            for i in self._unopened:
                self._open(i)
            self._unopened.clear()
        if self._expand_at == search.AT_ONCE:
            self.evaluations += int(valued)
            self.steps += valued > 0
        return int(simulations)

    def _ask(self, n: int) -> tuple[np.ndarray, np.ndarray]:
        if self._past is None:
            return self._evaluator.evaluate(self._states, n)
        search.look_back(
            self.tree(0), *self._past, self._paths, self._ways, n,
            self._evaluator.history, self._work, self._windows, self._known,
        )
        return self._evaluator.evaluate_windows(self._states, self._windows, self._known, n)
