"""The class as a table: a roster, or the gradebook of Moodle or Canvas; tables of marks for them.

A gradebook keeps its columns and its rows, and gets grades, so that the platform reads it again:

* Moodle's grading worksheet: `Identifier` (`Participant 123`), `Full name`, `Grade`, `Maximum
  Grade`, `Feedback comments`, and others;
* Canvas's gradebook: `Student`, `ID`, `SIS User ID`, `SIS Login ID`, `Section`, and a column for
  each assignment, whose name ends with its number: `Go exercises (815)`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any

from dlgo.errors import DlgoError
from dlgo.files import write_csv
from dlgo.tables import read_table
from dlgo.text import one_line
from engines.learning.settings import setting
from experiments.classroom.dates import deadline

# Columns that name a student: those of our rosters, of Moodle, and of Canvas.
_NAMES = ("student", "Identifier", "Full name", "ID number", "Email address", "ID", "SIS User ID",
          "SIS Login ID")
_ASSIGNMENT = re.compile(r".+ \(\d+\)")
# Cells in the column of names of rows that belong to nobody.
_NOBODY = ("", "Points Possible")
# What no name of a folder has, among what people may be called.
_UNSAFE = re.compile(r'^\.|[/\\:*?"<>|]')
_DECIMAL = re.compile(r"[+-]?\d+([.,]\d+)?")
_FORMULA = re.compile(r"(^|[;\t\n])(?=[\t\n]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20])")


def roster_setting() -> Any:
    """The setting `roster`, of plans of a class; `read_roster` reads the file."""
    return setting(None, "CSV file of the class: a table with a column `student`, or a gradebook "
                   "that Moodle or Canvas has exported", kind=str)


@dataclass(frozen=True)
class Roster:
    """The columns and rows of a class's CSV file."""

    header: list[str]
    rows: list[list[str]]

    @property
    def kind(self) -> str:
        """"moodle", "canvas", or "" for a roster of your own."""
        if "student" in self.header:
            return ""
        return "moodle" if "Identifier" in self.header else "canvas"

    @property
    def name_place(self) -> int:
        """The number of the column with a student's name."""
        return next(self.header.index(name) for name in ("student", "Full name", "Student")
                    if name in self.header)

    def column(self, name: str) -> list[str]:
        """The cells of a column; [] without it."""
        return [row[self.header.index(name)] for row in self.rows] if name in self.header else []

    def row_of(self, student: str) -> list[str] | None:
        """The row of a student: by their name, or by the number that the platform adds to it."""
        name, _, number = student.rpartition("_")
        aliases = {name, number, f"Participant {number}"} if number.isdecimal() else set()
        places = [self.header.index(column) for column in _NAMES if column in self.header]
        for identifiers in ({student}, {student, *aliases}):
            for row in self.rows:
                if not {row[place] for place in places}.isdisjoint(identifiers - {""}):
                    return row
        # As the file system may have changed it: accents, or the case of letters if that is unique.
        for normal in (_normal, lambda name: _normal(name).casefold()):
            rows = [row for row in self.rows if normal(student)
                    and normal(student) in (normal(row[place]) for place in places)]
            if rows and (normal is _normal or len(rows) == 1):
                return rows[0]
        return None

    @property
    def students(self) -> list[str]:
        """The students' names as their folders have them: those of platforms end with a number."""
        return [self._folder(row) for row in self.rows
                if row[self.name_place].strip() not in _NOBODY]

    def folder_of(self, student: str) -> str:
        """The name of a student in `students`; of others, what they are called."""
        row = self.row_of(student)
        return _normal(student) if row is None else self._folder(row)

    def _folder(self, row: list[str]) -> str:
        name = row[self.name_place]
        if self.kind:
            identifier = row[self.header.index("Identifier" if self.kind == "moodle" else "ID")]
            name = f"{name}_{identifier.rpartition(' ')[2]}"
        return _UNSAFE.sub("_", _normal(name))

    def absent(self, students: Iterable[str]) -> list[str]:
        """The names of the rows that belong to none of the students."""
        rows = [self.row_of(student) for student in students]
        return [name for row in self.rows if row not in rows
                and (name := row[self.name_place].strip()) not in _NOBODY]

    def cell(self, student: str, column: str) -> str:
        """A cell of a student's row; "" without it."""
        row = self.row_of(student)
        if row is None or column not in self.header:
            return ""
        return row[self.header.index(column)].strip()


def _normal(name: str) -> str:
    """A name as other systems may write it: as a hand-in's folder, with other accents."""
    return one_line(unicodedata.normalize("NFC", name.strip()))


