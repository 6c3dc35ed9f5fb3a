"""One search for all tree-search engines and learners: n trees, up to m leaves of each at a time.

A simulation walks down a tree by the selection rule to a leaf, asks the evaluator what that
position is worth, and counts the answer for every node on the way (chapter 4.5 of the book). The
classes of rule and evaluator are known when the loop is compiled, so each pair has its own loop,
without a branch on either. The searches differ in who values a leaf:

    run                 a compiled evaluator, without leaving the loop: a rollout, a small network
    collect, absorb     Python, such as a large network. `collect` walks to some leaves and stops,
                        the evaluator is asked about all of them in one call, and `absorb` counts
                        its answers. While a leaf waits for its answer, a virtual loss on its path
                        sends the next walk of its tree elsewhere (Chaslot et al. 2008).

Playing searches one tree, self-play a tree for each of many games. `batched_search.py` puts the
parts together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.jit import inline_kernel, kernel
from engines.search import tree as ts
from engines.search.evaluators import value_of
from engines.search.rules import learn, prepare, select
from engines.search.tree import MAX_DEPTH, ROOT, UNPROVEN, back_up, expand

# When a leaf gets its children: when it is valued, with the evaluator's priors; at the visit after
# that; or by `absorb`.
AT_ONCE, SECOND_VISIT, LATER = range(3)


class Scratch(NamedTuple):
    """Scratch of a search besides its trees; unused between simulations."""

    actions: np.ndarray  # int64[num_actions]
    priors: np.ndarray  # float32[num_actions], of these actions
    played: np.ndarray  # int8[num_actions], see `kernels.heavy_rollout`
    hint_visits: np.ndarray  # float32[num_actions], as the next, see `kernels.hints`
    hint_wins: np.ndarray


def new_scratch(num_actions: int) -> Scratch:
    """Scratch arrays for one thread."""
    priors, hint_visits, hint_wins = (np.empty(num_actions, np.float32) for _ in range(3))
    return Scratch(
        np.empty(num_actions, np.int64), priors,
        np.full(num_actions, kernels.NOBODY, np.int8), hint_visits, hint_wins,
    )


# Columns of `plan`, a row for each search: which of the trees it has, and how many simulations it
# still wants (0: it rests). Of `ways`, a row for each leaf: nodes from the root to it, its search.
TREE, REMAINING = range(2)
LENGTH, OWNER = range(2)


@kernel
def run(trees, plan, roots, rngs, states, paths, scratch, most, expand_at, rule, evaluator):
    """Run up to `most` simulations in each search that wants some, by a compiled evaluator.

    Args:
        trees: batch. plan: int64[n, 2]. roots: batch of n states, unchanged.
        rngs: uint64[n, words], generator states.
        states: batch with room for the deepest line, scratch. paths: as of `collect`, scratch.
        expand_at: AT_ONCE or SECOND_VISIT.
        rule: of `rules.py`. evaluator: of `evaluators.py`.

    Returns:
        (simulations, evaluations): how many there were. A proven root is not searched further.
    """
    state, path = kernels.row(states, 0), paths[0]
    simulations, evaluations = 0, 0
    for i in range(len(plan)):
        tree, root, rng = kernels.row(trees, plan[i, TREE]), kernels.row(roots, i), rngs[i]
        wanted = min(most, plan[i, REMAINING])
        for _ in range(wanted):
            if tree.proven[ROOT] != UNPROVEN:
                plan[i, REMAINING] = 0
                break
            plan[i, REMAINING] -= 1
            simulations += 1
            length = walk(tree, root, state, path, scratch, rng, expand_at, rule)
            node = path[length - 1]
            scratch.played[:] = kernels.NOBODY
            if tree.proven[node] != UNPROVEN:
                value = float(tree.proven[node])
            else:
                evaluations += 1
                first, n = tree.first_child[node], tree.n_children[node]  # AT_ONCE: it has some
                value = value_of(evaluator, state, n, scratch, rng)
                for k in range(n):
                    tree.prior[first + k] = scratch.priors[k]
            learn(rule, tree, path, length, value, scratch.played)
            back_up(tree, path, length, value)
    return simulations, evaluations


@kernel
def collect(trees, plan, roots, rngs, states, paths, ways, scratch, most, rule):
    """Walk up to `most` times in each search, to leaves that wait for an answer.

    Args:
        states: batch of the leaves, out; room for `most` of each search, and the deepest line.
        paths: int32[leaves, MAX_DEPTH + 2], out: the nodes from the root to each leaf.
        ways: int64[leaves, 2], out. The others: as of `run`.

    Returns:
        (walks, leaves): walks that ended in a finished game are counted and done with.
    """
    walks, n = 0, 0
    for i in range(len(plan)):
        tree, root = kernels.row(trees, plan[i, TREE]), kernels.row(roots, i)
        wanted = min(most, plan[i, REMAINING])
        for _ in range(wanted):
            if tree.proven[ROOT] != UNPROVEN:
                plan[i, REMAINING] = 0
                break
            plan[i, REMAINING] -= 1
            walks += 1
            path = paths[n]
            length = walk(
                tree, root, kernels.row(states, n), path, scratch, rngs[i], LATER, rule
            )
            node = path[length - 1]
            if tree.proven[node] != UNPROVEN:
                back_up(tree, path, length, float(tree.proven[node]))
                continue
            _lose_virtually(tree, path, length, 1)
            ways[n, LENGTH], ways[n, OWNER] = length, i
            n += 1
            if node == ROOT:  # where all walks would end until it has children
                break
    return walks, n


@kernel
def absorb(trees, plan, rngs, states, paths, ways, n, policies, values, actions):
    """Give `n` collected leaves their children and values.

    Args:
        policies: float32[n, num_actions]. values: float32[n], seen by the player to move.
        actions: int64[num_actions], scratch. The others: as of `collect`.
    """
    for k in range(n):
        i, path, length = ways[k, OWNER], paths[k], ways[k, LENGTH]
        tree = kernels.row(trees, plan[i, TREE])
        node = path[length - 1]
        _lose_virtually(tree, path, length, -1)
        # The same leaf may have been collected twice; the tree may be full.
        if tree.n_children[node] == 0 and expand(
            tree, node, kernels.row(states, k), actions, rngs[i]
        ):
            _set_priors(tree, node, policies[k])
        back_up(tree, path, length, (1 - 2 * tree.mover[node]) * values[k])


@inline_kernel
def walk(tree, root, state, path, scratch, rng, expand_at, rule):
    """Walk from the root to a leaf, which may be new, and play the moves on `state`.

    Returns the length of the `path`, whose last node is the leaf. If its game is over, the result
    is in `proven`.
    """
    kernels.copy_into(state, root)
    node = ROOT
    path[0] = ROOT
    length = 1
    while tree.proven[node] == UNPROVEN and length <= MAX_DEPTH:
        if tree.n_children[node] == 0:
            # At once, no node has fewer visits than that; at the second, it needs one.
            if expand_at == LATER or (tree.visits[node] < expand_at and node != ROOT):
                break
            if not expand(tree, node, state, scratch.actions, rng):
                break
            prepare(rule, tree, node, state, scratch)
            if expand_at == AT_ONCE:
                break
        node = select(rule, tree, node)
        kernels.play(state, tree.action[node])
        path[length] = node
        length += 1
        tree.mover[node] = kernels.to_move(state)
        if tree.visits[node] == 0 and kernels.terminal(state):
            tree.proven[node] = kernels.result(state)
    if length - 1 > tree.info[ts.DEEPEST]:
        tree.info[ts.DEEPEST] = length - 1
    return length


@inline_kernel
def _lose_virtually(tree, path, length, times):
    """Count a walk as lost for the player of each step (`times` = 1), or take that back (-1)."""
    tree.visits[path[0]] += times
    for i in range(1, length):
        tree.visits[path[i]] += times
        tree.value_sum[path[i]] -= times * (1 - 2 * tree.mover[path[i - 1]])


@inline_kernel
def _set_priors(tree, node, policy):
    first = tree.first_child[node]
    n = tree.n_children[node]
    total = 0.0
    for child in range(first, first + n):
        total += policy[tree.action[child]]
    if total > 0.0:
        for child in range(first, first + n):
            tree.prior[child] = policy[tree.action[child]] / total


@kernel
def look_back(tree, past, past_known, paths, ways, n, history, work, windows, known):
    """Write the positions that led to each leaf, by playing its path again.

    Args:
        past: batch, the root first, then those before it; past_known: how many exist.
        paths, ways: to each of the `n` leaves, as `collect` writes them.
        work: a scratch state with room for the deepest line.
        windows: batch of `history + 1` states a leaf, out: the leaf, the one before it, ...
        known: int64[n], out: how many of them exist.
    """
    for i in range(n):
        first = i * (history + 1)
        plies = ways[i, LENGTH] - 1
        kernels.copy_into(work, kernels.row(past, 0))
        if plies <= history:
            kernels.copy_into(kernels.row(windows, first + plies), work)
        for ply in range(1, plies + 1):
            kernels.play(work, tree.action[paths[i, ply]])
            if plies - ply <= history:
                kernels.copy_into(kernels.row(windows, first + plies - ply), work)
        for back in range(1, past_known):
            if plies + back > history:
                break
            kernels.copy_into(
                kernels.row(windows, first + plies + back), kernels.row(past, back)
            )
        known[i] = min(plies + past_known, history + 1)
