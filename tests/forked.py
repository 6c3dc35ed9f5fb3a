"""What worker processes of tests are forked from: all that they load is loaded here, once.

See the fixture `forked_workers` of `conftest.py`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

import experiments.arena.games  # noqa: F401
from dlgo import GameState, get_game

# Numba gets ready with the first kernel.
GameState.new_game(get_game("tictactoe"))


class InThisEnvironment:
    """A function that brings along the environment in which its process is started.

    The process that it is forked from has another: without the mark of a worker, for one.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def __call__(self, *arguments: Any) -> Any:
        return self._function(*arguments)

    def __reduce__(self) -> tuple[Any, ...]:
        return _in_environment, (self._function, dict(os.environ))


def _in_environment(
    function: Callable[..., Any], environment: Mapping[str, str]
) -> Callable[..., Any]:
    os.environ.clear()
    os.environ.update(environment)
    return function
