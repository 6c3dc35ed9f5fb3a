"""Features of a move in Go for a linear policy: small patterns, ataris, the last move.

After the rollout policy of AlphaGo (Silver et al. 2016, Extended Data Table 4), whose features are
patterns of 3x3 points with liberties, answers to the last move, atari and distance. Each slot of
`SLOTS` has one value for a move. 0 is the pass's value, except in the last slot, and means "none"
for plays. All values are from the view of the player to move: a position and its colour flip have
equal values, and so do all eight images of a board.

Registered with `dlgo.kernels` by `kernel.py`.
"""

from __future__ import annotations

import numpy as np

from dlgo.bits import int64
from dlgo.games.classes import classes, contents
from dlgo.games.go import board
from dlgo.games.go.board import GoState
from dlgo.games.go.patterns import neighbourhood
from dlgo.games.go.tactics import is_self_atari
from dlgo.jit import inline_kernel, kernel

# Kinds of neighbours in `CONTACTS`: a chain in atari, with few liberties, or with many.
_FREE, _EDGE, _OWN, _ENEMY = 0, 1, 2, 5
# Pairs of stone and liberty up to which a chain that is not in atari has "few": two liberties,
# mostly. Exact liberties beyond atari would have to be counted.
FEW = 3
# The bits of `capture`, for more than one stone, for stones that hold own ones in atari, and for
# the stones just played. It starts at 1.
BIG, SAVES, JUST_PLAYED = 1, 2, 4
# `rescue`: own stones beside the point are in atari and this play frees them, or does not.
FREED, STILL_IN_ATARI = 1, 3
# Distance from the last play, as dx + dy + max(dx, dy): 2 touching, 3 diagonal; at most this.
FAR = 17
# Number of lines from the edge that are distinguished.
LINES = 9
PASS, SECOND_PASS = 1 + LINES * (LINES + 1) // 2, 2 + LINES * (LINES + 1) // 2


def _shape_classes() -> tuple[np.ndarray, int]:
    """Classes of the eight neighbours in reading order; kinds are own, other, empty, border."""
    content = contents(8, 2)
    square = np.array([0, 1, 2, 3, -1, 4, 5, 6, 7]).reshape(3, 3)
    images = [
        [int(place) for place in turned.ravel() if place >= 0]
        for mirrored in (square, square.T) for turned in (np.rot90(mirrored, k) for k in range(4))
    ]
    # Beyond the edge is a whole side, or two sides that meet in a corner.
    sides = [[0, 1, 2], [2, 4, 7], [5, 6, 7], [0, 3, 5]]
    border = content == board.BORDER
    edges = np.stack([border[:, side].all(axis=1) for side in sides], axis=1)
    covered = np.zeros_like(border)
    for k, side in enumerate(sides):
        covered[:, side] |= edges[:, k : k + 1]
    opposite = (edges[:, 0] & edges[:, 2]) | (edges[:, 1] & edges[:, 3])
    return classes(content, 2, images, (covered == border).all(axis=1) & ~opposite)


def _contact_classes() -> tuple[np.ndarray, int]:
    """Classes of the four neighbours right, left, up, down, each of `_FREE` to `_ENEMY` + 2."""
    content = contents(4, 3)
    images = [
        [*((1, 0) if mirror else (0, 1)), *((3, 2) if flip else (2, 3))]
        for mirror in (False, True) for flip in (False, True)
    ]
    images += [image[2:] + image[:2] for image in images]
    return classes(content, 3, images, np.ones(len(content), np.bool_))


SHAPES, N_SHAPES = _shape_classes()
CONTACTS, N_CONTACTS = _contact_classes()

# The name of each slot, and its number of values.
SLOTS = (
    ("shape: the 3x3 pattern around the point", N_SHAPES),
    ("response: the same beside the last play, touching or diagonal", 2 * N_SHAPES),
    ("contact: the four neighbours with their liberties", N_CONTACTS),
    ("capture", 1 + BIG + SAVES + JUST_PLAYED + 1),
    ("rescue of own stones in atari", STILL_IN_ATARI + BIG + 1),
    ("self-atari: of a lone stone, of two or three, of more", 4),
    ("distance from the last play", FAR),
    ("place: the distances from the nearest two edges; passes", SECOND_PASS + 1),
)
SHAPE, RESPONSE, CONTACT, CAPTURE, RESCUE, SELF_ATARI, DISTANCE, PLACE = range(len(SLOTS))


