"""A tournament: a plan, a ledger, and the games that the one asks for and the other lacks.

`run_tournament` can be stopped at any moment, even by `kill -9`, and continues when it is
called again: what is in the ledger is not played a second time, what is not is played.

Called by the command line; calls `schedule.py`, `executor.py` and `ledger.py`.
"""

from __future__ import annotations

import sys
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from dlgo.errors import LedgerError
from experiments.arena import executor
from experiments.arena.ledger import GameRecord, Ledger
from experiments.arena.schedule import Plan, tasks

# Failures told one by one; a broken engine would fill the screen.
_FAILURES_TOLD = 5


@dataclass(frozen=True)
class Summary:
    """What a run has done.

    Attributes:
        ledger: the file.
        plan: the plan asked for, in canonical form.
        planned: its games.
        found: those that were in the ledger before.
        played: those played now; found + played is planned.
        failures: those played now that ended by an engine's fault.
        seconds: wall time.
    """

    ledger: Path
    plan: Plan
    planned: int
    found: int
    played: int
    failures: int
    seconds: float


class Reporter(Protocol):
    """Tells people how the tournament goes."""

    def say(self, text: str) -> None:
        """Print a line."""

    def begin(self, found: int, planned: int) -> None:
        """The games start."""

    def game(self, record: GameRecord) -> None:
        """A game has ended."""

    def end(self) -> None:
        """No more games; called after every `begin`."""


def run_tournament(
    plan: Plan,
    ledger_path: str | Path,
    workers: int | None = None,
    progress: Reporter | None = None,
    move_timeout: float = executor.MOVE_TIMEOUT,
    setup: str | None = None,
) -> Summary:
    """Play all games of `plan` that the ledger does not hold yet.

    Entrants, games and pairs can be added by a later call with more of them; the ledger then
    stores the union of the plans. What is played is the plan of this call and nothing else,
    so that an entrant named by mistake is got rid of by leaving it out.

    Args:
        plan: what to play.
        ledger_path: the file; created if absent.
        workers: processes; by default one for each core.
        progress: by default a bar if stderr is a terminal, else a line every ten seconds.
        move_timeout: wall seconds for one move; who takes longer loses the game.
        setup: "module:function", called in each worker before anything else.

    Raises:
        SpecError: if the plan is not usable or an entrant cannot be built.
        LedgerError: if the ledger is not usable or was made with other openings.
        KeyboardInterrupt: after Ctrl-C, once all is closed; the finished games are kept, and
            the message says how many they are.
    """
    progress = progress or default_reporter()
    start = time.monotonic()
    plan = plan.canonical()
    games = tasks(plan)
    with Ledger(ledger_path) as ledger:
        stored = _stored_plan(ledger, plan)
        played_before = ledger.slots()
        missing = [task for task in games if task.slot not in played_before]
        found = len(games) - len(missing)
        _tell_start(progress, ledger, plan, stored, found, len(games))
        played = failures = 0
        try:
            executor.warm_up(missing, progress.say, setup)
            # Only now: a plan whose entrants cannot be built leaves no trace.
            ledger.set_meta("plan", (stored.union(plan) if stored else plan).to_json())
            progress.begin(found, len(games))
            try:
                with closing(
                    executor.play_tasks(missing, workers, move_timeout, setup)
                ) as records:
                    for record in records:
                        ledger.add(record)
                        played += 1
                        failures += record.failed
                        progress.game(record)
            finally:
                progress.end()
        except KeyboardInterrupt as error:
            raise KeyboardInterrupt(
                f"stopped after {found + played} of {len(games)} games; "
                "run the same command again to continue"
            ) from error
    seconds = time.monotonic() - start
    summary = Summary(ledger.path, plan, len(games), found, played, failures, seconds)
    progress.say(
        f"all {len(games)} games are in {ledger.path}: {found} found, {played} played in "
        f"{duration(seconds)}, {failures} lost by failures"
    )
    return summary


def _stored_plan(ledger: Ledger, plan: Plan) -> Plan | None:
    """The plan in the ledger. Raises LedgerError if its openings are not those of `plan`."""
    data = ledger.get_meta("plan")
    if data is None:
        return None
    try:
        stored = Plan.from_json(data)
    except (KeyError, TypeError, ValueError) as error:
        raise LedgerError(
            f"ledger {ledger.path}: its plan is damaged ({error!r}); name another file"
        ) from error
    for name, one, other in (
        ("seed", stored.seed, plan.seed),
        ("opening_plies", stored.opening_plies, plan.opening_plies),
    ):
        if one != other:
            was, asked = ("default" if value is None else value for value in (one, other))
            raise LedgerError(
                f"ledger {ledger.path} was made with {name}={was}, not {asked}; "
                f"use {name}={was} or another ledger"
            )
    return stored


