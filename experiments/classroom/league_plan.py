"""The rules of a class's league, as a TOML file:

    game = "connect4"
    due = 2026-11-20T23:59:00
    roster = "class.csv"
    pseudonyms = true

    [[staff]]
    engine = "random"
    points = 2

    [[staff]]
    engine = "mcts:sims=200"
    hidden = true
    points = 4
    confidence = 0.9

docs/teach.md has all keys. A relative path begins at the plan's folder.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any

from dlgo.errors import DlgoError, SpecError
from dlgo.games import get_game
from dlgo.readers import read_toml
from dlgo.specs import Option, check_settings, suggest
from engines.registry import ENGINES
from experiments.arena.entrants import entrants_of
from experiments.arena.planfile import located
from experiments.classroom.dates import DUE, deadline
from experiments.classroom.gradebooks import ROSTER
from reports.differences import Counts

KEYS = (
    Option("game", None, "game to play, built in or from an installed package; required", kind=str),
    Option("bot", "bot.py", "file that students hand in, or `FILE.py:Class`"),
    Option("staff_pairs", 5, "openings against each staff bot, each played with both colours", 1,
           1000),
    Option("pairs", 1, "openings between two students, each played with both colours", 1, 1000),
    Option("seed", None, "seed of openings and bots; by default a secret one, drawn once",
           kind=int),
    Option("opening_plies", None, "random plies of an opening; by default the game decides",
           0, 1000, kind=int),
    Option("move_seconds", 10.0, "wall seconds for a move, which end a bot that hangs", 0.1, 3600),
    Option("game_seconds", 60.0, "CPU seconds for all moves of a bot in a game; the wall limit is "
           "twice that", 0.1, 86400),
    Option("memory_mb", 512, "memory of a bot in megabytes", 128, 65536),
    Option("pseudonyms", False,
           "show students by random pseudonyms on public pages"),
    Option("allow", None, "built-in engines that bots may use, such as `[\"mcts\"]`; by default "
           "none", kind=list),
    DUE,
    ROSTER,
    Option("participation", 0, "points for a bot that plays a game to its end", 0, 1000),
)
STAFF_KEYS = (
    Option("engine", None, "engine with its budget; required", kind=str),
    Option("name", None, "name on the pages", kind=str),
    Option("hidden", False, "hide from students which engine it is"),
    Option("points", 1, "points for beating it", 0, 1000),
    Option("confidence", 0.95, "required probability that the student's bot is stronger", 0.5,
           0.9999),
)


@dataclass(frozen=True)
class StaffBot:
    """A staff bot."""

    entrant: str  # as the ledger names it
    label: str  # its real name
    role: str  # how students know it: its label, or "hidden bot 2"
    points: int  # for beating it, with this confidence
    confidence: float


@dataclass(frozen=True)
class LeaguePlan:
    """The rules; attributes are the keys of `KEYS`."""

    game: str
    bot: str
    staff_pairs: int
    pairs: int
    move_seconds: float
    game_seconds: float
    memory_mb: int
    pseudonyms: bool
    participation: int
    staff: tuple[StaffBot, ...] = ()
    seed: int | None = None
    opening_plies: int | None = None
    allow: tuple[str, ...] = ()  # built-in engines that bots may use
    due: datetime | None = None
    roster: Path | None = None

    def out_of_reach(self) -> list[str]:
        """Warnings about staff bots whose confidence `staff_pairs` games cannot reach."""
        def sure(pairs: int) -> float:
            return Counts((0, 0, 0, 0, pairs)).superiority()  # all of them won

        return [
            f"no bot can get the points of {bot.label}: {self.staff_pairs} pairs, all won, are "
            f"{sure(self.staff_pairs):.1%} sure, and {bot.confidence:.4g} is asked; write "
            f"staff_pairs = {next(n for n in count(1) if sure(n) >= bot.confidence)}"
            for bot in self.staff if bot.points and sure(self.staff_pairs) < bot.confidence
        ]


def read_league_plan(path: Path) -> LeaguePlan:
    """The rules in a file. Raises DlgoError, in one line, naming what is wrong in the file."""
    owner = f"plan {path}"
    values = read_toml(path, error=SpecError)
    staff = values.pop("staff", [])
    if not isinstance(staff, list) or not all(isinstance(item, dict) for item in staff):
        raise SpecError(f"{owner}: write each staff bot under a line [[staff]]")
    values = {name: value for name, value in check_settings(owner, KEYS, values, "key").items()
              if value is not None}
    if "game" not in values:
        raise SpecError(f'{owner} names no game: write game = "connect4"')
    if ".py" in values["game"]:
        raise SpecError(
            f"{owner}: game {values['game']!r} is a file, which the sandbox cannot read; install "
            "it as a package (docs/add_a_game.md)"
        )
    try:
        values["game"] = get_game(values["game"]).versioned
    except DlgoError as error:
        raise SpecError(f"{owner}: {error}") from None
    values["allow"] = tuple(map(str, values.get("allow", ())))
    for name in values["allow"]:
        if name not in ENGINES.built_in:
            raise SpecError(f"{owner}: allow={name!r} is not the name of a built-in engine"
                            f"{suggest(name, ENGINES.built_in)}; `dlgo engines` lists them")
    values["due"] = deadline(values.get("due"))
    if "roster" in values:
        values["roster"] = path.parent / values["roster"]
    return LeaguePlan(**values, staff=_staff(path, staff))


def _staff(path: Path, items: list[dict[str, Any]]) -> tuple[StaffBot, ...]:
    bots: list[StaffBot] = []
    hidden = 0
    for number, item in enumerate(items, 1):
        owner = f"plan {path}: staff bot {number}"
        values = check_settings(owner, STAFF_KEYS, item, "key")
        if values["engine"] is None:
            raise SpecError(f'{owner} has no engine: write engine = "random"')
        spec = located(path, values["engine"])
        try:
            meant = entrants_of([spec])[spec]
        except DlgoError as error:
            raise SpecError(f"{owner}: {error}") from None
        entrant = meant.text
        if any(bot.entrant == entrant for bot in bots):
            raise SpecError(f"{owner}: {entrant} occurs twice; remove one")
        hidden += values["hidden"]
        label = values["name"] or meant.label or entrant
        role = f"hidden bot {hidden}" if values["hidden"] else label
        bots.append(StaffBot(entrant, label, role, values["points"], values["confidence"]))
    return tuple(bots)
