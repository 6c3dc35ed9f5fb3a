"""Actor-critic on the house of learners (chapter 12 of the book; Mnih et al. 2016).

The network answers twice: a policy, the actor, and a value V, the critic. After a game with the
result R the advantage of a move is A = R - V, and so A + V = R for each decision. A move that only
keeps a won game won has an advantage near 0 and is hardly learned from; one that turned the game
round counts twice as much as in REINFORCE.
"""

from __future__ import annotations

from dataclasses import dataclass

from engines.learning.reinforcement.policy import PolicyLearner, ValuedConfig, loss_setting


@dataclass(frozen=True)
class ActorCriticConfig(ValuedConfig):
    """All that decides what actor-critic learns."""

    owner = "train actor_critic"
    method = "actor_critic"
    # Tried once: docs/engines/actor_critic.md.
    presets = {"connect4": {"discount": 0.97, "entropy": 0.02, "random_share": 0.5,
                            "random_plies": 16, "pool_share": 0.25}}

    loss: str = loss_setting()


class ActorCriticLearner(PolicyLearner):
    """An actor that learns from advantages, and a critic that learns from results."""

    config = ActorCriticConfig
