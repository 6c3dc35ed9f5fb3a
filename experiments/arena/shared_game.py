"""A game in progress, in memory that a worker shares with its parent.

The worker writes down who is at work since when, and every move with its cost. The parent
looks at it now and then to see whether an engine is overdue, and reads all of it when the
worker has died in the middle of a game. Writing takes a microsecond and wakes no process; a message
for each move would cost as much as a short search.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

from dlgo.jit import wall_time
from dlgo.records.costs import ROW

# What is being done. IDLE: nothing that an engine answers for.
IDLE, PREPARING, THINKING = range(3)
DOING = ("idle", "preparing", "thinking")

# More plies than any game has before it is drawn (see `referee.length_limit`).
CAPACITY = 1 << 15
# Seconds for which a player's clock may stand still while machine code is made.
_LONGEST_COMPILATION = 600.0

# In this order, so that a reader of a half-written head sees a new clock, not an old one.
_HEAD = struct.Struct("<dqqqqd")
# Below it, the roots of the processes of external engines.
_HOSTS = struct.Struct("<8q")
_HOSTS_START, _START = 64, 128
# Memory for a shared one; pages that are not used cost nothing.
BYTES = _START + ROW.size * CAPACITY


class Head(NamedTuple):
    """Who is at work; stands before the rows of moves."""

    since: float  # when this was shown, by `time.monotonic`; later, by the time spent on compiling
    game: int  # which game of this worker it is, from 1
    moves: int  # how many the engines have made in it
    player: int  # who is at work, 0 or 1
    doing: int  # what: `IDLE`, `PREPARING`, `THINKING`
    began: float  # when the game began, by `time.time`


class SharedGame:
    """Rows of moves below a head, in a writable `buffer` of `_START + ROW.size` times the plies it
    has to hold."""

    def __init__(self, buffer: Any) -> None:
        self._bytes = memoryview(buffer).cast("B")
        self._game = self._moves = 0
        self._began = self._start = 0.0
        self._shown = (0, IDLE)

    @classmethod
    def local(cls, plies: int) -> SharedGame:
        """One that is not shared."""
        return cls(bytearray(_START + ROW.size * plies))

    # --- the writer -------------------------------------------------------------------------

    def begin(self) -> None:
        """A new game."""
        self._game += 1
        self._moves = 0
        self._began = time.time()

    def show(self, doing: int, player: int) -> float:
        """`player` begins to do something; returns the time, by `dlgo.jit.wall_time`."""
        self._shown, self._start = (player, doing), wall_time()
        self._write(time.monotonic())
        return self._start

    def stop_clock(self, stopped: bool) -> None:
        """The player's clock stands still, since machine code is being made, or runs again."""
        grace = _LONGEST_COMPILATION if stopped else 0.0
        self._write(time.monotonic() - (wall_time() - self._start) + grace)

    def _write(self, since: float) -> None:
        _HEAD.pack_into(
            self._bytes, 0, since, self._game, self._moves, *self._shown, self._began
        )

    def add(self, *row: float) -> None:
        """A move, in the fields of `ROW`."""
        ROW.pack_into(self._bytes, _START + ROW.size * self._moves, *row)
        self._moves += 1

    def show_hosts(self, pids: list[int]) -> None:
        """Set the processes of external engines."""
        _HOSTS.pack_into(self._bytes, _HOSTS_START, *(pids + [0] * 8)[:8])

    def end(self) -> bytes:
        """The game is over: its rows."""
        self.show(IDLE, 0)
        return bytes(self._bytes[_START : _START + ROW.size * self._moves])

    def detach(self) -> None:
        """Write into the void from now on: a forked copy of the worker must not write here."""
        self._bytes = memoryview(bytearray(len(self._bytes)))

    # --- the reader -------------------------------------------------------------------------

    def head(self) -> Head:
        """What was shown last."""
        return Head(*_HEAD.unpack_from(self._bytes, 0))

    def hosts(self) -> set[int]:
        """The processes of external engines."""
        return {*_HOSTS.unpack_from(self._bytes, _HOSTS_START)} - {0}

    def rows(self) -> tuple[bytes, Iterator[tuple[int, int]]]:
        """The moves of the game in progress: their rows, and (action, player) of each."""
        data = bytes(self._bytes[_START : _START + ROW.size * min(self.head().moves, CAPACITY)])
        return data, ((row[0], row[1]) for row in ROW.iter_unpack(data))
