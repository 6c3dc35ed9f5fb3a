"""How a class is marked: deadlines, extensions, weights, the lecturer's points, gradebooks."""

from __future__ import annotations

import csv
import os
from datetime import datetime
from pathlib import Path

import pytest

from dlgo.errors import DlgoError
from experiments.classroom import grading
from experiments.classroom.grading import Grade, Result
from experiments.classroom.pages import write_grades
from experiments.classroom.policy import read_policy
from tests.command import assert_one_line, dlgo_here

PLAN = """\
roster = "roster.csv"
due = 2026-11-20
zone = "UTC"
late_percent = 20
late_days = 3
comments = "comments.csv"

[exercises]
ko = 2
liberties = 0.5
"""
# When each student hands in ko.py, whose checks give 10 points.
TIMES = {"ann": (20, 23), "bo": (22, 1), "cy": (22, 1), "di": (25, 1), "ed": (20, 1)}


@pytest.fixture
def a_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    def grade(student, exercise, taken, trust, known) -> Grade:
        path = taken.exercises.get(exercise.name)
        hung = path is not None and "hang" in path.read_text()
        results = [] if path is None else [
            Result("works", 10, 10 * (not hung), "f() hung." if hung else "", 0.1, hung)]
        before = (known or {}).get((student, exercise.name))
        if before is not None and before.digest:
            return before
        return Grade(student, exercise.name, results, 10, taken.notes, digest="x")

    monkeypatch.setattr(grading, "grade", grade)
    for student, (day, hour) in TIMES.items():
        path = tmp_path / f"class/{student}/ko.py"
        path.parent.mkdir(parents=True)
        path.write_text("hang" if student == "ed" else "")
        when = datetime.fromisoformat(f"2026-11-{day}T{hour:02}:00+00:00").timestamp()
        os.utime(path, (when, when))
    (tmp_path / "class.toml").write_text(PLAN)
    (tmp_path / "roster.csv").write_text("student,extension,exercises\nann,,\nbo,,\ncy,2,\n"
                                         "di,2026-11-24,\ned,,liberties\n")
    (tmp_path / "comments.csv").write_text(
        "student,exercise,points,comment\nann,ko,-1,see me\nann,liberties,3,oral\ncy,ko,,fine\n"
        "zoe,ko,1,\n")
    return tmp_path


def run(folder: Path, capfd, *more: object) -> list[dict[str, str]]:
    done = dlgo_here(capfd, "class", "grade", folder / "class", "--trust", "--workers", 1,
                     "--out", folder / "out", *more)
    assert done.returncode == 0, done.stderr
    with (folder / "out/grades.csv").open() as file:
        return list(csv.DictReader(file))


def test_lateness_extensions_weights_and_the_lecturers_points(a_class, capfd) -> None:
    rows = {row["student"]: row for row in run(a_class, capfd, "--plan", a_class / "class.toml")}
    # 10 points, weight 2. Ann: one point less. Bo: two days late, 40%. Cy: two days more, not late.
    # Di: a new date, 1 day late. Ed: ko does not count.
    assert {name: row["ko"] for name, row in rows.items()} == {
        "ann": "18", "bo": "12", "cy": "20", "di": "16", "ed": "0"}
    assert rows["ann"]["liberties"] == "1.5" and rows["ann"]["total"] == "19.5"
    assert [name for name, row in rows.items() if row["late"]] == ["bo", "di"]
    page = (a_class / "out/students/ann.html").read_text()
    assert "Comment: see me" in page and "2026-11-20 23:59:59 UTC" in page
    assert "changed the points by -1." in page and "hand-in," not in page
    page = (a_class / "out/students/cy.html").read_text()
    assert "Your deadline: 2026-11-22 23:59:59 UTC" in page, "with the extension"
    assert "<details open>" in page, "there is a comment"
    page = (a_class / "out/students/bo.html").read_text()
    assert "Lateness costs 4 points" in page and "handed in late: 2026-11-22 01:00" in page
    assert "<details open>" in page, "points are lost, though all checks pass"
    again = run(a_class, capfd, "--plan", a_class / "class.toml")
    assert again == list(rows.values()), "graded again, the lecturer's points are still there"
    # More than three days after the deadline: nothing.
    late = run(a_class, capfd, "--plan", a_class / "class.toml", "--due", "2026-11-18")
    assert {row["student"]: row["ko"] for row in late}["bo"] == "0"


