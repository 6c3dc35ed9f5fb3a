"""The games, by name. A new game is one folder here and one line in `_GAMES`."""

from __future__ import annotations

import importlib
import re
from typing import Any

from dlgo.api import GameSpec
from dlgo.errors import SpecError
from dlgo.specs import split_spec, suggest

# name -> "module:class". Modules load on demand, so that one game does not pay for another.
_GAMES = {
    "tictactoe": "dlgo.games.tictactoe.state:TicTacToe",
    "connect4": "dlgo.games.connect4.state:ConnectFour",
    "connectn": "dlgo.games.connectn.state:ConnectN",
    "go": "dlgo.games.go.state:Go",
    "draughts": "dlgo.games.draughts.state:Draughts",
}


def game_names() -> list[str]:
    """The names `get_game` knows."""
    return list(_GAMES)


def game_class(name: str) -> type[GameSpec]:
    """The GameSpec class called `name`. Raises SpecError for an unknown one."""
    if name not in _GAMES:
        raise SpecError(
            f"unknown game {name!r}{suggest(name, _GAMES)}; games are {', '.join(_GAMES)}"
        )
    module, _, cls = _GAMES[name].partition(":")
    return getattr(importlib.import_module(module), cls)


def get_game(spec: str | GameSpec, **settings: Any) -> GameSpec:
    """The game a specification names: `get_game("go", size=9)`, `get_game("go:size=9,komi=7")`.

    `go9` is short for `go:size=9`.

    Raises:
        SpecError: for an unknown game, an unknown option or a bad value.
    """
    if isinstance(spec, GameSpec):
        return spec
    name, given = split_spec(spec, "game")
    short = re.fullmatch(r"([a-z]+)(\d+)", name) if name not in _GAMES else None
    if short and short[1] in _GAMES and "size" in {o.name for o in game_class(short[1]).options}:
        name = short[1]
        given.setdefault("size", short[2])
    return game_class(name)(**{**given, **settings})
