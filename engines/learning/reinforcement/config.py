"""Settings of learners by self-play; equal settings give equal networks."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from dlgo.errors import SpecError
from dlgo.games import get_game
from engines.learning.networks.store import load_card
from engines.learning.selfplay.config import SelfPlayConfig
from engines.learning.settings import (
    AUTO,
    RunConfig,
    cpu_minutes_setting,
    curves_setting,
    preset_of,
    setting,
)

WILLIAMS = "Williams 1992"
SCHULMAN = "Schulman et al. 2017"
# The variety of games that suited policies and action values in Connect Four.
VARIED_GAMES = {"random_share": 0.5, "random_plies": 16, "pool_share": 0.25}


@dataclass(frozen=True)
class OwnGamesConfig(RunConfig):
    """Settings of a run that learns from its own games.

    Attributes:
        heads: the heads of its network.
        presets: settings by game, or by game and size of board ("go 9x9").
        in_keras: whether its network is one of Keras; then the run keeps its last games.
    """

    heads: ClassVar[tuple[str, ...]] = ("policy",)
    presets: ClassVar[dict[str, dict[str, Any]]] = {}
    in_keras: ClassVar[bool] = True

    game: str = setting(None, "game to learn")
    iterations: int = setting(100, "iterations of play and learning", low=1)
    cpu_minutes: float = cpu_minutes_setting()
    games: int = setting(1024, "games per iteration", low=2)
    save_every: int = setting(10, "iterations between saved networks", low=1)
    test_every: int = setting(5, "iterations between tests against random play", low=1)
    test_games: int = setting(200, "games per test, half of them with each colour", low=2,
                              high=1_000_000)
    seed: int = setting(1, "seed of all random numbers")
    curves: bool = curves_setting()

    @classmethod
    def make(cls, game: str, **settings: Any) -> Self:
        """The preset of a game with changes; None means not given.

        Raises SpecError as `canonical`, and ModelError if `first_network` is not a model.
        """
        settings = {name: value for name, value in settings.items() if value is not None}
        preset = dict(preset_of(cls.presets, get_game(game)))
        if settings.get("first_network"):
            _, card = load_card(settings["first_network"])
            preset |= {"network": card.network, "encoder": card.encoder}
        return cls(game=game, **{**preset, **settings}).canonical()

    def canonical(self) -> Self:
        """The same with canonical specifications. Raises SpecError for a setting that cannot be
        used."""
        raise NotImplementedError

    def check(self) -> None:
        """Raise SpecError for a setting out of range."""
        super().check()
        if self.test_games % 2:
            raise SpecError(f"{self.owner}: test_games={self.test_games} is not an even number: "
                            "half of the games are played with each colour")

    def changeable(self) -> set[str]:
        return super().changeable() | {"test_every", "test_games"}

    def saved(self, iteration: int) -> bool:
        """Whether the network after an iteration is saved; 0: before the first one."""
        return iteration % self.save_every == 0


@dataclass(frozen=True)
class LearnerConfig(SelfPlayConfig, OwnGamesConfig):
    """Settings of learners with a Keras network: the network, games in batches, training steps."""

    # Number of recent iterations to learn from; no annotation: a learner may make a setting of it.
    window_iterations = 1

    network: str = setting(
        "cnn:filters=32,layers=3,hidden=256,pool=none,dropout=0",
        "network architecture; avoid batch normalisation, which computes differently in play and "
        "in training")
    encoder: str = setting("", "input encoding; empty: the game's default encoder")
    first_network: str = setting(
        "", "model to start from, by name or folder; sets network and encoder; empty: random "
        "weights")
    games_at_once: int = setting(512, "games played at the same time, in one batch", low=1)
    portions: int = setting(
        0, "tasks that an iteration's games are divided into; 1: the learning process plays alone; "
        "0: 16 with workers, else 1, fixed when the run starts", low=0, high=10_000)
    batch_size: int = setting(1024, "decisions per training step", low=1)
    epochs: int = setting(1, "passes over the decisions of an iteration", low=1,
                          high=1000)
    optimizer: str = setting("adam:lr=0.001", "optimizer and its learning rate")
    decay: float = setting(
        0.1, "last learning rate divided by the first; the rate falls exponentially", low=1e-9,
        high=1)
    clip_norm: float = setting(
        1.0, "maximum norm of a gradient; longer gradients are scaled down", low=1e-6, high=1e6)
    random_share: float = setting(
        0.0, "share of games that start with random moves", low=0, high=1)
    random_plies: int = setting(8, "maximum number of random moves at the start of a game", low=1)
    symmetries: bool = setting(
        False, "show each position under a random symmetry of the board, in play and in learning")
    precision: str = setting(
        AUTO, "number format of training; mixed: bfloat16 with float32 weights; auto: the faster "
        "one, fixed when the run starts",
        choices=(AUTO, "float32", "mixed"))

    def resolve_auto(self, run_config: RunConfig) -> Self:
        resolved = super().resolve_auto(run_config)
        return dataclasses.replace(resolved, portions=self.portions or run_config.portions)  # type: ignore[attr-defined]


@dataclass(frozen=True)
class ReinforcementConfig(LearnerConfig):
    """Settings of learners whose networks play without a search.

    Attributes:
        gae_lambda: lambda of generalised advantage estimation; 1: the result alone.
    """

    gae_lambda = 1.0  # no annotation: a learner may make a setting of it

    discount: float = setting(
        1.0, "factor on the return of a decision for each later decision of the same player",
        low=0.01, high=1)
    pool_share: float = setting(
        0.0, "share of games against an earlier network; in the others the latest network plays "
        "both sides", low=0, high=1)
    pool_size: int = setting(
        20, "number of newest saved networks that the earlier networks are drawn from", low=1)

    def pool(self, iteration: int) -> list[int]:
        """The iterations whose networks are in the pool when `iteration` is played."""
        return list(range(0, iteration, self.save_every))[-self.pool_size:]
