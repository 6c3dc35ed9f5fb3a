"""Scores and best moves by the search, for one position or for many lines of text.

Each kernel here may pause at the node limit and return UNFINISHED. Called again with the same
arguments, it continues (by `info[RESUME]`, and `info[STEP]` for an analysis).
"""

from __future__ import annotations

from numba import types

from dlgo.bits import popcount
from dlgo.games.connect4.board import CELLS, COLS, has_four, playable, winning_cells
from dlgo.jit import inline_kernel, kernel
from engines.solver import search
from engines.solver.board import cell_in, centre_most, column_of, read_columns, safe_moves
from engines.solver.book import look_up
from engines.solver.search import NODES, RESUME, STEP, UNFINISHED, USED_FEATURES, prove
from engines.solver.table import find, store

# Columns of the array that `analyse_lines` fills, a row a line of text.
SCORE, BEST_COL, VISITED, TICKS, MOVE_SCORES = range(5)  # and one for each column of the board
ROW = MOVE_SCORES + COLS
NO_SCORE = 98  # of a line that is not an unfinished position, or of a column that is full

# CPU time of this process in microseconds, from the C library: by POSIX on all systems.
_cpu_ticks = types.ExternalFunction("clock", types.int64())
TICKS_PER_MS = 1000


@inline_kernel
def _next_goal(low, high, features):
    """The next question for a score in low..high: "is it at least this?"

    Quick wins are cheap to prove or to refute, so the range is halved from its ends towards 0
    (Pons, part 10). After quick wins are excluded, the search asks who wins, since later questions
    reuse these answers in the table.
    """
    if features & search.SIGN and high <= search.SIGN_BELOW:
        return max(low, min(high - 1, 0)) + 1
    middle = (low + high) >> 1
    if middle <= 0 and -(-low // 2) < middle:
        middle = -(-low // 2)
    elif middle >= 0 and high // 2 > middle:
        middle = high // 2
    return middle + 1


@kernel
def solve(own, mask, floor, table, frames, book, info):
    """The exact score for the player to move, known to be at least `floor`. The game must not be
    over."""
    stones = popcount(mask)
    if winning_cells(own, mask) & playable(mask):
        return (43 - stones) >> 1
    if stones >= CELLS - 1:
        return 0
    moves = safe_moves(mask, winning_cells(own ^ mask, mask))
    if moves == 0:
        return -((42 - stones) >> 1)
    if stones <= info[search.BOOK_PLIES]:
        return look_up(book, own, mask)
    low, high = max(floor, -((40 - stones) >> 1)), (41 - stones) >> 1
    if info[RESUME]:
        low, high = info[search.LOW], info[search.HIGH]
    else:
        info[search.BEST] = -1
    while low < high:
        goal = _next_goal(low, high, info[USED_FEATURES])
        answer = prove(own, mask, moves, goal, table, frames, info)
        if answer == UNFINISHED:
            info[search.LOW], info[search.HIGH] = low, high
            return UNFINISHED
        if answer:
            low = goal
        else:
            high = goal - 1
    if info[search.BEST] >= 0 and moves & (moves - 1) and info[USED_FEATURES] & search.TABLE:
        # The search may have written over what led to it.
        store(table, own + mask, True, low, info[search.BEST])
        store(table, own + mask, False, low + 1, info[search.BEST])
    return low


@kernel
def solve_many(owns, masks, scores, table, frames, book, info):
    """Write the score of each position into `scores`. No limit; the table is shared."""
    info[search.LIMIT] = search.NO_LIMIT
    for i in range(len(owns)):
        scores[i] = solve(owns[i], masks[i], -CELLS, table, frames, book, info)


@kernel
def best_move(own, mask, score, table, frames, book, info):
    """A column that reaches `score`, the exact score of the position. The game must not be over."""
    ground = playable(mask)
    wins = winning_cells(own, mask) & ground
    if wins:
        return column_of(centre_most(wins))
    moves = safe_moves(mask, winning_cells(own ^ mask, mask))
    if moves == 0:  # each loses at once
        return column_of(centre_most(ground))
    stones = popcount(mask)
    if moves & (moves - 1) == 0 or score <= -((40 - stones) >> 1):
        return column_of(centre_most(moves))
    if stones < info[search.BOOK_PLIES]:
        while True:
            move = centre_most(moves)
            moves ^= move
            if moves == 0 or -look_up(book, own ^ mask, mask | move) == score:
                return column_of(move)
    if not info[RESUME]:
        low, _, col = find(table, own + mask)
        if low >= score and col >= 0:
            return col
    info[search.NEED_MOVE] = 1
    answer = prove(own, mask, moves, score, table, frames, info)
    info[search.NEED_MOVE] = 0
    return UNFINISHED if answer == UNFINISHED else info[search.BEST]


@kernel
def _analyse(own, mask, all_moves, row, table, frames, book, info):
    """Write the analysis of one position into its row; 1, or UNFINISHED.

    `info[STEP]` is what comes next in the row.
    """
    if info[STEP] == SCORE:
        row[SCORE] = solve(own, mask, -CELLS, table, frames, book, info)
        if row[SCORE] == UNFINISHED:
            return UNFINISHED
        info[STEP] = BEST_COL
    if info[STEP] == BEST_COL:
        row[BEST_COL] = best_move(own, mask, row[SCORE], table, frames, book, info)
        if row[BEST_COL] == UNFINISHED:
            return UNFINISHED
        info[STEP] = MOVE_SCORES
    while all_moves and info[STEP] < ROW:
        col = info[STEP] - MOVE_SCORES
        move = playable(mask) & cell_in(col)
        score = NO_SCORE
        if has_four(own | move):
            score = (43 - popcount(mask)) >> 1
        elif col == row[BEST_COL]:
            score = row[SCORE]
        elif move:  # no move is better than the position
            reply = solve(own ^ mask, mask | move, -row[SCORE], table, frames, book, info)
            if reply == UNFINISHED:
                return UNFINISHED
            score = -reply
        row[info[STEP]] = score
        info[STEP] += 1
    info[STEP] = SCORE
    return 1


@kernel
def analyse_lines(text, start, rows, all_moves, table, frames, book, info):
    """Analyse lines of columns.

    Args:
        text: uint8[any], ASCII; each line ends with a line feed.
        start: the number of the first line, and where it begins in the text.
        rows: int64[lines, ROW], zeros at first. CPU time is counted from reading a line to
            its last result.

    Returns the `start` of the first line that is not finished.
    """
    first, at = start
    ticks = _cpu_ticks()
    for i in range(first, len(rows)):
        own, mask, end = read_columns(text, at)
        answer = 1
        if end < 0:
            rows[i, SCORE] = NO_SCORE
            end = -end
        else:
            visited = info[NODES]
            answer = _analyse(own, mask, all_moves, rows[i], table, frames, book, info)
            rows[i, VISITED] += info[NODES] - visited
        start_ticks = ticks
        ticks = _cpu_ticks()
        rows[i, TICKS] += ticks - start_ticks
        if answer == UNFINISHED:
            return i, at
        at = end
    return len(rows), at
