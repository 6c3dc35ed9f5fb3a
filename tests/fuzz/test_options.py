"""Numbers of all options of games and engines: a new option is fuzzed unasked."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import click
import numpy as np

from experiments.cli.main import cli
from tests.fuzz.harness import attempt, tries

IMPOSSIBLE = ("nan", "-nan", "inf", "-inf", "1e999", "-1e999", "9" * 400, "", "one", "0x10")
EXTREME = (
    "1e308", "-1e308", "1e-300", "-1e-300", "0", "-0.0", "-1", "99999999999999999999",
    "-99999999999999999999", "1e100", "1e18", "4294967296", "0.3", "2", "٣",
)


def commands(
    group: click.Group = cli, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command with the words that call it."""
    for name, found in group.commands.items():
        if isinstance(found, click.Group):
            yield from commands(found, (*path, name))
        else:
            yield (*path, name), found


def test_specifications_survive_their_numbers():
    """Games and engines: every numeric option that they declare."""
    from dlgo.games import game_class, game_names, get_game
    from engines.registry import EngineSpec, engine_class, engine_names

    for number in tries(300):
        rng = np.random.default_rng(number)
        kind = rng.choice(["game", "engine"])
        name = str(rng.choice(game_names() if kind == "game" else engine_names()))
        options = (game_class if kind == "game" else engine_class)(name).options
        numeric = [option for option in options if option.type in (int, float)]
        if not numeric:
            continue
        option = numeric[int(rng.integers(len(numeric)))]
        value = str(rng.choice([*EXTREME, *IMPOSSIBLE]))
        text = f"{name}:{option.name}={value}"
        parse_spec = get_game if kind == "game" else EngineSpec.parse
        attempt(f"try {number}: {text[:80]}", functools.partial(parse_spec, text))
