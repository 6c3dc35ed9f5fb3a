"""Tournament plans as TOML files:

    games = ["tictactoe", "connect4", {name = "go", size = [5, 9], komi = 7}]
    engines = ["random", "alphabeta:depth=4", {name = "mcts", sims = [10, 100, 1000]}]
    pairs = 10            # openings a match, each played with both colours
    seed = 1

A list inside an entry makes one entry for each of its values. A relative path, such as
"my_bot.py:Greedy", begins at the plan's folder, or else at the working folder. docs/tournaments.md
has all keys; options of the command line override the file.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dlgo.errors import SpecError
from dlgo.files import relative_path, user_path
from dlgo.plugins import path_and_member
from dlgo.readers import read_toml
from dlgo.specs import parse_settings
from engines.registry import ENGINES
from experiments.arena.plan_keys import KEYS, LIST_OPTIONS, PLAN_KEYS, Limits
from experiments.arena.schedule import CanonicalPlan, Plan


def read_plan(
    path: str | Path | None, overrides: Mapping[str, Any]
) -> tuple[CanonicalPlan, Limits]:
    """The plan in a TOML file, if there is one, with every override that is set.

    Overrides are any of the file's keys; None and empty lists count as not set. Raises SpecError if
    the file is missing or wrong, no games or engines are named, or a key has no effect.
    """
    keys: dict[str, Any] = {}
    if path is not None:
        owner = f"plan {path}"
        keys.update(checked_keys(owner, read_toml(Path(path), owner, error=SpecError)))
        for name in LIST_OPTIONS:
            if name in keys:
                keys[name] = [located(Path(path), text) for text in keys[name]]
    keys.update({key: value for key, value in overrides.items() if value not in (None, (), [])})
    values = {key.name: key.default for key in PLAN_KEYS if key.default is not None} | keys
    for key in ("games", "engines"):
        if key not in values:
            raise SpecError(
                f"no {key} given; write {key} = [...] in a plan file, "
                f"or add {LIST_OPTIONS[key]} NAME"
            )
    limits = Limits(**{name: values.pop(name) for name in Limits.options() if name in values})
    limits.check()
    values["entrants"] = values.pop("engines")
    plan: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value
            for key, value in values.items()}
    checked = Plan(**plan).canonical()
    _check_used(keys)
    return checked, limits


def _check_used(keys: Mapping[str, Any]) -> None:
    """Raise SpecError for a key that has no effect beside the others."""
    if "sprt" in keys and "pairs" in keys:
        raise SpecError(
            f"pairs={keys['pairs']} has no effect with sprt; set max_pairs instead")
    if "max_pairs" in keys and not {"sprt", "target_elo"} & keys.keys():
        raise SpecError(f"max_pairs={keys['max_pairs']} needs target_elo or sprt; add one, or use "
                        "pairs")
    for name in ("alpha", "beta", "elo_model"):
        if name in keys and "sprt" not in keys:
            raise SpecError(f"{name}={keys[name]} needs sprt; add it, or leave {name} out")


def located(plan: Path, spec: str) -> str:
    """The specification, a relative path in it as seen from the working folder."""
    path, _ = path_and_member(ENGINES.split(spec)[0])
    if not path.endswith(".py") or (file := user_path(path)).is_absolute():
        return spec
    for place in (plan.parent / file, file):
        if place.is_file():
            return relative_path(place) + spec.strip().removeprefix(path)
    raise SpecError(
        f"plan {plan}: file {file} is neither in the plan's folder, {plan.parent.resolve()}, nor "
        f"in the working folder, {Path.cwd()}"
    )


def checked_keys(owner: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a plan's keys. Raises SpecError, naming `owner`, for a wrong key or value."""
    checked = parse_settings(owner, KEYS.values(), values, "key")
    return {
        name: [text for item in value for text in _expanded(f"{owner}: {name}", item)]
        if KEYS[name].type is list else value for name, value in checked.items()
    }


def _expanded(owner: str, item: str | dict[str, Any]) -> list[str]:
    """The specifications of an entry: `{name = "mcts", sims = [10, 100]}` is `mcts:sims=10` and
    `mcts:sims=100`; of two lists, every combination is meant."""
    if isinstance(item, str):
        return [item]
    if not isinstance(item.get("name"), str):
        raise SpecError(f"{owner}: {item!r} has no name; write {{name = \"mcts\", sims = [10]}}")
    choices = []
    for key, value in item.items():
        values = value if isinstance(value, list) else [value]
        if not values:
            raise SpecError(f"{owner}: {item!r} has an empty list; add a value to it")
        for choice in values:
            if not isinstance(choice, bool | str | int | float):
                raise SpecError(f"{owner}: {choice!r} is not a text, a number, true or false")
        if key != "name":
            texts = [str(choice).lower() if isinstance(choice, bool) else str(choice)
                     for choice in values]
            choices.append([f"{key}={text}" for text in texts])
    specs = map(",".join, itertools.product(*choices))
    return [f"{item['name']}:{spec}" if spec else item["name"] for spec in specs]
