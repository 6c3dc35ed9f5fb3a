"""The league's marks as a CSV file, a row a student, for whatever keeps the grades."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from experiments.classroom.outputs import write_class_table
from experiments.classroom.standings import Standing, Standings


def write_marks(
    path: Path, standings: Standings, roster: tuple[list[str], list[list[str]]] | None
) -> list[str]:
    """Write points for each staff bot, the total, the hand-in and whether it was late.

    Args:
        path: the file.
        standings: what there is to tell.
        roster: what `outputs.read_roster` says; the table has its columns and its order.

    Returns:
        the students who are not on the roster.
    """
    staff = [bot.label for bot in standings.league.plan.staff]
    columns = ["plays", *staff, "total", "hand-in", "late"]
    cells = {standing.bot.student: _cells(standing) for standing in standings.students}
    nothing = ["no", *([0] * len(staff)), 0, "", ""]
    return write_class_table(path, columns, cells, nothing, roster)


def _cells(standing: Standing) -> list[Any]:
    bot = standing.bot
    return [
        "yes" if bot.entrant else "no", *(mark.points for mark in standing.marks),
        standing.points, bot.hand_in, "late" if bot.late else "",
    ]