def test_one_student_of_the_roster(a_class, capfd) -> None:
    """Folders 1 and 2 are hand-ins of the student whose folder it is; case does not matter."""
    for number, program in enumerate(("", "hang"), 1):
        (a_class / f"class/Cy/{number}").mkdir(parents=True)
        (a_class / f"class/Cy/{number}/ko.py").write_text(program)
    done = dlgo_here(capfd, "class", "grade", a_class / "class/Cy", "--trust", "--due=2099-01-01",
                     "--out", a_class / "out", "--plan", a_class / "class.toml")
    assert "Cy: ko 0/20" in done.stdout and "not on the roster" not in done.stderr
    assert "handed in nothing" not in done.stderr, "the others' comments"
    with (a_class / "out/grades.csv").open() as file:
        assert [row["student"] for row in csv.DictReader(file)] == ["cy"], "no zeros for others"
    assert "show one student" not in done.stderr, "there were no others"
    run(a_class, capfd, "--plan", a_class / "class.toml")
    done = dlgo_here(capfd, "class", "grade", a_class / "class/Cy", "--trust",
                     "--out", a_class / "out", "--plan", a_class / "class.toml")
    assert "show one student; grade the class's folder to show all" in done.stderr


def test_feedback_is_held_until_it_is_released(a_class, capfd) -> None:
    plan = a_class / "class.toml"
    plan.write_text("feedback = false\n" + PLAN)
    (a_class / "class/ann/notes.pdf").touch()
    run(a_class, capfd, "--plan", plan)
    page = (a_class / "out/students/ann.html").read_text()
    assert "not released yet" in page and "handed in" in page
    assert not any(text in page for text in ("see me", "18", "works", "notes.pdf"))
    lecturers = (a_class / "out/grades.html").read_text()
    assert "see me" in lecturers and "notes.pdf" in lecturers


def test_a_page_says_nothing_twice(tmp_path: Path) -> None:
    """A function that is not written yet fails several checks."""
    results = [Result(f"check {number}", 2, 0, text, 0.1)
               for number, text in enumerate(("f() is missing.", "f() is missing.", "Wrong."))]
    write_grades(tmp_path, {"ann": [Grade("ann", "ko", results, 6)]}, ["ko"])
    page = (tmp_path / "students/ann.html").read_text()
    assert [page.count(text) for text in ("f() is missing.", "As above.", "Wrong.")] == [1, 1, 1]


def test_who_handed_in_nothing_is_named(a_class, capfd) -> None:
    with (a_class / "roster.csv").open("a") as file:
        file.write("fay,,\ngus,,\n")
    done = dlgo_here(capfd, "class", "grade", a_class / "class", "--trust", "--workers", 1,
                     "--out", a_class / "out", "--plan", a_class / "class.toml")
    assert "no hand-in: fay, gus\n" in done.stderr
    assert "No hand-in: fay, gus." in (a_class / "out/grades.html").read_text()
    assert "gus" not in (a_class / "out/students/ann.html").read_text()


def test_what_did_not_end_in_time_can_be_graded_again(a_class, capfd) -> None:
    run(a_class, capfd, "--exercise", "ko")
    (a_class / "class/ed/ko.py").write_text("")
    assert {r["student"]: r["ko"] for r in run(a_class, capfd, "--exercise", "ko")}["ed"] == "0"
    rows = run(a_class, capfd, "--exercise", "ko", "--regrade-timeouts")
    assert {row["student"]: row["ko"] for row in rows}["ed"] == "10"


