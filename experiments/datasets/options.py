"""What can be chosen of the games that `dlgo generate` makes: names, ranges, meanings, defaults."""

from __future__ import annotations

from dlgo.specs import Option

MOST_GAMES = 10**8  # of a folder; the list of its files fits into memory

RECIPE_OPTIONS = (
    Option("against", None, "opponent; default: the engine itself", kind=str),
    Option("seed", 1, "seed of openings and engines"),
    Option("opening_plies", None, "maximum number of random plies at the start of a game; default: "
           "set by the game", low=0, kind=int),
    Option("sample_plies", None, "number of plies after the opening in which the move is drawn "
           "from the engine's policy; default: the width of the board", low=0, kind=int),
    Option("temperature", 1.0, "temperature of drawn moves; 0: the best move; 1: in proportion to "
           "the visits", low=0, high=100),
    Option("shard_games", None, "games per file; default: about 5,000 positions", low=1,
           high=100_000, kind=int),
)
