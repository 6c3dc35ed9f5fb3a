"""Alpha-beta search to a fixed depth, compiled and generic over games (chapter 4.4).

Negamax: a score is that of the player to move. A child's score changes sign only if the other
player moves there, so a turn may consist of several actions. The recursion is a loop over an
explicit stack (one `row` of each array per ply), since passing a game state through a compiled
call costs more than a node. The search can stop after any node and continue later, so that the
engine can read the clock.

    begin(states, stack, depth, alpha, beta, actions, n)
    while not advance(states, table, stack, evaluation):  # up to info[NODE_LIMIT] nodes
        ...                                               # look at the clock, raise the limit
    stack.best[0], stack.best_action[0], stack.solved[0]
"""

from __future__ import annotations

import numpy as np

from dlgo import kernels
from dlgo.bits import int64
from dlgo.jit import inline_kernel, kernel
from engines.minimax import stack as st
from engines.minimax.evaluation import score_of
from engines.minimax.table import AT_LEAST, AT_MOST, BOUND_MASK, EXACT, SOLVED, find, store


@kernel
def begin(states, stack, depth, alpha, beta, actions, n):
    """Set up a search of `n` root moves, the most promising first, to `depth` plies.

    Args:
        states: batch of at least `depth + 1` states; row 0 is the position.
        alpha, beta: the window; scores outside it need not be exact. With -1 and 1 a search to the
            end finds out who wins, but not how soon, which is faster.
    """
    root = kernels.row(states, 0)
    for i in range(n):
        stack.actions[0, i] = actions[i]
        stack.order[0, i] = -i
    stack.counts[0] = n
    stack.mover[0] = kernels.to_move(root)
    stack.key[0] = kernels.key(root)
    stack.depth[0] = depth
    stack.alpha[0] = alpha
    stack.beta[0] = beta
    stack.killer[0] = -1
    _open(stack, 0)
    _descend(states, stack, 0)
    stack.info[st.PLY] = 1


@kernel
def advance(states, table, stack, evaluation):
    """Search on up to the node limit; return whether the search is complete.

    Then `stack.best[0]` is the score, `stack.best_action[0]` the move, and `stack.solved[0]` tells
    whether the score holds at any depth. Before that they hold the result of the moves searched so
    far (`best_action` is -1 if there is none).

    With `info[ASK] = WANTED` it also stops at each leaf: then `info[ASK]` is WAITING, and row
    `info[PLY]` is the position. Write its score into `info[ANSWER]`, set `info[ASK]` to ANSWERED,
    and call `advance` again.
    """
    info = stack.info
    ply = info[st.PLY]
    while True:
        if info[st.NODES] >= info[st.NODE_LIMIT]:
            info[st.PLY] = ply
            return False
        info[st.NODES] += 1
        settled, value = _arrive(kernels.row(states, ply), table, stack, ply, evaluation)
        if info[st.ASK] == st.WAITING:
            info[st.NODES] -= 1  # it is counted when the search returns here with the answer
            info[st.PLY] = ply
            return False
        while True:
            if settled:  # `value` is the score of the node at `ply`: its parent takes it
                ply -= 1
                if _search_again(stack, ply, value):
                    ply += 1
                    break
                _take(stack, ply, value)
            if stack.next_index[ply] < stack.counts[ply] and stack.best[ply] < stack.beta[ply]:
                _descend(states, stack, ply)
                ply += 1
                break
            value = _leave(table, stack, ply)
            settled = True
            if ply == 0:
                return True


@inline_kernel
def _arrive(state, table, stack, ply, evaluation):
    """Settle a node without searching below it, or list its moves: (settled, score)."""
    use = stack.info[st.TECHNIQUES]
    stack.solved[ply] = 1
    mover = kernels.to_move(state)
    stack.mover[ply] = mover
    if kernels.terminal(state):
        return True, (1 - 2 * mover) * kernels.result(state) * (st.WIN - ply)
    depth = stack.depth[ply]
    if depth <= 0 and (
        not use & st.QUIESCENCE or ply + 1 >= len(stack.counts) or kernels.quiet(state)
    ):
        stack.solved[ply] = 0
        if stack.info[st.ASK] == st.WANTED:
            stack.info[st.ASK] = st.WAITING
            return False, 0
        return True, score_of(evaluation, state, stack.info)

    known_action = -1
    if use & (st.TABLE | st.HASH_MOVE):
        key = kernels.key(state)
        stack.key[ply] = key
        slot = find(table, key)
        if slot >= 0:
            entry = table[slot]
            if use & st.HASH_MOVE:
                known_action = int64(entry.action)
            solved = entry.bound & SOLVED != 0
            if use & st.TABLE and (solved or entry.depth >= depth):
                score = _further_from_end(np.int64(entry.score), -ply)
                bound = entry.bound & BOUND_MASK
                if (
                    bound == EXACT
                    or (bound == AT_LEAST and score >= stack.beta[ply])
                    or (bound == AT_MOST and score <= stack.alpha[ply])
                ):
                    stack.solved[ply] = solved
                    return True, score

    # A search of two plies finds forced moves itself; at a smaller depth they would make the search
    # deeper than requested.
    if depth >= 2 and use & st.FORCED:
        count = kernels.forced_actions(state, stack.actions[ply])
    else:
        count = kernels.search_actions(state, stack.actions[ply])
    stack.counts[ply] = count
    killer = stack.killer[ply] if use & st.KILLERS else -1
    for i in range(count):
        action = stack.actions[ply, i]
        if action == known_action:
            rank = 4 * st.HISTORY_LIMIT
        elif action == killer:
            rank = 2 * st.HISTORY_LIMIT
        else:
            rank = stack.history[mover, action] if use & st.HISTORY else 0
        stack.order[ply, i] = rank
    _open(stack, ply)
    return False, 0


