"""The exact search: "is the score at least this?", repeated until one score is left.

Scores are those of Pons: +v if the player to move wins with their (22 - v)th stone, -v if the
opponent does, 0 for a draw.

`prove` answers one such question (alpha-beta with a null window, so a node is just "yes" or
"no"); `answers.py` narrows the score down with it. With `stones` on the board the player to move
scores at most (41 - stones) // 2 if they cannot win at once, and at least
-((40 - stones) // 2) if they cannot be beaten at once; every node that is searched is such a
one, because its parent's `safe_moves` and `winning_cells` have settled the others.

Each technique has a bit in `FEATURES`; docs/engines/solver.md shows what each gains. The engine
uses all of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dlgo.bits import popcount
from dlgo.games.connect4.board import CELLS, COLS, COLUMN, STRIDE, winning_cells
from dlgo.jit import inline_kernel, kernel
from engines.solver.board import column_of, safe_moves
from engines.solver.table import find, store
from engines.solver.zugzwang import UNKNOWN, zugzwang_verdict

FEATURES = (
    "centre",  # try the columns from the centre out, not from left to right
    "table",  # remember results
    "threats",  # try first the move that leaves most winning cells
    "forcing",  # where the win must come soon, prefer moves with a single reply
    "zugzwang",  # settle nodes by parity (zugzwang.py)
    "sign",  # ask early who wins, instead of halving the range of scores
    "book",  # look up what has few stones (book.py)
)
CENTRE, TABLE, THREATS, FORCING, ZUGZWANG, SIGN, BOOK = (1 << i for i in range(len(FEATURES)))
ALL_FEATURES = (1 << len(FEATURES)) - 1

# The columns in the order of trying, one hexadecimal digit each, the first one last.
CENTRE_OUT, LEFT_TO_RIGHT = 0x6051423, 0x6543210
# Weights of the move order; a winning cell counts 16. Chosen by node counts.
CELL_RANK, FORCING_RANK, TABLE_RANK = 16, 8, 1 << 10
SOON = 5  # |score| from which on winning is a matter of forcing moves
LATE_STONES = 36  # beyond, searching is cheaper than the parity rules
SIGN_BELOW = 8  # once the score is known to be at most this, ask who wins

# Indices into `info`, the controls of a search.
NODES, USED_FEATURES = 0, 1
LIMIT = 2  # the search pauses when NODES gets there
RESUME = 3  # whether a search has paused, and is to go on
NEED_MOVE = 4  # ask for the root's move: parity proves the score, but names no move
BEST = 5  # the root's column that reached the goal, or -1: a bound or parity settled it
STEP, LOW, HIGH = 6, 7, 8  # of `answers.py`: where it was when the search paused
# The state of a paused search.
PAUSED_OWN, PAUSED_MASK, PAUSED_MOVES, PAUSED_STONES, PAUSED_PLY = range(9, 14)
BOOK_PLIES = 14  # largest number of stones of positions in the book; -1 without a book
UNFINISHED = 99
NO_LIMIT = 1 << 60

# Columns of `frames`, the explicit stack: row i is the node at ply i.
OWN, MASK, STONES, INDEX, COUNT = range(5)  # the position; moves tried, moves there are
MOVES = 5  # seven of them, in their order
REPLIES = MOVES + COLS  # the other player's safe answers to each
RANK = REPLIES + COLS  # their sort keys


def new_frames() -> np.ndarray:
    """The stack of one search: one array, because each one passed costs a call time."""
    return np.zeros((CELLS + 1, RANK + COLS), np.int64)


def new_info(features: int = ALL_FEATURES) -> np.ndarray:
    """The controls of a search that never pauses."""
    info = np.zeros(BOOK_PLIES + 1, np.int64)
    info[USED_FEATURES] = features
    info[LIMIT] = NO_LIMIT
    info[BOOK_PLIES] = -1
    return info


class Node(NamedTuple):
    """A position in the search."""

    own: int  # stones of the player to move
    mask: int  # all stones
    moves: int  # the safe moves
    stones: int  # the number of stones


@inline_kernel
def _list_moves(node, target, known_col, features, frames, ply):
    """Write the moves of a `Node` into row `ply` of the stack, the most promising first.

    Returns 1 if one of them visibly reaches `target` (it comes first in the row then), 0 if none
    can, else UNKNOWN.
    """
    own, mask, moves, stones = node
    order = CENTRE_OUT if features & CENTRE else LEFT_TO_RIGHT
    forcing = FORCING_RANK if features & FORCING and (target >= SOON or target < -SOON) else 0
    by_cells = CELL_RANK if features & THREATS else 0
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
    if target > (39 - stones) >> 1:
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

    `moves` are the root's safe moves, at least one. With `info[RESUME]`, the search continues where
    the limit stopped it. After a 1, `info[BEST]` is the column that the root owes it to, if there
    were several moves and one had to be found.
    """
    features, limit, nodes = info[USED_FEATURES], info[LIMIT], info[NODES]
    stones, ply = popcount(mask), 0
    root_parity = stones & 1
    parity_from = stones + info[NEED_MOVE]
    if info[RESUME]:
        info[RESUME] = 0
        own, mask, moves = info[PAUSED_OWN], info[PAUSED_MASK], info[PAUSED_MOVES]
        stones, ply = info[PAUSED_STONES], info[PAUSED_PLY]
    else:
        frames[0, INDEX] = 0
    while True:
        if nodes >= limit:
            info[PAUSED_OWN], info[PAUSED_MASK], info[PAUSED_MOVES] = own, mask, moves
            info[PAUSED_STONES], info[PAUSED_PLY] = stones, ply
            info[NODES], info[RESUME] = nodes, 1
            return UNFINISHED
        nodes += 1
        side = (stones ^ root_parity) & 1
        target = _question(goal, side)
        verdict = _bounded(stones, target)
        if verdict == UNKNOWN:
            if moves & (moves - 1) == 0:
                # One safe move: play it here and go on; no need to remember or to come back.
                own, mask = own ^ mask, mask | moves
                moves = safe_moves(mask, winning_cells(own ^ mask, mask))
                stones += 1
                if moves:
                    continue
                side ^= 1
                verdict = 1 if 1 - target <= -((42 - stones) >> 1) else 0
            else:
                verdict = _settle(
                    Node(own, mask, moves, stones), target, parity_from, features, table, frames,
                    ply,
                )
        if verdict == UNKNOWN:
            ply += 1
        else:
            answer = verdict ^ side  # for the player to move at the root
            ply = _hand_up(answer, ply, goal, root_parity, features, table, frames)
            if ply == 0:
                info[NODES] = nodes
                if answer:
                    index = frames[0, INDEX]
                    info[BEST] = column_of(frames[0, MOVES + index - 1]) if index else -1
                return answer
        own, mask, moves, stones = _next_move(frames, ply - 1)


