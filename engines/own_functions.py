"""Functions of the user in our searches: values of positions, and priors of moves.

    alphabeta:evaluation=my.py:count     what the positions at the end of the search are worth
    puct:evaluator=my.py:count           what leaves are worth
    puct:prior=my.py:likely              how likely each move is

A value is a number from -1 (lost) to 1 (won), as the player to move sees it. A prior gives every
move a weight of at least 0. A plain function is given a `GameState`; it returns the value, or the
weights as a list (in the order of `legal_moves()`) or a dict of moves or their texts. A compiled
function (`dlgo.jit.kernel`) is given the arrays of a state; it returns the value, or writes the
weights into a second argument, float32[num_actions].
"""

from __future__ import annotations

import collections
import inspect
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dlgo import kernels
from dlgo.api import GameState, Move
from dlgo.errors import BotError, DlgoError, SpecError
from dlgo.jit import kernel
from dlgo.plugins import Plugin, PluginGroup
from dlgo.specs import Option
from engines.search.evaluators import value_of

# The option of engines that search to a limited depth.
EVALUATION = Option("evaluation", "game", "evaluation at the end of the search; game: the game's "
                    "own; FILE.py:NAME: your function", choices=("game",), function=True)

FUNCTIONS = PluginGroup(
    "function", {}, lambda value: inspect.isfunction(value) or hasattr(value, "py_func"),
    "it must be a function of a position",
)


def find_function(text: Any) -> Plugin | None:
    """The function that an option names, as FILE.py:NAME; None if its value is something else.
    Raises SpecError, naming file and line, if it cannot be loaded."""
    if not names_function(text):
        return None
    name, settings = FUNCTIONS.split(text)
    if settings is not None:
        raise SpecError(f"function {text!r}: a function has no options; write {name}")
    return FUNCTIONS.find(name)


def names_function(text: Any) -> bool:
    """Whether the value of an option names a function. Nothing is loaded to find out."""
    return isinstance(text, str) and FUNCTIONS.is_file(FUNCTIONS.split(text)[0])


@dataclass(frozen=True)
class OwnFunction:
    """A function of the user's own."""

    name: str  # how the specification calls it
    function: Any

    @classmethod
    def load(cls, text: Any) -> OwnFunction | None:
        """The function that an option names. Raises as `find_function`."""
        plugin = find_function(text)
        return None if plugin is None else cls(plugin.reference, plugin.target)

    @property
    def compiled(self) -> bool:
        """Whether it takes the arrays of a state."""
        return hasattr(self.function, "py_func")

    def value(self, state: GameState) -> float:
        """The value of a position for the player to move, -1 to 1. Raises BotError for other
        values."""
        answer = self.function(state.kernel_state if self.compiled else state)
        number = self._number(answer, "a number from -1 to 1")
        if not -1 <= number <= 1:
            raise BotError(f"{self.name} returned {answer!r}, not a number from -1 to 1")
        return number

    def weights(self, state: GameState, out: np.ndarray) -> None:
        """Write the weights of the moves into `out`, float32[num_actions], all 0 before. Raises
        BotError if a weight is no number of at least 0, or its move is not legal."""
        if self.compiled:
            self.function(state.kernel_state, out)
            return
        answer = self.function(state)
        moves = state.legal_moves()
        if isinstance(answer, dict):
            table = {self._move(state, move): weight for move, weight in answer.items()}
        elif np.shape(answer) == (len(moves),):
            table = dict(zip(moves, answer, strict=True))
        else:
            raise BotError(f"{self.name} returned {str(answer)[:80]}, not a dict of moves and "
                           f"weights, nor a weight for each of the {len(moves)} legal moves")
        for move, weight in table.items():
            number = self._number(weight, "a weight of at least 0")
            if not (0 <= number < math.inf and move in moves):
                text = state.game.move_text(move)
                raise BotError(f"{self.name} gave the move {text} the weight {weight!r}; weights "
                               "are numbers of at least 0, of legal moves")
            out[state.game.action_of(move)] = number

    def _number(self, answer: Any, kind: str) -> float:
        try:
            return float(answer)
        except (TypeError, ValueError):
            raise BotError(f"{self.name} returned {answer!r}, not {kind}") from None

    def _move(self, state: GameState, move: Move | str) -> Move:
        try:
            return state.game.parse_move(state, move) if isinstance(move, str) else move
        except DlgoError as error:
            raise BotError(f"{self.name} weighs the move {move!r}: {error}") from None

    def evaluator(self) -> Any:
        """A compiled value function as a part of our compiled searches; None if it is not compiled.

        The part is an empty tuple of a class of its own, by which the searches choose it. The class
        is in the function's module, where the cache of machine code looks for it.
        """
        if not self.compiled:
            return None
        module, name = sys.modules[self.function.__module__], f"{self.function.__name__}_evaluator"
        if not hasattr(module, name):
            named_tuple: Any = collections.namedtuple  # of a name that only this process knows
            cls = named_tuple(name, (), module=module.__name__)
            value_of.register(cls, _value_kernel(self.function))
            setattr(module, name, cls)
        return getattr(module, name)()


def _value_kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    @kernel
    def value(evaluator, state, n, scratch, rng):
        value = min(max(function(state), -1.0), 1.0)
        return (1 - 2 * kernels.to_move(state)) * value

    return value
