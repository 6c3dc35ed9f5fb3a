"""Makes a scale: the anchors of a game play each other, and their ratings are written down.

    python -m experiments.ladder.anchors connect4 [--workers N]

`anchors.toml` has the anchors. The games are kept in a ledger and count again in a later run; the
file in `scales/` keeps their numbers.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from dlgo.digests import hex_digest
from dlgo.errors import DlgoError
from dlgo.readers import read_toml
from dlgo.records.costs import CostTotals
from dlgo.records.game_record import GameRecord
from dlgo.text import listing
from experiments.arena.agenda import result_of
from experiments.arena.schedule import CanonicalPlan, Plan
from experiments.arena.strategy import different
from experiments.arena.tournament import games_of_plan, run_tournament
from experiments.command import log, run
from experiments.ladder.scales import GameScale
from experiments.options import workers_option
from reports.scale import Counts, Scale

_FILE = Path(__file__).with_name("anchors.toml")
_ZERO = "random"


def anchors_plan(name: str) -> tuple[CanonicalPlan, str]:
    """The games among the anchors of a scale, and the name of the scale. Raises DlgoError."""
    settings: dict[str, Any] = read_toml(_FILE)
    if not isinstance(settings.get(name), dict):
        known = [key for key, value in settings.items() if isinstance(value, dict)]
        raise DlgoError(f"{_FILE.name} has no anchors for {name}; it has {listing(known, most=20)}")
    game, engines = settings[name]["game"], settings[name]["engines"]
    plan = Plan((game,), tuple(engines), settings["pairs"], seed=settings["seed"]).canonical()
    met = tuple((one, other) for i, one in enumerate(plan.entrants)
                for other in plan.entrants[i + 1 : i + 1 + settings["reach"]])
    return replace(plan, pairings=met).canonical(), f"{name}-{settings['version']}"


def made_of(plan: CanonicalPlan, name: str, records: list[GameRecord], how: str) -> GameScale:
    """The scale that games define. Raises DlgoError if one of them failed."""
    if failed := [record for record in records if record.failed]:
        raise DlgoError(f"scale {name}: {len(failed)} games failed, the first one {failed[0].slot}:"
                        f" {failed[0].reason}")
    scale = Scale.fitted(_counts(plan, records), plan.entrants, _ZERO)
    networks: dict[str, str] = {}
    samples: dict[str, str] = {}
    costs: dict[str, CostTotals] = {}
    for record in records:
        for player, anchor in enumerate((record.first, record.second)):
            costs[anchor] = costs.get(anchor, CostTotals()).plus(record.spent(player))
        networks |= record.network_ids()
        if record.first not in {slot.split("|")[1] for slot in samples}:
            samples[record.slot] = hex_digest(record.moves, 12)
    made = {"command": how, "date": max(record.finished for record in records)[:10],
            "machine": " / ".join(sorted({record.machine for record in records})),
            "version": " / ".join(sorted({record.version for record in records}))}
    cpu_ms = tuple(round(1000 * costs[anchor].cpu / costs[anchor].moves, 4)
                   for anchor in scale.anchors)
    return GameScale(name, plan.games[0], scale, cpu_ms, networks, plan.seed, samples, made)


def _counts(plan: CanonicalPlan, records: list[GameRecord]) -> list[Counts]:
    """How the games ended, a row for each pair of first and second mover. A game that repeats
    another one does not count."""
    ends = Counter((game.first, game.second, game.result)
                   for game in different(map(result_of, records)))
    place = {name: i for i, name in enumerate(plan.entrants)}
    return [(place[one], place[other], ends[one, other, 1.0], ends[one, other, 0.5],
             ends[one, other, 0.0])
            for one, other in sorted({(first, second) for first, second, _ in ends})]


@click.command()
@click.argument("name")
@workers_option
@click.option("--ledger", type=click.Path(path_type=Path, dir_okay=False), default=None,
              help="File for the games. Default: out/ladder/NAME-anchors.sqlite")
@click.option("--dry-run", is_flag=True, help="Show the scale, but do not write it.")
def main(name: str, workers: int | None, ledger: Path | None, dry_run: bool) -> None:
    """Play the games among the anchors NAME and write their scale."""
    plan, scale_name = anchors_plan(name)
    ledger = ledger or Path(f"out/ladder/{scale_name}-anchors.sqlite")
    ledger.parent.mkdir(parents=True, exist_ok=True)
    run_tournament(plan, ledger, workers)
    made = made_of(plan, scale_name, games_of_plan(plan, ledger),
                   f"python -m experiments.ladder.anchors {name}")
    for line in made.lines():
        log(line)
    if not dry_run:
        log(str(made.write()))


if __name__ == "__main__":
    run(main)
