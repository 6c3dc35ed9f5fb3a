"""PPO (Schulman et al. 2017), on the shared training loop of engines/learning/reinforcement.

Actor-critic may use a game once: after a step the policy is another one. PPO learns several times
from the same games, because its loss stops rewarding a move whose probability has changed by more
than `clip`. Advantages are generalised ones (Schulman et al. 2016): the critic's later values
replace a part of the noise of the result.

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
    # docs/lab_notebook.md ("From the pages: learning") has the settings that were compared.
    presets = {"connect4": {
        "encoder": "attacks", "decay": 0.05, "random_share": 0.7, "random_plies": 16,
        "batch_size": 512, "epochs": 1, "gae_lambda": 0.8, "symmetries": True,
    }}

    epochs: int = setting(
        4, "passes over the decisions of an iteration", low=1, high=1000,
        source=SCHULMAN)
    clip: float = setting(
        0.2, "clipping range of the probability ratio: 1 - clip to 1 + clip", low=0.001, high=10,
        source=SCHULMAN)
    gae_lambda: float = setting(
        0.95, "lambda of generalised advantage estimation; 1: the result alone", low=0, high=1,
        source="Schulman et al. 2016")
    pool_share: float = setting(
        0.5, "share of games against an earlier network", low=0, high=1)
    random_share: float = setting(
        0.5, "share of games that start with random moves", low=0, high=1)


class PPOLearner(PolicyLearner):
    """An actor and a critic that learn from the same games several times."""

    config = PPOConfig