@inline_kernel
def _question(goal, side):
    """The score asked about at a node: the root's, or the reverse one if the other player moves."""
    return 1 - goal if side else goal


@inline_kernel
def _bounded(stones, target):
    """The verdict where no game can score so much, or none so little; else UNKNOWN."""
    if target > (41 - stones) >> 1:
        return 0
    return 1 if target <= -((40 - stones) >> 1) else UNKNOWN


@inline_kernel
def _settle(node, target, parity_from, features, table, frames, ply):
    """The verdict of parity or of the table; else list the moves, and UNKNOWN, if need be."""
    if features & ZUGZWANG and parity_from <= node.stones <= LATE_STONES:
        verdict = zugzwang_verdict(node.own, node.mask, node.stones, target)
        if verdict != UNKNOWN:
            return verdict
    known_col = -1
    if features & TABLE:
        low, high, known_col = find(table, node.own + node.mask)
        if low >= target:
            return 1
        if high < target:
            return 0
    return _list_moves(node, target, known_col, features, frames, ply)


@inline_kernel
def _hand_up(answer, ply, goal, root_parity, features, table, frames):
    """Pass an answer, 1 or 0 for the player at the root, up to the node that continues after it.

    `ply` is that of the node that has been answered. Nodes above it that are decided by it are
    stored in the table. Returns one more than the ply of the node that continues; 0: the root is
    answered.
    """
    while ply > 0:
        node = ply - 1
        stones = frames[node, STONES]
        side = (stones ^ root_parity) & 1
        reached = answer ^ side
        index = frames[node, INDEX]
        if not reached and index < frames[node, COUNT]:
            break
        ply = node
        if features & TABLE:
            col = column_of(frames[node, MOVES + index - 1])
            key = frames[node, OWN] + frames[node, MASK]
            store(table, key, reached, _question(goal, side), col)
    return ply


@inline_kernel
def _next_move(frames, node):
    """Take the next move of a node; the position after it: (own, mask, safe moves, stones)."""
    index = frames[node, INDEX]
    frames[node, INDEX] = index + 1
    mask = frames[node, MASK] | frames[node, MOVES + index]
    own = frames[node, OWN] ^ frames[node, MASK]
    return own, mask, frames[node, REPLIES + index], frames[node, STONES] + 1
