"""Many searches in lockstep: every step takes a leaf of each tree, one call values them all.

A network is slow for one position and quick for a hundred. A single game has one leaf at a
time to offer, or a few if it pretends to have lost the ones it waits for (virtual loss). But
self-play wants many games, and those do not disturb each other: so each grows its own tree, and
in every step each walks to one leaf. The walk, the rules and the tree are those of
`engines/treesearch`; a forest is a batch of trees as a batch of states is a batch of positions.

The trees of a forest need not be in step with each other: one may begin a move while its
neighbour is in the middle of one. `left` says how many simulations each still wants.

Called by `selfplay.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec
from dlgo.dispatch import by_class
from dlgo.jit import inline_kernel, kernel
from dlgo.rng import gamma, make_rng
from engines.treesearch import tree as ts
from engines.treesearch.forced import ForcedPUCT
from engines.treesearch.gumbel import Gumbel, draw_gumbel, perturb, unperturbed
from engines.treesearch.leaf_evaluator import LeafEvaluator, absorb, collect
from engines.treesearch.rules import PUCT
from engines.treesearch.tree import BUDGET, MAX_DEPTH, ROOT, UNPROVEN

NO_ACTION = -1


class Forest:
    """`n` trees, each with a root position, a generator and a number of simulations to go.

    Args:
        game: what is played.
        n: how many trees.
        capacity: nodes of each.
        rule: how they are descended, of `rules.py`.
        evaluator: values the leaves.
        room: plies that the longest game may have.
        noisy: the rule where the root's priors have noise, of the same class; `rule` by default.

    Attributes:
        roots: batch of n states; set a row and call `plant`.
        left: int64[n], simulations each tree still wants; 0: it rests.
        noise_share: float64[n], how much noise the root's priors get; see `begin`.
        noise: float64[n, num_actions], the noise itself; 0 where there is none.
        evaluations, steps: how many leaves were valued, in how many calls of the evaluator.
    """

    def __init__(
        self, game: GameSpec, n: int, capacity: int, rule: Any, evaluator: LeafEvaluator, room: int,
        noisy: Any = None,
    ) -> None:
        start = game.new_kernel_state()
        self.roots = kernels.make_batch(game.scratch_state(start, room), n)
        self.left = np.zeros(n, np.int64)
        self.noise_share = np.zeros(n)
        self._left_out = np.full(n, NO_ACTION)
        self.evaluations = self.steps = 0
        self._rule, self._noisy, self._evaluator = rule, noisy or rule, evaluator
        # One tree more: where the subtree that is kept is copied to.
        self._trees = kernels.make_batch(ts.new_tree(capacity), n + 1)
        self._place = np.arange(n + 1)  # of each tree; the last is the spare one
        self.noise = np.zeros((n, game.num_actions))
        self._rngs = np.zeros((n, len(make_rng(0))), np.uint64)
        self._leaves = kernels.make_batch(game.scratch_state(start, room + MAX_DEPTH + 2), n)
        self._paths = np.empty((n, MAX_DEPTH + 2), np.int32)
        self._lengths = np.empty(n, np.int64)
        self._owners = np.empty(n, np.int64)
        self._actions = np.empty(game.num_actions, np.int64)

    def seed(self, i: int, seed: int) -> np.ndarray:
        """Give tree `i` a generator, which is returned to be shared with its game."""
        self._rngs[i] = make_rng(seed)
        return self._rngs[i]

    def tree(self, i: int) -> ts.Tree:
        """Tree `i`, until its root moves."""
        return kernels.row(self._trees, int(self._place[i]))

    def plant(self, i: int) -> None:
        """Begin tree `i` anew at its root position."""
        ts.plant(self.tree(i), kernels.row(self.roots, i))

    def advance(self, i: int, action: int) -> None:
        """Move the root by an action that has been played there, keeping what is below it."""
        tree = self.tree(i)
        child = int(ts.find_child(tree, ROOT, action))
        # A node without children would stop the search before it began, if it is proven.
        if child < 0 or tree.n_children[child] == 0:
            self.plant(i)
            return
        spare = len(self._place) - 1
        ts.advance(tree, kernels.row(self._trees, int(self._place[spare])), child)
        self._place[[i, spare]] = self._place[[spare, i]]

    def begin(
        self, i: int, simulations: int, noise_share: float, concentration: float,
        without: int = NO_ACTION,
    ) -> None:
        """Have tree `i` search.

        Args:
            simulations: how many, besides those kept from before.
            noise_share: part of the root's priors to be replaced by Dirichlet noise, so that
                moves the network dismisses are tried now and then; 0: none. With the rule
                Gumbel a factor of its variables: 1 or 0.
            concentration: of the noise, over all sensible moves together: with 10, each of 40
                moves has alpha = 0.25. The fewer the moves, the more even the noise, as in
                AlphaZero (0.3 in chess, 0.03 in Go).
            without: an action that is not to be searched while there is another sensible one.
        """
        self.left[i] = simulations
        self.noise_share[i] = noise_share
        self._left_out[i] = without
        tree = self.tree(i)
        fresh = tree.n_children[ROOT] == 0
        if not fresh:
            leave_out(tree, without)
        tree.info[BUDGET] = simulations - fresh
        self.noise[i] = 0.0
        if noise_share > 0:
            root = kernels.row(self.roots, i)
            if isinstance(self._rule, Gumbel):
                n = kernels.search_actions(root, self._actions)
                draw_gumbel(self._actions, n, self._rngs[i], noise_share, self.noise[i])
            else:
                draw_noise(root, self._actions, concentration, self._rngs[i], self.noise[i])
            if not fresh:
                disturb(self._rule, tree, self.noise[i], noise_share)

    def priors(self, i: int) -> tuple[np.ndarray, np.ndarray]:
        """(actions, priors) of tree `i`'s root as the network gave them, without the noise."""
        tree, share = self.tree(i), self.noise_share[i]
        first = int(tree.first_child[ROOT])
        span = slice(first, first + int(tree.n_children[ROOT]))
        actions, priors = tree.action[span].astype(np.int64), tree.prior[span].astype(np.float64)
        if isinstance(self._rule, Gumbel):
            priors = unperturbed(priors, self.noise[i, actions])
        elif 0 < share < 1:
            priors = np.maximum(priors - share * self.noise[i, actions], 0) / (1 - share)
        return actions, priors

    def step(self) -> None:
        """One leaf of every tree that wants one; afterwards `left` is less."""
        n = collect_forest(
            self._trees, self._place, self.roots, self._leaves, self._paths, self._lengths,
            self._owners, self.left, self._rule, self._noisy, self.noise_share,
        )
        if n == 0:
            return
        policies, values = self._evaluator.evaluate(self._leaves, n)
        self.evaluations += n
        self.steps += 1
        absorb_forest(
            self._trees, self._place, self._leaves, self._paths, self._lengths, self._owners, n,
            policies, values, self._actions, self._rngs, self.noise, self.noise_share,
            self._left_out, self._rule,
        )


