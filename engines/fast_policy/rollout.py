"""Rollouts by a linear softmax policy, compiled (Silver et al. 2016, the rollout policy).

The probability of a move is proportional to `exp(sum of its features' weights / temperature)`. This
is a product of factors, one for each feature, so a rollout computes no exponential.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.jit import inline_kernel
from dlgo.rng import uniform
from engines.search.evaluators import value_of


class PolicyRollout(NamedTuple):
    """An evaluator: the result of one game drawn from the policy. For one thread at a time."""

    factors: np.ndarray  # float64[ids], `exp(weight / temperature)` of each feature
    offsets: np.ndarray  # int64[slots], start of each slot's values in `factors`
    features: np.ndarray  # int32[num_actions, slots], scratch, as the next two
    sums: np.ndarray  # float64[num_actions]
    scratch: np.ndarray  # int64[num_actions]
    pass_action: int  # only drawn if there is no other; -1: none
    most_plies: int  # a longer game is scored in its last position


@inline_kernel
def draw_action(policy, state, actions, rng):
    """Draw one of the `search_actions` by the policy; a pass only if there is nothing else.

    Args:
        state: an unfinished game; it stays unchanged.
        actions: int64[num_actions], scratch.
    """
    n = kernels.search_actions(state, actions)
    if policy.pass_action >= 0 and n > 1:
        n_plays = 0
        for i in range(n):
            if actions[i] != policy.pass_action:
                actions[n_plays] = actions[i]
                n_plays += 1
        n = n_plays
    if n == 1:
        return actions[0]
    features, offsets, factors, sums = (
        policy.features, policy.offsets, policy.factors, policy.sums
    )
    kernels.move_features(state, actions, n, policy.scratch, features)
    total = 0.0
    for i in range(n):
        share = 1.0
        for slot in range(len(offsets)):
            share *= factors[offsets[slot] + features[i, slot]]
        total += share
        sums[i] = total
    threshold = uniform(rng) * total
    i = 0
    while i < n - 1 and sums[i] <= threshold:
        i += 1
    return actions[i]


@inline_kernel
def _play_out(evaluator, state, n, scratch, rng):
    """The result of a game drawn from the policy, for player 0."""
    actions, first_players = scratch.actions, scratch.played
    plies = 0
    while not kernels.terminal(state):
        if plies == evaluator.most_plies:
            # The player who is ahead wins, in games with points; otherwise a draw.
            margin = kernels.margin(state)
            return 1.0 if margin > 0 else (-1.0 if margin < 0 else 0.0)
        action = draw_action(evaluator, state, actions, rng)
        if first_players[action] == kernels.NOBODY:
            first_players[action] = kernels.to_move(state)
        kernels.play(state, action)
        plies += 1
    return float(kernels.result(state))


value_of.register(PolicyRollout, _play_out)
