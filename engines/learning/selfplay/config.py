"""Settings that all learners by self-play share."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Self

from dlgo.api import GameSpec
from dlgo.encoders import default_encoder, get_encoder
from dlgo.errors import SpecError
from dlgo.games import get_game
from engines.learning.networks import catalog
from engines.learning.settings import RunConfig


class SelfPlayConfig(RunConfig):
    """Base of frozen dataclasses of settings.

    Attributes:
        game, encoder, network, optimizer: specifications. encoder: empty: the game's usual one.
        decay: factor by which the learning rate falls from the first iteration to the last.
    """

    game: str
    encoder: str
    network: str
    optimizer: str
    decay: float

    def canonical(self) -> Self:
        """The same with canonical specifications. Raises SpecError for an unknown game, network,
        encoder or optimizer, or a setting out of range."""
        game = get_game(self.game)
        encoder = get_encoder(self.encoder or default_encoder(game), game)
        if encoder.history:
            raise SpecError(f"encoder {encoder.name} needs earlier positions, which self-play does "
                            "not provide; choose another encoder")
        self.check()
        self._check_game(game)
        names: dict[str, Any] = {
            "game": str(game), "encoder": encoder.name,
            "network": catalog.canonical("network", catalog.NETWORKS, self.network),
            "optimizer": catalog.canonical("optimizer", catalog.OPTIMIZERS, self.optimizer),
        }
        return dataclasses.replace(self, **names)

    def _check_game(self, game: GameSpec) -> None:  # noqa: B027 (most learners ask for nothing)
        """Raise SpecError if the game does not offer what is to be learned."""

    def learning_rate(self, history: Sequence[Mapping[str, float]], rate: float) -> float:
        """The learning rate after this history, given that of the first iteration."""
        return rate * self.decay ** self.done(history)