@kernel
def collect_forest(
    trees, place, roots, leaves, paths, lengths, owners, left, rule, noisy, noise_share
):
    """Walk once in every tree that has simulations left; how many leaves wait for an answer.

    Args:
        trees: batch; place: int64, where each tree is in it.
        roots, left: of each tree. leaves, paths, lengths: as for `collect`.
        owners: int64, out: the tree of each leaf.
        rule, noisy: of trees with a `noise_share` of 0, and of the others.
    """
    n = 0
    for i in range(len(left)):
        if left[i] <= 0:
            continue
        walked, found = collect(
            kernels.row(trees, place[i]), kernels.row(roots, i), kernels.rows(leaves, n, n + 1),
            paths[n : n + 1], lengths[n : n + 1], 1, noisy if noise_share[i] > 0.0 else rule,
        )
        # A proven root is not searched any further.
        left[i] = left[i] - 1 if walked else 0
        if found:
            owners[n] = i
            n += 1
    return n


@kernel
def absorb_forest(
    trees, place, leaves, paths, lengths, owners, n, policies, values, actions, rngs, noise,
    noise_share, left_out, rule,
):
    """Give the leaves of all trees their children and values; new roots get their noise."""
    for k in range(n):
        i = owners[k]
        tree = kernels.row(trees, place[i])
        absorb(
            tree, kernels.rows(leaves, k, k + 1), paths[k : k + 1], lengths[k : k + 1], 1,
            policies[k : k + 1], values[k : k + 1], actions, rngs[i],
        )
        if lengths[k] == 1:
            leave_out(tree, left_out[i])
            if noise_share[i] > 0.0:
                disturb(rule, tree, noise[i], noise_share[i])


