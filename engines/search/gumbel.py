"""Gumbel search: it plans the simulations at the root, so that a few of them improve the policy.

PUCT with 16 simulations may never try a good move, and its visits may be a worse policy than the
network's. Danihelka et al. ("Policy improvement by planning with Gumbel", 2022) use a plan:

* At the root, the search tries the `considered` moves with the largest `g + log P`, g a Gumbel
  variable drawn for each: a sample by the prior P, without replacement. Sequential halving divides
  the simulations: first equally among all of these moves, then among the better half, and so on.
  Moves are compared by

      score = g + log P + sigma(q),    sigma(q) = (visit_offset + most visits of a move) scale q

  with q the share of wins; for moves without visits it is that of the position (`mixed_value`).
  The engine plays the move with the best score among the most visited. If q is correct, its
  expected value is at least that of a move drawn from the prior, for any number of simulations.
* Below the root, visits follow the improved policy, softmax(log P + sigma(q)): the next visit goes
  to the move whose share of the visits is furthest below its probability.
* The network learns the improved policy of the root instead of the visits.

With all g = 0 the search is deterministic: it considers the moves with the largest priors.

The rule is `Gumbel`. The priors of the root include g; the tree's `info[BUDGET]` is the number of
simulations. The tree must be new, since the plan counts visits from 0. Proven results are exact
values of q; lost moves are left out.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dlgo.jit import inline_kernel, kernel
from dlgo.rng import uniform
from engines.search.rules import add_rule
from engines.search.tree import BUDGET, ROOT, UNPROVEN

# `visit_offset` and `scale` of the paper for Go and chess, wins on a scale of 0 to 1.
GUMBEL_SCALES = (50.0, 1.0)
_LEAST = 1e-30  # a prior may have been rounded to 0


class Gumbel(NamedTuple):
    """Gumbel search. considered: int, moves tried at the root; visit_offset, scale: of sigma."""

    considered: int
    visit_offset: float
    scale: float


@inline_kernel
def considered_visits(considered, simulations, done):
    """The number of visits that the next move to try at the root has, by sequential halving.

    `considered` moves, 1 or more, share `simulations`, of which `done` are finished.
    """
    phases = 0
    while (1 << phases) < considered:
        phases += 1
    # Before the current phase: visits of each surviving move, and simulations.
    visits, n_before, survivors = 0, 0, considered
    while True:
        if survivors < 2:
            return visits + done - n_before
        each = max(1, simulations // (phases * survivors))
        if done < n_before + each * survivors:
            return visits + (done - n_before) // survivors
        visits += each
        n_before += each * survivors
        survivors = max(2, survivors // 2)


@inline_kernel
def _wins(tree, child, sign):
    """The share of wins of a child that has been visited or is proven."""
    if tree.proven[child] != UNPROVEN:
        return 0.5 + 0.5 * sign * tree.proven[child]
    return 0.5 + 0.5 * sign * tree.value_sum[child] / tree.visits[child]


@inline_kernel
def _lost(tree, child, sign):
    return tree.proven[child] != UNPROVEN and sign * tree.proven[child] < 0


@inline_kernel
def mixed_value(tree, node):
    """The value of moves without visits, and the largest number of visits of a child.

    The value is a share of wins for the mover of `node`: a mixture of the network's value and the
    mean of the visited moves, weighted by their priors. The weight of the latter grows with the
    visits (appendix D of the paper).
    """
    sign = 1.0 - 2.0 * tree.mover[node]
    first = tree.first_child[node]
    visits, most = 0, 0
    values, prior, good = 0.0, 0.0, 0.0
    for child in range(first, first + tree.n_children[node]):
        n = tree.visits[child]
        if n > 0:
            visits += n
            most = max(most, n)
            values += tree.value_sum[child]
            prior += tree.prior[child]
            good += tree.prior[child] * _wins(tree, child, sign)
    # The visits and values that no child accounts for are those of the network.
    own = tree.visits[node] - visits
    raw = 0.5
    if own > 0:
        raw += 0.5 * sign * min(1.0, max(-1.0, (tree.value_sum[node] - values) / own))
    if visits == 0 or prior <= 0.0:
        return raw, most
    return (raw + visits * good / prior) / (1 + visits), most


@inline_kernel
def _score(rule, tree, child, sign, expected, most):
    """log P + sigma(q) of a child."""
    wins = expected
    if tree.visits[child] > 0 or tree.proven[child] != UNPROVEN:
        wins = _wins(tree, child, sign)
    prior = max(tree.prior[child], _LEAST)
    return math.log(prior) + (rule.visit_offset + most) * rule.scale * wins


@inline_kernel
def _select_at_root(rule, tree):
    sign = 1.0 - 2.0 * tree.mover[ROOT]
    first = tree.first_child[ROOT]
    n = tree.n_children[ROOT]
    expected, most = mixed_value(tree, ROOT)
    done = 0
    for child in range(first, first + n):
        done += tree.visits[child]
    budget = tree.info[BUDGET]
    next_visits = considered_visits(max(1, min(min(n, rule.considered), budget)), budget, done)
    best, best_score, best_planned = first, -1e300, False
    for child in range(first, first + n):
        if _lost(tree, child, sign):
            continue
        # If lost moves leave a gap in the plan, the best move is tried once more.
        planned = tree.visits[child] == next_visits
        score = _score(rule, tree, child, sign, expected, most)
        if (planned and not best_planned) or (planned == best_planned and score > best_score):
            best, best_score, best_planned = child, score, planned
    return best


@inline_kernel
def _select_below(rule, tree, node):
    sign = 1.0 - 2.0 * tree.mover[node]
    first = tree.first_child[node]
    last = first + tree.n_children[node]
    expected, most = mixed_value(tree, node)
    top = -1e300
    visits = 0
    for child in range(first, last):
        visits += tree.visits[child]
        if not _lost(tree, child, sign):
            top = max(top, _score(rule, tree, child, sign, expected, most))
    total = 0.0
    for child in range(first, last):
        if not _lost(tree, child, sign):
            total += math.exp(_score(rule, tree, child, sign, expected, most) - top)
    best, best_gap = first, -1e300
    for child in range(first, last):
        if _lost(tree, child, sign):
            continue
        share = math.exp(_score(rule, tree, child, sign, expected, most) - top) / total
        gap = share - tree.visits[child] / (1.0 + visits)
        if gap > best_gap:
            best, best_gap = child, gap
    return best


@inline_kernel
def _select_gumbel(rule, tree, node):
    if node == ROOT and tree.info[BUDGET] > 0:
        return _select_at_root(rule, tree)
    return _select_below(rule, tree, node)


@kernel
def draw_gumbel(actions, n, rng, scale, noise):
    """Write a Gumbel variable times `scale` for each of `actions[:n]`, and 0 for all others."""
    noise[:] = 0.0
    for i in range(n):
        noise[actions[i]] = -scale * math.log(-math.log(uniform(rng) + 1e-300) + 1e-300)


@inline_kernel
def _perturb(rule, tree, noise, weight):
    """Replace the priors of the root's children by the softmax of g + log P."""
    first = tree.first_child[ROOT]
    last = first + tree.n_children[ROOT]
    top = -1e300
    for child in range(first, last):
        prior = max(tree.prior[child], _LEAST)
        top = max(top, math.log(prior) + noise[tree.action[child]])
    total = 0.0
    for child in range(first, last):
        prior = max(tree.prior[child], _LEAST)
        prior = math.exp(math.log(prior) + noise[tree.action[child]] - top)
        tree.prior[child] = max(prior, _LEAST)
        total += prior
    for child in range(first, last):
        tree.prior[child] /= total


