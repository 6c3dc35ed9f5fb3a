"""Facts about hand-ins: their order, which one counts, which are late, what is taken of them."""

from __future__ import annotations

import csv
import os
import stat
import subprocess
import sys
import tempfile
import zipfile
from datetime import datetime
from pathlib import Path

import pytest

from dlgo.errors import DlgoError
from experiments.classroom import grading
from experiments.classroom.collecting import Collected, collect
from experiments.classroom.dates import deadline
from experiments.classroom.exercise import get_exercise
from experiments.classroom.gradebooks import Roster, read_roster
from experiments.classroom.grading import Grade, Result, grade_hand_in
from experiments.classroom.hand_ins import hand_ins, submissions
from experiments.classroom.outputs import gradescope, write_grades_table

KO, LIBERTIES = get_exercise("ko"), get_exercise("liberties")
DUE = datetime(2026, 11, 20, 23, 59)


def write(path: Path, text: str = "", when: datetime | None = None) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    if when is not None:
        os.utime(path, (when.timestamp(), when.timestamp()))


def test_hand_ins_have_an_order_and_a_moment(tmp_path) -> None:
    for name in ("ann/10/ko.py", "ann/2/ko.py", "ann/1.zip", "bob/2026-11-20T2310/ko.py",
                 "bob/2026-11-20/ko.py", "bob/2026-11-19T23:59:59/ko.py"):
        write(tmp_path / name)
    assert [one.name for one in submissions(tmp_path / "ann")] == ["1", "2", "10"]
    found = submissions(tmp_path / "bob")
    assert [one.moment for one in found] == [
        datetime(2026, 11, 19, 23, 59, 59), datetime(2026, 11, 20), datetime(2026, 11, 20, 23, 10)
    ]
    assert not any(one.is_late(DUE) for one in found) and not found[-1].is_late(None)
    assert found[-1].is_late(datetime(2026, 11, 20, 23))
    # What has another file or folder besides, or no date that exists, is one hand-in.
    for path in ("carol/1/ko.py", "carol/notes.txt", "dan/2026-02-31/ko.py", "eve/week1/ko.py",
                 "fay/20261120/ko.py"):
        write(tmp_path / path, when=datetime(2026, 11, 21))
    for student in ("carol", "dan", "eve", "fay"):
        [only] = submissions(tmp_path / student)
        assert only.name == "" and only.is_late(DUE), "the newest file says when"
    (tmp_path / "ann/99").symlink_to(tmp_path / "bob")
    assert [one.name for one in submissions(tmp_path / "ann")] == [""], "a link is no hand-in"


def test_the_last_hundred_hand_ins_are_looked_at(tmp_path) -> None:
    for number in range(1, 302):
        (tmp_path / f"ann/{number}").mkdir(parents=True)
    assert [one.name for one in submissions(tmp_path / "ann")] == [*map(str, range(202, 302))]


def test_a_class_is_told_from_one_students_hand_ins(tmp_path) -> None:
    for name in ("class/01/ko.py", "class/02/ko.py", "ann/2026-11-20/ko.py"):
        write(tmp_path / name)
    assert list(hand_ins(tmp_path / "class", ["ko"])[0]) == ["01", "02"], "called by numbers"
    assert list(hand_ins(tmp_path / "ann", ["ko"])[0]) == ["ann"]
    assert list(hand_ins(tmp_path / "class/01", ["ko"])[0]) == ["01"]
    assert deadline("2026-11-20T23:59") == DUE
    for text in ("tomorrow", "2026-13-01", "20.11.2026", ""):
        with pytest.raises(DlgoError, match="is not a date; write 2026-11-20 or"):
            deadline(text)


