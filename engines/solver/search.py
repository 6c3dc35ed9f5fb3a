"""The exact search: is the score at least so much? Asked until only one answer is left.

Scores are Pons': +v if the player to move wins with his (22 - v)th stone, -v if he loses to
the other's (22 - v)th, 0 for a draw.

`prove` answers one such question (alpha-beta with a null window, so a node is just "yes" or
"no"); `answers.py` narrows the score down with it. With `stones` on the board the player to move
scores at most (41 - stones) // 2 if he cannot win at once, and at least
-((40 - stones) // 2) if he cannot be beaten at once; every node that is searched is such a
one, because its parent's `safe_moves` and `winning_cells` have settled the others.

Each technique has a bit in `FEATURES`, so that the ladder in docs/engines/solver.md can be
measured; an engine uses all. Called by `answers.py`.
"""

from __future__ import annotations

import numpy as np

from dlgo.bits import popcount
from dlgo.games.connect4.kernel import CELLS, COLS, COLUMN, STRIDE
from dlgo.jit import inline_kernel, kernel
from engines.solver.board import column_of, mirrored, safe_moves, winning_cells
from engines.solver.table import find, store
from engines.solver.zugzwang import UNKNOWN, zugzwang_verdict

FEATURES = (
    "centre",  # try the columns from the centre out, not from left to right
    "table",  # remember results
    "threats",  # try first the move that leaves most winning cells
    "forcing",  # where the win must come soon, prefer moves with a single reply
    "zugzwang",  # settle nodes by parity (zugzwang.py)
    "sign",  # ask early who wins, instead of halving the range of scores
    "peek",  # near the root, look all children up before searching one (ETC)
    "mirror",  # near the root, a position and its mirror image are one
)
CENTRE, TABLE, THREATS, FORCING, ZUGZWANG, SIGN, PEEK, MIRROR = (
    1 << i for i in range(len(FEATURES))
)
ALL_FEATURES = (1 << len(FEATURES)) - 1

# The columns in the order of trying, one hexadecimal digit each, the first one last.
CENTRE_OUT, LEFT_TO_RIGHT = 0x6051423, 0x6543210
# Weights of the move order; a winning cell counts 16. Chosen by node counts.
CELL_RANK, FORCING_RANK, TABLE_RANK = 16, 8, 1 << 10
SOON = 5  # |score| from which on winning is a matter of forcing moves
PEEK_STONES = 16  # deeper than this the look-ups cost more than they save
MIRROR_STONES = 14  # beyond, hardly a position meets its mirror image
LATE_STONES = 36  # beyond, searching is cheaper than the parity rules
SIGN_BELOW = 8  # once the score is known to be at most this, ask who wins

# Indices into `info`, the controls of a search.
NODES, USED_FEATURES = 0, 1
LIMIT = 2  # the search pauses when NODES gets there
RESUME = 3  # whether a search has paused, and is to go on
NEED_MOVE = 4  # ask for the root's move: parity proves the score, but names no move
BEST = 5  # the root's column that reached the goal, or -1: a bound or parity settled it
STEP, LOW, HIGH = 6, 7, 8  # of `answers.py`: where it was when the search paused
PAUSE = 9  # and four more: own, mask, moves, stones, ply, where an unfinished search goes on
UNFINISHED = 99
NO_LIMIT = 1 << 60

# Columns of `frames`, the explicit stack: row i is the node at ply i.
OWN, MASK, STONES, INDEX, COUNT = range(5)  # the position; moves tried, moves there are
MOVES = 5  # seven of them, in their order
REPLIES = MOVES + COLS  # the other player's safe answers to each
RANK = REPLIES + COLS  # what they are ordered by


def new_frames() -> np.ndarray:
    """The stack of one search: one array, because each one passed costs a call time."""
    return np.zeros((CELLS + 1, RANK + COLS), np.int64)


def new_info(features: int = ALL_FEATURES) -> np.ndarray:
    """The controls of a search that never pauses."""
    info = np.zeros(PAUSE + 5, np.int64)
    info[USED_FEATURES] = features
    info[LIMIT] = NO_LIMIT
    return info


@inline_kernel
def key_of(own, mask, stones, features):
    """The position's key in the table, and whether it is that of its mirror image."""
    key = own + mask
    if features & MIRROR and stones <= MIRROR_STONES:
        image = mirrored(own) + mirrored(mask)
        if image < key:
            return image, True
    return key, False