def read_roster(path: Path) -> Roster:
    """A CSV file of the class. Raises DlgoError if it names no students."""
    header, rows = read_table(path)
    canvas = {"Student", "ID"} <= set(header)
    if "student" not in header and "Identifier" not in header and not canvas:
        raise DlgoError(f"the roster {path} has no column 'student' and is neither Moodle's "
                        "grading worksheet (column Identifier) nor Canvas's gradebook "
                        "(Student, ID); its first line names columns")
    return Roster(header, [(row + [""] * len(header))[: len(header)] for _, row in rows])


def extended(
    due: datetime | None, roster: Roster | None, student: str, zone: tzinfo | None = None
) -> datetime | None:
    """The deadline of a student, with the extension in their row of the roster. Raises DlgoError if
    that is neither a number of days nor a date."""
    text = roster.cell(student, "extension") if roster else ""
    if not text:
        return due
    if text.isdecimal() and len(text) < 4:
        return due and due + timedelta(days=int(text))
    try:
        return deadline(text, zone)
    except DlgoError:
        raise DlgoError(f"the extension {text!r} of {student} is neither a number of days nor "
                        "a date; write 3 or 2026-11-23") from None


def grade_column(roster: Roster | None, assignment: str | None) -> int:
    """The number of a gradebook's column for the grades; `assignment` names it, where Canvas has
    several. Raises DlgoError if it is not clear which one it is."""
    if roster is None or not roster.kind:
        raise DlgoError("--gradebook needs a gradebook exported by Moodle or Canvas as --roster")
    if roster.kind == "moodle":
        columns = [name for name in roster.header if name == "Grade"]
    else:
        columns = [name for name in roster.header if _ASSIGNMENT.fullmatch(name)
                 and assignment in (None, name, name.rpartition(" (")[0])]
    if assignment is not None and not columns:
        raise DlgoError(f"the gradebook has no column {assignment!r} for grades; its columns: "
                        f"{', '.join(roster.header)}")
    if len(columns) != 1:
        raise DlgoError(f"the gradebook has {len(columns)} columns for the grades; name the "
                        "assignment with --assignment, or export the gradebook again")
    return roster.header.index(columns[0])


def write_gradebook(
    path: Path, roster: Roster, points: Mapping[str, tuple[float, float, str]], place: int
) -> None:
    """Write the gradebook with grades in the column number `place`. `points`: by student, points,
    points possible, and feedback in one line."""
    header, rows = list(roster.header), [list(row) for row in roster.rows]
    comments = "Feedback comments"
    most = _possible(roster, place)
    changed = {}
    for student, (earned, possible, text) in points.items():
        row = roster.row_of(student)
        if row is not None:
            changed[tuple(row)] = (earned, possible, text)
    for row in rows:
        if tuple(row) not in changed:
            continue
        earned, possible, text = changed[tuple(row)]
        scale = most or next((_number(cell) for name, cell in zip(header, row, strict=True)
                               if name.lower() == "maximum grade"), 0.0)
        row[place] = f"{round(earned * scale / possible, 2) if scale and possible else earned:g}"
        if comments in header:
            row[header.index(comments)] = text
    write_csv(path, header, rows)


def _possible(roster: Roster, place: int) -> float:
    """Canvas's `Points Possible` of a column: in the row that begins with these words."""
    return next((_number(row[place]) for row in roster.rows
                 if row[0].strip() == "Points Possible"), 0.0)


def _number(text: str) -> float:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return 0.0


def write_class_table(
    path: Path, columns: list[str], cells: Mapping[str, list[Any]], nothing: list[Any],
    roster: Roster | None,
) -> list[str]:
    """Write a CSV file with a row a student; return the students who are not on the roster.

    Args:
        columns: besides the roster's. cells: their values, by student.
        nothing: the values of students without a hand-in.
        roster: the table has its columns and its order.
    """
    roster = roster or Roster(["student"], [[name] for name in cells])
    rows = {tuple(row): nothing for row in roster.rows}
    strangers = []
    for name, values in cells.items():
        row = roster.row_of(name)
        if row is None:
            strangers.append(name)
            row = [name if place == roster.name_place else "" for place in range(
                len(roster.header))]
        rows[tuple(row)] = values
    write_csv(path, [*map(harmless, roster.header), *columns], [
        [*map(harmless, row), *map(harmless, values)] for row, values in rows.items()
    ])
    return strangers


def harmless(cell: Any) -> Any:
    """A cell that no spreadsheet reads as a formula, also after a tab, a line break or a `;`, where
    some begin a new cell."""
    if not isinstance(cell, str) or _DECIMAL.fullmatch(cell):
        return cell
    return _FORMULA.sub(r"\1'", re.sub(r"\r\n?", "\n", cell))  # `csv` quotes no `\r`
