"""What people are told of a tournament before its games and after them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from dlgo.records.ledger import Ledger
from dlgo.text import duration
from experiments.arena.agenda import Agenda
from experiments.arena.plan_book import stopped_sentences
from experiments.arena.progress import Reporter
from experiments.arena.provenance import version_text
from experiments.arena.schedule import Plan


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


def tell_start(
    progress: Reporter, ledger: Ledger, plan: Plan, stored: Plan | None, agenda: Agenda
) -> None:
    """What is played, and what is in the ledger already.

    Args:
        stored: the plan of earlier runs; None if there were none, or if nobody wants to know.
    """
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
    for sentence in stopped_sentences(agenda.stopped):
        progress.say(f"stopped before: {sentence} (--retry lets it play on)")


def tell_end(progress: Reporter, summary: Summary, verdict: str) -> None:
    """What has been played."""
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
