"""Forced playouts: the search visits moves that only the noise suggests; they are not learned.

Wu, "Accelerating self-play learning in Go" (2019), section 3.2. Noise in the root's priors
lets the search try moves that the network dismisses. But PUCT leaves such a move after one bad
simulation, too early to see that it is good. So in searches with noise every child c of the root
that has been visited at all gets at least

    n_forced(c) = sqrt(k P(c) N)       P with the noise, N the visits of all children, k = 2

visits. That would teach the network to play moves that were tried only because of the noise.
So forced visits are removed from the training target: each child but the most visited loses up to
n_forced visits, as long as its PUCT score stays below that child's, and a child that keeps a single
visit loses it. What remains are the visits that PUCT would have given.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from dlgo.jit import inline_kernel, kernel
from engines.treesearch.rules import add_rule, puct_score, puct_terms, select_puct
from engines.treesearch.tree import NOISY, ROOT, UNPROVEN, most_visited


class ForcedPUCT(NamedTuple):
    """c_puct, fpu_reduction: float, as in PUCT; forced: float, the k above.

    Without noise at the root it is PUCT.
    """

    c_puct: float
    fpu_reduction: float
    forced: float


@inline_kernel
def _visits_of_children(tree):
    total = 0
    first = tree.first_child[ROOT]
    for child in range(first, first + tree.n_children[ROOT]):
        total += tree.visits[child]
    return total


@inline_kernel
def forced_visits(rule, tree, child, total):
    """n_forced of a child of the root. total: visits of all its children."""
    return math.sqrt(rule.forced * tree.prior[child] * total)


@inline_kernel
def _select_forced(rule, tree, node):
    if node == ROOT and tree.info[NOISY]:
        total = _visits_of_children(tree)
        first = tree.first_child[ROOT]
        # The order of children is random, so taking the first of several prefers none.
        for child in range(first, first + tree.n_children[ROOT]):
            visits = tree.visits[child]
            # Where the result is known, another visit would add nothing.
            if visits == 0 or tree.proven[child] != UNPROVEN:
                continue
            if visits < forced_visits(rule, tree, child, total):
                return child
    return select_puct(rule, tree, node)


add_rule(ForcedPUCT, _select_forced)


@kernel
def prune(rule, tree, policy):
    """Remove forced visits from a policy made of the root's visits.

    The policy of a proven root says which moves keep the result, not how often they were
    visited, and stays as it is.

    Args:
        rule: that of the search, a `ForcedPUCT`.
        policy: float64[num_actions], changed: the visits' shares, as `root_policy` writes them,
            with 0 for moves not to be learned at all; sums to 1 before and after.
    """
    best = most_visited(tree, ROOT)
    if tree.proven[ROOT] != UNPROVEN or best < 0 or tree.visits[best] == 0:
        return
    if policy[tree.action[best]] == 0.0:  # only moves that are proven to be worse
        return
    sign, expected, explore = puct_terms(rule, tree, ROOT)
    top = puct_score(tree, best, tree.visits[best], sign, expected, explore)
    total = _visits_of_children(tree)
    first = tree.first_child[ROOT]
    last = first + tree.n_children[ROOT]
    remaining = 0
    for child in range(first, last):
        if policy[tree.action[child]] == 0.0:
            continue
        visits = tree.visits[child]
        if child != best:
            least = max(0, visits - math.ceil(forced_visits(rule, tree, child, total)))
            while visits > least and (
                puct_score(tree, child, visits - 1, sign, expected, explore) < top
            ):
                visits -= 1
            if visits == 1:
                visits = 0
        policy[tree.action[child]] = visits
        remaining += visits
    for child in range(first, last):
        policy[tree.action[child]] /= remaining
