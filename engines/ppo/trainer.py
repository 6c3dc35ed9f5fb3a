"""PPO on the house of learners (Schulman et al. 2017), with what self-play needs.

Actor-critic may use a game once: after a step the policy is another one. PPO learns several times
from the same games, because its loss stops rewarding a move whose probability has changed by more
than `clip`. Advantages are generalised ones (Schulman et al. 2016): the critic's later opinions
stand in for a part of what luck decided.

Half of the games are against earlier selves, so that the policy does not go round in circles, and
half begin with random moves, so that it meets positions that it would never choose.
"""

from __future__ import annotations

from dataclasses import dataclass

from engines.learning.reinforcement.config import SCHULMAN
from engines.learning.reinforcement.policy import PolicyLearner, ValuedConfig
from engines.learning.settings import setting


@dataclass(frozen=True)
class PPOConfig(ValuedConfig):
    """All that decides what PPO learns."""

    owner = "train ppo"
    method = "ppo"
    loss = "clipped"
    # What was tried beside it: docs/engines/ppo.md.
    presets = {"connect4": {
        "encoder": "attacks", "decay": 0.05, "random_share": 0.7, "random_plies": 16,
        "batch_size": 512, "epochs": 1, "gae_lambda": 0.8, "symmetries": True,
    }}

    epochs: int = setting(
        4, "times that an iteration's decisions are learned from", low=1, high=1000,
        source=SCHULMAN)
    clip: float = setting(
        0.2, "how far the probability of a move may change, by its ratio, before its loss stops "
        "rewarding that", low=0.001, high=10, source=SCHULMAN)
    gae_lambda: float = setting(
        0.95, "how much of what followed a decision counts, against the critic's opinion of it; 1: "
        "the result alone", low=0, high=1, source="Schulman et al. 2016")
    pool_share: float = setting(
        0.5, "share of the games against an earlier self, from the pool", low=0, high=1)
    random_share: float = setting(
        0.5, "share of the games that begin with random moves", low=0, high=1)


class PPOLearner(PolicyLearner):
    """An actor and a critic that learn from the same games several times."""

    config = PPOConfig