add_rule(Gumbel, _select_gumbel, change_priors=_perturb)


@kernel
def best_child(rule, tree):
    """The root's child to play: a proven win, else the best score among the most visited.

    Lost ones come last; -1 if there are no children.
    """
    sign = 1.0 - 2.0 * tree.mover[ROOT]
    first = tree.first_child[ROOT]
    last = first + tree.n_children[ROOT]
    expected, most = mixed_value(tree, ROOT)
    best, best_rank, best_score = -1, -2.0, 0.0
    for child in range(first, last):
        rank = float(tree.visits[child])
        if tree.proven[child] != UNPROVEN and tree.proven[child] != 0:
            rank = 1e18 if sign * tree.proven[child] > 0 else -1.0
        score = _score(rule, tree, child, sign, expected, most)
        if rank > best_rank or (rank == best_rank and score > best_score):
            best, best_rank, best_score = child, rank, score
    return best


@kernel
def improved_policy(rule, tree, noise, out):
    """softmax(log P + sigma(q)) of the root, which is not proven; lost moves get nothing.

    Args:
        noise: float64[num_actions], the variables g that were added to the log priors.
        out: float64[num_actions], overwritten; sums to 1.
    """
    out[:] = 0.0
    sign = 1.0 - 2.0 * tree.mover[ROOT]
    first = tree.first_child[ROOT]
    last = first + tree.n_children[ROOT]
    expected, most = mixed_value(tree, ROOT)
    top = -1e300
    for child in range(first, last):
        action = tree.action[child]
        out[action] = _score(rule, tree, child, sign, expected, most) - noise[action]
        if not _lost(tree, child, sign):
            top = max(top, out[action])
    total = 0.0
    for child in range(first, last):
        action = tree.action[child]
        out[action] = 0.0 if _lost(tree, child, sign) else math.exp(out[action] - top)
        total += out[action]
    if total > 0.0:
        for child in range(first, last):
            out[tree.action[child]] /= total


def unperturbed(priors: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """The priors before the noise of their actions was added."""
    logs = np.log(np.maximum(priors, _LEAST)) - noise
    powers = np.exp(logs - logs.max())
    return powers / powers.sum()
