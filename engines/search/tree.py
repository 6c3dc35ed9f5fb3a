"""The search tree all tree-search engines share: nodes in flat arrays, four operations.

    select   walk from the root to a leaf, by a selection rule (`rules.py`)
    expand   give the leaf its children
    back up  add the leaf's value to every node on the path, and spread proven results
    advance  make a descendant the new root, keeping what was learned below it

Engines differ only in the selection rule and in the evaluator that values a leaf. Children
of a node are contiguous, so a node needs the index of the first and their number. There is
no Python object per node, and nothing is allocated while searching: a full tree stops
growing, and the search continues from its leaves.

Perspective: every value in the tree is from the view of player 0, +1 won and -1 lost, at all nodes.
Only the selection rule turns it around, for the player who chooses. So nothing depends on turns
alternating.

Proven results (Winands' MCTS-Solver): a node whose result is known carries it in `proven`.
Finished games are proven; a node is proven won for its mover as soon as one child is, and
proven otherwise when all children are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.game_spec import action_type
from dlgo.jit import inline_kernel, kernel
from dlgo.rng import shuffle

UNPROVEN = 2
ROOT = 0
# Longest path from the root. Deeper positions are evaluated, not searched.
MAX_DEPTH = 500

# Indices into `info`: nodes in use, longest path so far, and BUDGET: of the simulations that a
# search may choose a move of the root for, if their number is known before, else 0.
N_NODES, DEEPEST, BUDGET = range(3)


class Tree(NamedTuple):
    """A tree with room for `capacity` nodes; node 0 is the root."""

    info: np.ndarray  # int64[3], see above
    first_child: np.ndarray  # int32, 0 for a leaf
    n_children: np.ndarray  # int16, or int32 in games with many actions, as the next
    action: np.ndarray  # leads here
    mover: np.ndarray  # int8, who moves here
    proven: np.ndarray  # int8, result or UNPROVEN
    visits: np.ndarray  # int32
    value_sum: np.ndarray  # float64, over all visits, seen by player 0
    prior: np.ndarray  # float32
    # float32, of RAVE alone, else of length 0: simulations in which the mover of the parent played
    # this action at any later time, and the share of them that player won.
    amaf_visits: np.ndarray
    amaf_wins: np.ndarray


def new_tree(capacity: int, num_actions: int, amaf: bool = False) -> Tree:
    """An empty tree; `amaf`: with room for RAVE's counts.

    The memory (26 bytes a node, with RAVE 34) is touched only as nodes are used.
    """
    number = action_type(num_actions)
    kinds = (np.int32, number, number, np.int8, np.int8, np.int32, np.float64, np.float32)
    rave = capacity if amaf else 0
    return Tree(
        np.zeros(3, np.int64), *(np.empty(capacity, kind) for kind in kinds),
        np.empty(rave, np.float32), np.empty(rave, np.float32),
    )


@inline_kernel
def init_node(tree, node, action):
    """Make `node` a fresh leaf; its mover becomes known when it is reached."""
    tree.first_child[node] = 0
    tree.n_children[node] = 0
    tree.action[node] = action
    tree.mover[node] = 0
    tree.proven[node] = UNPROVEN
    tree.visits[node] = 0
    tree.value_sum[node] = 0.0
    tree.prior[node] = 0.0
    if len(tree.amaf_visits):
        tree.amaf_visits[node] = 0.0
        tree.amaf_wins[node] = 0.0


@inline_kernel
def _reset(info, nodes):
    info[N_NODES] = nodes
    info[DEEPEST] = info[BUDGET] = 0


@kernel
def set_root(tree, state):
    """Start a tree at `state`: a root without children."""
    init_node(tree, ROOT, -1)
    tree.mover[ROOT] = kernels.to_move(state)
    _reset(tree.info, 1)


@inline_kernel
def expand(tree, node, state, actions, rng):
    """Give `node` a child for each sensible action, in random order; False if there is no room.

    The order decides which of equal children is tried first. Evaluators with a policy overwrite
    the priors, which are uniform here.
    """
    n = kernels.search_actions(state, actions)
    first = tree.info[N_NODES]
    if first + n > len(tree.visits):
        return False
    shuffle(actions, n, rng)
    for i in range(n):
        init_node(tree, first + i, actions[i])
        tree.prior[first + i] = 1.0 / n
    tree.first_child[node] = first
    tree.n_children[node] = n
    tree.info[N_NODES] = first + n
    return True


@inline_kernel
def back_up(tree, path, length, value):
    """Add a leaf's value to the `length` nodes of a path, root first; spread proofs upwards."""
    for i in range(length):
        node = path[i]
        tree.visits[node] += 1
        tree.value_sum[node] += value
    i = length - 1
    while i > 0 and tree.proven[path[i]] != UNPROVEN:
        parent = path[i - 1]
        if tree.proven[parent] == UNPROVEN:
            tree.proven[parent] = proof_from_children(tree, parent)
        i -= 1


@inline_kernel
def proof_from_children(tree, node):
    """The result of `node` if its children prove it, else UNPROVEN."""
    sign = 1 - 2 * tree.mover[node]
    first = tree.first_child[node]
    best = -2
    open_children = False
    for child in range(first, first + tree.n_children[node]):
        result = tree.proven[child]
        if result == UNPROVEN:
            open_children = True
        elif sign * result > best:
            best = sign * result
    if best == 1 or not open_children:
        return sign * best
    return UNPROVEN


