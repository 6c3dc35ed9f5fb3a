"""The standings of a tournament, rated as reports rate them, in a process of their own.

Pandas, SciPy and the fit would hold up the server for a second or more. So another process reads
the ledger and rates, with low priority.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

from dlgo import DlgoError
from dlgo.system.processes import yield_to_others
from dlgo.text import one_line
from engines.jobs import Amount, Processes, Task, WorkerError

# Columns of the ratings that pages get.
_COLUMNS = [
    "entrant", "family", "budget", "rating", "low95", "high95", "games", "wins", "draws",
    "losses", "score", "mean_cpu_ms", "note",
]


class Standings:
    """Asks the process, one question after the other, and starts and ends it."""

    def __init__(self) -> None:
        self._jobs = Processes(1)
        self._turn = threading.Lock()
        self._closing = False

    async def of(self, path: Path) -> dict[str, Any]:
        """The standings of a ledger; see `compute`. Raises DlgoError if rating fails."""
        try:
            return await asyncio.to_thread(self._ask, path)
        except WorkerError:
            raise DlgoError(
                "the rating process died; reload the page to start it again"
            ) from None

    def _ask(self, path: Path) -> dict[str, Any]:
        with self._turn:
            task = Task("standings", compute, (str(path),))
            (outcome,) = self._jobs.run([task], self._look)
        return outcome.value

    def _look(self, _: Amount) -> None:
        if self._closing:
            raise DlgoError("the server is shutting down")

    def close(self) -> None:
        """End the process, now or, if it is at work, within a moment."""
        self._closing = True
        if self._turn.acquire(blocking=False):
            self._jobs.close()
            self._turn.release()


def compute(path: str) -> Generator[Amount, None, dict[str, Any]]:
    """Rate the games of a ledger, as `dlgo rate` and `dlgo report` do, as a task.

    Returns:
        `games`: how many were rated; `tables`: one for each game, with `rows` best first;
        `names`: what entrants are called; `cpu`: seconds that it took.
    """
    yield_to_others(last=True)  # also to the games of the tournament
    yield Amount()
    from dlgo.records.ledger import Ledger
    from reports.tables import games_frame, rate_games, ratings_frame

    began = time.process_time()
    tables = []
    try:
        with Ledger(path, read_only=True) as ledger:
            ledger.show_names()
            games = games_frame(ledger)
            names = {entrant: one_line(name) for name, entrant in ledger.specifications.items()}
        if len(games):
            rated = rate_games(games)
            ratings = ratings_frame(games, rated)
        for game, table in rated.items() if len(games) else ():
            part = games[games["game"] == game]
            rows = ratings.loc[ratings["game"] == game, _COLUMNS]
            first = table.first_move
            tables.append({
                "game": game, "games": len(part), "repeated": int((~part["counted"]).sum()),
                "failures": int(part["failed"].sum()), "zero": table.zero_text(),
                "firstMove": None if first is None else first.value,
                "remarks": list(table.remarks),
                "rows": json.loads(rows.to_json(orient="records", double_precision=15)),
            })
    except DlgoError as error:
        raise DlgoError(one_line(str(error))) from None
    cpu = time.process_time() - began
    return {"games": len(games), "tables": tables, "names": names, "cpu": cpu}
