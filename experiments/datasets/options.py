"""What can be chosen of the games that `dlgo generate` makes: names, ranges, meanings, defaults."""

from __future__ import annotations

from dlgo.specs import Option

RECIPE_OPTIONS = (
    Option("against", None, "another engine to play against, instead of itself", kind=str),
    Option("seed", 1, "seed of openings and engines"),
    Option("opening_plies", None, "most random plies that a game begins with; by default the "
           "game's own number", low=0, kind=int),
    Option("sample_plies", None, "plies after the opening in which the move is drawn from the "
           "engine's policy; by default as many as the board is wide", low=0, kind=int),
    Option("temperature", 1.0, "temperature of that draw: 0 plays the best move, 1 draws by "
           "visits", low=0, high=100),
    Option("shard_games", None, "games in a file; by default about 5,000 positions", low=1,
           high=100_000, kind=int),
)
