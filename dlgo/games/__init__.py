"""The games, by name. A new game is one folder here and one line in `_GAMES`, or your own file:
`get_game("my_game.py")`.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from types import ModuleType
from typing import Any

from dlgo.api import GameSpec
from dlgo.errors import SpecError, UnnamedGameError
from dlgo.games.checked import check_declaration, make_game
from dlgo.plugins import PluginGroup, incomplete, path_and_member
from dlgo.specs import split_settings

# name -> "module:class". Modules load on demand.
_GAMES = {
    "tictactoe": "dlgo.games.tictactoe.state:TicTacToe",
    "connect4": "dlgo.games.connect4.state:ConnectFour",
    "connectn": "dlgo.games.connectn.state:ConnectN",
    "go": "dlgo.games.go.state:Go",
    "draughts": "dlgo.games.draughts.state:Draughts",
    "hex": "dlgo.games.hex.state:Hex",
    "othello": "dlgo.games.othello.state:Othello",
    "breakthrough": "dlgo.games.breakthrough.state:Breakthrough",
}


def _is_game(value: Any) -> bool:
    return inspect.isclass(value) and issubclass(value, GameSpec) and not inspect.isabstract(value)


GAMES = PluginGroup("game", _GAMES, _is_game, "a game is a complete subclass of dlgo.GameSpec")


def game_names() -> list[str]:
    """The names for `get_game`: built-in games, and those of installed packages."""
    return GAMES.names()


def game_class(name: str) -> type[GameSpec]:
    """The GameSpec class called `name`, which may be `FILE.py:Class`.

    Raises SpecError, with file and line, if it cannot be loaded.
    """
    plugin = GAMES.find(name)
    if plugin.origin is not None or GAMES.is_given(name):
        plugin.target.spec_name = plugin.reference
        if "spec_digest" not in vars(plugin.target):  # the digest is that of the loading time
            plugin.target.spec_digest = plugin.digest
    cls: type[GameSpec] = plugin.target
    own = _GAMES.get(getattr(cls, "name", ""))
    if own is not None and name not in _GAMES and not issubclass(cls, GAMES.find(cls.name).target):
        raise SpecError(
            f"game {name}: the class has the name {cls.name!r}, which is a game of this project; "
            f"choose another, such as name = 'my_{cls.name}'")
    return cls


def get_game(
    spec: str | Path | GameSpec | type[GameSpec] | ModuleType, *size: int, **settings: Any
) -> GameSpec:
    """The game a specification names: `get_game("go", size=9)`, `get_game("go:size=9,komi=7")`.

    `go9` and `get_game("go", 9)` are short for `go:size=9`. A specification may end in a version,
    as `GameSpec.versioned` writes it; then SpecError is raised if the game has another version.

    Args:
        spec: a specification, a file, a `GameSpec` class, a module with one, or a game, which is
            returned unchanged.
        size: the value of the option `size`.
        settings: other options.
    """
    if isinstance(spec, GameSpec):
        cls = type(spec)
        if cls.__module__.partition(".")[0] != "dlgo" and not GAMES.is_known(spec.called):
            game_class(GAMES.name_of(cls))  # made by its class, or in another process
            spec.called = cls.spec_name
        check_declaration(spec)
        return spec
    version = ""
    spec_options: dict[str, Any] = {}
    if _is_game(spec) or isinstance(spec, ModuleType):
        name = GAMES.name_of(spec)
    elif isinstance(spec, str | Path):
        spec, version = GAMES.split_version(str(spec))
        name, settings_text = GAMES.split(spec)
        spec_options = dict(split_settings(settings_text, f"game {spec!r}"))
    elif inspect.isclass(spec) and issubclass(spec, GameSpec):
        raise SpecError(f"game {incomplete(spec)}")
    else:
        raise SpecError(f"{spec!r} is not a game; write its name, such as dlgo.game('connect4')")
    short = re.fullmatch(r"([a-z]+)(\d+)", name) if name not in _GAMES else None
    if short and short[1] in _GAMES and "size" in {o.name for o in game_class(short[1]).options}:
        name = short[1]
        spec_options.setdefault("size", short[2])
    cls = game_class(name)
    if size:
        if len(size) > 1 or "size" not in {option.name for option in cls.options}:
            if not cls.options:
                raise SpecError(f"game {name} has no options; write dlgo.game({name!r})")
            options = ", ".join(f"{option.name}=..." for option in cls.options)
            raise SpecError(f"game {name} takes options by name: dlgo.game({name!r}, {options})")
        spec_options.setdefault("size", size[0])
    game = make_game(cls, {**spec_options, **settings})
    if version and version != game.version:
        raise SpecError(
            f"game {name} was edited: you asked for version {version}, but its file now has "
            f"version {game.version or 'unknown'}; restore the file, or play and train again"
        )
    return game


def recorded_game(spec: str) -> GameSpec:
    """The game that a file names: a record, a ledger, training data, a model.

    A file never triggers code. If the rules of the game are a user's file, the user must have named
    it before in this process; otherwise UnnamedGameError is raised, with the remedy.
    """
    name, _ = GAMES.split(GAMES.split_version(spec)[0])
    if not GAMES.is_loaded(name):
        path, _ = path_and_member(name)
        path = path if path.endswith(".py") else name
        raise UnnamedGameError(
            f"game {name!r} is named by a file, and its code runs only if you name it, too: add "
            f"--game {path} (`dlgo play` takes it as GAME; Python calls dlgo.game({path!r}) first)"
        )
    return get_game(spec)


def with_tablebase(game: GameSpec, pieces: int) -> GameSpec:
    """The same game, in which a search uses the exact results of endgame tables.

    Its `scratch_state` makes states that are over, with the exact result, as soon as the
    tables have the position: one of at most this many pieces. SpecError without tables.
    """
    if game.name != "draughts":
        raise SpecError(f"{game} has no endgame tables; leave out tables={pieces}")
    from dlgo.games.draughts.endgames.tablebase import draughts_with_tablebase

    return draughts_with_tablebase(pieces)
