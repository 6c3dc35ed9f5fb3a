"""Tournament plans as TOML files:

    games = ["tictactoe", "connect4", "go:size=9,komi=7"]
    engines = ["random", "alphabeta:depth=4", "mcts:sims=1000"]
    pairs = 10            # openings a meeting, each played with both colours
    seed = 1
    opening_plies = 4     # optional; by default each game's own number

Called by the command line, whose options override the file.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dlgo.errors import SpecError
from experiments.arena.schedule import Plan

_DEFAULTS: dict[str, Any] = {"pairs": 10, "seed": 1, "opening_plies": None}
_LISTS = ("games", "engines")


def read_plan(path: str | Path | None, overrides: Mapping[str, Any]) -> Plan:
    """The plan in the file, if there is one, with every override that is set.

    Args:
        path: a TOML file, or None for a plan made of overrides alone.
        overrides: any of the file's keys; None and empty lists count as not set.

    Raises:
        SpecError: if the file is missing or wrong, or no games or engines are named.
    """
    values = {**_DEFAULTS, **(_read(Path(path)) if path is not None else {})}
    values.update({key: value for key, value in overrides.items() if value not in (None, (), [])})
    for key in _LISTS:
        if key not in values:
            raise SpecError(
                f"the tournament names no {key}: write {key} = [...] in a plan file, "
                f"or --{key[:-1]} NAME"
            )
    return Plan(
        games=tuple(values["games"]), entrants=tuple(values["engines"]), pairs=values["pairs"],
        opening_plies=values["opening_plies"], seed=values["seed"],
    ).canonical()


def _read(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            values = tomllib.load(file)
    except OSError as error:
        raise SpecError(f"plan {path} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SpecError(f"plan {path} is not TOML: {error}") from error
    for key, value in values.items():
        if key in _LISTS:
            good = isinstance(value, list) and all(isinstance(item, str) for item in value)
            wanted = "a list of texts"
        elif key in _DEFAULTS:
            good = isinstance(value, int) and not isinstance(value, bool)
            wanted = "a whole number"
        else:
            raise SpecError(
                f"plan {path}: unknown key {key!r}; there are {', '.join((*_LISTS, *_DEFAULTS))}"
            )
        if not good:
            raise SpecError(f"plan {path}: {key} = {value!r} is not {wanted}")
    return values