def test_the_last_hand_in_with_an_exercise_counts(tmp_path, monkeypatch) -> None:
    """Of `ko` the second, of `liberties` the first, which nothing later replaces."""
    write(tmp_path / "ann/2026-11-20/ko.py", "old")
    write(tmp_path / "ann/2026-11-20/liberties.py", "only")
    write(tmp_path / "ann/2026-11-22/ko.py", "new")

    def grade(student, exercise, taken: Collected, *_: object) -> Grade:
        path = taken.exercises.get(exercise.name)
        results = [] if path is None else [Result(path.read_text(), 10, 10, "", 0.1)]
        return Grade(student, exercise.name, results, 10)

    monkeypatch.setattr(grading, "grade", grade)
    ko, liberties = row = grade_hand_in("ann", tmp_path / "ann", [KO, LIBERTIES], due=DUE)
    assert (ko.results[0].title, ko.hand_in, ko.late) == ("new", "2026-11-22", True)
    assert (liberties.results[0].title, liberties.late) == ("only", False)
    assert "ko was handed in late." in gradescope(row)["output"]
    bob = [Grade("bob", "ko", [], 10), Grade("bob", "liberties", [], 10)]
    write_grades_table(tmp_path / "t.csv", {"ann": row, "bob": bob}, ["ko", "liberties"], None)
    assert list(csv.reader((tmp_path / "t.csv").open())) == [
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
        assert read_roster(roster) == Roster(["student", "group"], [["Änne", "2"], ["bo", ""]])


@pytest.fixture
def taken(tmp_path: Path) -> Path:
    (tmp_path / "taken").mkdir()
    return tmp_path / "taken"


def names(result: Collected) -> list[str]:
    return [str(path.relative_to(result.folder)) for path in result.files]


def test_plain_files_are_taken_and_links_devices_and_large_ones_named(tmp_path, taken) -> None:
    source = tmp_path / "alice"
    for name in ("ko.py", "week1/ko.py", "helper.py", ".git/config"):
        write(source / name, "x = 1\n")
    (source / "ko.py").chmod(0o600)
    (tmp_path / "grades.csv").write_text("secret")
    (source / "grades.py").symlink_to(tmp_path / "grades.csv")
    (source / "home").symlink_to(Path.home())
    (source / "zero.py").symlink_to("/dev/zero")
    os.mkfifo(source / "waits.py")
    (source / "large.py").write_bytes(bytes(9 << 20))
    result = collect(source, taken, ["ko"])
    assert names(result) == ["helper.py", "ko.py", "week1/ko.py"]
    assert result.exercises == {"ko": taken / "ko.py"}, "the file that lies highest counts"
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o644 for path in result.files)
    assert stat.S_IMODE((taken / "week1").stat().st_mode) == 0o755, "everybody may read it"
    for name in ("grades.py", "home", "zero.py", "waits.py", "large.py"):
        assert any(name in note for note in result.notes), name
    assert len(result.notes) == 5


def test_a_zip_file_is_unpacked_but_not_its_bombs(tmp_path, taken) -> None:
    source = tmp_path / "mallory.zip"
    with zipfile.ZipFile(source, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("work/ko.py", "x = 1\n")
        archive.writestr("bomb.py", bytes(20 << 20))
        archive.writestr("../outside.py", "x")
        archive.writestr("/tmp/absolute.py", "x")
        link = zipfile.ZipInfo("link.py")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("work/ko.py/inside.py", "a file is no folder")
        archive.writestr("n" * 255 + "é.py", "x")
    result = collect(source, taken)
    assert names(result) == ["work/ko.py"]
    for part in ("bomb.py unpacks to more", "outside.py is outside", "absolute.py is outside",
                 "link.py is a link", "inside.py' is not a valid", "is not a valid file name"):
        assert any(part in note for note in result.notes), (part, result.notes)
    assert not (tmp_path / "outside.py").exists()


def test_many_files_and_broken_zip_files_are_named(tmp_path, taken) -> None:
    source = tmp_path / "many.zip"
    with zipfile.ZipFile(source, "w") as archive:
        for number in range(300):
            archive.writestr(f"{number}.py", "x")
    result = collect(source, taken)
    assert len(result.files) == 100 and "only the first 100 files" in result.notes[0]
    source.write_bytes(b"PK\3\4" + bytes(100))
    (tmp_path / "other").mkdir()
    [note] = collect(source, tmp_path / "other").notes
    assert note == "many.zip is not a zip file that can be read"


def test_the_folder_of_a_hand_in_is_private_and_never_stays(tmp_path, monkeypatch) -> None:
    """Not even if its process was killed: then the next one removes it."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    write(tmp_path / f"hand-in-{ended.pid}-left/files/ko.py")
    write(tmp_path / f"hand-in-{os.getppid()}-lives/files/ko.py")
    write(tmp_path / "ann/ko.py")
    private = []

    def grade(student, exercise, taken: Collected, *_: object) -> Grade:
        place = taken.folder.parent
        private.append((place.parent == tmp_path, stat.S_IMODE(place.stat().st_mode)))
        return Grade(student, exercise.name, [], 10)

    monkeypatch.setattr(grading, "grade", grade)
    grade_hand_in("ann", tmp_path / "ann", [KO])
    assert private == [(True, 0o700)]
    assert {path.name for path in tmp_path.iterdir()} == {"ann", f"hand-in-{os.getppid()}-lives"}
