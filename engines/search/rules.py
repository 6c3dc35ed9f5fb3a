"""Selection rules: which child of a node to visit next.

A rule is a `NamedTuple` of its constants, and the functions below are chosen by its class:

    select      the child to visit next
    prepare     initialises the children of a new node
    learn       updates the rule's counts after a simulation
    add_noise   changes the root's priors by noise

w is a child's share of wins in its n visits, for the player who chooses; a draw is half a win. N is
the number of visits of the parent. UCT visits new children first. A child that is proven lost is
not visited again while there is another.

    UCT          w + c sqrt(log N / n)   (Kocsis and Szepesvari 2006; chapter 4.5.2 of the book)
    RAVE         (1 - b) w + b w',  b = m / (m + n + m n / k)
                 with m and w' counted over all simulations in which the chooser played the
                 move at any later time (all moves as first, AMAF); they grow fast, so the rule
                 needs no exploration (Gelly and Silver 2007)
    PUCT         w + c P sqrt(N) / (1 + n) with P the prior of the move; for a child without
                 visits, w is the parent's minus `fpu_reduction` (Silver et al. 2017)
    Gumbel       plans the number of visits of the root's moves; see `gumbel.py`
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.dispatch import by_class
from dlgo.jit import inline_kernel, kernel
from dlgo.rng import gamma
from engines.search.tree import ROOT, UNPROVEN


class UCT(NamedTuple):
    """UCT. c_uct: float, weight of exploration."""

    c_uct: float


class RAVE(NamedTuple):
    """RAVE, for a tree with AMAF counts.

    equivalence: float, k above, the visits at which w weighs as much as w' with many counts.
    hints: float, weight of the game's `hints`.
    """

    equivalence: float
    hints: float


class PUCT(NamedTuple):
    """PUCT.

    c_puct: float, weight of the prior; fpu_reduction: float, see above.
    visits_exponent: float, the power of N above.
    """

    c_puct: float
    fpu_reduction: float
    visits_exponent: float = 0.5


@by_class
def select(rule, tree, node):
    """The child of `node` with the best score for the player who moves there."""


@by_class
def prepare(rule, tree, node, state, scratch):
    """Called when `node`, whose position is `state`, has just been given its children."""


@by_class
def learn(rule, tree, path, length, value, first_players):
    """Called with the path of every simulation, its value for player 0, and the moves played.

    `first_players` holds the first player of each action in the rollout; the moves on the path are
    added here.
    """


@by_class
def add_noise(rule, tree, noise, weight):
    """Change the priors of the root's children by noise, float64[num_actions]; weight: above 0."""


@inline_kernel
def proven_score(sign, result):
    """The score of a child whose result is proven; it needs no exploration."""
    return 0.5 if result == 0 else 100.0 * sign * result


# The logarithm is the most expensive part of a step, and most nodes have few visits.
_ROOT_LOG = np.sqrt(np.log(np.maximum(np.arange(2048), 1)))


@inline_kernel
def root_log(visits):
    """sqrt(log visits), from a table for small numbers."""
    return _ROOT_LOG[visits] if visits < len(_ROOT_LOG) else math.sqrt(math.log(visits))


@inline_kernel
def _select_uct(rule, tree, node):
    # (1 + value) / 2: from the scale -1..1 of the tree to the share of wins.
    half_sign = 0.5 - tree.mover[node]
    explore = rule.c_uct * root_log(tree.visits[node])
    first = tree.first_child[node]
    best = first
    best_score = -1e9
    for child in range(first, first + tree.n_children[node]):
        visits = tree.visits[child]
        if visits == 0:
            return child
        result = tree.proven[child]
        if result == UNPROVEN:
            inverse = 1.0 / visits
            score = 0.5 + half_sign * tree.value_sum[child] * inverse + explore * math.sqrt(inverse)
        else:
            score = proven_score(2.0 * half_sign, result)
        if score > best_score:
            best, best_score = child, score
    return best


@inline_kernel
def _select_rave(rule, tree, node):
    sign = 1.0 - 2.0 * tree.mover[node]
    per_pair = 1.0 / rule.equivalence
    first = tree.first_child[node]
    best = first
    best_score = -1e9
    for child in range(first, first + tree.n_children[node]):
        result = tree.proven[child]
        if result != UNPROVEN:
            score = proven_score(sign, result)
        else:
            visits = tree.visits[child]
            amaf = tree.amaf_visits[child]
            if visits == 0:
                # Without any count it gets the best score, so that it is tried.
                score = tree.amaf_wins[child] if amaf > 0 else 1.0
            else:
                wins = 0.5 + 0.5 * sign * tree.value_sum[child] / visits
                trust = amaf / (amaf + visits + amaf * visits * per_pair)
                score = wins + trust * (tree.amaf_wins[child] - wins)
        if score > best_score:
            best, best_score = child, score
    return best


