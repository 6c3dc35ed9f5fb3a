"""What the league's games say: ratings, marks, first wins and failures.

Ratings are those of `reports.ratings`, from the games of the bots that count now. A mark depends on
the games between a student and one staff bot, and on nothing that others do.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from dlgo.records.ledger import GameRecord, Ledger
from dlgo.specs import split_version
from experiments.classroom.league import League
from experiments.classroom.league_bots import LATE, Bot, entrant_name
from experiments.classroom.league_plan import StaffBot
from experiments.classroom.outputs import write_class_table
from reports.head_to_head import head_to_heads
from reports.rating_table import RatingTable
from reports.tables import games_frame, rate_games, ratings_frame

if TYPE_CHECKING:
    import pandas as pd

_PLACE = re.compile(r"(?P<file>[\w.-]+\.py)(?:, line |:)(?P<line>\d+)")
_LONGEST_LINE = 160


@dataclass(frozen=True)
class Mark:
    """What came of a student's games with one staff bot.

    Attributes:
        staff: which one.
        score: points of games, `7/10`; "" if they have not met.
        confidence: how likely it is that the student's bot is the stronger one.
        beaten: whether that is as sure as the rules demand.
    """

    staff: StaffBot
    score: str = ""
    confidence: float = 0.0
    beaten: bool = False

    @property
    def points(self) -> int:
        """For this staff bot."""
        return self.staff.points if self.beaten else 0


@dataclass(frozen=True)
class Trouble:
    """A failure of a student's bot.

    Attributes:
        reason: as the referee says it. games: lost by it.
        place: file and line, or "". code: what stands there, or "".
    """

    reason: str
    games: int
    place: str = ""
    code: str = ""


@dataclass(frozen=True)
class Standing:
    """How one student stands.

    Attributes:
        bot: what they play with.
        marks: for each staff bot.
        points: of these, and for taking part.
        first_wins: staff bot -> when they first won a game against it.
        trouble: how the bot has failed.
        lost: games, failures included.
        remarks: what is to be said about the hand-in.
    """

    bot: Bot
    marks: list[Mark]
    points: int
    first_wins: dict[str, str] = field(default_factory=dict)
    trouble: list[Trouble] = field(default_factory=list)
    lost: list[GameRecord] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


class Standings:
    """Everything that pages and tables show.

    Args:
        league: as far as it has been played.
    """

    def __init__(self, league: League) -> None:
        self.league = league
        self._games = league.games()

    @cached_property
    def _frame(self) -> pd.DataFrame:
        """The games between those who play now."""
        with Ledger(self.league.ledger, read_only=True) as ledger:
            frame = games_frame(ledger)
        playing = self.league.playing
        kept = frame["first"].isin(playing) & frame["second"].isin(playing)
        return frame[kept & (frame["game"] == self.league.plan.game)]

    @property
    def games(self) -> int:
        """How many games count."""
        return len(self._games)

    def ratings(self, names: Mapping[str, str]) -> tuple[RatingTable, pd.DataFrame] | None:
        """The ratings, and rows of `reports.tables.ratings_frame`; None without games.

        Args:
            names: how entrants are called; all that is said about them uses these names.
        """
        if not self._games:
            return None
        frame = self._frame.assign(
            first=self._frame["first"].map(names), second=self._frame["second"].map(names)
        )
        tables = rate_games(frame)
        return tables[self.league.plan.game], ratings_frame(frame, tables)

    @cached_property
    def students(self) -> list[Standing]:
        """All students, in the order of the class's folder."""
        return [self._standing(bot) for bot in self.league.bots]

    def _standing(self, bot: Bot) -> Standing:
        plan = self.league.plan
        mine = [game for game in self._games if bot.entrant and bot.entrant in (
            game.first, game.second)]
        marks = [self._mark(bot, staff) for staff in plan.staff]
        lost = [game for game in mine if game.result == (game.first != bot.entrant)]
        points = sum(mark.points for mark in marks) + (plan.taking_part if bot.entrant else 0)
        excluded = self.league.excluded.get(bot.entrant)
        remarks = [*bot.notes, *([LATE] if bot.late else []), *([excluded] if excluded else [])]
        return Standing(
            bot, marks, points, self._first_wins.get(entrant_name(bot.student), {}),
            _trouble(bot, lost), lost, remarks,
        )

    def _mark(self, bot: Bot, staff: StaffBot) -> Mark:
        players = {bot.entrant, staff.entrant}
        if not any({game.first, game.second} == players for game in self._games):
            return Mark(staff)
        [match] = head_to_heads(self._frame, bot.entrant, staff.entrant)
        counts = match.pairs if match.paired else match.games
        confidence = counts.superiority()
        beaten = confidence >= staff.confidence and bot.entrant not in self.league.excluded
        score = f"{sum(match.scores):g}/{len(match.scores)}"
        return Mark(staff, score, confidence, beaten)

    @cached_property
    def _first_wins(self) -> dict[str, dict[str, str]]:
        """When each student first won against each staff bot, with any of their bots."""
        staff = {bot.entrant for bot in self.league.plan.staff}
        wins: dict[str, dict[str, str]] = {}
        if not self.league.ledger.exists():
            return wins
        with Ledger(self.league.ledger, read_only=True) as ledger:
            for game in ledger.games():
                winner, loser = (game.first, game.second)[:: 1 if game.result == 1 else -1]
                if game.game != self.league.plan.game or game.result == 0.5:
                    continue
                if loser not in staff or winner in staff:
                    continue
                of_student = wins.setdefault(split_version(winner)[0], {})
                before = of_student.get(loser)
                of_student[loser] = game.finished if before is None else min(before, game.finished)
        return wins

    def first_winner(self, staff: StaffBot) -> tuple[str, str] | None:
        """The student who first won a game against a staff bot, and when."""
        won = [
            (standing.first_wins[staff.entrant], standing.bot.student)
            for standing in self.students if staff.entrant in standing.first_wins
        ]
        return min(won)[::-1] if won else None

    def write_marks(
        self, path: Path, roster: tuple[list[str], list[list[str]]] | None
    ) -> list[str]:
        """Write a CSV file: points for each staff bot, the total, the hand-in, whether it was late.

        Args:
            roster: what `outputs.read_roster` says; the table has its columns and its order.

        Returns:
            the students who are not on the roster.
        """
        staff = [bot.label for bot in self.league.plan.staff]
        cells = {
            one.bot.student: [
                "yes" if one.bot.entrant else "no", *(mark.points for mark in one.marks),
                one.points, one.bot.hand_in, "late" if one.bot.late else "",
            ] for one in self.students
        }
        return write_class_table(path, ["plays", *staff, "total", "hand-in", "late"], cells,
                                 ["no", *[0] * len(staff), 0, "", ""], roster)


def _trouble(bot: Bot, lost: list[GameRecord]) -> list[Trouble]:
    """How a bot has failed, each way once, with the line of code that it names."""
    count = Counter(
        re.sub(r"\b(by|from|while) (first|second)\b", r"\1 your bot", game.reason).removeprefix(
            f"crash of {'first' if game.first == bot.entrant else 'second'}: "
        )
        for game in lost if game.failed
    )
    return [Trouble(reason, games, *_code(bot, reason)) for reason, games in count.most_common()]


def _code(bot: Bot, reason: str) -> tuple[str, str]:
    """File and line that a reason names, and what stands there."""
    match = _PLACE.search(reason)
    if match is None or bot.folder is None:
        return "", ""
    place = f"{match['file']}, line {match['line']}"
    for path in sorted(Path(bot.folder).rglob(match["file"])):
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        if 0 < int(match["line"][:9]) <= len(lines):
            return place, lines[int(match["line"][:9]) - 1].strip()[:_LONGEST_LINE]
    return place, ""
