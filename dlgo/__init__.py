"""dlgo: one game-state API for comparing ways of playing board games."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dlgo.api import GameSpec, GameState, Move, Player, Point
    from dlgo.errors import DlgoError, IllegalMoveError, LedgerError, NotationError, SpecError
    from dlgo.games import game_names, get_game

__version__ = "0.1.0"

__all__ = [
    "DlgoError", "GameSpec", "GameState", "IllegalMoveError", "LedgerError", "Move",
    "NotationError", "Player", "Point", "SpecError", "game_names", "get_game",
]

_PLACES = {name: "dlgo.errors" if name.endswith("Error") else "dlgo.api" for name in __all__}
_PLACES |= {"game_names": "dlgo.games", "get_game": "dlgo.games"}


def __getattr__(name: str) -> Any:
    """Names load on demand: rules bring Numba along, which errors and options do without."""
    if name not in _PLACES:
        raise AttributeError(f"module 'dlgo' has no attribute {name!r}")
    return getattr(importlib.import_module(_PLACES[name]), name)