@inline_kernel
def _list_moves(own, mask, moves, stones, target, known_col, features, table, frames, ply):
    """Write the moves into row `ply` of the stack, the most promising first.

    Returns:
        1 if one of them is seen to reach `target` (it stands alone in the row then), 0 if none
        can, else UNKNOWN.
    """
    order = CENTRE_OUT if features & CENTRE else LEFT_TO_RIGHT
    forcing = FORCING_RANK if features & FORCING and (target >= SOON or target < -SOON) else 0
    by_cells = CELL_RANK if features & THREATS else 0
    peek = features & PEEK and stones < PEEK_STONES
    count = 0
    for i in range(COLS):
        col = (order >> (4 * i)) & 7
        move = moves & (COLUMN << (STRIDE * col))
        if move == 0:
            continue
        cells = winning_cells(own | move, mask | move)
        replies = safe_moves(mask | move, cells)
        if replies == 0:  # whatever comes, the next stone wins: the best score there is
            frames[ply, MOVES] = move
            frames[ply, INDEX] = 1
            return 1
        if peek:
            key, _ = key_of(own ^ mask, mask | move, stones + 1, features)
            low, high, _ = find(table, key)
            if -high >= target:
                frames[ply, MOVES] = move
                frames[ply, INDEX] = 1
                return 1
            if -low < target:
                continue
        rank = popcount(cells) * by_cells
        if replies & (replies - 1) == 0:
            rank += forcing
        if col == known_col:
            rank = TABLE_RANK
        j = count
        while j > 0 and frames[ply, RANK + j - 1] < rank:
            frames[ply, RANK + j] = frames[ply, RANK + j - 1]
            frames[ply, MOVES + j] = frames[ply, MOVES + j - 1]
            frames[ply, REPLIES + j] = frames[ply, REPLIES + j - 1]
            j -= 1
        frames[ply, RANK + j] = rank
        frames[ply, MOVES + j] = move
        frames[ply, REPLIES + j] = replies
        count += 1
    # No move wins with the next but one stone, so two plies of the best score are gone.
    if count == 0 or target > (39 - stones) >> 1:
        return 0
    frames[ply, OWN] = own
    frames[ply, MASK] = mask
    frames[ply, STONES] = stones
    frames[ply, INDEX] = 0
    frames[ply, COUNT] = count
    return UNKNOWN


@kernel
def prove(own, mask, moves, goal, table, frames, info):
    """Whether the player to move at the root scores at least `goal`: 1, 0 or UNFINISHED.

    `moves` are the root's safe moves, at least one. With `info[RESUME]`, the search goes on
    where the limit stopped it. After a 1, `info[BEST]` is the column that the root owes it to,
    if there were several moves and one had to be found.
    """
    features = info[USED_FEATURES]
    nodes = info[NODES]
    limit = info[LIMIT]
    root_parity = popcount(mask) & 1
    stones = popcount(mask)
    parity_from = stones + info[NEED_MOVE]
    ply = 0
    if info[RESUME]:
        info[RESUME] = 0
        own, mask, moves = info[PAUSE], info[PAUSE + 1], info[PAUSE + 2]
        stones, ply = info[PAUSE + 3], info[PAUSE + 4]
    else:
        frames[0, INDEX] = 0
    while True:
        # Arrive at a node. Its player's question is the root's, or the reverse one.
        if nodes >= limit:
            info[PAUSE], info[PAUSE + 1], info[PAUSE + 2] = own, mask, moves
            info[PAUSE + 3], info[PAUSE + 4] = stones, ply
            info[NODES] = nodes
            info[RESUME] = 1
            return UNFINISHED
        nodes += 1
        side = (stones ^ root_parity) & 1
        target = 1 - goal if side else goal
        verdict = UNKNOWN
        if target > (41 - stones) >> 1:
            verdict = 0
        elif target <= -((40 - stones) >> 1):
            verdict = 1
        elif moves & (moves - 1) == 0:
            # One safe move: play it here and go on; no need to remember or to come back.
            own, mask = own ^ mask, mask | moves
            moves = safe_moves(mask, winning_cells(own ^ mask, mask))
            stones += 1
            if moves:
                continue
            side ^= 1
            verdict = 1 if 1 - target <= -((42 - stones) >> 1) else 0
        else:
            if features & ZUGZWANG and parity_from <= stones <= LATE_STONES:
                verdict = zugzwang_verdict(own, mask, stones, target)
            if verdict == UNKNOWN:
                known_col = -1
                if features & TABLE:
                    key, is_image = key_of(own, mask, stones, features)
                    low, high, known_col = find(table, key)
                    if low >= target:
                        verdict = 1
                    elif high < target:
                        verdict = 0
                    elif is_image and known_col >= 0:
                        known_col = COLS - 1 - known_col
                if verdict == UNKNOWN:
                    verdict = _list_moves(
                        own, mask, moves, stones, target, known_col, features, table, frames, ply
                    )
        if verdict == UNKNOWN:
            ply += 1
        else:
            # Hand the answer up to the first node that still has a use for its next move.
            answer = verdict ^ side  # for the player to move at the root
            while True:
                if ply == 0:
                    info[NODES] = nodes
                    if answer:
                        tried = frames[0, INDEX]
                        info[BEST] = column_of(frames[0, MOVES + tried - 1]) if tried else -1
                    return answer
                stones = frames[ply - 1, STONES]
                side = (stones ^ root_parity) & 1
                reached = answer ^ side
                tried = frames[ply - 1, INDEX]
                if not reached and tried < frames[ply - 1, COUNT]:
                    break
                ply -= 1
                if features & TABLE:
                    key, is_image = key_of(frames[ply, OWN], frames[ply, MASK], stones, features)
                    col = column_of(frames[ply, MOVES + tried - 1])
                    col = COLS - 1 - col if is_image else col
                    store(table, key, reached, 1 - goal if side else goal, col)
        # The next move of the node at ply - 1.
        node = ply - 1
        tried = frames[node, INDEX]
        frames[node, INDEX] = tried + 1
        own = frames[node, OWN] ^ frames[node, MASK]
        mask = frames[node, MASK] | frames[node, MOVES + tried]
        moves = frames[node, REPLIES + tried]
        stones = frames[node, STONES] + 1
