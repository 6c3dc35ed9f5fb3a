"""Ratings, marks and failures of a league.

Ratings are those of `reports.ratings`, from the games of the bots that count now. A mark depends on
the games between all versions of a student's bot and one staff bot, and on nothing that others do.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dlgo.records.game_record import GameRecord
from dlgo.records.ledger import Ledger
from experiments.classroom.evidence import best, versions_of
from experiments.classroom.gradebooks import write_class_table
from experiments.classroom.league import League
from experiments.classroom.league_bots import Bot
from experiments.classroom.league_plan import StaffBot
from reports.rating_table import RatingTable
from reports.tables import games_frame, rate_games, ratings_frame

if TYPE_CHECKING:
    import pandas as pd

_PLACE = re.compile(r"(?P<file>[\w.-]+\.py)(?:, line |:)(?P<line>\d+)")
_LONGEST_LINE = 160


@dataclass(frozen=True)
class Mark:
    """The result of a student's games with one staff bot."""

    staff: StaffBot
    score: str = ""  # points of games, `7/10`; "" if they have not met
    confidence: float = 0.0  # how sure it is that the student has a stronger bot
    beaten: bool = False  # whether that is as sure as the rules demand
    version: int = 1  # of the student's bot that has the score and the confidence
    versions: int = 1  # how many have met the staff bot
    last: str = ""  # the score of the last version, if it is another one

    @property
    def points(self) -> int:
        """For this staff bot."""
        return self.staff.points if self.beaten else 0


@dataclass(frozen=True)
class Trouble:
    """A failure of a student's bot."""

    reason: str  # in the referee's words
    games: int  # lost by it
    place: str  # file and line that it names, or ""
    code: str  # the code there, or ""


@dataclass(frozen=True)
class Standing:
    """The standing of one student."""

    bot: Bot
    plays: bool  # whether a game of theirs has ended without a failure
    marks: list[Mark]  # for each staff bot
    points: int  # of these, and for taking part
    trouble: list[Trouble]
    lost: list[GameRecord]  # failures included
    remarks: list[str]  # about the hand-in


class Standings:
    """Everything that pages and tables show of a league so far."""

    def __init__(self, league: League) -> None:
        self.league = league
        self.games, self._all_games = league.games(), league.all_games()
        self._frame: pd.DataFrame | None = None
        if self.games:
            with Ledger(league.ledger, read_only=True) as ledger:
                frame = games_frame(ledger)
            playing = league.playing
            mask = frame["first"].isin(playing) & frame["second"].isin(playing)
            self._frame = frame[mask & (frame["game"] == league.plan.game)]
        self.students = [self._standing(bot) for bot in league.bots]

    def ratings(self, names: Mapping[str, str]) -> tuple[RatingTable, pd.DataFrame] | None:
        """Ratings, and rows of `ratings_frame`, entrants called by `names`; None without games."""
        if self._frame is None:
            return None
        frame = self._frame.assign(
            first=self._frame["first"].map(names), second=self._frame["second"].map(names)
        )
        tables = rate_games(frame)
        return tables[self.league.plan.game], ratings_frame(frame, tables)

    def _standing(self, bot: Bot) -> Standing:
        plan, excluded = self.league.plan, self.league.excluded.get(bot.entrant)
        games = [game for game in self.games if bot.entrant in (game.first, game.second)]
        lost_games = [game for game in games if game.result == (game.first != bot.entrant)]
        marks = [self._mark(bot, staff) for staff in plan.staff]
        plays = any(not game.failed for game in games)
        points = sum(mark.points for mark in marks) + plan.participation * plays
        remarks = [*bot.notes, *["handed in late"] * bot.late, *filter(None, [excluded])]
        return Standing(bot, plays, marks, points, _trouble(bot, lost_games), lost_games, remarks)

    def _mark(self, bot: Bot, staff: StaffBot) -> Mark:
        versions = versions_of(self._all_games, bot.name, staff.entrant)
        if not versions:
            return Mark(staff)
        version = best(versions)
        confidence = version.confidence()
        score, last = (f"{item.points:g}/{len(item.games)}" for item in (version, versions[-1]))
        return Mark(staff, score, confidence, confidence >= staff.confidence, version.number,
                    len(versions), last if version is not versions[-1] else "")

    def write_marks(self, path: Path) -> list[str]:
        """Write points, totals, hand-ins, lateness as CSV; return students not on the roster."""
        staff = [bot.name for bot in self.league.plan.staff]
        cells = {
            standing.bot.student: [
                "yes" if standing.plays else "no", *(mark.points for mark in standing.marks),
                standing.points, standing.bot.hand_in, "late" if standing.bot.late else "",
            ] for standing in self.students
        }
        return write_class_table(path, ["plays", *staff, "total", "hand-in", "late"], cells,
                                 ["no", *[0] * len(staff), 0, "", ""], self.league.plan.roster)


def _trouble(bot: Bot, lost_games: list[GameRecord]) -> list[Trouble]:
    """The kinds of failure of a bot."""
    count = Counter(
        re.sub(r"\b(by|from|while) (first|second)\b", r"\1 your bot", game.reason).removeprefix(
            f"crash of {'first' if game.first == bot.entrant else 'second'}: "
        )
        for game in lost_games if game.failed
    )
    return [Trouble(reason, games, *_code(bot, reason)) for reason, games in count.most_common()]


def _code(bot: Bot, reason: str) -> tuple[str, str]:
    """File and line that a reason names, and the code there."""
    match = _PLACE.search(reason)
    if match is None or bot.folder is None:
        return "", ""
    place, number = f"{match['file']}, line {match['line']}", int(match["line"][:9])
    for path in sorted(bot.folder.rglob(match["file"])):
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        if 0 < number <= len(lines):
            return place, lines[number - 1].strip()[:_LONGEST_LINE]
    return place, ""
