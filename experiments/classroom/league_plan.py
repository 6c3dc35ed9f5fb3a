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

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from itertools import count
from pathlib import Path
from typing import Any

from dlgo.errors import DlgoError, SpecError
from dlgo.games import get_game
from dlgo.specs import suggest
from experiments.arena.entrants import entrants_of
from experiments.arena.plan_keys import KEYS as ARENA_KEYS
from experiments.arena.plan_keys import Key, defaults
from experiments.arena.planfile import located, read_toml
from reports.differences import Counts

KEYS = {key.name: key for key in (
    Key("game", str, "What is played; needed"),
    Key("bot", str, "The file that students hand in, or FILE.py:Class", "bot.py"),
    Key("staff_pairs", int, "Openings against each staff bot, each with both colours", 5, 1, 1000),
    Key("pairs", int, "Openings between two students, each with both colours", 1, 1, 1000),
    Key("seed", int, "Of openings and of staff bots", 1, -(2**63), 2**63 - 1),
    Key("opening_plies", int, "Random plies of an opening; the game's own number by default",
        low=0, high=1000),
    Key("move_seconds", float, "Wall seconds for a move; ends a bot that hangs", 10.0, 0.1, 3600),
    Key("game_seconds", float, "CPU seconds for all moves of a bot in a game", 60.0, 0.1, 86400),
    Key("memory_mb", int, "Megabytes for a bot", 512, 128, 65536),
    Key("pseudonyms", bool, "Call students by other names on pages that all can see", False),
    Key("due", datetime, "What is handed in later is marked as late"),
    Key("late", str, "Whether late hand-ins are marked, or refused", "marked",
        choices=("marked", "refused")),
    Key("roster", str, "CSV file of the class with a column 'student'; marks.csv has its rows"),
    Key("taking_part", int, "Points for a bot that plays", 0, 0, 1000),
)}
STAFF_KEYS = {key.name: key for key in (
    Key("engine", str, "Engine specification, budget included; needed"),
    Key("name", str, "How pages call it"),
    Key("hidden", bool, "Whether students are not told which engine it is", False),
    Key("points", int, "For beating it", 1, 0, 1000),
    Key("confidence", float, "How sure it must be that the student's bot is stronger", 0.95, 0.5,
        0.9999),
)}


@dataclass(frozen=True)
class StaffBot:
    """A bot of the lecturer.

    Attributes:
        entrant: as the ledger names it.
        label: its real name.
        role: how students know it: its label, or "hidden bot 2".
        hidden: whether that differs.
        points: for beating it, with this `confidence`.
    """

    entrant: str
    label: str
    role: str
    hidden: bool
    points: int
    confidence: float


@dataclass(frozen=True)
class LeaguePlan:
    """The rules; attributes are the keys of `KEYS`."""

    game: str
    bot: str
    staff_pairs: int
    pairs: int
    seed: int
    move_seconds: float
    game_seconds: float
    memory_mb: int
    pseudonyms: bool
    late: str
    taking_part: int
    staff: tuple[StaffBot, ...] = ()
    opening_plies: int | None = None
    due: datetime | None = None
    roster: Path | None = None

    def out_of_reach(self) -> list[str]:
        """Sentences about staff bots that so few games can never show to be beaten."""
        def sure(pairs: int) -> float:
            return Counts((0, 0, 0, 0, pairs)).superiority()  # all of them won

        return [
            f"nobody can get the points of {bot.label}: {self.staff_pairs} pairs, all won, are "
            f"{sure(self.staff_pairs):.1%} sure, and {bot.confidence:.4g} is asked; write "
            f"staff_pairs = {next(n for n in count(1) if sure(n) >= bot.confidence)}"
            for bot in self.staff if bot.points and sure(self.staff_pairs) < bot.confidence
        ]


def read_league_plan(path: Path) -> LeaguePlan:
    """The rules in a file.

    Raises:
        DlgoError: in one line, naming what is wrong in the file.
    """
    owner = f"plan {path}"
    values = read_toml(path)
    staff = values.pop("staff", [])
    if not isinstance(staff, list) or not all(isinstance(item, dict) for item in staff):
        raise SpecError(f"{owner}: write each staff bot under a line [[staff]]")
    values = _checked(owner, KEYS, values)
    if "game" not in values:
        raise SpecError(f'{owner} names no game: write game = "connect4"')
    values["game"] = _game(owner, values["game"])
    if "roster" in values:
        values["roster"] = path.parent / values["roster"]
    return LeaguePlan(**values, staff=_staff(path, staff))


def _checked(owner: str, keys: Mapping[str, Key], given: Mapping[str, Any]) -> dict[str, Any]:
    """The values, with defaults. Raises SpecError for an unknown key or a wrong value."""
    for name, value in given.items():
        if name not in keys:
            elsewhere = "; it belongs to the arena's plans" if name in ARENA_KEYS else ""
            raise SpecError(
                f"{owner}: unknown key {name!r}{suggest(name, keys) or elsewhere}; there are "
                f"{', '.join(keys)}"
            )
        if problem := keys[name].type_problem(value) or keys[name].range_problem(value):
            raise SpecError(f"{owner}: {problem}")
    values = {**defaults(tuple(keys.values())), **given}
    return {name: _local(value) if isinstance(value, date) else value
            for name, value in values.items()}


def _local(moment: date) -> datetime:
    """A moment in local time; of a day, its last one."""
    if not isinstance(moment, datetime):
        return datetime(moment.year, moment.month, moment.day, 23, 59, 59)
    return moment.astimezone().replace(tzinfo=None) if moment.tzinfo else moment


def _game(owner: str, text: str) -> str:
    if ".py" in text:
        raise SpecError(
            f"{owner}: game {text!r} is a file, which no sandbox shows; install it as a package "
            "(docs/add_a_game.md)"
        )
    try:
        return get_game(text).versioned
    except DlgoError as error:
        raise SpecError(f"{owner}: {error}") from None


def _staff(path: Path, items: list[dict[str, Any]]) -> tuple[StaffBot, ...]:
    bots: list[StaffBot] = []
    hidden = 0
    for number, item in enumerate(items, 1):
        owner = f"plan {path}: staff bot {number}"
        values = _checked(owner, STAFF_KEYS, item)
        if "engine" not in values:
            raise SpecError(f'{owner} has no engine: write engine = "random"')
        spec = located(path, values["engine"])
        try:
            entrant, title = entrants_of([spec])[spec]
        except DlgoError as error:
            raise SpecError(f"{owner}: {error}") from None
        if any(bot.entrant == entrant for bot in bots):
            raise SpecError(f"{owner}: {entrant} is there twice; leave one out")
        hidden += values["hidden"]
        label = values.get("name") or title or entrant
        role = f"hidden bot {hidden}" if values["hidden"] else label
        bots.append(StaffBot(
            entrant, label, role, values["hidden"], values["points"], values["confidence"]
        ))
    return tuple(bots)