@inline_kernel
def _hint(rule, tree, node, state, scratch):
    """Initialise the AMAF counts of the children by the game's hints."""
    first = tree.first_child[node]
    n = tree.n_children[node]
    if rule.hints == 0.0:
        return
    for i in range(n):
        scratch.actions[i] = tree.action[first + i]
    kernels.hints(state, scratch.actions, n, scratch.hint_visits, scratch.hint_wins)
    for i in range(n):
        visits = scratch.hint_visits[i]
        if visits > 0:
            tree.amaf_visits[first + i] = rule.hints * visits
            tree.amaf_wins[first + i] = scratch.hint_wins[i] / visits


@inline_kernel
def _learn_amaf(rule, tree, path, length, value, first_players):
    """Credit every move that was available on the path and played later by the same player."""
    for i in range(length - 1, 0, -1):
        node = path[i - 1]
        mover = tree.mover[node]
        # The first player of an action is credited; actions nearer the root were played earlier.
        first_players[tree.action[path[i]]] = mover
        won = 0.5 + 0.5 * (1 - 2 * mover) * value
        first = tree.first_child[node]
        for child in range(first, first + tree.n_children[node]):
            if first_players[tree.action[child]] == mover:
                tree.amaf_visits[child] += 1.0
                tree.amaf_wins[child] += (won - tree.amaf_wins[child]) / tree.amaf_visits[child]


@inline_kernel
def _select_puct(rule, tree, node):
    sign = 1.0 - 2.0 * tree.mover[node]
    visits_here = tree.visits[node]
    root = math.sqrt(visits_here)  # faster than a power
    if rule.visits_exponent != 0.5:
        root = visits_here**rule.visits_exponent
    explore = rule.c_puct * root
    # The value of a position is the same for its mover, whichever child is chosen.
    expected = 0.5 + 0.5 * sign * tree.value_sum[node] / visits_here - rule.fpu_reduction
    first = tree.first_child[node]
    best = first
    best_score = -1e9
    for child in range(first, first + tree.n_children[node]):
        visits, result = tree.visits[child], tree.proven[child]
        if result != UNPROVEN:
            score = proven_score(sign, result)
        else:
            wins = 0.5 + 0.5 * sign * tree.value_sum[child] / visits if visits else expected
            score = wins + explore * tree.prior[child] / (1.0 + visits)
        if score > best_score:
            best, best_score = child, score
    return best


@kernel
def draw_noise(state, actions, concentration, rng, noise):
    """Draw Dirichlet noise for the sensible actions; `noise` (float64[num_actions]) sums to 1."""
    n = kernels.search_actions(state, actions)
    noise[:] = 0.0
    total = 0.0
    for i in range(n):
        sample = gamma(rng, concentration / n)
        noise[actions[i]] = sample
        total += sample
    # If concentration / n is tiny, all samples may round to 0.
    for i in range(n):
        noise[actions[i]] = noise[actions[i]] / total if total > 0.0 else 1.0 / n


@inline_kernel
def mix_noise(rule, tree, noise, weight):
    """Replace a part of the priors of the root's children by noise."""
    first = tree.first_child[ROOT]
    for child in range(first, first + tree.n_children[ROOT]):
        tree.prior[child] = (1.0 - weight) * tree.prior[child] + weight * noise[tree.action[child]]


@inline_kernel
def _no_preparation(rule, tree, node, state, scratch):
    pass


@inline_kernel
def _no_learning(rule, tree, path, length, value, first_players):
    pass


def add_rule(rule, select_child, prepare_node=_no_preparation, learn_from=_no_learning,
             change_priors=mix_noise):
    """Register the functions of a rule."""
    select.register(rule, select_child)
    prepare.register(rule, prepare_node)
    learn.register(rule, learn_from)
    add_noise.register(rule, change_priors)


add_rule(UCT, _select_uct)
add_rule(RAVE, _select_rave, _hint, _learn_amaf)
add_rule(PUCT, _select_puct)
