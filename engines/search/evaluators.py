"""Compiled evaluators: they give the leaves of a tree a value, and some a policy.

The search calls them inside its loop. Each is a `NamedTuple` of its constants, and its class
selects the implementation of `value_of`. The policy of the evaluators below is uniform; a small
network (`engines/learning/networks/dense.py`) also writes priors. Evaluators in Python, such as a
large network, are `LeafEvaluator`s (`leaf_evaluator.py`).

Values are those of player 0, from -1 (lost) to +1 (won).
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
    """The result of one game of sensible moves (the game's own heavy rollout)."""


class Static(NamedTuple):
    """The game's own `evaluate`, squashed by tanh. scale: float, the score that becomes 0.76."""

    scale: float


class Uniform(NamedTuple):
    """The same value for every position, so only finished games matter. value: float."""

    value: float


@by_class
def value_of(evaluator, state, n, scratch, rng):
    """Value of the unfinished position `state` for player 0; `state` may be changed.

    Args:
        n: number of priors to write into `scratch.priors`, for the first actions in
            `scratch.actions`: not negative, sum 1. 0 for evaluators without a policy.
        scratch: of `search.py`. A rollout writes the first player of each action into
            `scratch.played`, which is cleared before.
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
