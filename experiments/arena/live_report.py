"""A report that is written while its tournament is played.

The page comes as soon as every pair of entrants has met once on each game, then again as games
come in. It is made in a process of its own with a low priority, from the ledger, and it takes at
most a tenth of the time, so that it hardly slows the games.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path

from dlgo.games import GAMES
from dlgo.records.game_record import GameRecord
from dlgo.records.ledger import Ledger
from dlgo.specs import split_version
from experiments.arena.reporter import Reporter
from experiments.arena.schedule import CanonicalPlan

# Between the end of a page and the start of the next, at least this many seconds and this many
# times what the page took.
_PAUSE, _SHARE = 20.0, 9.0
# Its lower priority (`nice`): a person may wait for the first page, which takes 9 s of CPU time for
# 14 entrants on three games. With every core busy, it gets a third of one; the later ones get a
# tenth.
_FIRST, _LATER = 4, 10


class LiveReport(Reporter):
    """A reporter that also keeps the page of a report in the folder `out` up to date."""

    def __init__(
        self, reporter: Reporter, plan: CanonicalPlan, ledger: Path | str, out: Path | str
    ) -> None:
        self._reporter = reporter
        self._ledger, self._out = Path(ledger), Path(out)
        # In the first round, all entrants meet once.
        self._first = len(plan.games) * len(plan.matches())
        names = (GAMES.split(split_version(game)[0])[0] for game in plan.games)
        self._named = [option for name in names if GAMES.is_file(name)
                       for option in ("--game", name)]
        self._shown = -1  # games in the last page
        self._process: subprocess.Popen | None = None
        self._started = self._next = 0.0
        self._pages = 0

    def log(self, text: str) -> None:
        self._reporter.log(text)

    def begin(self, stored: int, planned: int) -> None:
        self._reporter.begin(stored, planned)
        self.done, self.planned = stored, planned
        with Ledger(self._ledger, read_only=True) as ledger:
            self._others = len(ledger) - stored  # games that are not of this plan
        self._update()

    def plan(self, planned: int) -> None:
        self._reporter.plan(planned)
        self.planned = planned

    def game(self, record: GameRecord) -> None:
        self._reporter.game(record)
        self.done += 1
        self._update()

    def end(self) -> None:
        """No more games: a page that is being made is given up."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait()
            self._process = None
        self._reporter.end()

    def _update(self) -> None:
        """Start a page if it is time for one; take note of one that has come."""
        now = time.monotonic()
        if self._process is not None:
            status = self._process.poll()
            if status is None:
                return
            self._process = None
            self._next = now + max(_PAUSE, _SHARE * (now - self._started))
            self._pages += 1
            if status:
                self.log("the report cannot be written during the games; it follows at the end")
                self._next = float("inf")
            elif self._pages == 1:
                self.log(f"first page: {self._out / 'report.html'} (it reloads itself)")
        if self.done < self._first or now < self._next or self.done == self._shown:
            return
        self._started, self._shown = now, self.done
        self._process = subprocess.Popen(
            [sys.executable, "-m", "experiments.cli", "report", str(self._ledger),
             "--out", str(self._out), "--bootstrap", "0",
             "--planned", str(self._others + self.planned), *self._named],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        with contextlib.suppress(AttributeError, OSError):  # Unix alone has priorities
            os.setpriority(os.PRIO_PROCESS, self._process.pid, _LATER if self._pages else _FIRST)