def _tell_start(
    progress: Reporter, ledger: Ledger, plan: Plan, stored: Plan | None, found: int, planned: int
) -> None:
    progress.say(
        f"{planned} games: {len(plan.entrants)} entrants, {plan.pairs} opening pairs a meeting, "
        f"on {', '.join(plan.games)}"
    )
    if found:
        rest = f"{planned - found} to play" if found < planned else "nothing left to play"
        progress.say(f"{found} of them are in {ledger.path} already; {rest}")
    absent = [name for name in stored.entrants if name not in plan.entrants] if stored else []
    if absent:
        progress.say(f"not in this run, though in the ledger: {', '.join(absent)}")


def duration(seconds: float) -> str:
    """Seconds for people: `12.3 s`, `4 min 05 s`, `2 h 07 min`."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"


class _Count:
    """Counts games for a reporter."""

    def __init__(self, found: int, planned: int) -> None:
        self.done, self.planned, self.failures = found, planned, 0
        self._played = 0
        self._start = time.monotonic()

    def add(self, record: GameRecord) -> str | None:
        """Count a game; returns what to say about it, if anything."""
        self.done += 1
        self._played += 1
        self.failures += record.failed
        if not record.failed or self.failures > _FAILURES_TOLD:
            return None
        more = "; further ones are only counted" if self.failures == _FAILURES_TOLD else ""
        return f"failure in {record.slot}: {record.reason}{more}"

    def text(self) -> str:
        """Speed, time left and failures."""
        rate = self._played / max(time.monotonic() - self._start, 1e-9)
        speed = f"{rate:.1f} games/s" if rate >= 1 else f"{60 * rate:.1f} games/min"
        left = duration((self.planned - self.done) / rate) if rate else "unknown time"
        return f"{speed}, {left} left, {self.failures} failures"


class PlainReporter:
    """Lines of text, for files and for terminals that can do no more.

    Args:
        stream: where they go; stderr by default.
        interval: seconds between two lines about games.
    """

    def __init__(self, stream: TextIO | None = None, interval: float = 10.0) -> None:
        self._stream = stream
        self._interval = interval
        self._next_line = 0.0
        self._count = _Count(0, 0)

    def say(self, text: str) -> None:
        """Print a line."""
        print(text, file=self._stream or sys.stderr, flush=True)

    def begin(self, found: int, planned: int) -> None:
        """The games start."""
        self._count = _Count(found, planned)
        self._next_line = time.monotonic() + self._interval

    def game(self, record: GameRecord) -> None:
        """A game has ended."""
        remark = self._count.add(record)
        if remark:
            self.say(remark)
        if time.monotonic() >= self._next_line:
            self._next_line = time.monotonic() + self._interval
            self.say(f"{self._count.done} of {self._count.planned} games, {self._count.text()}")

    def end(self) -> None:
        """Nothing to clean up."""


class BarReporter:
    """A progress bar at the bottom of the terminal."""

    def __init__(self) -> None:
        self._console = Console(stderr=True, highlight=False)
        self._count = _Count(0, 0)
        self._bar = Progress(
            TextColumn("games"), BarColumn(), MofNCompleteColumn(),
            TextColumn("{task.fields[text]}"), console=self._console,
        )

    def say(self, text: str) -> None:
        """Print a line above the bar."""
        self._console.print(text, markup=False, soft_wrap=True)

    def begin(self, found: int, planned: int) -> None:
        """Show the bar."""
        self._count = _Count(found, planned)
        self._task = self._bar.add_task("", total=planned, completed=found, text="")
        self._bar.start()

    def game(self, record: GameRecord) -> None:
        """Move the bar."""
        remark = self._count.add(record)
        if remark:
            self.say(remark)
        self._bar.update(self._task, completed=self._count.done, text=self._count.text())

    def end(self) -> None:
        """Leave the bar as it is."""
        self._bar.stop()


def default_reporter() -> Reporter:
    """A bar if stderr is a terminal, else lines."""
    return BarReporter() if sys.stderr.isatty() else PlainReporter()
