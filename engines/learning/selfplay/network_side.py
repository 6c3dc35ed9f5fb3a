"""Networks as sides in games of policies alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dlgo.api import GameSpec
from engines.learning.networks.leaf_evaluator import encoder_of
from engines.learning.networks.runtimes import NetworkRuntime, load_runtime
from engines.learning.networks.self_play_positions import score_head
from engines.learning.selfplay.policy_games import Side

if TYPE_CHECKING:
    from engines.learning.networks.trainable import KerasNetwork


class RuntimeScorer:
    """A network as a `Scorer`: its policy, or its values of actions."""

    def __init__(self, runtime: NetworkRuntime | KerasNetwork) -> None:
        self._runtime = runtime
        self._head = score_head(runtime)

    def score(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        answers = self._runtime.evaluate(planes)
        values = answers["value"][:, 0] if "value" in answers else np.zeros(len(planes), np.float32)
        return answers[self._head], values


def network_side(model: str, game: GameSpec, kind: str, like: Side | None = None) -> Side:
    """A model as it plays.

    Args:
        model: by name or folder. kind: of the runtime.
        like: temperature and so on; by default moves are drawn from the network's policy.

    Raises:
        ModelError: if the model is not there, or not for the game.
    """
    runtime = load_runtime(model, kind)
    return replace(
        like or Side(), scorer=RuntimeScorer(runtime), encoder=encoder_of(runtime.card, game)
    )
