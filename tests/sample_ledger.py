"""A ledger for tests: every kind of failure among 18 games of the engines of `arena/mocks.py`."""

from __future__ import annotations

import json
from pathlib import Path

from dlgo.records.costs import MoveCost
from dlgo.records.ledger import GameRecord, Ledger

SAMPLES = Path(__file__).with_name("samples")


def write_sample(path: Path) -> Path:
    """Write the ledger; return its path."""
    data = json.loads((SAMPLES / "games_of_mocks.json").read_text())
    with Ledger(path) as ledger:
        for key, value in data["meta"].items():
            ledger.set_meta(key, value)
        for game in data["games"]:
            costs = tuple(MoveCost(*cost) for cost in game.pop("costs"))
            ledger.add(GameRecord(**game, costs=costs))
    return path
