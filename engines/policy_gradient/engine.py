"""The policy-gradient engine: plays the policy that REINFORCE learned (chapters 9 and 10).

    policy_gradient:model=out/policy_gradient/connect4/nets/0100                  the likeliest move
    policy_gradient:model=out/policy_gradient/connect4/nets/0100,choose=sample    one drawn by it

Networks come from `dlgo train policy_gradient`; any model folder with a policy will do.
"""

from __future__ import annotations

from engines.learning.policy_engine import PolicyEngine


class PolicyGradientEngine(PolicyEngine):
    """Plays a policy learned by policy gradients, without a search."""

    name = method = "policy_gradient"
    summary = "plays a policy learned from its own games by REINFORCE; no search"
