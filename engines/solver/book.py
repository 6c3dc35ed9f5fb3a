"""Connect Four's opening book: the exact scores of all positions with few stones.

A book is a file for a number of stones, with one byte for each unfinished position up to mirror
image: its score for the player to move, in the order of the positions' keys. The positions are not
stored. Opening the book lists them again from the empty board, and computes the scores of positions
with fewer stones from their moves.

The numbers of positions are the published ones (John Tromp's: 1, 7, 49, 238, 1120, 4263, 16422,
54859, 184275 with 0 to 8 stones; finished games, which he counts, are left out here).
"""

from __future__ import annotations

import functools
import re
import zlib
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dlgo.bits import popcount
from dlgo.errors import DlgoError, ForeignFileError, FormatError
from dlgo.games.connect4.board import CELLS, COLS, has_four, playable, winning_cells
from dlgo.jit import inline_kernel, kernel
from dlgo.readers import reading
from engines.solver.board import cell_in, mirrored

SHIPPED = Path(__file__).with_name("connect4.book")
MOST_PLIES = 9  # 270,000 positions
UNSOLVED = 127  # in an unfinished file
_FORMAT = "dlgo connect4 book 1"
_CHECK_BYTES = 4

# A word of an open book: 49 bits of key, and the score above these.
_SCORE_BITS = 7
_OFFSET = 22  # one more than the best score


class Level(NamedTuple):
    """All unfinished positions with the same number of stones, up to mirror image."""

    keys: np.ndarray  # int64[n], ascending: own + mask, the smaller one of a position and its image
    owns: np.ndarray  # int64[n], the positions
    masks: np.ndarray


def levels(plies: int) -> list[Level]:
    """The positions with 0, 1, ... `plies` stones."""
    empty = np.zeros(1, np.int64)
    listed = [Level(empty, empty, empty)]
    for _ in range(plies):
        _, owns, masks = listed[-1]
        keys, after_owns, after_masks = (np.empty(COLS * len(owns), np.int64) for _ in range(3))
        n = _successors(owns, masks, keys, after_owns, after_masks)
        keys, first = np.unique(keys[:n], return_index=True)
        listed.append(Level(keys, after_owns[first], after_masks[first]))
    return listed


def pack_book(plies: int, scores: np.ndarray) -> bytes:
    """A book as a file. scores: int8[n], of the positions of `levels(plies)[plies]`."""
    content = zlib.compress(scores.astype(np.int8).tobytes(), 9)
    check = zlib.crc32(content).to_bytes(_CHECK_BYTES, "big")
    return f"{_FORMAT}, {plies} plies\n".encode() + check + content


def read_book(path: Path) -> tuple[int, np.ndarray]:
    """The number of plies and the scores in a file, finished or not."""
    restore = "install dlgo again" if path == SHIPPED else "restore it from a copy"
    with reading(path, "opening book of Connect Four", restore=restore):
        head, _, body = path.read_bytes().partition(b"\n")
        if not (head.startswith(_FORMAT.encode()) or _FORMAT.encode().startswith(head)):
            raise ForeignFileError("it does not begin as one")
        match = re.fullmatch(f"{_FORMAT}, ([0-9]) plies", head.decode("ascii", "replace"))
        check, content = body[:_CHECK_BYTES], body[_CHECK_BYTES:]
        if not match or zlib.crc32(content).to_bytes(_CHECK_BYTES, "big") != check:
            raise FormatError("its checksum differs")
        return int(match[1]), np.frombuffer(zlib.decompress(content), np.int8)


def open_book(plies: int, scores: np.ndarray) -> np.ndarray:
    """The scores of all positions with up to `plies` stones, for `look_up`: int64[n], ascending.

    Raises DlgoError if scores are missing.
    """
    listed = levels(plies)
    if len(scores) != len(listed[-1].keys) or (scores == UNSOLVED).any():
        n_solved = int((scores != UNSOLVED).sum())
        raise DlgoError(f"the book of {plies} plies lacks scores: it has {n_solved:,} of "
                        f"{len(listed[-1].keys):,}; run the command that makes it again")
    words = _words(listed[-1], scores)
    parts = [words]
    for level in reversed(listed[:-1]):
        scores = np.empty(len(level.keys), np.int8)
        _score_by_moves(level.owns, level.masks, words, scores)
        words = _words(level, scores)
        parts.append(words)
    return np.sort(np.concatenate(parts))


@functools.cache
def shipped_book() -> tuple[int, np.ndarray]:
    """The number of plies and the shipped book, opened; -1 if there is none."""
    if not SHIPPED.exists():
        return -1, np.zeros(0, np.int64)
    plies, scores = read_book(SHIPPED)
    return plies, open_book(plies, scores)


@inline_kernel
def canonical(own, mask):
    """(key, own, mask) of the position or its mirror image, whichever has the smaller key."""
    image_own, image_mask = mirrored(own), mirrored(mask)
    if image_own + image_mask < own + mask:
        own, mask = image_own, image_mask
    return own + mask, own, mask


@kernel
def look_up(book, own, mask):
    """The score of an unfinished position with no more stones than the book's plies."""
    key, _, _ = canonical(own, mask)
    word = book[np.searchsorted(book, key << _SCORE_BITS)]
    return (word & ((1 << _SCORE_BITS) - 1)) - _OFFSET


def _words(level: Level, scores: np.ndarray) -> np.ndarray:
    return (level.keys << _SCORE_BITS) | (scores.astype(np.int64) + _OFFSET)


@kernel
def _successors(owns, masks, keys, after_owns, after_masks):
    """Write the unfinished positions one stone later, with repetitions; return how many."""
    n = 0
    for i in range(len(owns)):
        ground = playable(masks[i])
        for col in range(COLS):
            move = ground & cell_in(col)
            if move and not has_four(owns[i] | move):
                position = canonical(owns[i] ^ masks[i], masks[i] | move)
                keys[n], after_owns[n], after_masks[n] = position
                n += 1
    return n


@kernel
def _score_by_moves(owns, masks, book, scores):
    """Write the scores of positions whose moves lead to positions that `book` has."""
    for i in range(len(owns)):
        own, mask = owns[i], masks[i]
        ground = playable(mask)
        best = -CELLS
        if winning_cells(own, mask) & ground:
            best = (43 - popcount(mask)) >> 1
        else:
            for col in range(COLS):
                move = ground & cell_in(col)
                if move:
                    best = max(best, -look_up(book, own ^ mask, mask | move))
        scores[i] = best
