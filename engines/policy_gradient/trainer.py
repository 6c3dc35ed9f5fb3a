"""REINFORCE, on the shared training loop of engines/learning/reinforcement.

Williams 1992; chapters 9 and 10 of the book.

An iteration plays games with the network's policy, both sides, and takes one pass over the
decisions: -A log pi, where A is the game's result for the player who decided. The book's loss is a
setting: `loss=reinforce`.
"""

from __future__ import annotations

from dataclasses import dataclass

from engines.learning.reinforcement.config import VARIED_GAMES
from engines.learning.reinforcement.policy import PolicyConfig, PolicyLearner, loss_setting


@dataclass(frozen=True)
class PolicyGradientConfig(PolicyConfig):
    """All that decides what REINFORCE learns."""

    owner = "train policy_gradient"
    method = "policy_gradient"
    # docs/lab_notebook.md ("From the pages: learning") has runs with other values.
    presets = {"connect4": {"discount": 0.9, "entropy": 0.02, **VARIED_GAMES}}

    loss: str = loss_setting()


class PolicyGradientLearner(PolicyLearner):
    """The gradient of the expected result, estimated from games."""

    config = PolicyGradientConfig
