"""A tournament: a plan, a ledger, and the games that the one asks for and the other lacks.

`run_tournament` can be stopped at any moment, even by `kill -9`, and continues when it is
called again: what is in the ledger is not played a second time, what is not is played.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from dlgo.errors import LedgerError
from dlgo.records.ledger import Check, GameRecord, Ledger, ledger_lock
from dlgo.records.speeds import store_speeds
from dlgo.text import duration
from engines.jobs import Jobs, Outcome, Processes
from experiments.arena.agenda import Agenda, result_of, strategy_of
from experiments.arena.games import GameTable
from experiments.arena.launch import Launches
from experiments.arena.limits import DEFAULT_LIMITS, Limits
from experiments.arena.progress import Reporter, default_reporter
from experiments.arena.provenance import version_text
from experiments.arena.running import RunningFile
from experiments.arena.schedule import Plan, tasks
from experiments.arena.strategy import Result, Strategy

# Names of settings in the ledger.
_PLAN, _STOPPED = "plan", "stopped"


@dataclass(frozen=True)
class Summary:
    """What a run has done.

    Attributes:
        ledger: the file.
        planned: its games; with a target, those that it took.
        stored: those that were in the ledger before.
        played: those played now; stored + played + left_out is planned.
        left_out: those not played because an entrant was stopped, or because time was up.
        out_of_time: whether time was up.
        failures: those played now that ended by an engine's fault.
        stopped: entrants that failed too often, a sentence each.
        seconds: wall time.
    """

    ledger: Path
    planned: int
    stored: int
    played: int
    left_out: int
    failures: int
    stopped: tuple[str, ...]
    seconds: float
    out_of_time: bool = False


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
        stored = _stored_plan(ledger, plan)
        agenda = Agenda(
            plan, _found(ledger, plan), limits, {} if retry else _stopped(ledger), schedule,
            deadline,
        )
        # In a class, entrants come and go.
        _tell_start(progress, ledger, plan, None if launches else stored, agenda)
        jobs = stack.enter_context(Processes(workers)) if elsewhere is None else elsewhere
        needed = list(filter(agenda.may_need, warm))
        stack.enter_context(_interruptible(agenda))
        jobs.prepare(GameTable(limits, setup, launches or {}, needed, plan), progress.say)
        # Only now: a plan whose entrants cannot be built leaves no trace.
        union = stored.union(plan) if stored else plan
        _store(ledger, union, agenda.stopped)
        progress.begin(agenda.stored, agenda.planned)
        stack.callback(progress.end)
        _play(agenda, jobs, ledger, union, progress)
    summary = Summary(
        ledger.path, agenda.planned, agenda.stored, agenda.played,
        agenda.planned - agenda.stored - agenda.played, agenda.failures,
        tuple(_sentence(*item) for item in agenda.stopped.items()), time.monotonic() - start,
        agenda.out_of_time,
    )
    _tell_end(progress, summary, agenda.strategy.verdict)
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
    agenda: Agenda, jobs: Jobs, ledger: Ledger, plan: Plan, progress: Reporter
) -> None:
    """Have the games played, and keep each as soon as it has come.

    Args:
        plan: as it stands in the ledger.
    """
    stopped = set(agenda.stopped)
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
            if new := agenda.stopped.keys() - stopped:
                for key in new:
                    progress.say(f"stopped: {_sentence(key, agenda.stopped[key])}")
                stopped |= new
                _store(ledger, plan, agenda.stopped)
    _store_news(ledger, jobs)


def _record(outcome: Outcome) -> GameRecord:
    if outcome.error is not None:
        raise outcome.error
    return replace(outcome.value, worker=outcome.worker) if outcome.worker else outcome.value


def _store_news(ledger: Ledger, jobs: Jobs) -> None:
    """Keep what a cluster knows besides its games."""
    for row in jobs.news():
        if isinstance(row, Check):
            ledger.add_check(row)
        else:
            store_speeds(ledger, [row])


def games_of_plan(plan: Plan, ledger_path: str | Path) -> list[GameRecord]:
    """The games of a plan that ends by itself, as far as they have been played, with their costs.

    The ledger may hold others besides, and need not exist yet.
    """
    if not Path(ledger_path).exists():
        return []
    slots = {task.slot for task in tasks(plan)}
    with Ledger(ledger_path, read_only=True) as ledger:
        return [game for game in ledger.games() if game.slot in slots]


def _found(ledger: Ledger, plan: Plan) -> dict[str, Result | None]:
    """The games in the ledger, with their results if the plan has a use for them."""
    return {
        record.slot: None if plan.ends_by_itself else result_of(record)
        for record in ledger.games()
    }


def _stored_plan(ledger: Ledger, plan: Plan) -> Plan | None:
    """The plan in the ledger. Raises LedgerError if its openings are not those of `plan`."""
    data = ledger.get_meta(_PLAN)
    if data is None:
        return None
    try:
        stored = Plan.from_json(data)
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
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


def _stopped(ledger: Ledger) -> dict[tuple[str, str], str]:
    """Who was stopped in earlier runs: (game, entrant) -> why."""
    data = ledger.get_meta(_STOPPED) or []
    try:
        return {(str(game), str(entrant)): str(why) for game, entrant, why in data}
    except (TypeError, ValueError) as error:
        raise LedgerError(
            f"ledger {ledger.path}: {_STOPPED!r} is damaged ({error!r}); name another file"
        ) from error


def _store(ledger: Ledger, plan: Plan, stopped: Mapping[tuple[str, str], str]) -> None:
    """Write the plan and who is stopped. Reports print the plan, so both are in it."""
    ledger.set_meta(_STOPPED, [[*key, why] for key, why in stopped.items()])
    sentences = {_STOPPED: [_sentence(*item) for item in stopped.items()]} if stopped else {}
    ledger.set_meta(_PLAN, {**plan.to_json(), **sentences})


def _sentence(key: tuple[str, str], why: str) -> str:
    return f"{key[1]} on {key[0]} {why}"


def _tell_start(
    progress: Reporter, ledger: Ledger, plan: Plan, stored: Plan | None, agenda: Agenda
) -> None:
    games = ", ".join(plan.games)
    if agenda.strategy.headline:
        progress.say(agenda.strategy.headline)
    else:
        progress.say(
            f"{agenda.planned} games: {plan.kind} of {len(plan.entrants)} entrants, {plan.pairs} "
            f"opening pairs a match, on {games}"
        )
    if plan.target_elo is not None:
        progress.say(
            f"then more until no 95% interval is wider than {plan.target_elo:g} Elo, "
            f"at most {plan.max_pairs} pairs a match"
        )
    if agenda.stored and (agenda.strategy.headline or not plan.ends_by_itself):
        progress.say(f"games of this plan that are in {ledger.path} already count")
    elif agenda.stored:
        rest = agenda.planned - agenda.stored
        text = f"{rest} to play" if rest else "nothing left to play"
        progress.say(f"{agenda.stored} of them are in {ledger.path} already; {text}")
    others = Counter(record.version for record in ledger.games())
    del others[version_text()]
    if others:
        progress.say(
            f"{sum(others.values())} games in {ledger.path} were played by other versions of the "
            f"code ({', '.join(others)}; this is {version_text()}); another ledger keeps them apart"
        )
    absent = [name for name in stored.entrants if name not in plan.entrants] if stored else []
    if absent:
        progress.say(f"not in this run, though in the ledger: {', '.join(absent)}")
    for item in agenda.stopped.items():
        progress.say(f"stopped before: {_sentence(*item)} (--retry lets it play on)")


def _tell_end(progress: Reporter, summary: Summary, verdict: str) -> None:
    if verdict:
        progress.say(verdict)
    if summary.out_of_time:
        progress.say(f"time is up; {summary.left_out} games are left for the next time")
    elif summary.left_out:
        progress.say(f"{summary.left_out} games were left out, of entrants that were stopped:")
        for sentence in summary.stopped:
            progress.say(f"  {sentence}")
    there = summary.stored + summary.played
    which = f"all {there}" if there == summary.planned else f"{there} of {summary.planned}"
    progress.say(
        f"{which} games are in {summary.ledger}: {summary.stored} found, {summary.played} played "
        f"in {duration(summary.seconds)}, {summary.failures} lost by failures"
    )
