"""The standings of a tournament, rated as reports rate them, in a process of their own.

Pandas, SciPy and the fit would hold up the server for a second or more. So another process reads
the ledger and rates, with low priority; it is started when somebody wants standings, and ends
when nobody has wanted any for a while.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import math
import multiprocessing
import os
import signal
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dlgo import DlgoError
from dlgo.text import one_line
from experiments.studio.errors import EngineFailed

if TYPE_CHECKING:
    import pandas as pd

# Seconds without a question after which the process ends.
_IDLE = 60.0
# How far it steps back behind the games of the tournament.
_NICENESS = 10
# Columns of the ratings that pages are told.
_COLUMNS = (
    "entrant", "family", "budget", "rating", "low95", "high95", "games", "wins", "draws",
    "losses", "score", "mean_cpu_ms", "mean_wall_ms", "mean_work", "note",
)


class Standings:
    """Asks the process, and starts and ends it."""

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None
        self._end: asyncio.TimerHandle | None = None

    async def of(self, path: Path, most: int | None = None) -> dict[str, Any]:
        """The standings of a ledger; see `compute`.

        Raises:
            DlgoError: if the ledger cannot be rated.
        """
        if self._end is not None:
            self._end.cancel()
        if self._pool is None:
            self._pool = ProcessPoolExecutor(
                1, multiprocessing.get_context("spawn"), initializer=_begin
            )
        loop = asyncio.get_running_loop()
        try:
            standings = await loop.run_in_executor(self._pool, compute, str(path), most)
        except BrokenProcessPool:
            self._pool = None
            raise EngineFailed("the process that rates has died; it is started again") from None
        finally:
            if self._end is not None:
                self._end.cancel()
            self._end = loop.call_later(_IDLE, self.close)
        if "problem" in standings:
            raise DlgoError(standings["problem"])
        return standings

    def close(self) -> None:
        """End the process."""
        pool, self._pool = self._pool, None
        if pool is not None:
            processes = [*(pool._processes or {}).values()]
            pool.shutdown(wait=False, cancel_futures=True)
            for process in processes:
                process.terminate()


def _begin() -> None:
    """What the process does first: it steps back, and ends when the server does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(OSError, AttributeError):
        os.nice(_NICENESS)
    parent = multiprocessing.parent_process()

    def leave() -> None:
        if parent is not None:
            parent.join()
            os._exit(0)

    threading.Thread(target=leave, daemon=True).start()


def compute(path: str, most: int | None = None) -> dict[str, Any]:
    """Rate the games of a ledger, as `dlgo rate` and `dlgo report` do.

    Args:
        most: only the first so many games, in the order in which they ended; None: all.

    Returns:
        `games`: how many were rated; `of`: how many the ledger has; `tables`: one for each game,
        with `rows` best first; `names`: what entrants are called; `cpu`: seconds that it took. Or
        a `problem`, in one line.
    """
    from reports.tables import rate_games, ratings_frame

    began = time.process_time()
    try:
        games, names = _games(path, _stamp(path))
        total = len(games)
        if most is not None and most < total:
            games = _first(games, most)
        tables = []
        if len(games):
            rated = rate_games(games)
            ratings = ratings_frame(games, rated)
            tables = [_table(game, table, games, ratings) for game, table in rated.items()]
        return {
            "games": len(games), "of": total, "tables": tables, "names": names,
            "cpu": time.process_time() - began,
        }
    except DlgoError as error:
        return {"problem": one_line(str(error))}


def _table(game: str, table: Any, games: pd.DataFrame, ratings: pd.DataFrame) -> dict[str, Any]:
    part = games[games["game"] == game]
    rows = ratings.loc[ratings["game"] == game, list(_COLUMNS)].to_dict("records")
    return {
        "game": game, "games": len(part), "repeated": int((~part["counted"]).sum()),
        "failures": int(part["failed"].sum()), "zero": table.zero_text(),
        "firstMove": None if table.first_move is None else [
            table.first_move.value, table.first_move.low95, table.first_move.high95],
        "remarks": list(table.remarks), "rows": [_plain(row) for row in rows],
    }


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """Numbers of Python; None for what is not known."""
    values = {key: value.item() if hasattr(value, "item") else value for key, value in row.items()}
    return {
        key: None if isinstance(value, float) and not math.isfinite(value) else value
        for key, value in values.items()
    }


def _stamp(path: str) -> tuple[tuple[int, int], ...]:
    """What changes when a ledger does: its file, and its write-ahead log."""
    stamps = []
    for name in (path, f"{path}-wal"):
        try:
            status = os.stat(name)  # noqa: PTH116
            stamps.append((status.st_mtime_ns, status.st_size))
        except OSError:
            stamps.append((0, 0))
    return tuple(stamps)


@functools.lru_cache(maxsize=2)
def _games(path: str, _: object) -> tuple[pd.DataFrame, dict[str, str]]:
    """The games of a ledger, and the names of entrants; kept until the file changes."""
    from dlgo.records.ledger import Ledger
    from reports.tables import games_frame

    with Ledger(path, read_only=True) as ledger:
        ledger.show_names()
        games = games_frame(ledger)
        return games, {entrant: one_line(name) for name, entrant in ledger.specifications.items()}


def _first(games: pd.DataFrame, most: int) -> pd.DataFrame:
    """The games that ended first; which of them repeat others is found out anew."""
    from reports.ratings import repeated_games

    first = games.sort_values("finished", kind="stable").head(most).sort_index()
    return first.assign(counted=~repeated_games(first))
