"""Evaluators: the values of leaves of the tree.

A leaf evaluator is anything that gives a policy and a value for a position: a search needs
nothing else. Compiled ones stay inside the search loop; each is a `NamedTuple` of its constants,
and `value_of` is chosen by its class. The policy of those below is uniform; a small network
(`engines/learning/networks/dense.py`) writes priors as well. What can only be asked from Python,
such as a large network, is a `LeafEvaluator` (`leaf_evaluator.py`).

Values are seen by player 0, from -1 (lost) to +1 (won).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from dlgo import kernels
from dlgo.dispatch import by_class
from dlgo.jit import inline_kernel


class LightRollout(NamedTuple):
    """The result of one uniformly random game."""


class HeavyRollout(NamedTuple):
    """The result of one game of moves that a player would look at first."""


class Static(NamedTuple):
    """The game's own `evaluate`, squashed: `scale`: float, the score that counts as 0.76."""

    scale: float


class Uniform(NamedTuple):
    """Every position is even, by `value`: float. The search goes by finished games alone."""

    value: float


@by_class
def value_of(evaluator, state, n, scratch, rng):
    """Value of the unfinished position `state` for player 0; `state` may be changed.

    Args:
        n: number of wanted priors, of the first actions in `scratch.actions`. They are written into
            `scratch.priors`: not negative, of the sum 1. 0 for evaluators without a policy.
        scratch: of `search.py`. `scratch.played` is cleared before, and an evaluator that plays on
            notes there who played an action first.
    """


@inline_kernel
def _light(evaluator, state, n, scratch, rng):
    return float(kernels.rollout(state, rng))


@inline_kernel
def _heavy(evaluator, state, n, scratch, rng):
    return float(kernels.heavy_rollout(state, rng, scratch.actions, scratch.played))


@inline_kernel
def _static(evaluator, state, n, scratch, rng):
    sign = 1 - 2 * kernels.to_move(state)
    return sign * math.tanh(kernels.evaluate(state) / evaluator.scale)


@inline_kernel
def _uniform(evaluator, state, n, scratch, rng):
    return evaluator.value


value_of.register(LightRollout, _light)
value_of.register(HeavyRollout, _heavy)
value_of.register(Static, _static)
value_of.register(Uniform, _uniform)