@kernel
def move_features(
    state: GoState, actions: np.ndarray, n: int, scratch: np.ndarray, out: np.ndarray,
) -> None:
    info = state.info
    size = int64(info[board.SIZE])
    width = size + 2
    player = int64(info[board.TURN])
    last = int64(info[board.LAST])
    for i in range(n):
        action = actions[i]
        if action == size * size:
            for slot in range(PLACE):
                out[i, slot] = 0
            out[i, PLACE] = SECOND_PASS if info[board.PASSES] else PASS
            continue
        row, col = action // size, action % size
        point = (row + 1) * width + col + 1
        shape = SHAPES[shape_index(state, point, player, width)]
        out[i, SHAPE] = shape
        out[i, RESPONSE] = 0
        out[i, DISTANCE] = 0
        if last != board.NOWHERE:
            dx, dy = abs(last % width - 1 - col), abs(last // width - 1 - row)
            distance = dx + dy + max(dx, dy)
            out[i, DISTANCE] = min(distance, FAR) - 1
            if dx <= 1 and dy <= 1:
                out[i, RESPONSE] = shape + (N_SHAPES if dx and dy else 0)
        _tactics(state, point, player, width, last, out[i])
        x, y = min(col, size - 1 - col), min(row, size - 1 - row)
        low, high = min(x, y, LINES - 1), min(max(x, y), LINES - 1)
        out[i, PLACE] = 1 + high * (high + 1) // 2 + low


@inline_kernel
def shape_index(state: GoState, point: int, player: int, width: int) -> int:
    """The number of the eight neighbours of a point, from the view of the player: 0 own, 1
    other."""
    index = neighbourhood(state, point, width)
    # Stones have the upper of their two bits clear; there the lower one is turned over for White.
    return index ^ (~(index >> 1) & 0x5555) if player else index


@inline_kernel
def _holds_in_atari(state: GoState, captured: int, player: int) -> bool:
    """Whether a chain that is about to be captured touches a chain of the player in atari."""
    width = state.info[board.SIZE] + 2
    stone = int64(captured)
    while True:
        for step in (1, -1, width, -width):
            near = stone + step
            if state.color[near] == player and board.in_atari(state, state.chain[near]):
                return True
        stone = int64(state.link[stone])
        if stone == captured:
            return False


@inline_kernel
def _tactics(
    state: GoState, point: int, player: int, width: int, last: int, out: np.ndarray,
) -> None:
    """The slots that depend on liberties, of one play."""
    index = int64(0)
    free = captured = rescued = joined = int64(0)  # stones; `captured` of the largest chain
    takes_last = saves = False
    shift = 0
    for step in (1, -1, width, -width):
        near = point + step
        kind = state.color[near]
        if kind == board.EMPTY:
            free += 1
        elif kind == board.BORDER:
            index |= _EDGE << shift
        else:
            chain = int64(state.chain[near])
            stones = int64(state.n_stones[chain])
            atari = board.in_atari(state, chain)
            band = 0 if atari else (1 if state.liberties[chain] >> board.NUMBER_SHIFT <= FEW else 2)
            if kind == player:
                index |= (_OWN + band) << shift
                joined = max(joined, stones)
                if atari:
                    rescued = max(rescued, stones)
            else:
                index |= (_ENEMY + band) << shift
                if atari:
                    captured = max(captured, stones)
                    takes_last |= last != board.NOWHERE and chain == state.chain[last]
                    saves |= _holds_in_atari(state, chain, player)
        shift += 3
    out[CONTACT] = CONTACTS[index]
    out[CAPTURE] = 0
    if captured:
        out[CAPTURE] = 1 + (BIG if captured > 1 else 0) + (SAVES if saves else 0) + (
            JUST_PLAYED if takes_last else 0
        )
    # With two free neighbours it has two liberties.
    risky = free < 2 and is_self_atari(state, point, player)
    out[RESCUE] = 0
    if rescued:
        out[RESCUE] = (STILL_IN_ATARI if risky else FREED) + (BIG if rescued > 1 else 0)
    out[SELF_ATARI] = 0
    if risky:
        out[SELF_ATARI] = 1 if joined == 0 else (2 if joined <= 2 else 3)
