"""Best-first minimax, compiled (Korf and Chickering 1996; Cohen-Solal 2020).

An iteration walks from the root along the best moves to a leaf, gives the leaf its children,
evaluates all of them, and updates the minimax values on the path. There are two searches:

    best-first   an iteration ends at the first leaf: to play
    descent      an iteration goes on along the best moves until the game is decided: to learn,
                 since the values of finished games are exact

The tree is that of `engines/search/tree.py` with another meaning of two fields: `value_sum` is the
minimax value of a node, seen by player 0, and `visits` the iterations through it, plus one.

Completion: `proven` marks the nodes whose result is certain. No iteration enters them, and a
proven win counts more than any estimate, a proven loss less.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.jit import inline_kernel, kernel
from engines.learning.data.records import LABELLED, PLAYER_1
from engines.search import tree as ts
from engines.search.evaluators import value_of
from engines.search.search import REMAINING, TREE
from engines.search.tree import MAX_DEPTH, ROOT, UNPROVEN

# What a win is worth after as many plies as the board has cells, or more. At the start it would be
# worth 1: quick wins and slow losses are better (Cohen-Solal's depth heuristic).
SLOWEST = 0.5
# Columns of `walks`, a row for each search: nodes on the path of an iteration that goes on in the
# next round (0: a new one begins), and plies of the game before the root. Of `ways`, a row for
# each child to evaluate: its search, its node.
LENGTH, PLIES = range(2)
OWNER, CHILD = range(2)


class Searches(NamedTuple):
    """Searches side by side; see `engines/search/search.py`."""

    trees: Any  # batch of trees
    plan: np.ndarray
    walks: np.ndarray  # int64[n, 2], see above
    roots: Any  # batch of states
    rngs: np.ndarray


class Children(NamedTuple):
    """The children to evaluate in a round, and the paths that lead to them."""

    states: Any  # batch of states; the last one is scratch
    # int32[states, MAX_DEPTH + 2]; in the first rows, the nodes from the root to the leaf of each
    # search.
    paths: np.ndarray
    ways: np.ndarray  # int64[states, 2], see above
    values: np.ndarray  # float64[states], seen by the player to move


@inline_kernel
def best_child(tree, node, only_open):
    """The best child: a proven win, else the highest value, else a proven loss. With `only_open`,
    where the search goes on: the best that is not proven; if equal, with fewer visits."""
    sign = 1 - 2 * tree.mover[node]
    best, best_completion, best_value = -1, 0, 0.0
    first = tree.first_child[node]
    for child in range(first, first + tree.n_children[node]):
        completion = 0 if tree.proven[child] == UNPROVEN else sign * tree.proven[child]
        value = sign * tree.value_sum[child]
        if only_open and tree.proven[child] != UNPROVEN:
            continue
        if best < 0 or completion > best_completion or (completion == best_completion and (
            value > best_value
            or only_open and value == best_value and tree.visits[child] < tree.visits[best]
        )):
            best, best_completion, best_value = child, completion, value
    return best


@inline_kernel
def update(tree, node):
    """The minimax value of a node and its proof, by its children."""
    tree.value_sum[node] = tree.value_sum[best_child(tree, node, False)]
    tree.proven[node] = ts.proof_from_children(tree, node)


@kernel
def collect(searches, children, actions, cells):
    """In every search that wants iterations, walk to a leaf and give it its children.

    Args:
        searches: `Searches`.
        children: `Children`; out: states and ways, and the paths.
        actions: int64[num_actions], scratch.
        cells: of the board.

    Returns:
        The number of children to evaluate, -1 if no search wants iterations. The values of
        finished games are set here.
    """
    trees, plan, walks, roots, rngs = searches
    states, paths, ways, _ = children
    n, idle, work = 0, True, kernels.row(states, len(paths) - 1)
    for i in range(len(plan)):
        tree, path = kernels.row(trees, plan[i, TREE]), paths[i]
        if plan[i, REMAINING] > 0 and tree.proven[ROOT] != UNPROVEN:
            plan[i, REMAINING] = 0
        if plan[i, REMAINING] == 0:
            continue
        idle = False
        kernels.copy_into(work, kernels.row(roots, i))
        path[0], length = ROOT, max(walks[i, LENGTH], 1)
        for k in range(1, length):
            kernels.play(work, tree.action[path[k]])
        node = path[length - 1]
        while tree.n_children[node] > 0 and length <= MAX_DEPTH:
            node = best_child(tree, node, True)
            kernels.play(work, tree.action[node])
            path[length] = node
            length += 1
        walks[i, LENGTH] = length
        tree.info[ts.DEEPEST] = max(tree.info[ts.DEEPEST], length - 1)
        if tree.n_children[node] > 0 or not ts.expand(tree, node, work, actions, rngs[i]):
            continue  # too deep, or no room
        first = tree.first_child[node]
        for child in range(first, first + tree.n_children[node]):
            state = kernels.row(states, n)
            kernels.copy_into(state, work)
            kernels.play(state, tree.action[child])
            tree.mover[child], tree.visits[child] = kernels.to_move(state), 1
            if kernels.terminal(state):
                tree.proven[child] = kernels.result(state)
                share = min((walks[i, PLIES] + length) / cells, 1.0)
                tree.value_sum[child] = tree.proven[child] * (1.0 - (1.0 - SLOWEST) * share)
            else:
                ways[n, OWNER], ways[n, CHILD] = i, child
                n += 1
    return -1 if idle else n


@kernel
def absorb(searches, children, n, to_end):
    """Give `n` collected children their values, and end the iterations that are complete.

    Args:
        searches: `Searches`.
        children: `Children`.
        to_end: whether an iteration goes on until the game is decided.

    Returns:
        The number of complete iterations.
    """
    trees, plan, walks, _, _ = searches
    _, paths, ways, values = children
    for k in range(n):
        tree = kernels.row(trees, plan[ways[k, OWNER], TREE])
        child = ways[k, CHILD]
        tree.value_sum[child] = (1 - 2 * tree.mover[child]) * values[k]
    complete = 0
    for i in range(len(plan)):
        if plan[i, REMAINING] == 0:
            continue
        tree, length = kernels.row(trees, plan[i, TREE]), walks[i, LENGTH]
        leaf = paths[i, length - 1]
        expanded = tree.n_children[leaf] > 0 and length <= MAX_DEPTH
        if expanded:
            update(tree, leaf)
        if to_end and expanded and tree.proven[leaf] == UNPROVEN:
            continue
        for k in range(length - 1, -1, -1):
            node = paths[i, k]
            tree.visits[node] += 1
            if tree.n_children[node] > 0:
                update(tree, node)
        walks[i, LENGTH] = 0
        plan[i, REMAINING] -= 1
        complete += 1
    return complete


@kernel
def run(searches, children, scratch, cells, to_end, rounds, evaluator):
    """Do up to `rounds` rounds of `collect` and `absorb` with a compiled evaluator.

    Returns (complete iterations, evaluations).
    """
    complete, evaluations = 0, 0
    for _ in range(rounds):
        n = collect(searches, children, scratch.actions, cells)
        if n < 0:
            break
        for k in range(n):
            state = kernels.row(children.states, k)
            children.values[k] = (1 - 2 * kernels.to_move(state)) * value_of(
                evaluator, state, 0, scratch, searches.rngs[children.ways[k, OWNER]])
        complete += absorb(searches, children, n, to_end)
        evaluations += n
    return complete, evaluations


@kernel
def write_lines(tree, skipped, moves, scratch, plies, actions, flags, values):
    """Write the expanded nodes of a tree as lines of moves from the start of the game.

    Each node belongs to one line, where it is marked as LABELLED; the moves that lead to it may be
    in several lines.

    Args:
        skipped: a node that is left out with all nodes below it; -1: none.
        moves: int64[plies], the moves before the root.
        scratch: int64[2, MAX_DEPTH + 2].
        plies: out, int64[lines], the length of each line. With length 0, the lines are counted
            only.
        actions, flags, values: out, of each ply; values are seen by the player to move.

    Returns:
        (lines, plies): their numbers.
    """
    path, following = scratch[0], scratch[1]
    lines, end = 0, 0
    depth, unwritten = 0, 0  # nodes of the path from this depth on are in no line yet
    path[0], following[0] = ROOT, 0
    if tree.n_children[ROOT] == 0:
        depth = -1
    while depth >= 0:
        node = path[depth]
        child = tree.first_child[node] + following[depth]
        if following[depth] < tree.n_children[node]:
            following[depth] += 1
            if tree.n_children[child] > 0 and child != skipped:
                depth += 1
                path[depth], following[depth] = child, 0
            continue
        if depth >= unwritten:
            if len(plies) > 0:
                plies[lines] = len(moves) + depth + 1
                for k in range(len(moves)):
                    actions[end + k] = moves[k]
                start = end + len(moves)
                path[depth + 1] = tree.first_child[node]
                for k in range(depth + 1):
                    node, mover = path[k], tree.mover[path[k]]
                    actions[start + k] = tree.action[path[k + 1]]
                    if k >= unwritten:
                        flags[start + k] = LABELLED | (PLAYER_1 if mover == 1 else 0)
                        values[start + k] = (1 - 2 * mover) * tree.value_sum[node]
            lines, end = lines + 1, end + len(moves) + depth + 1
            unwritten = depth + 1
        depth -= 1
        unwritten = min(unwritten, depth + 1)
    return lines, end
