"""What the anchors of scales cost: CPU time a move, and the networks.

    python -m experiments.ladder.costs connect4-2026.12 --ledger FILE

takes the times from the games among the anchors, in the ledger of `anchors.py`, and writes them to
`costs.csv`. docs/baselines.md shows them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pandas as pd

from dlgo.files import write_csv
from dlgo.records.costs import CostTotals
from dlgo.records.ledger import Ledger
from engines.learning.networks.store import ONNX_FILE, load_card, shipped_models
from experiments.command import log, run
from experiments.ladder.baselines import scale_named
from experiments.ladder.scales import all_scales
from reports.text import short

_FILE = Path(__file__).with_name("costs.csv")


def rows() -> Iterator[tuple[str, ...]]:
    """All anchors, the strongest of a scale first: scale, anchor, Elo, size of the network in MB,
    CPU ms a move, CPU hours of training."""
    costs = pd.read_csv(_FILE, index_col=["scale", "anchor"])["cpu_ms"]
    models = {card.network_id: (folder, card)
              for folder, card in map(load_card, shipped_models())}
    for scale in all_scales().values():
        for name, elo in reversed([*zip(scale.scale.anchors, scale.scale.elo, strict=True)]):
            size = hours = ""
            if name in scale.networks:
                folder, card = models[scale.networks[name]]
                size = short((folder / ONNX_FILE).stat().st_size / 1e6)
                hours = short((card.total_cpu_seconds or 0) / 3600)
            cost = costs.get((scale.name, name))
            yield (scale.name, f"`{name}`", f"{elo:z.0f}", size,
                   "" if cost is None else short(cost), hours)


def costs_of(ledger: Path) -> dict[str, CostTotals]:
    """What all moves of each player cost in the games of a ledger. Raises DlgoError."""
    costs: dict[str, CostTotals] = {}
    with Ledger(ledger, read_only=True) as games:
        for record in games.games():
            for player, name in enumerate((record.first, record.second)):
                costs[name] = costs.get(name, CostTotals()).plus(record.spent(player))
    return costs


@click.command()
@click.argument("name")
@click.option("--ledger", type=click.Path(path_type=Path, dir_okay=False), required=True,
              help="File with the games among the anchors.")
def main(name: str, ledger: Path) -> None:
    """Write the costs of the anchors of the scale NAME into costs.csv."""
    anchors, costs = scale_named(name).scale.anchors, costs_of(ledger)
    kept = pd.read_csv(_FILE).query("scale != @name").itertuples(index=False, name=None)
    new = [(name, anchor, cost.moves, round(1000 * cost.cpu / max(cost.moves, 1), 5))
           for anchor, cost in costs.items() if anchor in anchors]
    write_csv(_FILE, ("scale", "anchor", "moves", "cpu_ms"), sorted([*kept, *new]))
    log(str(_FILE))


if __name__ == "__main__":
    run(main)