def test_one_hand_in_that_cannot_be_graded_stops_nobody(a_class, capfd, monkeypatch) -> None:
    whole = grading.grade

    def grade(student, *rest: object) -> Grade:
        if student == "bo":
            raise DlgoError("the machine is full")
        return whole(student, *rest)

    monkeypatch.setattr(grading, "grade", grade)
    rows = run(a_class, capfd, "--exercise", "ko")
    assert [row["ko"] for row in rows] == ["10", "0", "10", "10", "0"]
    assert "could not be graded: the machine is full" in (a_class / "out/grades.html").read_text()


MOODLE = ("Identifier,Full name,ID number,Email address,Status,Grade,Maximum Grade,"
          "Grade can be changed,Last modified (submission),Last modified (grade),"
          "Feedback comments\n")


def test_moodles_and_canvass_gradebooks_are_read_and_written(a_class, capfd) -> None:
    for name, new in (("ann", "Ann Lee_123_assignsubmission_file_"), ("bo", "Bo_124")):
        (a_class / "class" / name).rename(a_class / "class" / new)
    (a_class / "m.csv").write_text(MOODLE + (
        "Participant 123,Ann Lee,a1,a@x.org,Submitted,,100.00,Yes,-,-,\n"
        "Participant 124,Bo Li,b1,b@x.org,No submission,,100.00,Yes,-,-,\n"
        "Participant 125,Zoe,z1,z@x.org,No submission,,100.00,Yes,-,-,\n"))
    run(a_class, capfd, "--exercise", "ko", "--roster", a_class / "m.csv",
        "--gradebook", a_class / "new.csv")
    header, ann, bo, zoe = csv.reader((a_class / "new.csv").open())
    assert ",".join(header) == MOODLE.strip() and (ann[5], bo[5], zoe[5]) == ("100", "100", "")
    assert ann[10] == "ko 10/10"
    (a_class / "c.csv").write_text(
        "Student,ID,SIS User ID,SIS Login ID,Section,Week 1 (815),Week 2 (816)\n"
        "    Points Possible,,,,,20,30\n\"Lee, Ann\",123,s1,ann,A,,\n\"Li, Bo\",124,s2,bo,A,,4\n")
    more = ("--exercise", "ko", "--roster", a_class / "c.csv", "--gradebook", a_class / "new.csv")
    run(a_class, capfd, *more, "--assignment", "Week 1")
    rows = list(csv.reader((a_class / "new.csv").open()))
    assert rows[1][5] == "20" and [row[5:] for row in rows[2:]] == [["20", ""], ["20", "4"]]
    command = ("class", "grade", a_class / "class", "--trust", "--workers", 1, "--out",
               a_class / "out")
    assert_one_line(dlgo_here(capfd, *command, *more), "has 2 columns for the grades; name the")
    done = dlgo_here(capfd, *command, *more, "--assignment", "Week 3")
    assert_one_line(done, "no column 'Week 3' for grades; its columns: Student, ID, ")
    assert_one_line(dlgo_here(capfd, *command, "--gradebook", a_class / "x.csv"),
                    "--gradebook needs a gradebook exported by Moodle or Canvas as --roster")


def test_mistakes_in_a_plan_give_one_line(tmp_path: Path) -> None:
    (tmp_path / "comments.csv").write_text("student,exercise,points,comment\nann,ko,many,\n")
    (tmp_path / "empty.csv").write_text("student,exercise,points,comment\nann,,2,\n")
    (tmp_path / "roster.csv").write_text("student,extension\nann,soon\n")
    for text, words in (
        ("late = 3", "has no key 'late'"), ("[exercises]\nchess = 1", "no exercise 'chess'"),
        ("[exercises]\nko = -1", "the weight of ko"), ("exercises = 3", r"under a line \[exerc"),
        ('zone = "Bern"', "time zone 'Bern' is unknown"),
        ('comments = "comments.csv"', "line 2: points="),
        ('comments = "empty.csv"', "line 2: the column 'exercise' is empty"),
    ):
        (tmp_path / "class.toml").write_text(text)
        with pytest.raises(DlgoError, match=words):
            read_policy(tmp_path / "class.toml")
    (tmp_path / "class.toml").write_text('roster = "roster.csv"')
    with pytest.raises(DlgoError, match="the extension 'soon' of ann is neither"):
        read_policy(tmp_path / "class.toml").due_of("ann")
