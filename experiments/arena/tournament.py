"""A tournament: a plan, a ledger, and the games that the one asks for and the other lacks.

`run_tournament` can be stopped at any moment, even by `kill -9`, and continues when it is
called again: what is in the ledger is not played a second time, what is not is played.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from pathlib import Path

from dlgo.records.ledger import GameRecord, Ledger, ledger_lock
from engines.jobs import Jobs, Outcome, Processes
from experiments.arena.agenda import Agenda, result_of, strategy_of
from experiments.arena.games import GameTable
from experiments.arena.launch import Launches
from experiments.arena.limits import DEFAULT_LIMITS, Limits
from experiments.arena.plan_book import PlanBook, stopped_sentences
from experiments.arena.progress import Reporter, default_reporter
from experiments.arena.running import RunningFile
from experiments.arena.schedule import Plan, tasks
from experiments.arena.strategy import Strategy
from experiments.arena.telling import Summary, tell_end, tell_start


def run_tournament(
    plan: Plan,
    ledger_path: str | Path,
    workers: int | None = None,
    progress: Reporter | None = None,
    limits: Limits = DEFAULT_LIMITS,
    setup: str | None = None,
    retry: bool = False,
    launches: Launches | None = None,
    deadline: float | None = None,
    strategy: Callable[[Plan], Strategy] = strategy_of,
    elsewhere: Jobs | None = None,
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
        limits: for every game.
        setup: "module:function", called in each worker before anything else.
        retry: give entrants that were stopped another chance.
        launches: of entrants that nobody vouches for; they are not warmed up.
        deadline: by `time.monotonic`; no game begins later. None: all are played.
        strategy: which games, in which order; by default as the plan says.
        elsewhere: who plays the games, instead of `workers` processes of this machine.

    Raises:
        SpecError: if the plan is not usable or an entrant cannot be built.
        LedgerError: if the ledger is not usable, in use by another tournament, or was made
            with other openings.
        KeyboardInterrupt: after Ctrl-C, once all is closed; the finished games are kept, and
            the message says how many they are.
    """
    progress = progress or default_reporter()
    start = time.monotonic()
    plan, limits = plan.canonical(), limits.checked()
    schedule = strategy(plan)
    warm = tasks(replace(plan, pairs=1))  # all entrants in all games; checks the openings, too
    with ledger_lock(ledger_path), Ledger(ledger_path) as ledger, ExitStack() as stack:
        book = PlanBook(ledger, plan)
        found = {record.slot: None if plan.ends_by_itself else result_of(record)
                 for record in ledger.games()}
        agenda = Agenda(plan, found, limits, {} if retry else book.stopped(), schedule, deadline)
        # In a class, entrants come and go.
        tell_start(progress, ledger, plan, None if launches else book.stored, agenda)
        jobs = stack.enter_context(Processes(workers)) if elsewhere is None else elsewhere
        needed = list(filter(agenda.may_need, warm))
        stack.enter_context(_interruptible(agenda))
        jobs.prepare(GameTable(limits, setup, launches or {}, needed, plan), progress.say)
        # Only now: a plan whose entrants cannot be built leaves no trace.
        book.keep(agenda.stopped)
        progress.begin(agenda.stored, agenda.planned)
        stack.callback(progress.end)
        _play(agenda, jobs, ledger, book, progress)
    summary = Summary(
        ledger.path, agenda.planned, agenda.stored, agenda.played,
        agenda.planned - agenda.stored - agenda.played, agenda.failures,
        tuple(stopped_sentences(agenda.stopped)), time.monotonic() - start, agenda.out_of_time,
    )
    tell_end(progress, summary, agenda.strategy.verdict)
    return summary


@contextmanager
def _interruptible(agenda: Agenda) -> Iterator[None]:
    """Says after Ctrl-C what is there and what to do."""
    try:
        yield
    except KeyboardInterrupt as error:
        raise KeyboardInterrupt(
            f"stopped after {agenda.stored + agenda.played} of {agenda.planned} games; "
            "run the same command again to continue"
        ) from error


def _play(
    agenda: Agenda, jobs: Jobs, ledger: Ledger, book: PlanBook, progress: Reporter
) -> None:
    """Have the games played, and keep each as soon as it has come."""
    known = len(agenda.stopped)
    with RunningFile(ledger.path) as running, closing(jobs.rounds(agenda)) as rounds:
        for outcomes in rounds:
            if outcomes:
                records = [_record(outcome) for outcome in outcomes]
                ledger.add(*records)
                agenda.keep(records)
                for record in records:
                    progress.game(record)
                progress.plan(agenda.planned)
            _store_news(ledger, jobs)
            running.done, running.planned = agenda.stored + agenda.played, agenda.planned
            running.update(jobs.glances, jobs.machines)
            if len(agenda.stopped) > known:
                for sentence in stopped_sentences(agenda.stopped)[known:]:
                    progress.say(f"stopped: {sentence}")
                known = len(agenda.stopped)
                book.keep(agenda.stopped)
    _store_news(ledger, jobs)


def _record(outcome: Outcome) -> GameRecord:
    if outcome.error is not None:
        raise outcome.error
    return replace(outcome.value, worker=outcome.worker) if outcome.worker else outcome.value


def _store_news(ledger: Ledger, jobs: Jobs) -> None:
    """Keep what a cluster knows besides its games."""
    for row in jobs.news():
        ledger.add_check(row)


def games_of_plan(plan: Plan, ledger_path: str | Path) -> list[GameRecord]:
    """The games of a plan that ends by itself, as far as they have been played, with their costs.

    The ledger may hold others besides, and need not exist yet.
    """
    if not Path(ledger_path).exists():
        return []
    slots = {task.slot for task in tasks(plan)}
    with Ledger(ledger_path, read_only=True) as ledger:
        return [game for game in ledger.games() if game.slot in slots]