@inline_kernel
def _open(stack, ply):
    """No move of the node has been searched yet."""
    stack.next_index[ply] = 0
    stack.best[ply] = -st.INFINITE
    stack.best_action[ply] = -1
    stack.alpha_0[ply] = stack.alpha[ply]
    stack.solved[ply] = 1
    if ply + 1 < len(stack.killer):
        stack.killer[ply + 1] = -1


@inline_kernel
def _descend(states, stack, ply):
    """Play the most promising move that is left, and set the window of the node it leads to."""
    use = stack.info[st.TECHNIQUES]
    action = _next_action(stack, ply)
    parent, child = kernels.row(states, ply), kernels.row(states, ply + 1)
    kernels.copy_into(child, parent)
    kernels.play(child, action)
    depth = stack.depth[ply]
    alpha, beta = stack.alpha[ply], stack.beta[ply]
    # All but the first move are expected to be no better: asking that alone is cheaper.
    narrow = use & st.PVS and stack.next_index[ply] > 1 and depth >= 2 and beta - alpha > 1
    if narrow:
        beta = alpha + 1
    stack.narrow[ply + 1] = 1 if narrow else 0
    stack.depth[ply + 1] = max(depth - 1, 0)
    _set_window(stack, ply, kernels.to_move(child) == stack.mover[ply], alpha, beta)


@inline_kernel
def _set_window(stack, ply, same_mover, alpha, beta):
    """Give the child of the node at `ply` a window that is seen by the mover at `ply`."""
    stack.alpha[ply + 1] = alpha if same_mover else -beta
    stack.beta[ply + 1] = beta if same_mover else -alpha


@inline_kernel
def _next_action(stack, ply):
    """The most promising move not yet tried; it is swapped to the front of the rest."""
    actions, order = stack.actions[ply], stack.order[ply]
    i = stack.next_index[ply]
    pick, most = i, order[i]
    for j in range(i + 1, stack.counts[ply]):
        if order[j] > most:
            pick, most = j, order[j]
    actions[i], actions[pick] = actions[pick], actions[i]
    order[i], order[pick] = order[pick], order[i]
    stack.next_index[ply] = i + 1
    return actions[i]


@inline_kernel
def _search_again(stack, ply, child_value):
    """Whether a child is better than its null window can tell: it gets the whole window."""
    if not stack.narrow[ply + 1]:
        return False
    same_mover = stack.mover[ply + 1] == stack.mover[ply]
    score = child_value if same_mover else -child_value
    if score <= stack.alpha[ply] or score >= stack.beta[ply]:
        return False
    stack.narrow[ply + 1] = 0
    _set_window(stack, ply, same_mover, stack.alpha[ply], stack.beta[ply])
    return True


@inline_kernel
def _take(stack, ply, child_value):
    """Take a child's score into account at its parent."""
    score = child_value if stack.mover[ply + 1] == stack.mover[ply] else -child_value
    stack.solved[ply] &= stack.solved[ply + 1]
    if score > stack.best[ply]:
        stack.best[ply] = score
        stack.best_action[ply] = stack.actions[ply, stack.next_index[ply] - 1]
        if score > stack.alpha[ply] and stack.info[st.TECHNIQUES] & st.CUTS:
            stack.alpha[ply] = score
        if score >= stack.beta[ply] and stack.solved[ply + 1]:
            # One solved move is enough for a bound, whether the others are solved or not.
            stack.solved[ply] = 1


@inline_kernel
def _leave(table, stack, ply):
    """Store the result of a node whose moves are done (or cut off) and return its score."""
    use = stack.info[st.TECHNIQUES]
    score = stack.best[ply]
    action = stack.best_action[ply]
    depth = stack.depth[ply]
    if score >= st.PROVEN:
        stack.solved[ply] = 1  # a forced win is one, whatever the other moves are
    if score >= stack.beta[ply]:
        bound = AT_LEAST
        stack.killer[ply] = action
        history = stack.history[stack.mover[ply], action] + depth * depth
        stack.history[stack.mover[ply], action] = min(history, st.HISTORY_LIMIT)
    elif score > stack.alpha_0[ply]:
        bound = EXACT
    else:
        bound = AT_MOST
    if bound == EXACT and abs(score) >= st.PROVEN and st.WIN - abs(score) - ply > depth:
        # Seen in the table, beyond the depth: there may be a shorter way to the end.
        bound = AT_LEAST if score > 0 else AT_MOST
    if use & (st.TABLE | st.HASH_MOVE):
        if stack.solved[ply]:
            bound |= SOLVED
        age = stack.info[st.AGE]
        store(table, stack.key[ply], _further_from_end(score, ply), depth, bound, action, age)
    return score


@inline_kernel
def _further_from_end(score, plies):
    """A score as seen `plies` later or, if negative, earlier: proven ones count to the end."""
    if score >= st.PROVEN:
        return score + plies
    return score - plies if score <= -st.PROVEN else score
