"""The exact search: is the score at least so much? Asked until only one answer is left.

Scores are Pons': +v if the player to move wins with his (22 - v)th stone, -v if he loses to
the other's (22 - v)th, 0 for a draw.

`prove` answers one such question (alpha-beta with a null window, so a node is just "yes" or
"no"); `solve` narrows the score down with it. With `stones` on the board the player to move
scores at most (41 - stones) // 2 if he cannot win at once, and at least
-((40 - stones) // 2) if he cannot be beaten at once; every node that is searched is such a
one, because its parent's `safe_moves` and `winning_cells` have settled the others.

Each technique has a bit in `FEATURES`, so that the ladder in docs/engines/solver.md can be
measured; an engine uses all. Called by `solver.py`.
"""

from __future__ import annotations

import numpy as np

from dlgo.bits import lowest_bit, popcount
from dlgo.games.connect4.kernel import CELLS, COLS, COLUMN, STRIDE
from dlgo.jit import inline_kernel, kernel
from engines.solver.board import mirrored, playable, safe_moves, winning_cells
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
NODES, USED_FEATURES, SLICE, RESUME, LOW, HIGH = range(6)
PAUSE = 6  # and four more: own, mask, moves, stones, ply, where an unfinished search goes on
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
    """The controls of a search; it pauses after `info[SLICE]` nodes."""
    info = np.zeros(PAUSE + 5, np.int64)
    info[USED_FEATURES] = features
    info[SLICE] = NO_LIMIT
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
        1 if one of them is seen to reach `target`, 0 if none can, else UNKNOWN.
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
        if replies == 0:
            return 1  # whatever comes, the next stone wins: the best score there is
        if peek:
            key, _ = key_of(own ^ mask, mask | move, stones + 1, features)
            low, high, _ = find(table, key)
            if -high >= target:
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
def prove(own, mask, moves, goal, table, frames, info, resume):
    """Whether the player to move at the root scores at least `goal`: 1, 0 or UNFINISHED.

    `moves` are the root's safe moves, at least one. With `resume`, the search goes on where
    the node limit (`info[SLICE]`) stopped it.
    """
    features = info[USED_FEATURES]
    nodes = info[NODES]
    limit = nodes + info[SLICE]
    root_parity = popcount(mask) & 1
    stones = popcount(mask)
    ply = 0
    if resume:
        own, mask, moves = info[PAUSE], info[PAUSE + 1], info[PAUSE + 2]
        stones, ply = info[PAUSE + 3], info[PAUSE + 4]
    while True:
        # Arrive at a node. Its player's question is the root's, or the reverse one.
        if nodes >= limit:
            info[PAUSE], info[PAUSE + 1], info[PAUSE + 2] = own, mask, moves
            info[PAUSE + 3], info[PAUSE + 4] = stones, ply
            info[NODES] = nodes
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
            if features & ZUGZWANG and stones <= LATE_STONES:
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
                    col = lowest_bit(frames[ply, MOVES + tried - 1]) // STRIDE
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


@inline_kernel
def _next_goal(low, high, features):
    """The next question when the score is in low..high: at least this much?

    Quick wins are cheap to prove or to refute, so the range is halved from its ends towards
    0 (Pons, part 10). Once a quick win is out of the question, who wins at all is the
    question worth most: its answers in the table serve all that follow.
    """
    if features & SIGN and high <= SIGN_BELOW:
        return max(low, min(high - 1, 0)) + 1
    middle = (low + high) >> 1
    if middle <= 0 and -(-low // 2) < middle:
        middle = -(-low // 2)
    elif middle >= 0 and high // 2 > middle:
        middle = high // 2
    return middle + 1


@kernel
def solve(own, mask, table, frames, info):
    """The exact score for the player to move; nobody has won yet. UNFINISHED at the limit.

    With `info[RESUME]` set it goes on with the search that was left unfinished.
    """
    stones = popcount(mask)
    if winning_cells(own, mask) & playable(mask):
        return (43 - stones) >> 1
    if stones >= CELLS - 1:
        return 0
    moves = safe_moves(mask, winning_cells(own ^ mask, mask))
    if moves == 0:
        return -((42 - stones) >> 1)
    resume = info[RESUME]
    low, high = -((40 - stones) >> 1), (41 - stones) >> 1
    if resume:
        low, high = info[LOW], info[HIGH]
    while low < high:
        goal = _next_goal(low, high, info[USED_FEATURES])
        answer = prove(own, mask, moves, goal, table, frames, info, resume)
        if answer == UNFINISHED:
            info[LOW], info[HIGH], info[RESUME] = low, high, 1
            return UNFINISHED
        resume = 0
        if answer:
            low = goal
        else:
            high = goal - 1
    info[RESUME] = 0
    return low


@kernel
def solve_many(owns, masks, scores, table, frames, info):
    """Write the score of each position into `scores`. No limit; the table is shared."""
    for i in range(len(owns)):
        scores[i] = solve(owns[i], masks[i], table, frames, info)


@kernel
def reaches(own, mask, target, table, frames, info):
    """Whether the player to move scores at least `target`; nobody has won yet.

    1, 0 or UNFINISHED. With `info[RESUME]` set it goes on after the limit.
    """
    stones = popcount(mask)
    if winning_cells(own, mask) & playable(mask):
        return 1 if target <= (43 - stones) >> 1 else 0
    if stones >= CELLS - 1:
        return 1 if target <= 0 else 0
    moves = safe_moves(mask, winning_cells(own ^ mask, mask))
    if moves == 0:
        return 1 if target <= -((42 - stones) >> 1) else 0
    answer = prove(own, mask, moves, target, table, frames, info, info[RESUME])
    info[RESUME] = 1 if answer == UNFINISHED else 0
    return answer


@kernel
def known_column(own, mask, score, table, frames, info):
    """The column that the table knows to reach `score`, or -1."""
    stones = popcount(mask)
    key, is_image = key_of(own, mask, stones, info[USED_FEATURES])
    low, _, col = find(table, key)
    if low < score or col < 0:
        return -1
    return COLS - 1 - col if is_image else col
