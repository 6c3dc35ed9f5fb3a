"""The search of all tree-search engines and learners: n trees, up to m leaves of each at a time.

A simulation walks from the root to a leaf by the selection rule, evaluates the leaf, and counts the
value for every node on the path (chapter 4.5 of the book). The classes of rule and evaluator are
known when the loop is compiled, so each pair has its own loop, without a branch on either. There
are two kinds of evaluators:

    run                 compiled ones, called inside the loop: a rollout, a small network
    collect, absorb     Python ones, such as a large network. `collect` walks to some leaves and
                        returns, one call evaluates all of them, and `absorb` counts the values.
                        While a leaf waits for its value, a virtual loss on its path sends the
                        next walk of its tree elsewhere (Chaslot et al. 2008).

An engine searches one tree, self-play a tree for each of many games. `batched_search.py` combines
the parts.
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

# When a leaf gets its children: when it is evaluated, with the evaluator's priors; at its second
# visit; or in `absorb`.
AT_ONCE, SECOND_VISIT, LATER = range(3)


class Scratch(NamedTuple):
    """Scratch arrays of a search; they hold nothing between simulations."""

    actions: np.ndarray  # int64[num_actions]
    priors: np.ndarray  # float32[num_actions], of these actions
    played: np.ndarray  # int8[num_actions], see `kernels.heavy_rollout`
    hint_visits: np.ndarray  # float32[num_actions], as the next, see `kernels.hints`
    hint_wins: np.ndarray


def new_scratch(num_actions: int) -> Scratch:
    """Scratch arrays for one thread."""
    priors, hint_visits, hint_wins = (np.zeros(num_actions, np.float32) for _ in range(3))
    return Scratch(
        np.zeros(num_actions, np.int64), priors,
        np.full(num_actions, kernels.NOBODY, np.int8), hint_visits, hint_wins,
    )


# Columns of `plan`, a row for each search: the index of its tree, and the number of simulations it
# still wants (0: it rests). Of `ways`, a row for each leaf: the length of its path, its search.
TREE, REMAINING = range(2)
LENGTH, OWNER = range(2)


@kernel
def run(trees, plan, roots, rngs, states, paths, scratch, most, expand_at, rule, evaluator):
    """Run up to `most` simulations in each search that wants some, with a compiled evaluator.

    Args:
        trees: batch of trees.
        plan: int64[n, 2], see above.
        roots: batch of n states, unchanged.
        rngs: uint64[n, words], generator states.
        states: batch with room for the deepest line, scratch.
        paths: as in `collect`, scratch.
        expand_at: AT_ONCE or SECOND_VISIT.
        rule: from `rules.py`.
        evaluator: from `evaluators.py`.

    Returns:
        (simulations, evaluations): their numbers. A proven root is not searched further.
    """
    state, path = kernels.row(states, 0), paths[0]
    simulations, evaluations = 0, 0
    for i in range(len(plan)):
        tree, root, rng = kernels.row(trees, plan[i, TREE]), kernels.row(roots, i), rngs[i]
        count = min(most, plan[i, REMAINING])
        for _ in range(count):
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
    """Walk up to `most` times in each search, to leaves that are to be evaluated.

    Args:
        states: out, batch of the leaves; room for `most` of each search, and the deepest line.
        paths: out, int32[leaves, MAX_DEPTH + 2]: the nodes from the root to each leaf.
        ways: out, int64[leaves, 2], see above.
        trees, plan, roots, rngs, scratch, rule: as in `run`.

    Returns:
        (walks, leaves): their numbers. A walk that ends in a finished game needs no evaluation.
    """
    walks, n = 0, 0
    for i in range(len(plan)):
        tree, root = kernels.row(trees, plan[i, TREE]), kernels.row(roots, i)
        count = min(most, plan[i, REMAINING])
        for _ in range(count):
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
        policies: float32[n, num_actions].
        values: float32[n], as the player to move sees them.
        actions: int64[num_actions], scratch.
        trees, plan, rngs, states, paths, ways: as in `collect`.
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

    Returns the length of the `path`, whose last node is the leaf. If the game is over there, its
    `proven` holds the result.
    """
    kernels.copy_into(state, root)
    node = ROOT
    path[0] = ROOT
    length = 1
    while tree.proven[node] == UNPROVEN and length <= MAX_DEPTH:
        if tree.n_children[node] == 0:
            # AT_ONCE is 0 visits, SECOND_VISIT is 1.
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
    """Count a walk as a loss for the player of each step (`times` = 1), or undo this (-1)."""
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
def look_back(tree, past, past_known, paths, ways, n, history, work, windows, n_states):
    """Write the positions that led to each leaf, by playing its path again.

    Args:
        past: batch, the root first, then the positions before it.
        past_known: number of positions in `past`.
        paths, ways: of the `n` leaves, as `collect` writes them.
        work: a scratch state with room for the deepest line.
        windows: out, batch of `history + 1` states a leaf: the leaf, the position before it, ...
        n_states: out, int64[n]: number of positions in each window.
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
        n_states[i] = min(plies + past_known, history + 1)
