"""Settings of a `dlgo train descent` run."""

from __future__ import annotations

from dataclasses import dataclass

from engines.learning.reinforcement.config import LearnerConfig
from engines.learning.settings import setting

COHEN_SOLAL = "Cohen-Solal 2020"


@dataclass(frozen=True)
class DescentConfig(LearnerConfig):
    """All that decides what descent learns."""

    owner = "train descent"
    method = "descent"
    heads = ("value",)
    presets = {
        "tictactoe": {
            "network": "mlp:hidden=64,layers=2,activation=relu", "iterations": 40, "sims": 10,
            "batch_size": 128, "optimizer": "adam:lr=0.005", "random_share": 0.7,
            "random_plies": 6, "symmetries": True,
        },
        "connect4": {
            "network": "wide:hidden=256", "encoder": "attacks", "iterations": 52, "games": 40,
            "sims": 64, "random_share": 0.5, "random_plies": 16, "symmetries": True,
        },
    }

    network: str = setting(
        "wide:hidden=512", "network architecture; mlp and wide are compiled into the search")
    games: int = setting(64, "games per iteration", low=2)
    games_at_once: int = setting(16, "games played at the same time, in one batch", low=1)
    sims: int = setting(32, "iterations of descent before each move", low=1, high=1e6)
    exploitation: float = setting(
        0.0, "preference for good moves in the first iteration; 0: all moves alike, 1: the best",
        low=0, high=1, source=COHEN_SOLAL)
    last_exploitation: float = setting(
        1.0, "the same in the last iteration; it changes evenly", low=0, high=1,
        source=COHEN_SOLAL)
    window_iterations: int = setting(
        2, "number of recent iterations to learn from", low=1, source=COHEN_SOLAL)
    symmetries: bool = setting(False, "learn each position from a random side of the board")
