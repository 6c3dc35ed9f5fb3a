"""An AlphaGo whose advisers say what a test tells them to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dlgo.api import GameSpec
from dlgo.encoders import get_encoder
from engines.alphago.textbook import TextbookAlphaGo
from engines.base import Budget
from engines.fast_policy.policy import FastPolicy


class FakeNetwork:
    """Answers with fixed logits, and values that a function makes of the planes.

    Attributes:
        asked: how many positions it was asked about.
    """

    network_id = "fake"

    def __init__(
        self, logits: np.ndarray, value: Callable[[np.ndarray], float] = lambda planes: 0.0
    ) -> None:
        self._logits, self._value = logits, value
        self.asked = 0

    def evaluate(self, planes: np.ndarray) -> dict[str, np.ndarray]:
        self.asked += len(planes)
        return {
            "policy": np.repeat(self._logits[None], len(planes), axis=0).astype(np.float32),
            "value": np.array([[self._value(board)] for board in planes], np.float32),
        }


class FakeAlphaGo(TextbookAlphaGo):
    """The textbook search with advisers of one's own, by default without an opinion."""

    def _set_up(self) -> None:
        game = self.game
        self._policy_network = FakeNetwork(np.zeros(game.num_actions))
        self._value_network = FakeNetwork(np.zeros(game.num_actions))
        self._encoder = self._value_encoder = get_encoder("planes", game)
        self._fast_policy = FastPolicy.uniform(game)


def fake(
    game: GameSpec, kind: type[FakeAlphaGo] = FakeAlphaGo, sims: int = 20, seed: int = 1,
    **settings: Any,
) -> FakeAlphaGo:
    """One of them, ready for a game."""
    engine = kind(game, Budget(sims=sims), seed, **settings)
    engine.new_game(seed)
    return engine