@kernel
def most_visited(tree, node):
    """The child to play, or -1: a proven win, else the most visited that is not a proven loss.

    A proven draw competes with its visits. Equal visits go to the better mean value, and among
    moves not visited at all to the larger prior.
    """
    sign = 1 - 2 * tree.mover[node]
    first = tree.first_child[node]
    best = -1
    best_rank = -1.0
    for child in range(first, first + tree.n_children[node]):
        score = rank(
            tree.visits[child], sign * tree.value_sum[child], tree.prior[child],
            tree.proven[child], sign,
        )
        if best < 0 or score > best_rank:
            best, best_rank = child, score
    return best


@inline_kernel
def rank(visits, value_sum, prior, proven, sign):
    """How much a child recommends itself to be played; `value_sum` is seen by the chooser."""
    if proven != UNPROVEN and proven != 0:
        # Of lost moves, the one that took longest to refute.
        return 1e18 if sign * proven == 1 else visits / 1e10
    return 2.0 + visits + (0.25 * value_sum / visits if visits else 0.2 * prior - 0.5)


@kernel
def principal_variation(tree, out):
    """Write the actions along the most visited children into `out`; return how many."""
    node = ROOT
    n = 0
    while n < len(out) and tree.n_children[node] > 0:
        node = most_visited(tree, node)
        if tree.visits[node] == 0:
            break
        out[n] = tree.action[node]
        n += 1
    return n


class Counts(NamedTuple):
    """What trees have found out about the root's moves, by action."""

    visits: np.ndarray  # int64
    value_sums: np.ndarray  # float64, seen by player 0
    proven: np.ndarray  # int8, result or UNPROVEN
    priors: np.ndarray  # float64, of one tree

    @classmethod
    def empty(cls, num_actions: int) -> Counts:
        """Counts of no tree."""
        return cls(
            np.zeros(num_actions, np.int64), np.zeros(num_actions),
            np.full(num_actions, UNPROVEN, np.int8), np.zeros(num_actions),
        )

    def by_visits(self) -> np.ndarray:
        """The actions that have been visited, the most visited first."""
        return (-self.visits).argsort(kind="stable")[: np.count_nonzero(self.visits)]


@kernel
def add_root(tree, visits, value_sums, proven, priors):
    """Add a tree's statistics of the root's moves to `Counts`; a proof replaces others.

    Returns the action to play by the sums so far, ranked as by `most_visited`; -1: no children.
    """
    sign = 1 - 2 * tree.mover[ROOT]
    first = tree.first_child[ROOT]
    best = -1
    best_rank = -1.0
    for child in range(first, first + tree.n_children[ROOT]):
        action = tree.action[child]
        visits[action] += tree.visits[child]
        value_sums[action] += tree.value_sum[child]
        priors[action] = tree.prior[child]
        if tree.proven[child] != UNPROVEN:
            proven[action] = tree.proven[child]
        score = rank(
            visits[action], sign * value_sums[action], tree.prior[child], proven[action], sign
        )
        if best < 0 or score > best_rank:
            best, best_rank = action, score
    return best


@kernel
def root_policy(tree, out):
    """Write the search's policy at the root, a target for learning: float64[num_actions], sum 1.

    It is the shares of the visits, without moves that are proven to be worse than others. If the
    root itself is proven, all moves that keep its result have equal shares.
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


@kernel
def find_child(tree, node, action):
    """The child reached by `action`, or -1."""
    first = tree.first_child[node]
    for child in range(first, first + tree.n_children[node]):
        if tree.action[child] == action:
            return child
    return -1


@kernel
def advance(tree, spare, node):
    """Copy the subtree below `node` into `spare`, of the same capacity, with `node` as its root.

    Breadth first, so that the copy needs no stack: nodes are copied in the order in which
    the copy holds them.
    """
    _copy_node(tree, spare, node, ROOT)
    used = 1
    done = 0
    # `first_child` of a copied node still points into the old tree until it is its turn.
    while done < used:
        first = spare.first_child[done]
        n = spare.n_children[done]
        if n > 0:
            spare.first_child[done] = used
            for i in range(n):
                _copy_node(tree, spare, first + i, used + i)
            used += n
        done += 1
    _reset(spare.info, used)


@kernel
def remove_child(tree, node, child):
    """Forget a child; the last one takes its place."""
    last = tree.first_child[node] + tree.n_children[node] - 1
    _copy_node(tree, tree, last, child)
    tree.n_children[node] -= 1


@inline_kernel
def _copy_node(tree, spare, source, target):
    spare.first_child[target] = tree.first_child[source]
    spare.n_children[target] = tree.n_children[source]
    spare.action[target] = tree.action[source]
    spare.mover[target] = tree.mover[source]
    spare.proven[target] = tree.proven[source]
    spare.visits[target] = tree.visits[source]
    spare.value_sum[target] = tree.value_sum[source]
    spare.prior[target] = tree.prior[source]
    if len(tree.amaf_visits):
        spare.amaf_visits[target] = tree.amaf_visits[source]
        spare.amaf_wins[target] = tree.amaf_wins[source]
