"""Looks positions up in endgame tables, and stores the tables, which each machine makes once.

    tables = EndgameTables.get(4)
    tables.score(state)            # Score(result=1, turns=17): won for the player to move
    tables.scores(state)           # of each legal action

The rules that end a game without progress are ignored (`retrograde.py`): a win counts for any
number of quiet moves.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np

from dlgo.api import GameState
from dlgo.bits import int64, popcount
from dlgo.errors import DlgoError
from dlgo.files import make_folder, write_file
from dlgo.games.draughts.board import BLACK, JUMPER, KINGS, TURN, WHITE
from dlgo.games.draughts.endgames import retrograde
from dlgo.games.draughts.endgames.places import MOST, turned
from dlgo.games.draughts.endgames.retrograde import CODES, NO_POSITION, STACK
from dlgo.jit import base_folder, kernel

_FORMAT = b"dlgo draughts endgames 1\n"
# Seconds between two lines of progress.
_LINE_INTERVAL = 10.0


class Score(NamedTuple):
    """The value of a position."""

    result: int  # 1 if the player to move wins, -1 if they lose, 0 for a draw
    # Turns until the end, if the winner hurries and the loser delays; 0 for a draw. A capture of
    # several pieces is one turn.
    turns: int


class EndgameTables:
    """The result, and the turns to it, of every position with at most `pieces` pieces.

    `table`: uint8, a byte for each position (`retrograde.py`).
    """

    _loaded: ClassVar[dict[int, EndgameTables]] = {}

    def __init__(self, pieces: int, table: np.ndarray) -> None:
        self.pieces, self.table = pieces, table
        self._offsets, _ = retrograde.offsets_of(pieces)
        self._stack, self._codes = np.zeros(STACK, np.int64), np.zeros(CODES, np.int64)

    @classmethod
    def get(
        cls, pieces: int = 4, log: Callable[[str], None] = lambda line: None
    ) -> EndgameTables:
        """The tables for up to `pieces` pieces, 2 to 5: from memory, from the disk, or made now.

        Four pieces: seconds and 8 MB (2 MB on the disk); five: minutes and 190 MB (62 MB). `log`
        prints lines of progress while they are made. Raises DlgoError for another number of pieces.
        """
        if not 2 <= pieces <= MOST:
            raise DlgoError(f"endgame tables have 2 to {MOST} pieces, not {pieces}")
        if pieces not in cls._loaded:
            path = base_folder() / "endgames" / f"draughts-{pieces}"
            table = _read(path, pieces)
            if table is None:
                table = _make(pieces, log)
                with suppress(DlgoError):  # on a full disk, they are made again next time
                    make_folder(path.parent)
                    write_file(path, _packed(table))
            cls._loaded[pieces] = cls(pieces, table)
        return cls._loaded[pieces]

    def score(self, state: GameState) -> Score | None:
        """The value of a position for the player to move; None if it has too many pieces."""
        words = state.kernel_state.words
        code = _code(words, self.table, self._offsets, self._stack, self._codes)
        if code == NO_POSITION:
            return None
        if code == retrograde.DRAW:
            return Score(0, 0)
        return Score(1 if code % 2 == 0 else -1, int(code) - 1)

    def scores(self, state: GameState) -> dict[int, Score] | None:
        """The value of each legal action for the player who makes it; None as for `score`.

        `turns` counts from the position before the action.
        """
        if self.score(state) is None:
            return None
        player = state.next_player
        values: dict[int, Score] = {}
        for action in state.legal_actions().tolist():
            successor = state.apply_move(state.game.move_of(action))
            score = self.score(successor)
            if score is None:
                return None
            if successor.next_player is not player:
                score = Score(-score.result, score.turns + 1 if score.result else 0)
            values[action] = score
        return values


@kernel
def _code(
    words: np.ndarray, table: np.ndarray, offsets: np.ndarray, stack: np.ndarray, codes: np.ndarray,
) -> int:
    """The byte of a position of the game, also in the middle of a capture."""
    own, opponent, kings, jumper = words[BLACK], words[WHITE], words[KINGS], words[JUMPER]
    if words[TURN] == 1:
        own, opponent, kings, jumper = turned(opponent), turned(own), turned(kings), turned(jumper)
    if jumper == 0:
        return retrograde.look_up(table, offsets, own, opponent, kings)
    if popcount(own | opponent) > MOST:
        return int64(NO_POSITION)
    n = retrograde.codes_after_turns(table, offsets, stack, codes, own, opponent, kings, jumper)
    return int64(retrograde.best_code(codes, n))


def _make(pieces: int, log: Callable[[str], None]) -> np.ndarray:
    groups = retrograde.slices(pieces)
    numbers = {group[0]: number for number, group in enumerate(groups, 1)}
    table, next_line = np.zeros(0, np.uint8), time.monotonic()
    for first, turns, table in retrograde.compute(pieces):  # noqa: B007
        if time.monotonic() >= next_line:
            next_line = time.monotonic() + _LINE_INTERVAL
            log(f"making the endgame tables of draughts for {pieces} pieces, once a machine: part "
                f"{numbers[first]} of {len(groups)}, {turns} turns from the end")
    return table


def _packed(table: np.ndarray) -> bytes:
    content = zlib.compress(table.tobytes(), 6)
    return _FORMAT + zlib.crc32(content).to_bytes(4, "big") + content


def _read(path: Path, pieces: int) -> np.ndarray | None:
    """A table from a file; None if it does not exist or is damaged, and has to be made again."""
    with suppress(OSError, zlib.error):
        content = path.read_bytes()
        start = len(_FORMAT) + 4
        check = int.from_bytes(content[len(_FORMAT):start], "big")
        if content.startswith(_FORMAT) and zlib.crc32(content[start:]) == check:
            table = np.frombuffer(zlib.decompress(content[start:]), np.uint8)
            if len(table) == retrograde.offsets_of(pieces)[1]:
                return table
    return None
