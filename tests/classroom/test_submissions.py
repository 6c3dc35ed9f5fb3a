"""Facts about hand-ins: their order, which one counts, and which are late."""

from __future__ import annotations

import csv
import os
from datetime import datetime
from pathlib import Path

import pytest

from dlgo.errors import DlgoError
from experiments.classroom import grading
from experiments.classroom.exercise import Exercise, get_exercise
from experiments.classroom.grading import Grade, Result, grade_hand_in
from experiments.classroom.outputs import gradescope, read_roster, write_table
from experiments.classroom.submissions import hand_ins, parse_moment, submissions
from experiments.classroom.taking_in import TakenIn

KO, LIBERTIES = get_exercise("ko"), get_exercise("liberties")
DUE = datetime(2026, 11, 20, 23, 59)


def write(path: Path, text: str = "", when: datetime | None = None) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    if when is not None:
        os.utime(path, (when.timestamp(), when.timestamp()))


def names(folder: Path) -> list[str]:
    return [submission.name for submission in submissions(folder)]


def test_hand_ins_have_an_order_and_a_moment(tmp_path) -> None:
    for name in ("10/ko.py", "2/ko.py", "1.zip"):
        write(tmp_path / "ann" / name)
    assert names(tmp_path / "ann") == ["1", "2", "10"]
    for name in ("2026-11-20T2310/ko.py", "2026-11-20/ko.py", "2026-11-19T23:59:59/ko.py"):
        write(tmp_path / "bob" / name)
    found = submissions(tmp_path / "bob")
    assert [one.moment for one in found] == [
        datetime(2026, 11, 19, 23, 59, 59), datetime(2026, 11, 20), datetime(2026, 11, 20, 23, 10)
    ]
    assert not any(one.is_late(DUE) for one in found) and not found[-1].is_late(None)
    assert found[-1].is_late(datetime(2026, 11, 20, 23))
    # What has another file or folder besides, or no date that exists, is one hand-in.
    for path in ("carol/1/ko.py", "carol/notes.txt", "dan/2026-02-31/ko.py", "eve/week1/ko.py"):
        write(tmp_path / path, when=datetime(2026, 11, 21))
    for student in ("carol", "dan", "eve"):
        [only] = submissions(tmp_path / student)
        assert only.name == "" and only.is_late(DUE), "the newest file says when"
    (tmp_path / "ann/99").symlink_to(tmp_path / "bob")
    assert names(tmp_path / "ann") == [""], "a link is no hand-in"


def test_a_class_is_told_from_one_students_hand_ins(tmp_path) -> None:
    for name in ("01/ko.py", "02/ko.py"):  # students may be called by numbers
        write(tmp_path / "class" / name)
    assert list(hand_ins(tmp_path / "class", {"ko.py"})) == ["01", "02"]
    write(tmp_path / "ann/2026-11-20/ko.py")
    assert list(hand_ins(tmp_path / "ann", {"ko.py"})) == ["ann"]
    assert list(hand_ins(tmp_path / "class/01", {"ko.py"})) == ["01"]


def test_a_date_is_read_or_named() -> None:
    assert parse_moment("2026-11-20T23:59") == DUE
    for text in ("tomorrow", "2026-13-01", "20.11.2026", ""):
        with pytest.raises(DlgoError, match="is not a date; write 2026-11-20 or"):
            parse_moment(text)


def test_the_last_hand_in_with_an_exercise_counts(tmp_path, monkeypatch) -> None:
    """Of `ko` the second, of `liberties` the first, which nothing later replaces."""
    write(tmp_path / "ann/2026-11-20/ko.py", "old")
    write(tmp_path / "ann/2026-11-20/liberties.py", "only")
    write(tmp_path / "ann/2026-11-22/ko.py", "new")

    def grade(student: str, exercise: Exercise, taken: TakenIn, *_: object) -> Grade:
        path = taken.named(exercise.name)
        results = [] if path is None else [Result(path.read_text(), 10, 10, "", 0.1)]
        return Grade(student, exercise.name, results, 10)

    monkeypatch.setattr(grading, "grade", grade)
    ko, liberties = row = grade_hand_in("ann", tmp_path / "ann", [KO, LIBERTIES], due=DUE)
    assert (ko.results[0].title, ko.hand_in, ko.late) == ("new", "2026-11-22", True)
    assert (liberties.results[0].title, liberties.late) == ("only", False)
    assert "ko was handed in late." in gradescope(row)["output"]
    bob = [Grade("bob", "ko", [], 10), Grade("bob", "liberties", [], 10)]
    write_table(tmp_path / "grades.csv", {"ann": row, "bob": bob}, ["ko", "liberties"])
    assert list(csv.reader((tmp_path / "grades.csv").open())) == [
        ["student", "ko", "liberties", "total", "late"], ["ann", "10", "10", "20", "ko"],
        ["bob", "0", "0", "0", ""],
    ]


def test_a_roster_may_come_from_any_spreadsheet(tmp_path: Path) -> None:
    roster = tmp_path / "class.csv"
    for text, encoding in (
        ("student,group\nÄnne,2\nbo,\n", "utf-8"), ("student;group\nÄnne;2\nbo\n\n", "utf-8-sig"),
        ("sep=;\nstudent;group\nÄnne;2\nbo;\n", "utf-8"),
        ("student\tgroup\nÄnne\t2\nbo\n", "utf-16"),
    ):
        roster.write_bytes(text.encode(encoding))
        assert read_roster(roster) == (["student", "group"], [["Änne", "2"], ["bo", ""]])
