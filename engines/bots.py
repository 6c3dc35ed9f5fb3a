"""Engines that inherit from nothing: a class or a function with `select_move(state)`.

    class Greedy:
        def select_move(self, state):            # or (self, state, budget)
            return "D3"                          # or a Move, or a Decision

`select_move` is all that must be there. Its constructor is given as much of `game`, `budget`,
`seed` and its options as it takes. Options are those in the list `options` (of
`dlgo.specs.Option`), or else the constructor's other parameters. With `new_game(seed)`, one
object plays game after game; without it, each game has a new one. `close()` is called at the end.
"""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from dlgo.api import GameState, Move
from dlgo.budgets import BUDGET_NAMES
from dlgo.errors import BotError, DlgoError, PluginError
from dlgo.specs import Option
from dlgo.tracebacks import describe_error
from engines.base import Budget, Decision, Engine

WANTED = "it has no select_move(state)"
_OFFERED = ("game", "budget", "seed", "options")


class BotEngine(Engine):
    """An engine around an object that selects moves."""

    target: ClassVar[Any]  # the class, function or object
    source: ClassVar[Path | None] = None  # its file

    def _set_up(self) -> None:
        self._bot: Any = None

    def new_game(self, seed: int) -> None:
        self._seed = seed
        if inspect.isclass(self.target):
            if self._bot is not None and hasattr(self._bot, "new_game"):
                self._call("new_game", self._bot.new_game, seed)
                return
            self.close()
            parameters = _parameters(self.target)
            offered = {"game": self.game, "budget": self.budget, "seed": seed,
                       "options": dict(self.settings)}
            settings = {option.name: self.settings[option.name] for option in self.options}
            arguments = {key: value for key, value in offered.items() if key in parameters} | {
                key: value for key, value in settings.items()
                if value is not None and (key in parameters or _takes_everything(parameters))
            }
            seeded = "seed" in arguments
            self._bot = self._call("__init__", self.target, **arguments)
        else:
            self._bot, seeded = self.target, False
        if hasattr(self._bot, "new_game"):
            self._call("new_game", self._bot.new_game, seed)
        elif not seeded:  # what it draws from the usual generators is drawn again
            random.seed(seed)
            np.random.seed(seed % 2**32)

    def _decide(self, state: GameState, budget: Budget) -> Decision:
        select = getattr(self._bot, "select_move", self._bot)
        arguments = (state, budget) if _takes_budget(self.target) else (state,)
        answer = self._call("select_move", select, *arguments)
        if isinstance(answer, Decision) and isinstance(answer.move, Move):
            return answer
        if isinstance(answer, str):
            try:
                answer = state.read_move(answer)
            except DlgoError as error:
                place = self._what("select_move")
                raise BotError(f"{place} returned {answer!r}: {error}") from None
        if not isinstance(answer, Move):
            wrong = answer.move if isinstance(answer, Decision) else answer
            # A class of the bot's file names it with its whole path, which others may read.
            text = repr(wrong).replace(f"{type(wrong).__module__}.", "")[:80]
            raise BotError(f"{self._what('select_move')} returned {text}, not a move")
        return Decision(answer)

    def close(self) -> None:
        bot, self._bot = self._bot, None
        if bot is not None and hasattr(bot, "close"):
            self._call("close", bot.close)

    def _call(
        self, method: str, function: Callable[..., Any], *arguments: Any, **named: Any,
    ) -> Any:
        """Call the bot; what it raises becomes one line that names file and line."""
        try:
            return function(*arguments, **named)
        except Exception as error:
            place = self.source.name if self.source is not None else self._what(method)
            raise BotError(f"{place}{describe_error(error, self.source)}") from error

    def _what(self, method: str) -> str:
        name = getattr(self.target, "__name__", type(self.target).__name__)
        return name if inspect.isfunction(self.target) else f"{name}.{method}"


def fits(target: Any) -> bool:
    """Whether a class or function can play."""
    return inspect.isfunction(target) or (
        inspect.isclass(target) and callable(getattr(target, "select_move", None))
    )


def is_bot(value: Any) -> bool:
    """Whether an object, class or function can play."""
    return fits(value) or callable(getattr(value, "select_move", None))


def as_engine(target: Any, source: Path | None = None) -> type[Engine]:
    """The engine class of a bot: the class itself, if it is an `Engine`. Raises PluginError if it
    declares options that its constructor does not take."""
    if inspect.isclass(target) and issubclass(target, Engine):
        return target
    name = getattr(target, "__name__", type(target).__name__)
    options = _options_of(target, name) if inspect.isclass(target) else ()
    budgets = getattr(target, "budgets", None)
    if budgets is None:
        own = {option.name for option in options}
        budgets = [key for key in BUDGET_NAMES if key not in own] if _takes_budget(target) else ()
    documentation = (inspect.getdoc(target) or "").split("\n")[0]
    return type(name, (BotEngine,), {
        "target": staticmethod(target) if inspect.isfunction(target) else target,
        "source": source, "name": name, "summary": documentation or "an external bot",
        "options": options, "budgets": tuple(budgets), "__module__": __name__,
        "default_budget": getattr(target, "default_budget", Budget()),
    })


def _parameters(target: Any) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(target).parameters
    except (TypeError, ValueError):  # a class without a constructor of its own
        return {}


def _takes_everything(parameters: Mapping[str, inspect.Parameter]) -> bool:
    return any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def _takes_budget(target: Any) -> bool:
    select = target if inspect.isfunction(target) else target.select_move
    parameters = [
        p for p in inspect.signature(select).parameters.values()
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD, p.VAR_POSITIONAL)
    ]
    n_state_parameters = 1 + (inspect.isclass(target) and not isinstance(
        inspect.getattr_static(target, "select_move"), staticmethod | classmethod
    ))
    return len(parameters) > n_state_parameters


def _options_of(target: type, name: str) -> tuple[Option, ...]:
    """The options that it lists, or those made from the parameters of its constructor."""
    parameters = _parameters(target)
    if (listed := getattr(target, "options", None)) is not None:
        takes_all = _takes_everything(parameters) or "options" in parameters
        for option in listed:
            if not isinstance(option, Option):
                raise PluginError(f"{name}.options holds {option!r}, not an Option")
            if not takes_all and option.name not in parameters:
                raise PluginError(
                    f"{name} has the option {option.name}, which its constructor does not take; "
                    f"write def __init__(self, {option.name})"
                )
        return tuple(listed)
    options = []
    for key, parameter in parameters.items():
        default = None if parameter.default is parameter.empty else parameter.default
        kinds = (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
        if key in _OFFERED or parameter.kind in kinds:
            continue
        if default is None or isinstance(default, int | float | str):
            kind = type(default) if default is not None else _kind(parameter.annotation)
            options.append(Option(key, default, f"option of {name}", kind=kind))
    return tuple(options)


def _kind(annotation: Any) -> type:
    """The type of an option without a default, by its annotation; text if that says nothing."""
    kinds = {"int": int, "float": float, "bool": bool}
    return annotation if annotation in kinds.values() else kinds.get(str(annotation), str)
