"""What makes a worker bad: it turns one result in a hundred, where a variable says so."""

from __future__ import annotations

import dataclasses
import os
from typing import Any

from dlgo.records.ledger import GameRecord
from dlgo.rng import derive_seed
from experiments.arena import games

VARIABLE = "DLGO_TEST_TURNS_RESULTS"
SETUP = f"{__name__}:turn_results"


def turn_results() -> None:
    """Called in each worker process before anything else."""
    if not os.environ.get(VARIABLE):
        return
    original = games.play_game

    def play_game(*arguments: Any) -> GameRecord:
        record = original(*arguments)
        turned = derive_seed("bad", record.slot) % 100 == 0
        return dataclasses.replace(record, result=1.0 - record.result) if turned else record

    games.play_game = play_game
