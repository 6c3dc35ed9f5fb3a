"""dlgo: one game-state API for comparing ways of playing board games."""

from dlgo.api import GameSpec, GameState, Move, Player, Point
from dlgo.errors import DlgoError, IllegalMoveError, LedgerError, NotationError, SpecError
from dlgo.games import game_names, get_game

__version__ = "0.1.0"

__all__ = [
    "DlgoError", "GameSpec", "GameState", "IllegalMoveError", "LedgerError", "Move",
    "NotationError", "Player", "Point", "SpecError", "game_names", "get_game",
]
