"""The shared game-state API: Player, Point, Move, GameSpec, GameState.

People, records, tests and engines hold a `GameState`: an immutable face over the compiled
rules of `dlgo.kernels`. One class serves every game; what differs (coordinates, drawing,
names of options) is in the game's `GameSpec`. Chapter 3 of the book introduces these names;
here they serve any two-player game of perfect information.

    >>> import dlgo
    >>> state = dlgo.game("connect4").start().play("4")
    >>> state.next_player
    <Player.white: 2>
"""

from dlgo.game_spec import GameSpec, GameState
from dlgo.moves import COLUMN_LETTERS, Move, Player, Point, parse_point, point_text

__all__ = [
    "COLUMN_LETTERS", "GameSpec", "GameState", "Move", "Player", "Point", "parse_point",
    "point_text",
]
