"""The engines that pages offer: what they are called, a list from weak to strong, levels."""

from __future__ import annotations

import functools
import re
from pathlib import Path, PurePath
from typing import Any

from dlgo.readers import read_toml
from engines.registry import is_outside
from experiments.studio.levels import levels
from experiments.studio.specs import HUMAN

View = dict[str, Any]

FILE = read_toml(Path(__file__).with_name("engines.toml"))


@functools.lru_cache(maxsize=1000)
def name_of(spec: str, game: str = "") -> str:
    """What people call an engine, in a game by its level: `MCTS, level 4`. Loads no code."""
    if spec == HUMAN:
        return spec
    if named := re.search(r"[:,]name=([^,]+)", spec):
        return named[1]
    family, colon, options = spec.partition(":")
    if family not in FILE["families"] and is_outside(spec):  # its class, or else its file
        word = options.partition(":")[0]
        return word if colon and word.isidentifier() else PurePath(family).stem
    title = FILE["families"].get(family, family.replace("_", " ").capitalize())
    if level := level_of(spec, game):
        return f"{title}, level {level['level']}"
    return next((preset["title"] for preset in presets() if preset["spec"] == spec), title)


def level_of(spec: str, game: str) -> View | None:
    """The level that an engine is in a game, of how many, and its Elo; None if it is none."""
    rows = levels().get(game, ())
    for row in rows:
        if row.engine == spec:
            return {"level": row.level, "of": len(rows), "elo": row.elo}
    return None


def levels_view(game: str) -> list[View]:
    """The levels of a game, the weakest first."""
    return [
        {"spec": row.engine, "name": name_of(row.engine), "elo": row.elo, "low": row.low,
         "high": row.high}
        for row in levels().get(game, ())
    ]


@functools.cache
def presets() -> list[View]:
    """Engines of the list, from weak to strong; `games`: for these games only, or null."""
    from engines.learning.networks.store import shipped_models

    def trained(kind: str) -> list[str]:
        """The games for which a network of that kind comes with the package."""
        names = (model.rpartition("-") for model in shipped_models())
        games = {game.rstrip("0123456789") for game, _, method in names if method == kind}
        return sorted(games | ({"connect4"} if "connect" in games else set()))

    return [
        {key: preset[key] for key in ("title", "spec", "note")} | {
            "games": trained(preset["trained"]) if "trained" in preset else preset.get("games")}
        for preset in FILE["preset"]
    ]
