"""Rollouts and random games as conformance rules look at them: their ends, and what they play."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from dlgo import kernels
from dlgo.api import GameState
from dlgo.conformance import kit
from dlgo.conformance.broken import Kind
from dlgo.jit import kernel
from dlgo.rng import below, make_rng
from dlgo.system.watchdogs import TooSlow, watchdog

# CPU seconds of a rollout as plain Python; in the largest games here none takes 1.
SECONDS_PER_ROLLOUT = 10.0


def rolled(position: Any, seed: int) -> tuple[int, int]:
    """The result of a rollout, and the generator's state after it, which counts the draws."""
    rng = make_rng(seed)
    with rollout_watchdog():
        return int(kernels.rollout(position, rng)), int(rng[0])


@contextmanager
def rollout_watchdog() -> Iterator[None]:
    """Raise RuleBroken if a rollout, in plain Python, does not end."""
    try:
        with watchdog(SECONDS_PER_ROLLOUT):
            yield
    except TooSlow as error:
        text = f"a rollout has not ended after {SECONDS_PER_ROLLOUT:g} s of CPU time"
        raise kit.broken("rollout", text, kind=Kind.ENDLESS) from error


class _Enough(BaseException):
    """A rollout has played as many actions as were asked for."""


def actions_of_rollout(
    state: GameState, seed: int, most: int = -1
) -> tuple[list[int], int | None]:
    """The first actions of a rollout, as it gives them to the game's `play`, and its result if
    there are not `most` of them.

    Without actions, the rollout is compiled, or does not call `play` by a name of its own file.
    """
    functions = kernels.functions_of(type(state.kernel_state))
    play, rollout = functions["play"], functions["rollout"]
    names = getattr(rollout, "__globals__", {})  # compiled code has none
    calls = {name: value for name, value in names.items() if value is play}
    actions: list[int] = []
    if not calls:
        return actions, None
    result = None

    def record(position: Any, action: int) -> None:
        actions.append(int(action))
        if len(actions) == most:
            raise _Enough
        play(position, action)

    names.update(dict.fromkeys(calls, record))
    try:
        with rollout_watchdog():
            result = rollout(kit.clone(state, room=kit.LONGEST_GAME), make_rng(seed))
    except _Enough:
        pass
    finally:
        names.update(calls)
    return actions, result


BAD_GAME, CHOICES = 2, 1 << 30


def choices_of(rng: np.ndarray) -> Iterator[int]:
    """The choices of `random_game`."""
    return (below(rng, CHOICES) for _ in range(kit.LONGEST_GAME))


@kernel
def random_game(
    state: Any, rng: np.ndarray, sensible: bool, actions: np.ndarray
) -> int:
    """Play to the end at random; return the result, or BAD_GAME if a kernel lists nothing or an
    illegal action, or there is no end. `play_line` plays the same game with `choices_of(rng)`.

    Args:
        sensible: choose among `search_actions` instead of `legal_actions`.
        actions: int64[num_actions], scratch.
    """
    for _ in range(kit.LONGEST_GAME):
        if kernels.terminal(state):
            return kernels.result(state)
        n = (kernels.search_actions(state, actions) if sensible
             else kernels.legal_actions(state, actions))
        if n < 1:
            return BAD_GAME
        action = actions[below(rng, CHOICES) % n]  # as `play_line` chooses
        if not 0 <= action < len(actions) or not kernels.is_legal(state, action):
            return BAD_GAME
        kernels.play(state, action)
    return BAD_GAME
