"""The tables, computed from the end backwards (Thompson 1986; Lake, Schaeffer and Lu 1994).

Time is counted in turns: a capture of several pieces is one. Round 0 finds the positions whose
player cannot move: they are lost. An odd round t finds the won positions: one turn leads to a
position that is lost in t - 1 turns. An even round t finds the lost positions: every turn leads to
a position that is won, the longest in t - 1 turns. All other positions are draws.

A turn keeps the material (the other side of the same slice follows), or crowns a man, or captures.
So slices with fewer pieces come first, and among equals those with fewer men, and the rounds
process a slice and its mirror image together. The rules that end a game without progress are
ignored: a win that takes longer than 40 quiet moves of each player still counts as a win.

A round checks only the positions that may be decided in it. Round 0 checks all positions, and notes
when captures and crownings, whose results are already known, would decide a position. Later, a
position can only change when a position after one of its steps is decided. So each decided position
is stepped back from: the next round checks the positions from which it can be reached.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dlgo.bits import int64, popcount
from dlgo.games.draughts import board
from dlgo.games.draughts.endgames.places import MOST, NOWHERE, place, position, slice_size, turned
from dlgo.jit import inline_kernel, kernel

# A byte of the table: 0 is a draw (or not known yet), else one more than the number of turns until
# the end. The player to move has lost if the number of turns is even, and won if it is odd.
DRAW, NO_POSITION = 0, 255
LONGEST = 253

# Space for the bytes of the positions after each turn, and for captures that may continue, each as
# (own, other, kings, jumper). With five pieces there are far fewer.
CODES, STACK = 128, (128, 4)

Slice = tuple[int, int, int, int]


def slices(pieces: int) -> list[list[Slice]]:
    """All slices with at most this number of pieces, with pieces of both players, in groups, in
    order."""
    groups: list[list[Slice]] = []
    for total in range(2, pieces + 1):
        split = [
            (men, own - men, other_men, total - own - other_men)
            for own in range(1, total)
            for men in range(own + 1)
            for other_men in range(total - own + 1)
        ]
        split.sort(key=lambda part: (part[0] + part[2], part))
        for part in split:
            mirrored = (part[2], part[3], part[0], part[1])
            if part <= mirrored:
                groups.append([part] if part == mirrored else [part, mirrored])
    return groups


def offsets_of(pieces: int) -> tuple[np.ndarray, int]:
    """The start of each slice, int64 with four axes, -1 for slices that do not exist; and the
    end."""
    offsets = np.full((MOST + 1,) * 4, -1, np.int64)
    end = 0
    for group in slices(pieces):
        for part in group:
            offsets[part] = end
            end += int(slice_size(*part))
    return offsets, end


def compute(pieces: int) -> Iterator[tuple[Slice, int, np.ndarray]]:
    """Compute the table for positions with at most `pieces` pieces.

    Yields after each round of a group: its first slice, the round, and the table so far, uint8.
    """
    offsets, size = offsets_of(pieces)
    table = np.zeros(size, np.uint8)
    due = np.zeros(size, np.uint8)  # the byte that a position may get next, 0: none yet
    stack, codes = np.zeros(STACK, np.int64), np.zeros(CODES, np.int64)
    latest = 0  # the longest win or loss found in earlier groups
    for group in slices(pieces):
        decided, turns = 1, 0
        # A later round can decide a position only if this one did, or if an earlier group has a
        # position with this number of turns that a turn leads to.
        while decided or turns <= latest + 1:
            decided = sum(_round(table, due, offsets, stack, codes, part, turns) for part in group)
            yield group[0], turns, table
            turns += 1
            if turns > LONGEST:
                raise AssertionError("a byte cannot hold the distance")
        latest = max(latest, int(_longest(table)))


@kernel
def _longest(table: np.ndarray) -> int:
    most = 0
    for code in table:
        if code != NO_POSITION and code > most:
            most = code
    return most - 1


@kernel
def _round(
    table: np.ndarray, due: np.ndarray, offsets: np.ndarray, stack: np.ndarray, codes: np.ndarray,
    part: Slice, turns: int,
) -> int:
    """Find the positions of a slice that end after exactly `turns` turns; returns their number."""
    men, kings, other_men, other_kings = part
    start = offsets[men, kings, other_men, other_kings]
    base = offsets[other_men, other_kings, men, kings]  # steps from there lead to this slice
    decided = 0
    for number in range(slice_size(men, kings, other_men, other_kings)):
        if turns and due[start + number] != turns + 1:
            continue
        own, opponent, crowned = position(number, men, kings, other_men, other_kings)
        if own == NOWHERE:
            table[start + number] = NO_POSITION
            continue
        count = codes_after_turns(table, offsets, stack, codes, own, opponent, crowned, int64(0))
        code = best_code(codes, count)
        if code == turns + 1:
            table[start + number] = code
            decided += 1
            _step_back(table, due, base, own, opponent, crowned, turns + 2)
        due[start + number] = code if code > turns + 1 else 0
    return decided


@inline_kernel
def _step_back(
    table: np.ndarray, due: np.ndarray, base: int, own: int, opponent: int, kings: int, code: int,
) -> None:
    """Note that the positions from which a step leads to this one may get a byte."""
    empty = board.BOARD & ~(own | opponent)
    for direction in range(4):
        pieces = board.facing(opponent, kings, 1, direction) & board.ahead(empty, direction)
        while pieces:
            piece = pieces & -pieces
            pieces ^= piece
            moved = piece | board.behind(piece, direction)
            crowned = kings ^ moved if kings & piece else kings
            at = base + place(turned(opponent ^ moved), turned(own), turned(crowned))
            if table[at] == DRAW and (due[at] == 0 or due[at] > code):
                due[at] = code


@inline_kernel
def look_up(table: np.ndarray, offsets: np.ndarray, own: int, opponent: int, kings: int) -> int:
    """The byte of a position whose own pieces are to move, down the board.

    A player without pieces has lost. Returns NO_POSITION if the table does not have the position.
    """
    if own == 0:
        return int64(1)
    if opponent == 0:
        return int64(2)
    men, other_men = popcount(own & ~kings), popcount(opponent & ~kings)
    own_kings, other_kings = popcount(own & kings), popcount(opponent & kings)
    if men + other_men + own_kings + other_kings > MOST:
        return int64(NO_POSITION)
    start = offsets[men, own_kings, other_men, other_kings]
    if start < 0 or start >= len(table):  # the offsets may belong to a larger table
        return int64(NO_POSITION)
    return int64(table[start + place(own, opponent, kings)])


@kernel
def codes_after_turns(
    table: np.ndarray, offsets: np.ndarray, stack: np.ndarray, codes: np.ndarray, own: int,
    opponent: int, kings: int, jumper: int,
) -> int:
    """Write the bytes of the positions after each turn, for the other player; returns their number.

    `stack` is scratch. `jumper` must continue capturing; 0 at the start of a turn.
    """
    total = 0
    n = _push_captures(stack, 0, own, opponent, kings, jumper)
    if n == 0:
        empty = board.BOARD & ~(own | opponent)
        for direction in range(4):
            pieces = board.can_step(board.facing(own, kings, 0, direction), empty, direction)
            while pieces:
                piece = pieces & -pieces
                pieces ^= piece
                target = board.ahead(piece, direction)
                new_kings = kings ^ (piece | target) if kings & piece else kings
                codes[total] = look_up(
                    table, offsets, turned(opponent), turned(own ^ (piece | target)),
                    turned(new_kings | target & board.far_row(0)),
                )
                total += 1
    while n:
        n -= 1
        own, opponent, kings, jumper = stack[n, 0], stack[n, 1], stack[n, 2], stack[n, 3]
        more = n
        if jumper:
            more = _push_captures(stack, n, own, opponent, kings, jumper)
        if more == n:  # the turn is over
            codes[total] = look_up(table, offsets, turned(opponent), turned(own), turned(kings))
            total += 1
        n = more
    return total


@inline_kernel
def _push_captures(
    stack: np.ndarray, n: int, own: int, opponent: int, kings: int, jumper: int,
) -> int:
    """Put the position after each capture on the stack; returns its height."""
    empty = board.BOARD & ~(own | opponent)
    for direction in range(4):
        pieces = board.facing(jumper or own, kings, 0, direction)
        pieces = board.can_jump(pieces, opponent, empty, direction)
        while pieces:
            piece = pieces & -pieces
            pieces ^= piece
            stack[n, 0], stack[n, 1], stack[n, 2], stack[n, 3] = board.jump(
                own, opponent, kings, 0, piece, direction
            )
            n += 1
    return n


@kernel
def best_code(codes: np.ndarray, count: int) -> int:
    """The byte of a position from the bytes of the positions after its turns."""
    if count == 0:
        return 1  # a player who cannot move has lost
    quickest, longest, all_lost = NO_POSITION, 0, True
    for i in range(count):
        code = codes[i]
        if code == NO_POSITION:
            return NO_POSITION
        if code % 2 == 1:  # the other player has lost
            quickest = min(quickest, code)
        elif code == DRAW:
            all_lost = False
        else:
            longest = max(longest, code)
    if quickest < NO_POSITION:
        return quickest + 1
    return longest + 1 if all_lost else DRAW
