"""Encoders, by name: `get_encoder("simple", get_game("go"))`. See `base.py` for the definition.

`dlgo encoders GAME` lists them with every plane. A new encoder is a function that takes a game
and returns an `Encoder`, and one line in a table below.
"""

from __future__ import annotations

import pkgutil

from dlgo.api import GameSpec
from dlgo.encoders.base import Encoder, encode, encode_many
from dlgo.errors import SpecError
from dlgo.specs import suggest

__all__ = [
    "Encoder", "default_encoder", "encode", "encode_many", "encoder_names", "get_encoder",
]

# name -> "module:function". Modules load on demand.
_GENERIC = {
    "oneplane": "dlgo.encoders.generic:one_plane",
    "threeplane": "dlgo.encoders.generic:three_plane",
    "planes": "dlgo.encoders.generic:all_planes",
    "zero": "dlgo.encoders.history:zero",
}
# By the game's name: encoders for that game only.
_OF_GAME = {
    "connect4": {
        "threats": "dlgo.encoders.connect4_threats:threats",
        "attacks": "dlgo.encoders.connect4_threats:attacks",
    },
    "draughts": {
        "squares": "dlgo.encoders.draughts_squares:squares",
        "captures": "dlgo.encoders.draughts_squares:captures",
    },
    "othello": {"plays": "dlgo.encoders.othello_plays:plays"},
    "go": {
        "sevenplane": "dlgo.encoders.go_liberties:seven_plane",
        "simple": "dlgo.encoders.go_liberties:simple",
        "zero11": "dlgo.encoders.go_liberties:zero_11",
        "alphago": "dlgo.encoders.alphago:alphago",
        "alphago49": "dlgo.encoders.alphago:alphago_49",
        "alphago41": "dlgo.encoders.alphago:alphago_41",
    },
}
# For games whose board looks alike from both players' sides.
_TURNED = {"turned": "dlgo.encoders.generic:turned"}
# Default encoders; for other games, the one that shows the whole position.
_DEFAULT = {"go": "simple"}


def encoder_names(game: GameSpec) -> list[str]:
    """The encoders that a game has."""
    return list(_table(game))


def _table(game: GameSpec) -> dict[str, str]:
    sides = _TURNED if game.colour_symmetry != "identity" else {}
    return {**_GENERIC, **sides, **_OF_GAME.get(game.name, {})}


def default_encoder(game: GameSpec) -> str:
    """The encoder to use by default."""
    usual = "planes" if game.colour_symmetry == "identity" else "turned"
    return _DEFAULT.get(game.name, usual)


def get_encoder(name: str, game: GameSpec) -> Encoder:
    """A new encoder with its own scratch arrays. Raises SpecError for a name that the game
    lacks."""
    table = _table(game)
    if not isinstance(name, str):
        raise SpecError(f"encoder={name!r} is not the name of an encoder; write one of "
                        f"{', '.join(table)}")
    if name in _TURNED and name not in table:
        raise SpecError(f"encoder {name!r} is for games that look the same from both sides, such "
                        f"as draughts; encoders of {game.name} are {', '.join(table)}")
    if name not in table:
        owners = [owner for owner, names in _OF_GAME.items() if name in names]
        problem = f"encoder {name!r} is for {', '.join(owners)}" if owners else (
            f"unknown encoder {name!r}{suggest(name, table)}"
        )
        raise SpecError(f"{problem}; encoders of {game.name} are {', '.join(table)}")
    encoder: Encoder = pkgutil.resolve_name(table[name])(game)
    return encoder
