"""Tournament plans as TOML files:

    games = ["tictactoe", "connect4", {name = "go", size = [5, 9], komi = 7}]
    engines = ["random", "alphabeta:depth=4", {name = "mcts", sims = [10, 100, 1000]}]
    pairs = 10            # openings a meeting, each played with both colours
    seed = 1

A list inside an entry stands for one entry for each of its values. docs/tournaments.md has all
keys. Called by the command line, whose options override the file.
"""

from __future__ import annotations

import dataclasses
import itertools
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dlgo.errors import SpecError
from dlgo.specs import suggest
from experiments.arena.limits import Limits
from experiments.arena.schedule import Plan

_LISTS = ("games", "engines", "challengers")
_WORDS = ("kind", "pairing")
_WHOLE = ("pairs", "seed", "opening_plies", "max_pairs", "memory_mb", "max_failures")
_NUMBERS = ("target_elo", "alpha", "beta", "move_timeout", "game_cpu", "game_wall")
_TWO_NUMBERS = ("sprt",)
KEYS = (*_LISTS, *_WORDS, *_WHOLE, *_NUMBERS, *_TWO_NUMBERS)
_DEFAULTS: dict[str, Any] = {"pairs": 10, "seed": 1}
_LIMITS = tuple(field.name for field in dataclasses.fields(Limits))


def read_plan(path: str | Path | None, overrides: Mapping[str, Any]) -> tuple[Plan, Limits]:
    """The plan in the file, if there is one, with every override that is set.

    Args:
        path: a TOML file, or None for a plan made of overrides alone.
        overrides: any of the file's keys; None and empty lists count as not set.

    Raises:
        SpecError: if the file is missing or wrong, or no games or engines are named.
    """
    values = {**_DEFAULTS, **(_read(Path(path)) if path is not None else {})}
    values.update({key: value for key, value in overrides.items() if value not in (None, (), [])})
    for key in ("games", "engines"):
        if key not in values:
            raise SpecError(
                f"the tournament names no {key}: write {key} = [...] in a plan file, "
                f"or --{key[:-1]} NAME"
            )
    limits = Limits(**{key: values.pop(key) for key in _LIMITS if key in values}).checked()
    values["entrants"] = values.pop("engines")
    lists = {key: tuple(values.pop(key)) for key in ("games", "entrants", "challengers")
             if key in values}
    return Plan(**lists, **values).canonical(), limits


def _read(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            values = tomllib.load(file)
    except OSError as error:
        raise SpecError(f"plan {path} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SpecError(f"plan {path} is not TOML: {error}") from error
    return {key: _checked(f"plan {path}", key, value) for key, value in values.items()}


def _checked(owner: str, key: str, value: Any) -> Any:
    """The value of a key. Raises SpecError for a wrong key or type."""
    if key in _LISTS:
        if isinstance(value, list) and all(isinstance(item, str | dict) for item in value):
            return [text for item in value for text in _expanded(f"{owner}: {key}", item)]
        wanted = "a list of texts or tables"
    elif key in _WORDS:
        wanted = "a text" if not isinstance(value, str) else ""
    elif key in _WHOLE:
        wanted = "a whole number" if type(value) is not int else ""
    elif key in _NUMBERS:
        wanted = "a number" if not _is_number(value) else ""
    elif key in _TWO_NUMBERS:
        if isinstance(value, list) and len(value) == 2 and all(map(_is_number, value)):
            return tuple(map(float, value))
        wanted = "a list of two numbers"
    else:
        raise SpecError(
            f"{owner}: unknown key {key!r}{suggest(key, KEYS)}; there are {', '.join(KEYS)}"
        )
    if wanted:
        raise SpecError(f"{owner}: {key} = {value!r} is not {wanted}")
    return value


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


def _expanded(owner: str, item: str | dict[str, Any]) -> list[str]:
    """The specifications that an entry stands for.

    `{name = "mcts", sims = [10, 100], c = 1.4}` is `mcts:sims=10,c=1.4` and
    `mcts:sims=100,c=1.4`; of two lists, every combination is meant.
    """
    if isinstance(item, str):
        return [item]
    if not isinstance(item.get("name"), str):
        raise SpecError(f"{owner}: {item!r} has no name; write {{name = \"mcts\", sims = [10]}}")
    choices = [
        [f"{key}={_text(owner, one)}" for one in (value if isinstance(value, list) else [value])]
        for key, value in item.items() if key != "name"
    ]
    specs = [",".join(chosen) for chosen in itertools.product(*choices)]
    if not specs:
        raise SpecError(f"{owner}: {item!r} has an empty list, and so stands for nothing")
    return [f"{item['name']}:{spec}" if spec else item["name"] for spec in specs]


def _text(owner: str, value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int | float):
        return str(value)
    raise SpecError(f"{owner}: {value!r} is not a text, number, true or false")
