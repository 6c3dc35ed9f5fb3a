"""The search loop all tree-search engines share, compiled (chapter 4.5 of the book).

One simulation: walk down the tree by the selection rule, give the leaf its children, go to
one of them, ask the evaluator what that position is worth, and count the answer for every
node on the way. Rule and evaluator are told apart by their classes while compiling, so each
combination is a loop of its own without a branch on either.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.jit import inline_kernel, kernel
from engines.treesearch.evaluators import value_of
from engines.treesearch.rules import learn, prepare, select
from engines.treesearch.tree import DEEPEST, MAX_DEPTH, ROOT, UNPROVEN, back_up, expand


class Scratch(NamedTuple):
    """What a search needs besides the tree; holds nothing between simulations.

    actions: int64[num_actions]; path: int32[MAX_DEPTH + 2], nodes from the root down;
    played: int8[num_actions], see `kernels.heavy_rollout`;
    hint_visits, hint_wins: float32[num_actions], see `kernels.hints`.
    """

    actions: np.ndarray
    path: np.ndarray
    played: np.ndarray
    hint_visits: np.ndarray
    hint_wins: np.ndarray


def new_scratch(num_actions: int) -> Scratch:
    """Scratch arrays for one thread."""
    return Scratch(
        np.empty(num_actions, np.int64), np.empty(MAX_DEPTH + 2, np.int32),
        np.full(num_actions, kernels.NOBODY, np.int8),
        np.empty(num_actions, np.float32), np.empty(num_actions, np.float32),
    )


@kernel
def run(tree, root, work, scratch, rng, simulations, expand_at, rule, evaluator):
    """Run simulations from `root` until their number or a proof of the root is reached.

    Args:
        tree: set to `root` or advanced to it.
        root: the position; unchanged. work: scratch state with room for the deepest line.
        rng: generator state.
        simulations: how many at most.
        expand_at: a leaf gets children when it has been visited so often before.
        rule: of `rules.py`. evaluator: of `evaluators.py`.

    Returns:
        How many simulations were run.
    """
    path, played = scratch.path, scratch.played
    for done in range(simulations):
        if tree.proven[ROOT] != UNPROVEN:
            return done
        length = descend(tree, root, work, scratch, rng, expand_at, rule)
        node = path[length - 1]
        played[:] = kernels.NOBODY
        if tree.proven[node] != UNPROVEN:
            value = float(tree.proven[node])
        else:
            value = value_of(evaluator, work, scratch, rng)
        learn(rule, tree, path, length, value, played)
        back_up(tree, path, length, value)
    return simulations


@inline_kernel
def descend(tree, root, work, scratch, rng, expand_at, rule):
    """Walk from the root to a leaf, which may be new, and play the moves on `work`.

    Returns:
        The length of the path, whose last node is the leaf. If its game is over, the result
        stands in `proven`.
    """
    path = scratch.path
    kernels.copy_into(work, root)
    node = ROOT
    path[0] = ROOT
    length = 1
    while True:
        if tree.n_children[node] == 0:
            if tree.visits[node] < expand_at and node != ROOT:
                break
            if length > MAX_DEPTH or not expand(tree, node, work, scratch.actions, rng):
                break
            prepare(rule, tree, node, work, scratch)
        child = select(rule, tree, node)
        kernels.play(work, tree.action[child])
        path[length] = child
        length += 1
        node = child
        tree.mover[child] = kernels.to_move(work)
        if tree.proven[child] != UNPROVEN:
            break
        if tree.visits[child] == 0:
            if kernels.terminal(work):
                tree.proven[child] = kernels.result(work)
            break
    if length - 1 > tree.info[DEEPEST]:
        tree.info[DEEPEST] = length - 1
    return length


@inline_kernel
def walk(tree, root, work, path, rule):
    """Walk from the root to a node without children, and play the moves on `work`.

    Unlike `descend`, it gives nothing children: that is for who has priors for them.

    Args:
        work: scratch state with room for the deepest line. path: int32[MAX_DEPTH + 2], out.

    Returns:
        The length of the path. If the game of its last node is over, the result stands in
        `proven`.
    """
    kernels.copy_into(work, root)
    node = ROOT
    path[0] = ROOT
    length = 1
    while tree.n_children[node] > 0 and tree.proven[node] == UNPROVEN and length <= MAX_DEPTH:
        node = select(rule, tree, node)
        kernels.play(work, tree.action[node])
        path[length] = node
        length += 1
        tree.mover[node] = kernels.to_move(work)
        if tree.visits[node] == 0 and kernels.terminal(work):
            tree.proven[node] = kernels.result(work)
    if length - 1 > tree.info[DEEPEST]:
        tree.info[DEEPEST] = length - 1
    return length
