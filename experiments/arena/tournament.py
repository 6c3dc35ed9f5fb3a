"""A tournament: a plan, a ledger, and the games that the one asks for and the other lacks.

`run_tournament` can be stopped at any moment, even by `kill -9`, and continues when it is
called again: what is in the ledger is not played a second time, what is not is played.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from dlgo.errors import LedgerError
from dlgo.records.game_record import GameRecord
from dlgo.records.ledger import Ledger, ledger_lock
from dlgo.text import duration, number_of
from engines.jobs import Executor, Processes
from experiments.arena.agenda import Agenda, result_of
from experiments.arena.games import GameTable, WarmUp
from experiments.arena.plan_keys import DEFAULT_LIMITS, Limits
from experiments.arena.provenance import version_text
from experiments.arena.reporter import Reporter, default_reporter
from experiments.arena.running import RunningFile
from experiments.arena.schedule import CanonicalPlan, tasks
from experiments.arena.strategy import Strategy

# Names of settings in the ledger: the plan, and the stopped entrants.
_PLAN, _STOPPED = "plan", "stopped"
# (game, entrant) -> why it was stopped.
_Stopped = dict[tuple[str, str], str]


class Summary(NamedTuple):
    """The result of a run."""

    planned: int  # number of its games; with a target, the number that was needed
    stored: int  # games that were in the ledger before
    played: int  # games played now
    failures: int  # of these, how many ended by an engine's fault
    stopped: tuple[str, ...]  # entrants that failed too often, a sentence each
    out_of_time: bool = False

    @property
    def left_out(self) -> int:
        """Games not played because an entrant was stopped, or because time was up."""
        return self.planned - self.stored - self.played


def run_tournament(
    plan: CanonicalPlan,
    ledger_path: str | Path,
    workers: int | Executor | None = None,
    progress: Reporter | None = None,
    limits: Limits = DEFAULT_LIMITS,
    setup: str | None = None,
    retry: bool = False,
    strategy: Strategy | None = None,
) -> Summary:
    """Play all games of `plan` that the ledger, created if absent, does not hold yet.

    Entrants, games and pairs can be added by a later call with more of them; the ledger then stores
    the union of the plans. What is played is the plan of this call and nothing else, so that an
    entrant named by mistake is got rid of by leaving it out.

    Args:
        workers: the number of processes, by default one for each core; or an executor.
        progress: by default a bar if stderr is a terminal, else a line every ten seconds.
        setup: "module:function", called in each worker before anything else.
        retry: give entrants that were stopped another chance.
        strategy: which games, in which order, until when; by default as the plan says.

    Raises:
        SpecError: if openings are too long for a game, or an entrant cannot be built.
        LedgerError: if the ledger is not usable, in use, or was made with other openings.
        KeyboardInterrupt: after Ctrl-C, once all is closed; says how many games are kept.
    """
    progress = progress or default_reporter()
    start = time.monotonic()
    limits.check()
    strategy = strategy or Strategy.of(plan)
    with ledger_lock(ledger_path), Ledger(ledger_path) as ledger, ExitStack() as stack:
        union, stop_reasons = _earlier(ledger, plan)
        results = {record.slot: None if plan.ends_by_itself else result_of(record)
                   for record in ledger.games()}
        agenda = Agenda(plan, results, limits, {} if retry else stop_reasons, strategy)
        # In a class, entrants come and go.
        absent = [] if plan.launches else [
            name for name in union["entrants"] if name not in plan.entrants]
        _tell_start(progress, ledger, plan, agenda, absent)
        executor = workers if isinstance(workers, Executor) else stack.enter_context(
            Processes(workers))
        stack.enter_context(_interruptible(agenda))
        warm_ups = [WarmUp(*engine) for engine in agenda.engines()]
        executor.prepare(GameTable(limits, setup, plan, warm_ups), progress.log)
        # Only now: a plan whose entrants cannot be built leaves no trace.
        _store(ledger, union, agenda.stopped)
        progress.begin(agenda.stored, agenda.planned)
        stack.callback(progress.end)
        _play(agenda, executor, ledger, union, progress)
    summary = Summary(agenda.planned, agenda.stored, agenda.played, agenda.failures,
                      _sentences(agenda.stopped), agenda.out_of_time)
    _tell_end(progress, summary, ledger.path, agenda.strategy.verdict, time.monotonic() - start)
    return summary


def _play(
    agenda: Agenda, executor: Executor, ledger: Ledger, union: dict[str, Any], progress: Reporter
) -> None:
    """Have the games played, and keep each as soon as it has come."""
    n_stopped = len(agenda.stopped)
    with RunningFile(ledger.path) as running, closing(executor.rounds(agenda)) as rounds:
        for outcomes in rounds:
            records = []
            for outcome in outcomes:
                if outcome.error is not None:
                    raise outcome.error
                record, worker = outcome.value, outcome.worker
                records.append(replace(record, worker=worker) if worker else record)
            if records:
                ledger.add(*records)
                agenda.keep(records)
                progress.plan(agenda.planned)
                for record in records:
                    progress.game(record)
            running.done, running.planned = agenda.stored + agenda.played, agenda.planned
            running.update(executor.glances)
            if len(agenda.stopped) > n_stopped:
                for sentence in _sentences(agenda.stopped)[n_stopped:]:
                    progress.log(f"stopped: {sentence}")
                n_stopped = len(agenda.stopped)
                _store(ledger, union, agenda.stopped)


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


# --- settings in the ledger -------------------------------------------------------------------


def seed_of(ledger_path: str | Path) -> int | None:
    """The seed of the games in a ledger; None if there is no ledger, or no plan yet. Raises
    LedgerError."""
    if not Path(ledger_path).exists():
        return None
    with Ledger(ledger_path, read_only=True) as ledger:
        plan = ledger.get_meta(_PLAN)
    return plan["seed"] if isinstance(plan, dict) and type(plan.get("seed")) is int else None


def _earlier(ledger: Ledger, plan: CanonicalPlan) -> tuple[dict[str, Any], _Stopped]:
    """This plan together with the plans of earlier runs, and the entrants stopped in them. Raises
    LedgerError."""
    ledger_plan, stop_reasons = ledger.get_meta(_PLAN), ledger.get_meta(_STOPPED) or []
    try:
        return _union(ledger, ledger_plan, plan) if ledger_plan else plan.to_json(), {
            (str(game), str(entrant)): str(reason) for game, entrant, reason in stop_reasons}
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise LedgerError(
            f"ledger {ledger.path}: its plan is damaged ({error!r}); use another file"
        ) from error


def _union(ledger: Ledger, ledger_plan: dict[str, Any], plan: CanonicalPlan) -> dict[str, Any]:
    """A plan with all games, entrants and pairs of the stored one. Raises LedgerError."""
    new_plan = plan.to_json()
    for name in ("seed", "opening_plies"):
        if ledger_plan[name] != new_plan[name]:
            old_value, new_value = ("default" if value is None else value
                                    for value in (ledger_plan[name], new_plan[name]))
            raise LedgerError(f"ledger {ledger.path} was made with {name}={old_value}, not "
                              f"{new_value}; use {name}={old_value} or another ledger")
    lists = {
        name: [*map(str, dict.fromkeys([*ledger_plan.get(name, ()), *new_plan.get(name, ())]))]
        for name in ("games", "entrants", "challengers")
    }
    names = {**dict(ledger_plan.get("names", {})), **dict(new_plan.get("names", {}))}
    union = new_plan | lists | {
        "kind": plan.kind if ledger_plan["kind"] == plan.kind else "mixed",
        "pairs": max(plan.pairs, int(ledger_plan["pairs"])), "names": names,
    }
    return {key: value for key, value in union.items()
            if value or key not in ("challengers", "names")}


def _store(ledger: Ledger, union: dict[str, Any], stop_reasons: _Stopped) -> None:
    """Keep the plan and who is stopped. Reports print the plan, so both are in it."""
    ledger.set_meta(_STOPPED, [[*key, reason] for key, reason in stop_reasons.items()])
    sentences = {_STOPPED: list(_sentences(stop_reasons))} if stop_reasons else {}
    ledger.set_meta(_PLAN, union | sentences)


def _sentences(stop_reasons: Mapping[tuple[str, str], str]) -> tuple[str, ...]:
    """Who was stopped and why."""
    return tuple(
        f"{entrant} on {game} {reason}" for (game, entrant), reason in stop_reasons.items())


# --- messages for people --------------------------------------------------------------------


def _tell_start(
    progress: Reporter, ledger: Ledger, plan: CanonicalPlan, agenda: Agenda, absent: list[str]
) -> None:
    """What is played, and what is in the ledger already."""
    headline = agenda.strategy.headline
    progress.log(headline or (
        f"{number_of(agenda.planned, 'game')}: {plan.kind} of "
        f"{number_of(len(plan.entrants), 'entrant')}, {number_of(plan.pairs, 'opening pair')} a "
        f"match, on {', '.join(plan.games)}"
    ))
    if plan.target_elo is not None:
        progress.log(
            f"then more until no 95% interval is wider than {plan.target_elo:g} Elo, "
            f"at most {number_of(plan.max_pairs, 'pair')} a match"
        )
    if agenda.stored and (headline or not plan.ends_by_itself):
        progress.log(f"games of this plan that are already in {ledger.path} count")
    elif agenda.stored:
        remaining = agenda.planned - agenda.stored
        text = f"{remaining} to play" if remaining else "nothing left to play"
        progress.log(f"{agenda.stored} of them are already in {ledger.path}; {text}")
    versions = Counter(record.version for record in ledger.games())
    del versions[version_text()]
    if versions:
        progress.log(
            f"{ledger.path} has {number_of(sum(versions.values()), 'game')} of other versions of "
            f"the code ({', '.join(versions)}; this is {version_text()}); another ledger keeps "
            "them apart"
        )
    if absent:
        progress.log(f"in the ledger, but not in this run: {', '.join(absent)}")
    for sentence in _sentences(agenda.stopped):
        progress.log(f"stopped earlier: {sentence} (--retry plays its games)")


def _tell_end(
    progress: Reporter, summary: Summary, path: Path, verdict: str, seconds: float
) -> None:
    """What has been played."""
    if verdict:
        progress.log(verdict)
    if summary.out_of_time:
        progress.log(f"time is up; {number_of(summary.left_out, 'game')} left to play; run again "
                     "to continue")
    elif summary.left_out:
        progress.log(f"left out: {number_of(summary.left_out, 'game')} of stopped entrants:")
        for sentence in summary.stopped:
            progress.log(f"  {sentence}")
    total = summary.stored + summary.played
    which = f"all {total}" if total == summary.planned else f"{total} of {summary.planned}"
    progress.log(
        f"{which} games are in {path}: {summary.stored} found, {summary.played} played "
        f"in {duration(seconds)}, {summary.failures} lost by failures"
    )


def score_lines(plan: CanonicalPlan, ledger_path: str | Path) -> Iterator[str]:
    """What the entrants of a plan scored against each other on each game, the best first. Games of
    an entrant against itself say nothing of that."""
    scores: dict[tuple[str, str], list[float]] = {}
    with Ledger(ledger_path, read_only=True) as ledger:
        for record in ledger.games():
            players = (record.first, record.second)
            counts = plan.kind == "mirror" or record.first != record.second
            if record.game in plan.games and {*players} <= {*plan.entrants} and counts:
                for player, points in zip(players, (record.result, 1 - record.result), strict=True):
                    scores.setdefault((record.game, player), []).append(points)
        names = ledger.names()
    width = max([8, *(len(names[entrant]) for _, entrant in scores)]) + 2
    for game in plan.games:
        yield f"{game:<{width}}{'points':>10}{'games':>8}{'score':>9}"
        rows = [(sum(points) / len(points), entrant, points)
                for (game_name, entrant), points in scores.items() if game_name == game]
        for share, entrant, entrant_points in sorted(rows, key=lambda row: (-row[0], row[1])):
            yield (f"{names[entrant]:<{width}}{sum(entrant_points):>10g}{len(entrant_points):>8}"
                   f"{share:>9.1%}")


def games_of_plan(plan: CanonicalPlan, ledger_path: str | Path) -> list[GameRecord]:
    """The games played so far of a plan that ends by itself, with their costs. The ledger may hold
    others besides, and need not exist yet."""
    if not Path(ledger_path).exists():
        return []
    slots = {task.slot for task in tasks(plan)}
    with Ledger(ledger_path, read_only=True) as ledger:
        return [game for game in ledger.games() if game.slot in slots]
