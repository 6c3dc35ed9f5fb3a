"""A ledger for tests: every kind of failure among 18 games of the engines of `arena/mocks.py`."""

from __future__ import annotations

import json
from pathlib import Path

from dlgo.records.costs import MoveCost
from dlgo.records.ledger import GameRecord, Ledger

SAMPLES = Path(__file__).with_name("samples")


def sample_games() -> list[GameRecord]:
    """The games."""
    games = json.loads((SAMPLES / "games_of_mocks.json").read_text())["games"]
    return [GameRecord(**{**game, "costs": tuple(MoveCost(*cost) for cost in game["costs"])})
            for game in games]


def write_sample(path: Path) -> Path:
    """Write the ledger; return its path."""
    with Ledger(path) as ledger:
        for key, value in json.loads((SAMPLES / "games_of_mocks.json").read_text())["meta"].items():
            ledger.set_meta(key, value)
        ledger.add(*sample_games())
    return path
