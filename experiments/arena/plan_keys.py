"""The keys of a tournament's plan: the reader of plan files, the options of `dlgo tournament`, the
checks of `Plan` and `Limits`, and the table in docs/tournaments.md are made from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dlgo.specs import Option, parse_settings

# How entrants meet.
KINDS = ("round-robin", "gauntlet", "ladder", "match", "mirror")

# More pairs, or seconds, than anybody can wait for.
_MANY = 1_000_000
_LONG = 1e7

PLAN_KEYS = (
    Option("games", None, "game to play (`dlgo games`); may be repeated", kind=list),
    Option("engines", None, "entrant: an engine, budget included (`dlgo engines`); may be repeated",
           kind=list),
    Option("kind", "round-robin", "who meets whom", choices=KINDS),
    Option("challengers", None, "entrant that runs the gauntlet; may be repeated", kind=list),
    Option("pairs", 10, "openings of each match (two engines on one game), each played with both "
           "colours", 1, _MANY),
    Option("opening_plies", None, "random plies before the engines take over; by default the "
           "game's own number", 0, 1000, kind=int),
    Option("seed", 1, "seed of openings and engines"),
    Option("target_elo", None, "play on until no rating's 95% interval is wider", 1, 1000,
           kind=float),
    Option("max_pairs", 1000, "most pairs of each match, with a target or a test", 1, _MANY),
    Option("sprt", None, "play a match until a sequential test tells two Elo differences, ELO0 and "
           "ELO1, apart", -10_000, 10_000, kind=tuple),
    Option("alpha", 0.05, "chance of wrongly accepting ELO1", 1e-9, 0.5),
    Option("beta", 0.05, "chance of wrongly accepting ELO0", 1e-9, 0.5),
)
LIMIT_KEYS = (
    Option("move_timeout", 600.0, "wall seconds for one move, whatever the budget: it ends a hang",
           0.001, _LONG),
    Option("game_cpu", None, "CPU seconds for all moves of one player in one game", 0.001, _LONG,
           kind=float),
    Option("game_wall", None, "wall seconds for all moves of one player in one game", 0.001, _LONG,
           kind=float),
    Option("memory_mb", None, "megabytes that a worker process may grow by, its children included",
           64, _MANY, kind=int),
    Option("max_failures", 10, "failures in a row after which an entrant is stopped; 0: never", 0,
           _MANY),
)
# Options of keys that are lists: each use adds an entry.
LIST_OPTIONS = {"games": "--game", "engines": "--engine", "challengers": "--challenger"}
KEYS = {key.name: key for key in (*PLAN_KEYS, *LIMIT_KEYS)}


def check_values(values: Mapping[str, Any]) -> None:
    """Raise SpecError for a number or a word that a plan cannot have. None means not set."""
    given = {name: value for name, value in values.items()
             if value is not None and name in KEYS and KEYS[name].type is not list}
    parse_settings("tournament", KEYS.values(), given)
