"""Settings of a `dlgo train alphago` run."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from dlgo.encoders import default_encoder, get_encoder
from dlgo.games import get_game
from engines.learning.networks import catalog
from engines.learning.settings import RunConfig, preset_of, setting

PAPER = "Silver et al. 2016"


@dataclass(frozen=True)
class AlphaGoConfig(RunConfig):
    """The settings that determine the networks, besides the games given as data."""

    owner = "train alphago"
    method = "alphago"
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "tictactoe": {
            "engine": "mcts:sims=50", "games": 1000, "network": "alphago:layers=2,filters=16",
            "batch_size": 64, "reinforce_iterations": 60, "reinforce_games": 256,
            "value_games": 8000,
        },
        "connect4": {
            "encoder": "threats", "engine": "mcts:sims=300", "games": 3000,
            "network": "alphago:layers=4,filters=32", "reinforce_iterations": 300,
            "value_games": 60_000,
        },
        "go 9x9": {
            "encoder": "alphago41", "engine": "mcts:sims=600,rule=rave,rollout=heavy",
            "games": 1500, "network": "alphago:layers=5,filters=48",
            "reinforce_iterations": 150, "value_games": 60_000,
            "value_optimizer": "adam:lr=0.0005",
        },
        "draughts": {
            "engine": "mcts:sims=200,rollout=heavy", "games": 1000,
            "value_optimizer": "adam:lr=0.0005",
        },
    }

    game: str = setting(None, "game to learn")
    engine: str = setting(
        "mcts:sims=200", "engine whose games the policies learn from, unless data is given")
    games: int = setting(2000, "games of that engine", low=20)
    encoder: str = setting("", "input encoding of the networks; empty: the default of the game")
    network: str = setting(
        "alphago:layers=4,filters=32", "architecture of policy and value networks", source=PAPER)
    optimizer: str = setting("adam:lr=0.002", "optimizer of the supervised policy")
    batch_size: int = setting(256, "positions in a training step", low=1)
    epochs: int = setting(8, "epochs of the supervised policy", low=1)
    fast_epochs: int = setting(4, "epochs of the fast policy", low=1)
    reinforce_iterations: int = setting(100, "iterations of reinforcement learning", low=1)
    reinforce_games: int = setting(512, "games in each of these iterations", low=2)
    reinforce_batch: int = setting(256, "decisions in a step of reinforcement learning", low=1)
    reinforce_optimizer: str = setting("adam:lr=0.001", "optimizer of reinforcement learning")
    reinforce_portions: int = setting(
        1, "parts of these games that workers play; 1: the learning process plays all. The "
        "networks depend on it in their last digits", low=1, high=10_000)
    save_every: int = setting(
        10, "iterations between two networks that join the pool of opponents", low=1, source=PAPER)
    value_games: int = setting(
        20_000, "games for the value network, which learns one position of each", low=20,
        source=PAPER)
    value_optimizer: str = setting(
        "adam:lr=0.002", "optimizer of the value network; on large boards a high learning rate "
        "can fail")
    value_epochs: int = setting(6, "epochs of the value network", low=1)
    seed: int = setting(1, "seed of all random numbers")

    @classmethod
    def make(cls, game: str, **settings: Any) -> Self:
        """The preset of a game, changed by `settings`; None: the preset's. Raises SpecError."""
        preset = preset_of(cls.presets, get_game(game))
        settings = {name: value for name, value in settings.items() if value is not None}
        return cls(game=game, **{**preset, **settings}).canonical()

    def canonical(self) -> Self:
        """The same settings with canonical specifications."""
        self.check()
        game = get_game(self.game)
        encoder = get_encoder(self.encoder or default_encoder(game), game)
        optimizer, reinforce_optimizer, value_optimizer = (
            catalog.canonical("optimizer", catalog.OPTIMIZERS, name)
            for name in (self.optimizer, self.reinforce_optimizer, self.value_optimizer)
        )
        network = catalog.canonical("network", catalog.NETWORKS, self.network)
        return dataclasses.replace(
            self, game=str(game), encoder=encoder.name, network=network, optimizer=optimizer,
            reinforce_optimizer=reinforce_optimizer, value_optimizer=value_optimizer)
