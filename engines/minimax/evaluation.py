"""The estimates of alpha-beta at the end of its depth; the class selects the function."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.dispatch import by_class
from dlgo.jit import inline_kernel, kernel
from engines.minimax.stack import ANSWER, ASK, WANTED
from engines.own_functions import OwnFunction

# The score that counts as a value of tanh(1) = 0.76, in the games' hundredths.
ESTIMATE_SCALE = 500
# Values closer to 1 would become scores of a forced win.
_LARGEST = 0.999999


class GameEvaluation(NamedTuple):
    """The game's own `evaluate`."""


class AskedEvaluation(NamedTuple):
    """A function in Python: the search stops at each leaf and continues with its answer."""


@by_class
def score_of(evaluation, state, info):
    """Score of an unfinished position for the player to move: an int, smaller than PROVEN in size.

    info: of the search's `Stack`.
    """


@inline_kernel
def _by_the_game(evaluation, state, info):
    return np.int64(kernels.evaluate(state))


@inline_kernel
def _as_answered(evaluation, state, info):
    info[ASK] = WANTED  # stop at the next leaf, too
    return info[ANSWER]


score_of.register(GameEvaluation, _by_the_game)
score_of.register(AskedEvaluation, _as_answered)


def evaluation_of(own: OwnFunction | None) -> Any:
    """The estimate for the search: the game's, or a user's function."""
    if own is None:
        return GameEvaluation()
    evaluation = own.evaluator()
    if evaluation is None:
        return AskedEvaluation()
    if type(evaluation) not in score_of.table:
        score_of.register(type(evaluation), _score_kernel(own.function))
    return evaluation


def _score_kernel(function: Any) -> Any:
    @kernel
    def score(evaluation, state, info):
        value = min(max(function(state), -_LARGEST), _LARGEST)
        return np.int64(round(ESTIMATE_SCALE * math.atanh(value)))

    return score


def score_of_value(value: float) -> int:
    """The search's score for a value from -1 to 1."""
    return round(ESTIMATE_SCALE * math.atanh(min(max(value, -_LARGEST), _LARGEST)))
