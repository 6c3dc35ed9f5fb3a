"""`dlgo tournament`: engines against each other, games into a ledger.

The options are the keys of the plan file.
"""

from __future__ import annotations

from pathlib import Path

import click

from experiments.arena.plan_keys import KEYS, LIST_OPTIONS
from experiments.command import log
from experiments.options import cluster_options, setting_options, show_output_option


@click.command()
@click.argument("plan", type=click.Path(dir_okay=False), required=False)
@click.option("--ledger", required=True, type=click.Path(),
              help="SQLite file for the games; created if absent.")
@setting_options(KEYS.values(), defaults=False, **LIST_OPTIONS)
@click.option("--retry", is_flag=True, help="Also play entrants that an earlier run stopped.")
@cluster_options
@show_output_option
@click.option("--report", type=click.Path(file_okay=False), metavar="FOLDER",
              help="Write the report to this folder, and update it while the games are played.")
def tournament(
    plan: str | None, ledger: str, retry: bool, workers: int | None, cluster: str | None,
    report: str | None, **overrides: object,
) -> None:
    """Play engines against each other, as the TOML file PLAN or the options say.

    Options override the file. If the command is interrupted, run it again to continue; with
    more games, engines or pairs it plays only what is missing. See docs/tournaments.md.
    """
    from dlgo.files import make_folder
    from dlgo.system.console import command_line
    from experiments.arena.live_report import LiveReport
    from experiments.arena.planfile import read_plan
    from experiments.arena.reporter import default_reporter
    from experiments.arena.tournament import run_tournament, score_lines
    from experiments.cluster import executor_on

    tournament_plan, limits = read_plan(plan, overrides)
    progress = default_reporter()
    if report is not None:
        make_folder(Path(report))
        progress = LiveReport(progress, tournament_plan, ledger, report)
    with executor_on(cluster, workers=workers) as executor:
        run_tournament(tournament_plan, ledger, executor or workers, progress, limits, retry=retry)
    for line in score_lines(tournament_plan, ledger):
        log(line)
    if report is None:
        commands = [["report", ledger]]
        if len(tournament_plan.entrants) == 2 and tournament_plan.kind != "mirror":
            commands.append(["compare", ledger, *tournament_plan.entrants])
        for command in commands:
            log(f"next: dlgo {command_line(command)}")
        return
    from reports.report import DEFAULT_REPLICATES, write_report

    page, *_ = write_report(ledger, report, replicates=DEFAULT_REPLICATES, progress=progress.log)
    progress.log(f"the report is complete: {page}")
