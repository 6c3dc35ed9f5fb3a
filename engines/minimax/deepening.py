"""Iterative deepening: alpha-beta (`search.py`) to depth 1, 2, 3, ... (chapter 4.4).

    start(states, stack, rng)
    while not deepen(states, table, stack, evaluation):  # up to info[NODE_LIMIT] nodes
        ...                                              # look at the clock, raise the limit
    info[MOVE], info[SCORE], info[DEPTH], info[SOLVED]
"""

from __future__ import annotations

from dlgo import kernels
from dlgo.bits import int64
from dlgo.jit import inline_kernel, kernel
from dlgo.rng import shuffle
from engines.minimax import stack as st
from engines.minimax.search import advance, begin
from engines.minimax.table import AGES, find

# Half the width of the first aspiration window, in hundredths.
ASPIRATION_MARGIN = 30


@kernel
def start(states, stack, rng):
    """Prepare the search of a position to at most `info[DEEPEST]` plies, and list its moves.

    Args:
        states: batch of a state for each ply of the stack, and one more; row 0 is the position.
    """
    info, root = stack.info, kernels.row(states, 0)
    if not info[st.TECHNIQUES] & st.CUTS:
        info[st.TECHNIQUES] &= ~(st.PVS | st.ASPIRATION)  # they need cuts
    info[st.NODES] = 0
    info[st.AGE] = (info[st.AGE] + 1) % AGES
    for player in range(2):
        for action in range(stack.history.shape[1]):
            stack.history[player, action] >>= 3  # scores of the last move still help
    if info[st.DEEPEST] >= 2 and info[st.TECHNIQUES] & st.FORCED:
        info[st.COUNT] = kernels.forced_actions(root, stack.root)
    else:
        info[st.COUNT] = kernels.search_actions(root, stack.root)
    if not info[st.SOLVE]:
        shuffle(stack.root, info[st.COUNT], rng)  # equal moves: a random one
    info[st.MOVE] = stack.root[0]
    info[st.BEGUN] = info[st.LAST] = info[st.BEFORE_LAST] = 0
    info[st.SCORE] = info[st.DEPTH] = info[st.SOLVED] = 0
    _set_window(info)


@kernel
def deepen(states, table, stack, evaluation):
    """Search on up to the node limit; return whether the search is complete.

    `info[MOVE]` and `info[SCORE]` are the result so far, at any time. With `info[ASK] = WANTED` it
    also stops at leaves, as `search.advance`.
    """
    info = stack.info
    largest = _largest(info)
    at_once = info[st.SOLVE] or not info[st.TECHNIQUES] & st.DEEPENING
    while info[st.DEPTH] < info[st.DEEPEST]:
        depth = info[st.DEEPEST] if at_once else info[st.DEPTH] + 1
        if not info[st.BEGUN]:
            begin(states, stack, depth, info[st.ALPHA], info[st.BETA], stack.root, info[st.COUNT])
            info[st.BEGUN] = 1
        if not advance(states, table, stack, evaluation):
            if info[st.SOLVED]:
                return False  # what is proved stays: the score so far may be an estimate
            info[st.MOVE], info[st.SCORE] = stack.root[0], info[st.LAST]
            if stack.best_action[0] >= 0 and stack.best[0] > info[st.ALPHA]:
                # The best score of the moves searched so far is a lower bound.
                info[st.MOVE], info[st.SCORE] = stack.best_action[0], stack.best[0]
            return False
        info[st.BEGUN] = 0
        score = stack.best[0]
        if score > info[st.ALPHA]:
            _move_to_front(stack.root, stack.best_action[0])
        # Outside the window: open that side, and search again with the table's help.
        if score <= info[st.ALPHA] and info[st.ALPHA] > -largest:
            info[st.ALPHA] = -largest
        elif score >= info[st.BETA] and info[st.BETA] < largest:
            info[st.BETA] = largest
        else:
            info[st.BEFORE_LAST], info[st.LAST] = info[st.LAST], score
            info[st.MOVE], info[st.SCORE] = stack.root[0], score
            info[st.DEPTH], info[st.SOLVED] = depth, stack.solved[0]
            # If the end is further away than this depth, there may be a shorter way.
            to_end = st.WIN - abs(score) if abs(score) >= st.PROVEN else 0
            if info[st.SOLVED] and (info[st.SOLVE] or to_end <= depth):
                return True
            _set_window(info)
    return True


@kernel
def principal_variation(states, table, stack):
    """Write the best move and those that the table has after it, while they are legal, into
    `stack.line`; return their number. The last of `states` is scratch: a search may go on."""
    state = kernels.row(states, len(stack.counts))
    kernels.copy_into(state, kernels.row(states, 0))
    action, n = stack.info[st.MOVE], 0
    while True:
        stack.line[n] = action
        n += 1
        kernels.play(state, action)
        if n >= stack.info[st.DEPTH] or kernels.terminal(state):
            return n
        slot = find(table, kernels.key(state))
        action = int64(table[slot].action) if slot >= 0 else -1
        if action < 0 or not kernels.is_legal(state, action):
            return n


@inline_kernel
def _largest(info):
    """The upper end of the widest window."""
    return 1 if info[st.SOLVE] else st.INFINITE


@inline_kernel
def _set_window(info):
    """Set the first window of the next search."""
    estimate = info[st.BEFORE_LAST]
    if info[st.TECHNIQUES] & st.ASPIRATION and info[st.DEPTH] >= 2 and abs(estimate) < st.PROVEN:
        # Around the estimate of two plies before: odd and even depths differ.
        info[st.ALPHA] = estimate - ASPIRATION_MARGIN
        info[st.BETA] = estimate + ASPIRATION_MARGIN
    else:
        info[st.ALPHA], info[st.BETA] = -_largest(info), _largest(info)


@inline_kernel
def _move_to_front(actions, action):
    """Move `action` to the front, and those before it back by one place."""
    i = 0
    while actions[i] != action:
        i += 1
    while i > 0:
        actions[i] = actions[i - 1]
        i -= 1
    actions[0] = action
