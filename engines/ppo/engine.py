"""The PPO engine: plays a policy learned by proximal policy optimisation (Schulman et al. 2017).

    ppo:model=out/ppo/connect4/nets/0400

With a value head a network guides a search as well: `alphazero:model=...,sims=100`.
"""

from __future__ import annotations

from engines.learning.policy_engine import PolicyEngine


class PPOEngine(PolicyEngine):
    """Plays a policy learned in clipped steps, without a search."""

    name = method = "ppo"
    summary = "plays a policy learned from its own games by PPO; no search"
