"""The random bot: the floor of every rating list (chapter 3.4 of the book).

Uniform among the game's sensible moves: in Go it does not fill its own eyes, and it passes
only when nothing else is left.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dlgo import kernels
from dlgo.api import GameState
from dlgo.jit import kernel
from dlgo.rng import below, make_rng
from engines.base import Budget, Cost, Decision, Engine, Kernels


class RandomEngine(Engine):
    """Plays a random legal move, in Go one that fills no own eye."""

    name = "random"
    summary = "a random sensible move; the floor of every rating list"

    def new_game(self, seed: int) -> None:
        self._rng = make_rng(seed)
        self._actions = np.zeros(self.game.num_actions, np.int64)

    def _decide(self, state: GameState, budget: Budget) -> Decision:
        action = random_action(*self._arguments(state))
        return Decision(self.game.move_of(action), cost=Cost(nodes=1))

    def kernels(self, state: GameState) -> Kernels:
        calls = {"random_action": (random_action, self._arguments(state))}
        return Kernels("random", calls, {"options": []})

    def _arguments(self, state: GameState) -> tuple[Any, ...]:
        return state.kernel_state, self.game.pass_action, self._actions, self._rng


@kernel
def random_action(state, pass_action, actions, rng):
    """A random one of the game's `search_actions`; a pass only if it is the only one."""
    n = kernels.search_actions(state, actions)
    while n > 1:
        i = below(rng, n)
        if actions[i] != pass_action:
            return actions[i]
        n -= 1
        actions[i] = actions[n]
    return actions[0]
