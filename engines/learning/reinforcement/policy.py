"""Learners of a policy: the common base of policy gradient, actor-critic and PPO.

They differ in the advantage of an action, and in the loss that uses it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from engines.learning.data.experience import Decisions, Experience
from engines.learning.reinforcement.config import WILLIAMS, ReinforcementConfig
from engines.learning.reinforcement.learner import ReinforcementLearner
from engines.learning.runs import Run
from engines.learning.selfplay.policy_games import Side
from engines.learning.settings import setting

if TYPE_CHECKING:
    from engines.learning.networks.trainable import HeadLoss


@dataclass(frozen=True)
class PolicyConfig(ReinforcementConfig):
    """How moves are drawn and how decisions count; for `loss` and `clip` see `policy_loss`."""

    clip = 0.2  # no annotation: a learner may make a setting of it

    temperature: float = setting(
        1.0, "temperature of the policy that plays: softmax(logits / temperature)", low=0.05,
        high=20)
    normalize: bool = setting(
        True, "shift and scale the advantages of an iteration to mean 0 and standard deviation 1",
        source=WILLIAMS)
    entropy: float = setting(
        0.01, "weight of the entropy bonus, which keeps the policy exploring", low=0, high=10,
        source="Williams and Peng 1991")


@dataclass(frozen=True)
class ValuedConfig(PolicyConfig):
    """Settings of learners whose network has a policy and a value."""

    heads = ("policy", "value")

    value_weight: float = setting(
        0.5, "weight of the value's squared error in the loss", low=0, high=100)


def loss_setting() -> Any:
    """The setting `loss`, for learners that use each decision once."""
    return setting(
        "bounded", "policy loss of a move with advantage A < 0; reinforce: -A log pi, without a "
        "minimum; bounded: -A pi / p, whose minimum is 0",
        choices=("bounded", "reinforce"), source=WILLIAMS)


class PolicyLearner(ReinforcementLearner):
    """Makes moves with a positive advantage likelier and the others less likely."""

    def _losses(self) -> dict[str, HeadLoss]:
        from engines.learning.networks.trainable import HeadLoss
        from engines.learning.reinforcement import losses

        config, temperature = self._config, self._config.temperature
        heads = {"policy": HeadLoss(
            losses.policy_loss(config.loss, config.clip, config.entropy, temperature),
            metrics=[losses.entropy_metric(temperature), losses.moved_metric(temperature)],
        )}
        if "value" in config.heads:
            heads["value"] = HeadLoss("mean_squared_error", config.value_weight)
        return heads

    def _side(self, run: Run) -> Side:
        return replace(super()._side(run), temperature=self._config.temperature)

    def _prepared(self, iteration: int, experience: Experience) -> Experience:
        advantages = experience.advantages[experience.decisions]
        self._mean, self._spread = 0.0, 1.0
        if self._config.normalize and len(advantages):
            self._mean = float(advantages.mean())
            self._spread = max(float(advantages.std()), 1e-6)
        return experience

    def _targets(self, decisions: Decisions, weights: np.ndarray) -> dict[str, np.ndarray]:
        from engines.learning.reinforcement.losses import packed

        advantages = (decisions.advantages - self._mean) / self._spread
        targets = {"policy": packed(
            decisions.actions, advantages, decisions.probabilities, weights, decisions.legal
        )}
        if "value" in self._config.heads:
            targets["value"] = decisions.returns[:, None]
        return targets

    def _learned(self, row: Mapping[str, float]) -> str:
        value = f", value error {row['value_loss']:.2f}" if "value_loss" in row else ""
        return f"entropy {row['entropy']:.2f} nats, moved {row['kl']:.3f}{value}"