@kernel
def leave_out(tree, action):
    """Take this action from the root's children, if it is one of several."""
    child = ts.find_child(tree, ROOT, action)
    if child >= 0 and tree.n_children[ROOT] > 1:
        ts.remove_child(tree, ROOT, child)


@by_class
def disturb(rule, tree, noise, share):
    """Mix noise into the priors of the root's children, as the rule wants it."""


@kernel
def draw_noise(state, actions, concentration, rng, noise):
    """Draw Dirichlet noise for the sensible actions; `noise` (float64[num_actions]) sums to 1."""
    n = kernels.search_actions(state, actions)
    noise[:] = 0.0
    total = 0.0
    for i in range(n):
        drawn = gamma(rng, concentration / n)
        noise[actions[i]] = drawn
        total += drawn
    # Of a tiny shape, all draws may round to 0.
    for i in range(n):
        noise[actions[i]] = noise[actions[i]] / total if total > 0.0 else 1.0 / n


@inline_kernel
def _mix(rule, tree, noise, share):
    first = tree.first_child[ROOT]
    for child in range(first, first + tree.n_children[ROOT]):
        tree.prior[child] = (1.0 - share) * tree.prior[child] + share * noise[tree.action[child]]


@inline_kernel
def _perturb(rule, tree, noise, share):
    perturb(tree, noise)


disturb.register(PUCT, _mix)
disturb.register(ForcedPUCT, _mix)
disturb.register(Gumbel, _perturb)


@kernel
def root_policy(tree, out):
    """What the search makes of the root, as a policy to be learned.

    Visits, without moves that are proven to be worse than others. If the root itself is
    proven, all moves that keep its result share alike: any of them is as good.

    Args:
        out: float64[num_actions], overwritten; sums to 1.
    """
    out[:] = 0.0
    sign = 1 - 2 * tree.mover[ROOT]
    first = tree.first_child[ROOT]
    last = first + tree.n_children[ROOT]
    result = tree.proven[ROOT]
    total = 0.0
    for child in range(first, last):
        weight = 0.0
        if result != UNPROVEN:
            weight = 1.0 if tree.proven[child] == result else 0.0
        elif tree.proven[child] == UNPROVEN or sign * tree.proven[child] == 0:
            weight = float(tree.visits[child])
        out[tree.action[child]] = weight
        total += weight
    if total == 0.0:  # no move has been looked at but lost ones
        for child in range(first, last):
            if result != UNPROVEN or tree.proven[child] == UNPROVEN:
                out[tree.action[child]] = 1.0
                total += 1.0
    for child in range(first, last):
        out[tree.action[child]] /= total


@kernel
def root_value(tree):
    """The root's value for its mover, -1 to 1: proven, or the mean of its simulations."""
    sign = 1 - 2 * tree.mover[ROOT]
    if tree.proven[ROOT] != UNPROVEN:
        return float(sign * tree.proven[ROOT])
    return sign * tree.value_sum[ROOT] / max(tree.visits[ROOT], 1)
