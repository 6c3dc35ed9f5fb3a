"""The search tree of all tree-search engines: nodes in flat arrays, four operations.

    select   walk from the root to a leaf, by a selection rule (`rules.py`)
    expand   give the leaf its children
    back up  add the leaf's value to every node on the path, and propagate proven results
    advance  make a descendant the new root, keeping its subtree

Engines differ only in the selection rule and the evaluator. The children of a node are contiguous,
so a node stores the index of the first child and their number. A search allocates no memory: a full
tree stops growing, and the search goes on from its leaves.

Perspective: all values in the tree are those of player 0 (+1 won, -1 lost). Only the selection rule
changes the sign, for the player who chooses, so players need not alternate.

Proven results (MCTS-Solver; Winands et al. 2008): `proven` holds the result of a node if it is
certain. Finished games are proven. A node is proven won for its mover as soon as one child is, and
otherwise proven when all children are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.game_declaration import action_type
from dlgo.jit import inline_kernel, kernel
from dlgo.rng import shuffle

UNPROVEN = 2
ROOT = 0
# Longest path from the root. Deeper positions are evaluated, not searched.
MAX_DEPTH = 500

# Indices into `info`: number of nodes, longest path so far, and BUDGET: the number of simulations
# that choose a move at the root, if it is known in advance, else 0.
N_NODES, DEEPEST, BUDGET = range(3)


class Tree(NamedTuple):
    """A tree with room for `capacity` nodes; node 0 is the root."""

    info: np.ndarray  # int64[3], see above
    first_child: np.ndarray  # int32, 0 for a leaf
    n_children: np.ndarray  # int16, or int32 in games with many actions, as the next
    action: np.ndarray  # the action that leads here
    mover: np.ndarray  # int8, the player to move here
    proven: np.ndarray  # int8, result or UNPROVEN
    visits: np.ndarray  # int32
    value_sum: np.ndarray  # float64, over all visits, seen by player 0
    prior: np.ndarray  # float32
    # float32, for RAVE only, else of length 0: simulations in which the mover of the parent played
    # this action at any later time, and the share of them which that player won.
    amaf_visits: np.ndarray
    amaf_wins: np.ndarray


def new_tree(capacity: int, num_actions: int, amaf: bool = False) -> Tree:
    """An empty tree; `amaf`: with RAVE's counts.

    Memory (26 bytes a node, with RAVE 34) is used only as nodes are added.
    """
    number = action_type(num_actions)
    rave = capacity if amaf else 0
    return Tree(
        info=np.zeros(3, np.int64),
        first_child=np.zeros(capacity, np.int32),
        n_children=np.zeros(capacity, number),
        action=np.zeros(capacity, number),
        mover=np.zeros(capacity, np.int8),
        proven=np.zeros(capacity, np.int8),
        visits=np.zeros(capacity, np.int32),
        value_sum=np.zeros(capacity, np.float64),
        prior=np.zeros(capacity, np.float32),
        amaf_visits=np.zeros(rave, np.float32),
        amaf_wins=np.zeros(rave, np.float32),
    )


@inline_kernel
def init_node(tree, node, action):
    """Make `node` a new leaf; its mover is set when a walk reaches it."""
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

    The order decides which of equal children is tried first. The priors are uniform; evaluators
    with a policy overwrite them.
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
    """Add a leaf's value to the `length` nodes of a path, root first; propagate proofs upwards."""
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
    """The child to play: a proven win, else the most visited that is not a proven loss; -1: none.

    A proven draw counts by its visits. Ties go to the better mean value, and among moves without
    visits to the larger prior.
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
    """The rank of a child as a move to play; `value_sum` is that of the player who chooses."""
    if proven != UNPROVEN and proven != 0:
        # Among lost moves, prefer the one that took the most visits to refute.
        return 1e18 if sign * proven == 1 else visits / 1e10
    return 2.0 + visits + (0.25 * value_sum / visits if visits else 0.2 * prior - 0.5)


@kernel
def principal_variation(tree, node, out):
    """Write the actions from `node` along the most visited children into `out`; return how many."""
    n = 0
    while n < len(out) and tree.n_children[node] > 0:
        node = most_visited(tree, node)
        if tree.visits[node] == 0:
            break
        out[n] = tree.action[node]
        n += 1
    return n


class Counts(NamedTuple):
    """Counts of the root's moves over one or more trees, by action."""

    visits: np.ndarray  # int64
    value_sums: np.ndarray  # float64, seen by player 0
    proven: np.ndarray  # int8, result or UNPROVEN
    priors: np.ndarray  # float64, of the last tree

    @classmethod
    def empty(cls, num_actions: int) -> Counts:
        """Counts without visits."""
        return cls(
            np.zeros(num_actions, np.int64), np.zeros(num_actions),
            np.full(num_actions, UNPROVEN, np.int8), np.zeros(num_actions),
        )

    def by_visits(self) -> np.ndarray:
        """The visited actions, the most visited first."""
        return (-self.visits).argsort(kind="stable")[: np.count_nonzero(self.visits)]


@kernel
def add_root(tree, visits, value_sums, proven, priors):
    """Add a tree's counts of the root's moves to the arrays of `Counts`; proofs replace the old.

    Returns the action to play by the sums so far, ranked as in `most_visited`; -1: no children.
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

    These are the shares of the visits, without moves that are proven lost. If the root is
    proven, all moves that keep its result have equal shares.
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
    n_nodes = 1
    done = 0
    # `first_child` of a copied node still points into the old tree until it is its turn.
    while done < n_nodes:
        first = spare.first_child[done]
        n = spare.n_children[done]
        if n > 0:
            spare.first_child[done] = n_nodes
            for i in range(n):
                _copy_node(tree, spare, first + i, n_nodes + i)
            n_nodes += n
        done += 1
    _reset(spare.info, n_nodes)


@kernel
def remove_child(tree, node, child):
    """Remove a child; the last one takes its place."""
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
