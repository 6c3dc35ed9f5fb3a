"""The keys of a tournament's plan: the reader of plan files, the options of `dlgo tournament`, the
checks of `Plan` and `Limits`, and the table in docs/tournaments.md are made from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dlgo.specs import Option, parse_settings

# How entrants meet.
KINDS = ("round-robin", "gauntlet", "ladder", "match", "mirror")

# Upper bounds of numbers of pairs and of seconds.
_MANY = 1_000_000
_LONG = 1e7

PLAN_KEYS = (
    Option("games", None, "game to play (`dlgo games` lists them); may be repeated", kind=list),
    Option("engines", None, "engine with its budget, such as mcts:sims=100 (`dlgo engines` lists "
           "them); may be repeated", kind=list),
    Option("kind", "round-robin", "who plays whom", choices=KINDS),
    Option("challengers", None, "engine that plays all others in a gauntlet; may be "
           "repeated", kind=list),
    Option("pairs", 10, "number of openings in each match of two engines; each is played twice, "
           "with colours swapped", 1, _MANY),
    Option("opening_plies", None, "number of random plies before the engines take over; by "
           "default the game's own number", 0, 1000, kind=int),
    Option("seed", 1, "seed of openings and engines"),
    Option("target_elo", None, "play until no rating has a 95% interval wider than this", 1, 1000,
           kind=float),
    Option("max_pairs", 1000, "maximum number of pairs in each match, with `target_elo` "
           "or `sprt`", 1, _MANY),
    Option("sprt", None, "play a match until a sequential test decides between two Elo "
           "differences, ELO0 and ELO1", -10_000, 10_000, kind=tuple),
    Option("alpha", 0.05, "probability of accepting ELO1 if ELO0 is true", 1e-9, 0.5),
    Option("beta", 0.05, "probability of accepting ELO0 if ELO1 is true", 1e-9, 0.5),
    Option("elo_model", "logistic", "scale of ELO0 and ELO1", choices=("logistic", "normalized")),
)
LIMIT_KEYS = (
    Option("move_timeout", 600.0, "wall seconds after which an engine that has not moved loses",
           0.001, _LONG),
    Option("game_cpu", None, "maximum CPU seconds for all moves of a player in a game", 0.001,
           _LONG, kind=float),
    Option("game_wall", None, "maximum wall seconds for all moves of a player in a game", 0.001,
           _LONG, kind=float),
    Option("memory_mb", None, "maximum growth in megabytes of a worker process and its children",
           64, _MANY, kind=int),
    Option("max_failures", 10, "number of failures in a row that stops an entrant; 0: never stop",
           0, _MANY),
)
# Options of keys that are lists: each use adds an entry.
LIST_OPTIONS = {"games": "--game", "engines": "--engine", "challengers": "--challenger"}
KEYS = {key.name: key for key in (*PLAN_KEYS, *LIMIT_KEYS)}


def check_values(values: Mapping[str, Any]) -> None:
    """Raise SpecError for a number or a word that a plan cannot have. None means not set."""
    given = {name: value for name, value in values.items()
             if value is not None and name in KEYS and KEYS[name].type is not list}
    parse_settings("tournament", KEYS.values(), given)
