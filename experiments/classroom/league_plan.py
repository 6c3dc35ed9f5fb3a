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

from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar

from dlgo.errors import DlgoError, SpecError
from dlgo.games import get_game
from dlgo.readers import read_toml
from dlgo.specs import suggest
from engines.learning.settings import Settings, setting
from engines.registry import ENGINES
from experiments.arena.entrants import entrants_of
from experiments.arena.planfile import located
from experiments.classroom.dates import deadline, due_setting
from experiments.classroom.evidence import fewest_pairs
from experiments.classroom.gradebooks import Roster, read_roster, roster_setting


@dataclass(frozen=True)
class StaffBot(Settings):
    """A staff bot."""

    owner: ClassVar[str] = "staff bot"
    engine: str = setting(None, "engine with its budget; required")
    name: str = setting("", "name on the pages; by default the engine's")
    hidden: bool = setting(False, "hide from students which engine it is")
    points: int = setting(1, "points for beating it", low=0, high=1000)
    confidence: float = setting(
        0.95, "required confidence that the student has a stronger bot; all their versions count",
        low=0.5, high=0.9999)
    entrant: str = ""  # as the ledger names it
    role: str = ""  # how students know it: its name, or "hidden bot 2"


@dataclass(frozen=True)
class LeaguePlan(Settings):
    """The rules of a league."""

    owner: ClassVar[str] = "plan"
    game: str = setting(None, "game to play, built in or from an installed package; required")
    bot: str = setting("bot.py", "file that students hand in, or `FILE.py:Class`")
    staff_pairs: int = setting(
        5, "openings against each staff bot, each played with both colours", low=1, high=1000)
    most_staff_pairs: int = setting(
        50, "maximum number of these openings for a bot that scores more than half, until the "
        "result is sure", low=1, high=1000)
    pairs: int = setting(
        1, "openings between two students, each played with both colours", low=1, high=1000)
    seed: int | None = setting(
        None, "seed of openings and bots, from which bots could predict the staff; by default a "
        "secret one, drawn once", kind=int)
    opening_plies: int | None = setting(
        None, "random plies of an opening; by default the game decides", low=0, high=1000, kind=int)
    move_seconds: float = setting(
        10.0, "seconds for a move, without those of waiting for a core; they end a bot that hangs",
        low=0.1, high=3600)
    game_seconds: float = setting(
        60.0, "CPU seconds for all moves of a bot in a game; twice that with sleeping",
        low=0.1, high=86400)
    memory_mb: int = setting(512, "memory of a bot in megabytes", low=128, high=65536)
    pseudonyms: bool = setting(False, "show students by random pseudonyms on public pages")
    allow: tuple[str, ...] = setting(
        None, "built-in engines that bots may use, such as `[\"mcts\"]`; by default none",
        kind=list)
    due: datetime | None = due_setting()
    roster: Roster | None = roster_setting()
    participation: int = setting(
        0, "points for a bot that plays a game to its end", low=0, high=1000)
    staff: tuple[StaffBot, ...] = ()

    @property
    def most_pairs(self) -> int:
        """Openings of a version of a bot against a staff bot, at most."""
        return max(self.staff_pairs, self.most_staff_pairs)

    def out_of_reach(self) -> list[str]:
        """Warnings about staff bots whose confidence `most_pairs` pairs of games cannot reach."""
        return [
            f"no bot can get the points of {bot.name}: a confidence of {bot.confidence:.4g} takes "
            f"{fewest} pairs of games, all won, and at most {self.most_pairs} are played; write "
            f"most_staff_pairs = {fewest}" for bot in self.staff
            if bot.points and (fewest := fewest_pairs(bot.confidence)) > self.most_pairs
        ]


def read_league_plan(path: Path) -> LeaguePlan:
    """The rules in a file. Raises DlgoError, in one line, naming what is wrong in the file."""
    owner = f"plan {path}"
    values = read_toml(path, error=SpecError)
    staff = values.pop("staff", [])
    if not isinstance(staff, list) or not all(isinstance(item, dict) for item in staff):
        raise SpecError(f"{owner}: write each staff bot under a line [[staff]]")
    values = LeaguePlan.values_in(owner, values)
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
        values["roster"] = read_roster(path.parent / values["roster"])
    return LeaguePlan(**values, staff=_staff(path, staff))


def _staff(path: Path, tables: list[dict[str, Any]]) -> tuple[StaffBot, ...]:
    bots: list[StaffBot] = []
    for number, table in enumerate(tables, 1):
        owner = f"plan {path}: staff bot {number}"
        bot = StaffBot.from_table(owner, table)
        spec = located(path, bot.engine)
        try:
            entrant = entrants_of([spec])[spec]
        except DlgoError as error:
            raise SpecError(f"{owner}: {error}") from None
        if any(entrant.text == rival.entrant for rival in bots):
            raise SpecError(f"{owner}: {entrant.text} occurs twice; remove one")
        name = bot.name or entrant.label or entrant.text
        n_hidden = sum(rival.hidden for rival in bots) + 1
        bots.append(replace(bot, name=name, entrant=entrant.text,
                            role=f"hidden bot {n_hidden}" if bot.hidden else name))
    return tuple(bots)
