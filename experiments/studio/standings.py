"""The standings of a tournament, rated as reports rate them, in a process of their own.

Pandas, SciPy and the fit would hold up the server for a second or more. So another process reads
the ledger and rates, with low priority; it is started when somebody wants standings, and ends
when nobody has wanted any for a while.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import os
import threading
import time
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dlgo import DlgoError
from dlgo.text import one_line
from engines.jobs import Amount, Portion, Processes, WorkerError
from experiments.studio.errors import EngineFailed

if TYPE_CHECKING:
    import pandas as pd

    from dlgo.records.ledger import Ledger

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
    """Asks the process, one question after the other, and starts and ends it."""

    def __init__(self) -> None:
        self._jobs = Processes(1)
        self._turn = threading.Lock()
        self._closing = False
        self._end: asyncio.TimerHandle | None = None

    async def of(self, path: Path, most: int | None = None) -> dict[str, Any]:
        """The standings of a ledger; see `compute`.

        Raises:
            DlgoError: if the ledger cannot be rated.
        """
        self._keep()
        try:
            return await asyncio.to_thread(self._ask, path, most)
        except WorkerError:
            raise EngineFailed(
                "the process that rates has died; the next question starts another"
            ) from None
        finally:
            self._keep()
            loop = asyncio.get_running_loop()
            self._end = loop.call_later(_IDLE, loop.run_in_executor, None, self._rest)

    def _keep(self) -> None:
        """Do not end the process because nobody has asked for long."""
        if self._end is not None:
            self._end.cancel()

    def _ask(self, path: Path, most: int | None) -> dict[str, Any]:
        with self._turn:
            (outcome,) = self._jobs.run([Portion("standings", compute, (str(path), most))],
                                        self._look)
        return outcome.value

    def _look(self, _: Amount) -> None:
        if self._closing:
            raise EngineFailed("the server is ending")

    def _rest(self) -> None:
        with self._turn:
            self._jobs.close()

    def close(self) -> None:
        """End the process, now or, if it is at work, within a moment."""
        self._closing = True
        self._keep()
        if self._turn.acquire(blocking=False):
            self._jobs.close()
            self._turn.release()


@functools.cache
def _step_back() -> None:
    """Give way to the games of the tournament."""
    with contextlib.suppress(OSError, AttributeError):
        os.nice(_NICENESS)


def compute(
    path: str, most: int | None = None
) -> Generator[Amount, None, dict[str, Any]]:
    """Rate the games of a ledger, as `dlgo rate` and `dlgo report` do, as a portion of work.

    Args:
        most: only the first so many games, in the order in which they ended; None: all.

    Returns:
        `games`: how many were rated; `of`: how many the ledger has; `tables`: one for each game,
        with `rows` best first; `machines`: of a cluster, what each has played; `names`: what
        entrants are called; `cpu`: seconds that it took.

    Raises:
        DlgoError: if the ledger cannot be rated; the text has one line.
    """
    _step_back()
    yield Amount()
    from reports.tables import rate_games, ratings_frame

    began = time.process_time()
    try:
        games, names, machines = _games(path, _stamp(path))
        total = len(games)
        if most is not None and most < total:
            games = _first(games, most)
        tables = []
        if len(games):
            rated = rate_games(games)
            ratings = ratings_frame(games, rated)
            tables = [_table(game, table, games, ratings) for game, table in rated.items()]
    except DlgoError as error:
        raise DlgoError(one_line(str(error))) from None
    return {
        "games": len(games), "of": total, "tables": tables, "machines": machines,
        "names": names, "cpu": time.process_time() - began,
    }


def _table(game: str, table: Any, games: pd.DataFrame, ratings: pd.DataFrame) -> dict[str, Any]:
    part = games[games["game"] == game]
    rows = ratings.loc[ratings["game"] == game, list(_COLUMNS)]
    return {
        "game": game, "games": len(part), "repeated": int((~part["counted"]).sum()),
        "failures": int(part["failed"].sum()), "zero": table.zero_text(),
        "firstMove": None if table.first_move is None else [
            table.first_move.value, table.first_move.low95, table.first_move.high95],
        "remarks": list(table.remarks),
        "rows": json.loads(rows.to_json(orient="records", double_precision=15)),  # NaN: null
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
def _games(
    path: str, _: object
) -> tuple[pd.DataFrame, dict[str, str], list[dict[str, Any]]]:
    """The games of a ledger, the names of entrants, machines; kept until the file changes."""
    from dlgo.records.ledger import Ledger
    from reports.tables import games_frame

    with Ledger(path, read_only=True) as ledger:
        ledger.show_names()
        games = games_frame(ledger)
        names = {entrant: one_line(name) for name, entrant in ledger.specifications.items()}
        return games, names, _machines(ledger, games)


def _machines(ledger: Ledger, games: pd.DataFrame) -> list[dict[str, Any]]:
    """What each machine of a cluster has played: its name, games, and CPU seconds of engines."""
    workers = {record.slot: record.worker for record in ledger.games() if record.worker}
    if not workers:
        return []
    seconds = sum(
        (games[f"{side}_moves"] * games[f"{side}_cpu_ms"]).fillna(0.0) / 1000
        for side in ("first", "second")
    )
    played = games.assign(worker=games["slot"].map(workers), seconds=seconds).groupby("worker")
    return [
        {"name": one_line(str(name)), "games": len(part), "cpu": float(part["seconds"].sum())}
        for name, part in played
    ]


def _first(games: pd.DataFrame, most: int) -> pd.DataFrame:
    """The games that ended first; which of them repeat others is found out anew."""
    from reports.ratings import repeated_games

    first = games.sort_values("finished", kind="stable").head(most).sort_index()
    return first.assign(counted=~repeated_games(first))
