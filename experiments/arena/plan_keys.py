"""The keys of a tournament's plan: the reader of plan files, the options of `dlgo tournament`, the
checks of `Plan` and `Limits`, and the table in docs/tournaments.md are made from them."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from typing import ClassVar

from dlgo.specs import Option
from engines.learning.settings import Settings, setting

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


@dataclass(frozen=True)
class Limits(Settings):
    """What holds for every entrant of a tournament."""

    owner: ClassVar[str] = "tournament"
    move_timeout: float = setting(
        600.0, "wall seconds after which an engine that has not moved loses", low=0.001, high=_LONG)
    game_cpu: float | None = setting(
        None, "maximum CPU seconds for all moves of a player in a game", low=0.001, high=_LONG,
        kind=float)
    game_wall: float | None = setting(
        None, "maximum wall seconds for all moves of a player in a game", low=0.001, high=_LONG,
        kind=float)
    memory_mb: int | None = setting(
        None, "maximum growth in megabytes of a worker process and its children", low=64,
        high=_MANY, kind=int)
    max_failures: int = setting(
        10, "number of failures in a row that stops an entrant; 0: never stop", low=0, high=_MANY)

    @functools.cached_property
    def text(self) -> str:
        """As JSON, without what is not set: stored with each game."""
        values = self.to_json()
        return json.dumps({name: value for name, value in values.items() if value is not None})


DEFAULT_LIMITS = Limits()
# Options of keys that are lists: each use adds an entry.
LIST_OPTIONS = {"games": "--game", "engines": "--engine", "challengers": "--challenger"}
KEYS = {key.name: key for key in PLAN_KEYS} | Limits.options()
