"""What functions of `import dlgo` share: checks of their arguments, and where the work runs."""

from __future__ import annotations

import functools
import inspect
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

from dlgo.api import GameSpec
from dlgo.errors import SpecError
from dlgo.games import GAMES
from dlgo.specs import check_number, split_version, suggest
from engines.base import Engine
from engines.jobs import Executor, Inline
from engines.registry import ENGINES, build_engine
from experiments.datasets.options import MOST_GAMES

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

# Arguments that are whole numbers in all functions, with their bounds.
_WHOLE_NUMBERS = {
    "games": (1, MOST_GAMES), "seed": (-math.inf, math.inf), "workers": (1, 1000),
    "pairs": (1, math.inf),
}


def called(
    function: Callable[Arguments, Result], name: str = ""
) -> Callable[Arguments, Result]:
    """Turn a call with wrong arguments into one clear sentence; a keyword of None is not given.
    `name` is the name of the function in `dlgo`; by default its own name."""
    signature, name = inspect.signature(function), name or function.__name__
    plain = [parameter.replace(annotation=inspect.Parameter.empty)
             for parameter in signature.parameters.values()]

    @functools.wraps(function)
    def checked(*values: Arguments.args, **named: Arguments.kwargs) -> Result:
        try:
            given = {key: value for key, value in named.items() if value is not None}
            bound = signature.bind(*values, **given)
        except TypeError as error:
            unknown = next((key for key in named if key not in signature.parameters), "")
            raise SpecError(
                f"{name}: {error}{suggest(unknown, signature.parameters)}; it takes "
                f"{', '.join(map(str, plain))}"
            ) from None
        for key, (low, high) in _WHOLE_NUMBERS.items():
            if key in bound.arguments:
                bound.arguments[key] = check_number(
                    bound.arguments[key], f"{name}: {key}", int, low, high)
        return function(*bound.args, **bound.kwargs)

    return checked


@called
def engine(spec: Any, game: str | GameSpec, seed: int = 0) -> Engine:
    """An engine that is ready to play: everything that it needs is compiled and loaded.

    Args:
        spec: a specification, such as "mcts:sims=200" or "my_bot.py:MyBot"; or a class or an
            object with a method `select_move(state)`.
        game: the game that it plays.
        seed: the same seed gives the same moves if budgets are counts, not times.

    Raises:
        SpecError: for an unknown engine or option, or one that cannot play the game.
    """
    built = build_engine(spec, game, seed)
    built.warm_up()
    built.new_game(seed)
    return built


@contextmanager
def jobs_for(
    specs: Sequence[str], cluster: str | None, workers: int | None, log: Callable[[str], None],
) -> Iterator[Executor | None]:
    """The executor: a cluster; this process, if a game or an engine was made in Python; else None,
    for processes of this machine."""
    from experiments.cluster import executor_on

    here = made_here(*specs)
    if here:
        log(one_process_text(here))
        yield Inline()
    else:
        with executor_on(cluster, log, specs, workers) as jobs:
            yield jobs


def made_here(*specs: str) -> list[str]:
    """The games and engines that were made in Python, and that no other process can find."""
    return [split_version(name)[0] for spec in dict.fromkeys(specs) for group in (GAMES, ENGINES)
            if group.is_given(name := group.split(spec)[0])]


def log(text: str) -> None:
    """Print a line for people on standard error."""
    print(text, file=sys.stderr, flush=True)


def one_process_text(names: list[str]) -> str:
    """The line for games and engines that only this process has."""
    return (f"{', '.join(names)} was defined in the notebook or script, so this process plays all "
            "games, one by one; to use all cores, put the class in a file and name FILE.py:NAME")
