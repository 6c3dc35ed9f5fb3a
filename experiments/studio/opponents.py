"""The engines that pages offer: what they are called, a list from weak to strong, levels."""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterable
from pathlib import Path, PurePath
from typing import Any

from dlgo import get_game
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


def strongest(game: str, among: Collection[str] | None = None, searches: bool = False) -> str:
    """The strongest engine that comes with the package for a game and its board: that of the last
    level, with as many simulations as its kind has in the list; else by the list; `among` these,
    or one that `searches`, so that a page can watch it."""
    measured = []
    for row in levels().get(game, ())[-1:]:
        spec = re.sub("[:,](temperature|vary|rules)=[^,]+", "", row.engine)
        most = max(_simulations(one["spec"]) for one in [*presets(), {"spec": spec}]
                   if one["spec"].startswith(spec.partition(":")[0]))
        measured.append(re.sub(r"\bsims=\d+", f"sims={most}", spec))
    listed = [preset["spec"] for preset in presets()[::-1] if has_board(preset["games"], game)]
    return next(
        (spec for spec in (*measured, *listed) if among is None or spec in among
         if not (searches and spec.startswith("solver"))), "mcts:sims=1000")


def adviser(game: str, opponents: Iterable[str]) -> str:
    """The engine for hints: `strongest`, or an opponent that may be stronger, which is a program
    or has more simulations."""
    best = strongest(game)
    for spec in opponents:
        family, _, settings = spec.partition(":")
        if family == "gtp" or (family == best.partition(":")[0]
                               and _simulations(settings) > _simulations(best)):
            best = spec
    return best


def _simulations(settings: str) -> int:
    number = re.search(r"\bsims=(\d+)", settings)
    return int(number[1]) if number else 0


def has_board(games: Collection[str] | None, game: str) -> bool:
    """Whether a game is one of `games`, perhaps with more options; None are all."""
    return games is None or any(game == one or game.startswith(f"{one},") for one in games)


@functools.cache
def presets() -> list[View]:
    """Engines of the list, from weak to strong; `games`: for these games only, with the board for
    which a network is there, or null."""
    from engines.learning.networks.store import load_card, shipped_models

    boards: dict[str, set[str]] = {}  # by the method that has trained a network for them
    for name in shipped_models():
        _, card = load_card(name)
        method = str(card.training.get("method"))
        board = re.sub(",komi=[^,]+", "", str(get_game(card.game)))
        boards.setdefault(method, set()).add(board)
    return [
        {key: preset[key] for key in ("title", "spec", "note")} | {
            "games": sorted(boards.get(preset["trained"], ())) if "trained" in preset
            else preset.get("games")}
        for preset in FILE["preset"]
    ]
