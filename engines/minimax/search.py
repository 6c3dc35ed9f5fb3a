"""Alpha-beta search to a fixed depth, compiled and generic over games (chapter 4.4).

Negamax: a score is good for the player to move. A child's score changes sign only if the
other player moves there, so games in which a turn can be several actions are searched
rightly. The recursion is written as a loop over an explicit stack (one `row` of each array
per ply), because passing a game state through a compiled call costs more than a node.

A score beyond `PROVEN` in size means a forced win or loss: `WIN - plies to the end`. Smaller
ones come from the game's `evaluate`, or are a draw (0).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.jit import inline_kernel, kernel
from engines.minimax.table import AT_LEAST, AT_MOST, EXACT, find, store

WIN = 30_000
PROVEN = 20_000
INFINITE = 32_000
MAX_PLY = 128
# The depth of a result that no horizon has touched: it holds for every depth.
SOLVED = 1_000
HISTORY_LIMIT = 1 << 40

# Indices into `Stack.info`.
NODES, NODE_LIMIT, ABORTED = range(3)


class Stack(NamedTuple):
    """Scratch of a search to `plies` plies; row i belongs to the node at ply i.

    actions, order: int64[plies, num_actions], the moves and their ordering scores;
    count, index: int64[plies], moves there are and have been tried;
    alpha, beta, best, best_action, mover, depth: int64[plies];
    alpha_0: int64[plies], alpha on arrival; solved: int8[plies], whether no horizon was met;
    key: int64[plies]; killer: int64[plies], the last move that refuted a sibling;
    history: int64[2, num_actions], how often a move was best, by player;
    info: int64[3] = nodes visited, their limit, whether it was reached.
    """

    actions: np.ndarray
    order: np.ndarray
    count: np.ndarray
    index: np.ndarray
    alpha: np.ndarray
    beta: np.ndarray
    alpha_0: np.ndarray
    best: np.ndarray
    best_action: np.ndarray
    mover: np.ndarray
    depth: np.ndarray
    solved: np.ndarray
    key: np.ndarray
    killer: np.ndarray
    history: np.ndarray
    info: np.ndarray


def new_stack(plies: int, num_actions: int) -> Stack:
    """Scratch arrays for searches up to `plies - 1` plies deep."""
    def ints(*shape: int) -> np.ndarray:
        return np.zeros(shape, np.int64)

    return Stack(
        ints(plies, num_actions), ints(plies, num_actions),
        *(ints(plies) for _ in range(9)),
        np.zeros(plies, np.int8), ints(plies), ints(plies), ints(2, num_actions), ints(3),
    )


@kernel
def search_root(states, table, stack, depth, alpha, beta, root_actions, n_root, root_scores):
    """Search every root move to `depth` plies.

    Args:
        states: batch of `depth + 1` states; row 0 is the position.
        alpha, beta: scores beyond them need not be told apart. With -1 and 1 a search to the
            end only finds out who wins, and not how soon, which is quicker.
        root_actions: its moves, the most promising first; n_root: how many.
        root_scores: out, the score of each for the player to move. A move that is no better
            than the best before it has an upper bound.

    Returns:
        Index of the best move, or -1 if the node limit ended the search before the first.
        `stack.solved[0]` tells whether the score is exact whatever the depth.
    """
    root = kernels.row(states, 0)
    child = kernels.row(states, 1)
    mover = kernels.to_move(root)
    stack.info[ABORTED] = 0
    solved = 1
    best = -1
    best_score = -INFINITE
    for i in range(n_root):
        if best_score >= beta:
            break
        kernels.copy_into(child, root)
        kernels.play(child, root_actions[i])
        if kernels.to_move(child) == mover:
            score = _search(states, table, stack, depth - 1, max(alpha, best_score), beta)
        else:
            score = -_search(
                states, table, stack, depth - 1, -beta, -max(alpha, best_score)
            )
        if stack.info[ABORTED]:
            break
        solved &= stack.solved[1]
        root_scores[i] = score
        if best < 0 or score > best_score:
            best, best_score = i, score
    # A forced win needs no other move to be known exactly.
    stack.solved[0] = solved if best_score < PROVEN else 1
    return best


@kernel
def _search(states, table, stack, depth, alpha, beta):
    """Score of the state at ply 1, for its player to move, within (alpha, beta) fail-soft."""
    base = 1
    ply = base
    value = 0
    arriving = True
    stack.depth[ply] = depth
    stack.alpha[ply] = alpha
    stack.beta[ply] = beta
    while True:
        if arriving:
            stack.info[NODES] += 1
            if stack.info[NODES] >= stack.info[NODE_LIMIT]:
                stack.info[ABORTED] = 1
                return 0
            settled, value = _arrive(kernels.row(states, ply), table, stack, ply)
            arriving = not settled and stack.count[ply] > 0
        if not arriving:
            # `value` is the score of the node at `ply`: hand it to its parent.
            if ply == base:
                return value
            ply -= 1
            _take(stack, ply, value)
        if stack.index[ply] < stack.count[ply] and stack.best[ply] < stack.beta[ply]:
            action = _next_action(stack, ply)
            child = kernels.row(states, ply + 1)
            kernels.copy_into(child, kernels.row(states, ply))
            kernels.play(child, action)
            same = kernels.to_move(child) == stack.mover[ply]
            stack.alpha[ply + 1] = stack.alpha[ply] if same else -stack.beta[ply]
            stack.beta[ply + 1] = stack.beta[ply] if same else -stack.alpha[ply]
            stack.depth[ply + 1] = stack.depth[ply] - 1
            ply += 1
            arriving = True
        else:
            value = _leave(table, stack, ply)
            arriving = False


@inline_kernel
def _arrive(state, table, stack, ply):
    """Settle a node without searching below it, or list its moves.

    Returns:
        (settled, score).
    """
    stack.solved[ply] = 1
    mover = kernels.to_move(state)
    stack.mover[ply] = mover
    if kernels.terminal(state):
        return True, (1 - 2 * mover) * kernels.result(state) * (WIN - ply)
    depth = stack.depth[ply]
    if depth <= 0:
        stack.solved[ply] = 0
        return True, np.int64(kernels.evaluate(state))

    key = kernels.key(state)
    stack.key[ply] = key
    known_action = -1
    slot = find(table, key)
    if slot >= 0:
        known_action = table.action[slot]
        if table.depth[slot] >= depth:
            score = _from_table(np.int64(table.score[slot]), ply)
            bound = table.bound[slot]
            if (
                bound == EXACT
                or (bound == AT_LEAST and score >= stack.beta[ply])
                or (bound == AT_MOST and score <= stack.alpha[ply])
            ):
                stack.solved[ply] = table.depth[slot] == SOLVED
                return True, score

    # Two plies ahead the search would find out by itself what is forced; with less to go,
    # knowing it would be looking deeper than asked.
    if depth >= 2:
        stack.count[ply] = kernels.forced_actions(state, stack.actions[ply])
    else:
        stack.count[ply] = kernels.search_actions(state, stack.actions[ply])
    stack.index[ply] = 0
    stack.best[ply] = -INFINITE
    stack.best_action[ply] = -1
    stack.alpha_0[ply] = stack.alpha[ply]
    stack.killer[ply + 1] = -1
    for i in range(stack.count[ply]):
        action = stack.actions[ply, i]
        if action == known_action:
            rank = 4 * HISTORY_LIMIT
        elif action == stack.killer[ply]:
            rank = 2 * HISTORY_LIMIT
        else:
            rank = stack.history[mover, action]
        stack.order[ply, i] = rank
    return False, 0


@inline_kernel
def _next_action(stack, ply):
    """The most promising move not yet tried; it is swapped to the front of the rest."""
    i = stack.index[ply]
    pick = i
    for j in range(i + 1, stack.count[ply]):
        if stack.order[ply, j] > stack.order[ply, pick]:
            pick = j
    actions, order = stack.actions[ply], stack.order[ply]
    actions[i], actions[pick] = actions[pick], actions[i]
    order[i], order[pick] = order[pick], order[i]
    stack.index[ply] = i + 1
    return actions[i]


@inline_kernel
def _take(stack, ply, child_value):
    """Take a child's score into account at its parent."""
    score = child_value if stack.mover[ply + 1] == stack.mover[ply] else -child_value
    stack.solved[ply] &= stack.solved[ply + 1]
    if score > stack.best[ply]:
        stack.best[ply] = score
        stack.best_action[ply] = stack.actions[ply, stack.index[ply] - 1]
        if score > stack.alpha[ply]:
            stack.alpha[ply] = score
        if score >= PROVEN or (score >= stack.beta[ply] and stack.solved[ply + 1]):
            # One solved move is enough for a bound: what the others met does not matter.
            stack.solved[ply] = stack.solved[ply + 1] if score < PROVEN else 1


@inline_kernel
def _leave(table, stack, ply):
    """Store the result of a node whose moves are done (or cut off) and return its score."""
    score = stack.best[ply]
    action = stack.best_action[ply]
    depth = stack.depth[ply]
    if score >= stack.beta[ply]:
        bound = AT_LEAST
        stack.killer[ply] = action
        history = stack.history[stack.mover[ply], action] + depth * depth
        stack.history[stack.mover[ply], action] = min(history, HISTORY_LIMIT)
    elif score > stack.alpha_0[ply]:
        bound = EXACT
    else:
        bound = AT_MOST
    kept = SOLVED if stack.solved[ply] else depth
    store(table, stack.key[ply], _to_table(score, ply), kept, bound, action)
    return score


@inline_kernel
def _to_table(score, ply):
    """Distance to the end from the position itself instead of from the root."""
    if score >= PROVEN:
        return score + ply
    return score - ply if score <= -PROVEN else score


@inline_kernel
def _from_table(score, ply):
    """The reverse of `_to_table`."""
    if score >= PROVEN:
        return score - ply
    return score + ply if score <= -PROVEN else score
