"""The games that a tournament plays right now, in a small file beside its ledger.

The ledger knows a game when it has ended. `LEDGER.running` shows games in progress: the process
that hands out games writes it twice a second, from the memory that workers share with it
(`shared_game.py`), so it costs the workers nothing. The file is optional; it is removed at the end
of the tournament. One that was killed leaves an old file, which `read` ignores.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from dlgo.errors import DlgoError
from dlgo.files import write_file
from dlgo.readers import MALFORMED, read_json

# Minimum seconds between two versions of the file, and minimum multiples of the CPU time and the
# wall time of writing it: so a hundred games on large boards, or a slow disk, do not cost more.
_INTERVAL, _CPU_SHARE, _WALL_SHARE = 0.5, 200.0, 5.0
# Seconds without a change after which the tournament of a file counts as killed.
_STALE = 15.0
# Bytes that are read: a thousand long games.
_MOST_BYTES = 4_000_000


class RunningGame(NamedTuple):
    """A game in progress; the first four as in the ledger."""

    slot: str
    game: str
    first: str
    second: str
    actions: tuple[int, ...]  # all moves so far, the opening included; -1 is a resignation
    began: float  # by `time.time`
    player: int | None = None  # the player of the last move of an engine
    value: float | None = None  # what that engine expects for itself, -1 to 1


class Running(NamedTuple):
    """A tournament that is under way."""

    done: int  # games in the ledger, and the expected total
    planned: int
    games: tuple[RunningGame, ...]


class RunningFile:
    """Writes the file, beside a ledger. As a context manager, it removes the file at the end. The
    caller updates `done` and `planned`."""

    def __init__(self, ledger: str | Path) -> None:
        self._path = running_path(ledger)
        self._next = 0.0
        self.done = self.planned = 0

    def update(self, games: Callable[[], Sequence[RunningGame]]) -> None:
        """Write the file, if it is time for it; `games` gives those in progress."""
        began, cpu = time.monotonic(), time.thread_time()
        if began < self._next:
            return
        rows = [game._asdict() for game in games()]
        data = {"done": self.done, "planned": self.planned, "games": rows}
        try:
            write_file(self._path, json.dumps(data), sync=False)
        except DlgoError:  # a full disk matters to the ledger, not here
            self._next = float("inf")
            return
        now = time.monotonic()
        self._next = now + max(
            _INTERVAL, _CPU_SHARE * (time.thread_time() - cpu), _WALL_SHARE * (now - began)
        )

    def __enter__(self) -> RunningFile:
        return self

    def __exit__(self, *exc: object) -> None:
        with contextlib.suppress(OSError):
            self._path.unlink()


def running_path(ledger: str | Path) -> Path:
    """The file of a ledger; two names of one ledger have one."""
    path = Path(os.path.realpath(ledger))
    return path.with_name(f"{path.name}.running")


def read_running(ledger: str | Path) -> Running | None:
    """The tournament that plays into a ledger now; None if there is none, or it does not say."""
    try:
        with running_path(ledger).open("rb") as file:
            if abs(time.time() - os.fstat(file.fileno()).st_mtime) > _STALE:
                return None
            data = read_json(file.read(_MOST_BYTES))
        games = tuple(map(_game, data["games"]))
        return Running(int(data["done"]), int(data["planned"]), games)
    except (OSError, *MALFORMED):
        return None


def _game(data: dict[str, Any]) -> RunningGame:
    """A game of the file. Raises KeyError, TypeError or ValueError if it is none."""
    slot, game, first, second = (data[name] for name in ("slot", "game", "first", "second"))
    if not all(isinstance(text, str) for text in (slot, game, first, second)):
        raise TypeError
    player, value = data["player"], data["value"]
    return RunningGame(
        slot, game, first, second, tuple(map(int, data["actions"])), float(data["began"]),
        None if player is None else int(player), None if value is None else float(value),
    )
