"""Actor-critic, on the shared training loop of engines/learning/reinforcement.

Chapter 12 of the book; Mnih et al. 2016.

The network answers twice: a policy, the actor, and a value V, the critic. After a game with the
result R the advantage of a move is A = R - V, the result less what the critic expected before the
move. If the critic expected a win (V = 1) and the game was won (R = 1), A = 0: nothing is learned.
If it expected a loss (V = -1), A = 2, for every move of that player until the critic noticed.
"""

from __future__ import annotations

from dataclasses import dataclass

from engines.learning.reinforcement.config import VARIED_GAMES
from engines.learning.reinforcement.policy import PolicyLearner, ValuedConfig, loss_setting


@dataclass(frozen=True)
class ActorCriticConfig(ValuedConfig):
    """All that decides what actor-critic learns."""

    owner = "train actor_critic"
    method = "actor_critic"
    # docs/lab_notebook.md ("From the pages: learning") has one run with other values.
    presets = {"connect4": {"discount": 0.97, "entropy": 0.02, **VARIED_GAMES}}

    loss: str = loss_setting()


class ActorCriticLearner(PolicyLearner):
    """An actor that learns from advantages, and a critic that learns from results."""

    config = ActorCriticConfig
