"""Many searches in lockstep: every step takes a leaf of each tree, one call values them all.

A network is slow for one position and fast for a hundred. A single game has one leaf at a
time to offer, or a few with virtual loss. But self-play wants many games, and those do not disturb
each other: each grows its own tree, and in every step each search walks to one leaf. The walk, the
rules and the tree are those of `engines/treesearch`; the trees are rows of a batch, as positions
are rows of a batch of states.

The searches need not be in step with each other: one may start a move while its neighbour is in
the middle of one. `remaining` says how many simulations each still wants.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec
from dlgo.dispatch import by_class
from dlgo.jit import inline_kernel, kernel
from dlgo.rng import gamma, make_rng
from engines.treesearch import tree as ts
from engines.treesearch.forced import ForcedPUCT
from engines.treesearch.guided import simulate_once
from engines.treesearch.gumbel import Gumbel, draw_gumbel, perturb, unperturbed
from engines.treesearch.leaf_evaluator import LeafEvaluator, absorb, collect
from engines.treesearch.rules import PUCT
from engines.treesearch.tree import BUDGET, MAX_DEPTH, ROOT, UNPROVEN

# Stands for an action where there is none.
NO_ACTION = -1


class Searches(NamedTuple):
    """The state of `n` searches, a row each.

    Attributes:
        trees: batch of n + 1 trees; the spare one is where the subtree that is kept is copied to.
        place: int64[n + 1], which tree each search has; the last entry is the spare one.
        roots: batch of n states, the positions searched.
        remaining: int64[n], simulations each search still wants; 0: it rests.
        excluded: int64[n], an action that is not searched at the root, or NO_ACTION.
        noise: float64[n, num_actions], noise for the root's priors, by action.
        noise_weight: float64[n], how much of the root's priors is noise; 0: none.
        rngs: uint64[n, words], generator states.
    """

    trees: Any
    place: np.ndarray
    roots: Any
    remaining: np.ndarray
    excluded: np.ndarray
    noise: np.ndarray
    noise_weight: np.ndarray
    rngs: np.ndarray


class Leaves(NamedTuple):
    """Leaves that wait for their values, at most one of each search.

    Attributes:
        states: batch of n states.
        paths: int32[n, MAX_DEPTH + 2], the nodes from the root to each leaf.
        lengths: int64[n], nodes of each path.
        owners: int64[n], the search of each leaf.
    """

    states: Any
    paths: np.ndarray
    lengths: np.ndarray
    owners: np.ndarray


class BatchedSearch:
    """`n` searches, each with a root position, a tree, a generator and simulations to go.

    Args:
        game: what is played.
        n: how many searches.
        capacity: nodes of each tree.
        rule: how trees are descended, see `rules.py`.
        evaluator: values the leaves.
        room: plies that the longest game may have.
        noisy_rule: the rule where the root's priors have noise, of the same class; by default
            `rule`.

    Attributes:
        roots: batch of n states; set a row and call `set_root`.
        remaining: int64[n], simulations each search still wants; 0: it rests.
        noise: float64[n, num_actions], the noise of each root's priors; 0 where there is none.
        evaluations: how many leaves were valued.
        steps: in how many calls of the evaluator.
    """

    def __init__(
        self, game: GameSpec, n: int, capacity: int, rule: Any, evaluator: LeafEvaluator, room: int,
        noisy_rule: Any = None,
    ) -> None:
        start = game.new_kernel_state()
        self._searches = Searches(
            trees=kernels.make_batch(ts.new_tree(capacity, game.num_actions), n + 1),
            place=np.arange(n + 1),
            roots=kernels.make_batch(game.scratch_state(start, room), n),
            remaining=np.zeros(n, np.int64), excluded=np.full(n, NO_ACTION),
            noise=np.zeros((n, game.num_actions)), noise_weight=np.zeros(n),
            rngs=np.zeros((n, len(make_rng(0))), np.uint64),
        )
        self._leaves = Leaves(
            states=kernels.make_batch(game.scratch_state(start, room + MAX_DEPTH + 2), n),
            paths=np.empty((n, MAX_DEPTH + 2), np.int32), lengths=np.empty(n, np.int64),
            owners=np.empty(n, np.int64),
        )
        self.roots, self.remaining = self._searches.roots, self._searches.remaining
        self.noise = self._searches.noise
        self.evaluations = self.steps = 0
        self._rule, self._noisy_rule = rule, noisy_rule or rule
        self._evaluator, self._guide = evaluator, evaluator.guide()
        self._actions = np.empty(game.num_actions, np.int64)
        self._policy = np.empty(game.num_actions, np.float32)

    def __len__(self) -> int:
        return len(self.remaining)

    def seed(self, i: int, seed: int) -> np.ndarray:
        """Give search `i` a generator, which is returned to be shared with its game."""
        self._searches.rngs[i] = make_rng(seed)
        return self._searches.rngs[i]

    def tree(self, i: int) -> ts.Tree:
        """The tree of search `i`, until its root moves."""
        return kernels.row(self._searches.trees, int(self._searches.place[i]))

    def set_root(self, i: int) -> None:
        """Start search `i` anew, without a tree, at its root position."""
        ts.set_root(self.tree(i), kernels.row(self.roots, i))

    def advance(self, i: int, action: int) -> None:
        """Follow an action that was played at root `i`, keeping the subtree below it."""
        tree = self.tree(i)
        child = int(ts.find_child(tree, ROOT, action))
        # A node without children would stop the search before it starts, if it is proven.
        if child < 0 or tree.n_children[child] == 0:
            self.set_root(i)
            return
        place = self._searches.place
        ts.advance(tree, kernels.row(self._searches.trees, int(place[-1])), child)
        place[[i, -1]] = place[[-1, i]]

    def start(
        self, i: int, simulations: int, noise_weight: float, concentration: float,
        excluded: int = NO_ACTION,
    ) -> None:
        """Have search `i` run.

        Args:
            simulations: how many, besides those kept from before.
            noise_weight: part of the root's priors that is replaced by Dirichlet noise, so that
                moves the network dismisses are tried now and then; 0: none. With the rule
                Gumbel the factor of its variables: 1 or 0.
            concentration: of the noise, over all sensible moves together: with 10, each of 40
                moves has alpha = 0.25. The fewer the moves, the more even the noise, as in
                AlphaZero (0.3 in chess, 0.03 in Go).
            excluded: an action that is not searched while there is another sensible one.
        """
        self.remaining[i] = simulations
        self._searches.noise_weight[i] = noise_weight
        self._searches.excluded[i] = excluded
        tree = self.tree(i)
        fresh = tree.n_children[ROOT] == 0
        if not fresh:
            leave_out(tree, excluded)
        tree.info[BUDGET] = simulations - fresh
        self.noise[i] = 0.0
        if noise_weight > 0:
            root = kernels.row(self.roots, i)
            if isinstance(self._rule, Gumbel):
                n = kernels.search_actions(root, self._actions)
                draw_gumbel(
                    self._actions, n, self._searches.rngs[i], noise_weight, self.noise[i]
                )
            else:
                draw_noise(
                    root, self._actions, concentration, self._searches.rngs[i], self.noise[i]
                )
            if not fresh:
                add_noise(self._rule, tree, self.noise[i], noise_weight)

    def priors(self, i: int) -> tuple[np.ndarray, np.ndarray]:
        """(actions, priors) of root `i` as the network gave them, without the noise."""
        tree, weight = self.tree(i), self._searches.noise_weight[i]
        first = int(tree.first_child[ROOT])
        span = slice(first, first + int(tree.n_children[ROOT]))
        actions, priors = tree.action[span].astype(np.int64), tree.prior[span].astype(np.float64)
        if isinstance(self._rule, Gumbel):
            priors = unperturbed(priors, self.noise[i, actions])
        elif 0 < weight < 1:
            priors = np.maximum(priors - weight * self.noise[i, actions], 0) / (1 - weight)
        return actions, priors

    def step(self) -> None:
        """Value one leaf of every search that wants one; `remaining` falls."""
        if self._guide is not None:
            n = int(guided_step(
                self._searches, self._leaves, self._rule, self._noisy_rule, self._guide,
                self._actions, self._policy,
            ))
            self.evaluations += n
            self.steps += n > 0
            return
        n = collect_leaves(self._searches, self._leaves, self._rule, self._noisy_rule)
        if n == 0:
            return
        policies, values = self._evaluator.evaluate(self._leaves.states, n)
        self.evaluations += n
        self.steps += 1
        absorb_leaves(
            self._searches, self._leaves, n, policies, values, self._rule, self._actions
        )


@kernel
def collect_leaves(searches, leaves, rule, noisy_rule):
    """Walk once in every tree that has simulations to go.

    Args:
        leaves: out.
        rule, noisy_rule: for roots without noise, and for those with noise.

    Returns:
        How many leaves wait for an answer.
    """
    n = 0
    for i in range(len(searches.remaining)):
        if searches.remaining[i] <= 0:
            continue
        tree = kernels.row(searches.trees, searches.place[i])
        walked, waiting = collect(
            tree, kernels.row(searches.roots, i), kernels.rows(leaves.states, n, n + 1),
            leaves.paths[n : n + 1], leaves.lengths[n : n + 1], 1,
            noisy_rule if searches.noise_weight[i] > 0.0 else rule,
        )
        # A proven root is not searched any further.
        searches.remaining[i] = searches.remaining[i] - 1 if walked else 0
        if waiting:
            leaves.owners[n] = i
            n += 1
    return n


@kernel
def absorb_leaves(searches, leaves, n, policies, values, rule, actions):
    """Give the leaves of all trees their children and values; new roots get their noise.

    Args:
        n: number of leaves.
        policies: float32[n, num_actions]. values: float32[n], seen by the player to move.
        actions: int64[num_actions], scratch.
    """
    for k in range(n):
        i = leaves.owners[k]
        tree = kernels.row(searches.trees, searches.place[i])
        absorb(
            tree, kernels.rows(leaves.states, k, k + 1), leaves.paths[k : k + 1],
            leaves.lengths[k : k + 1], 1, policies[k : k + 1], values[k : k + 1], actions,
            searches.rngs[i],
        )
        if leaves.lengths[k] == 1:
            leave_out(tree, searches.excluded[i])
            if searches.noise_weight[i] > 0.0:
                add_noise(rule, tree, searches.noise[i], searches.noise_weight[i])


@kernel
def guided_step(searches, leaves, rule, noisy_rule, guide, actions, priors):
    """Walk once in every tree that has simulations to go, and have a guide value the leaf.

    Args:
        leaves: scratch. rule, noisy_rule: as of `collect_leaves`.
        guide: see `engines/treesearch/guided.py`.
        actions: int64[num_actions], scratch. priors: float32[num_actions], scratch.

    Returns:
        How many leaves were valued.
    """
    state, path = kernels.row(leaves.states, 0), leaves.paths[0]
    valued = 0
    for i in range(len(searches.remaining)):
        if searches.remaining[i] <= 0:
            continue
        tree = kernels.row(searches.trees, searches.place[i])
        if tree.proven[ROOT] != UNPROVEN:  # it is not searched any further
            searches.remaining[i] = 0
            continue
        searches.remaining[i] -= 1
        noisy = searches.noise_weight[i] > 0.0
        leaf, asked = simulate_once(
            tree, kernels.row(searches.roots, i), state, path, actions, priors, searches.rngs[i],
            noisy_rule if noisy else rule, guide,
        )
        valued += asked
        if leaf == ROOT:
            leave_out(tree, searches.excluded[i])
            if noisy:
                add_noise(rule, tree, searches.noise[i], searches.noise_weight[i])
    return valued


@kernel
def leave_out(tree, action):
    """Take this action from the root's children, if it is one of several."""
    child = ts.find_child(tree, ROOT, action)
    if child >= 0 and tree.n_children[ROOT] > 1:
        ts.remove_child(tree, ROOT, child)


@by_class
def add_noise(rule, tree, noise, weight):
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
def _mix(rule, tree, noise, weight):
    first = tree.first_child[ROOT]
    for child in range(first, first + tree.n_children[ROOT]):
        tree.prior[child] = (1.0 - weight) * tree.prior[child] + weight * noise[tree.action[child]]


@inline_kernel
def _perturb(rule, tree, noise, weight):
    perturb(tree, noise)


add_noise.register(PUCT, _mix)
add_noise.register(ForcedPUCT, _mix)
add_noise.register(Gumbel, _perturb)


@kernel
def root_policy(tree, out):
    """The search's policy at the root, as a target for learning.

    It is the shares of the visits, without moves that are proven to be worse than others. If the
    root itself is proven, all moves that keep its result have equal shares.

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
    if total == 0.0:  # only lost moves have been visited
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
