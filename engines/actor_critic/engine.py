"""The actor-critic engine: plays the actor's policy, and says what the critic expects (chapter 12).

    actor_critic:model=out/actor_critic/connect4/nets/0100

With a value head a network guides a search as well: `alphazero:model=...,sims=100`.
"""

from __future__ import annotations

from engines.learning.policy_engine import PolicyEngine


class ActorCriticEngine(PolicyEngine):
    """Plays a policy learned together with a value, without a search."""

    name = method = "actor_critic"
    summary = "plays a policy learned from its own games by actor-critic; no search"
