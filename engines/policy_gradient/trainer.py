"""REINFORCE on the house of learners (Williams 1992; chapters 9 and 10 of the book).

An iteration plays games with the network's policy, both sides, and takes one pass over the
decisions: -A log pi, where A is the game's result for the player who decided. What the book does
otherwise, and what that costs, are settings: `loss=reinforce`, `mask=no`, `draw_reward=-1`,
`recorded=network`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engines.learning.reinforcement.config import WILLIAMS
from engines.learning.reinforcement.policy import PolicyConfig, PolicyLearner
from engines.learning.settings import setting


@dataclass(frozen=True)
class PolicyGradientConfig(PolicyConfig):
    """All that decides what REINFORCE learns."""

    owner = "train policy_gradient"
    method = "policy_gradient"
    # Tried for a hundred CPU seconds each: docs/engines/policy_gradient.md.
    presets = {"connect4": {"discount": 0.9, "entropy": 0.02, "random_share": 0.5,
                            "random_plies": 16, "pool_share": 0.25}}

    loss: str = setting(
        "bounded", "loss of a move; reinforce: -A log pi, which has no lowest value for moves of "
        "lost games; bounded: the same gradient, fading as such a move becomes rare",
        choices=("bounded", "reinforce"), source=WILLIAMS)


class PolicyGradientLearner(PolicyLearner):
    """The gradient of the expected result, estimated from games."""

    config = PolicyGradientConfig

    def _losses(self) -> tuple[dict[str, Any], dict[str, float]]:
        from engines.learning.reinforcement.losses import policy_loss

        config = self._config
        loss = policy_loss(config.loss, entropy=config.entropy, temperature=config.temperature)
        return {"policy": loss}, {"policy": 1.0}
