"""A class is graded: good, broken, hostile and absent students, in a sandbox."""

from __future__ import annotations

import csv
import json
import zipfile
from pathlib import Path

import pytest

from experiments.classroom import grading
from experiments.classroom.exercise import exercises, get_exercise
from experiments.classroom.grading import grade_hand_in
from experiments.classroom.outputs import classroom50, gradescope, load
from tests.classroom.formats import CLASSROOM50, GRADESCOPE
from tests.command import assert_one_line, dlgo, dlgo_here
from tests.sandboxed import sandboxed

jsonschema = pytest.importorskip("jsonschema")


KO, LIBERTIES = get_exercise("ko"), get_exercise("liberties")
# What a hostile student hands in for `ko`, and what their report says.
HOSTILE = {
    "hangs": ("while True: pass", "Loading ko.py did not end in time."),
    "leaves": ("import os\ndef forbidden(*_): os._exit(0)", "ended the whole program"),
    "surrogate": ("def forbidden(*_): raise ValueError('\\ud800')", "raised ValueError: \\ud800"),
}


@pytest.fixture(scope="module")
def a_class(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("class")
    for student in ("alice", "bob", *HOSTILE, "nobody"):
        (folder / student).mkdir()
    (folder / "alice/ko.py").write_text(KO.solution())
    (folder / "alice/liberties.py").write_text(LIBERTIES.solution())
    (folder / "bob/ko.py").write_text(KO.solution().replace(*KO.planted["one ply too few"]))
    for name, (source, _) in HOSTILE.items():
        (folder / name / "ko.py").write_text(source + "\n")
    (folder / "leaves/grades.csv").symlink_to(folder / "alice/ko.py")
    (folder / "linked").symlink_to(folder / "alice")
    (folder / "linked2.zip").symlink_to(folder / "zoe.zip")
    with zipfile.ZipFile(folder / "zoe.zip", "w") as archive:
        archive.writestr("home/zoe/ko.py", KO.solution())
    (folder / "roster.csv").write_text(
        'student,name\nzoe,"=HYPERLINK(""x"")"\nalice,Alice A.\nabsent,N. N.\n'
    )
    return folder


@pytest.mark.slow
@sandboxed
def test_a_class_is_graded_and_the_hostile_harm_nobody(
    a_class, tmp_path, capfd, monkeypatch
) -> None:
    monkeypatch.setattr(grading, "_LOAD_SECONDS", 4.0)  # of the one that hangs
    command = ("class", "grade", a_class, "--out", tmp_path, "--roster", a_class / "roster.csv")
    done = dlgo_here(capfd, *command)
    assert done.returncode == 0, done.stderr
    header, *rows = list(csv.reader((tmp_path / "grades.csv").open()))
    assert header == ["student", "name", "ko", "liberties", "total", "late"]
    assert rows[:3] == [
        ["zoe", "'=HYPERLINK(\"x\")", "10", "0", "10", ""],
        ["alice", "Alice A.", "10", "10", "20", ""], ["absent", "N. N.", "0", "0", "0", ""],
    ]
    points = {row[0]: int(row[2]) for row in rows}
    assert 0 < points["bob"] < 10
    assert not {"linked", "linked2"} & points.keys(), "links to others' work are no hand-ins"
    assert all(points[name] == 0 for name in HOSTILE)
    assert "bob is not on the roster" in done.stderr
    assert "grades.csv is a link; links are ignored" in done.stdout
    grades = json.loads((tmp_path / "grades.json").read_text())
    for name, (_, words) in HOSTILE.items():
        [said] = [grade["results"] for grade in grades
                  if grade["student"] == name and grade["exercise"] == "ko"]
        assert words in said[0]["feedback"] and all(result["feedback"] for result in said), said
    page = (tmp_path / "grades.html").read_text()
    assert "ended the whole program" in page and "<script" not in page
    own = (tmp_path / "students/bob.html").read_text()
    assert "bob" in own and "alice" not in own, "a student's own page tells of nobody else"

    # What other graders read keeps to their formats.
    bob = [grade for (student, _), grade in load(tmp_path / "grades.json").items()
           if student == "bob" and grade.exercise in ("ko", "liberties")]
    results = gradescope(bob)
    jsonschema.validate(results, GRADESCOPE)
    assert results["score"] == sum(test["score"] for test in results["tests"])
    assert {test["max_score"] for test in results["tests"]} >= {1, 10}
    runner = {
        "CLASSROOM": "go", "ASSIGNMENT": "ko", "USERNAME": "bob", "COMMIT_URL": "https://x/c",
        "SUBMISSION_TAG": "submit/2026-11-22T10-00-00Z-abc", "RELEASE_URL": "https://x/r",
    }
    result = classroom50(bob, runner)
    jsonschema.validate(result, CLASSROOM50)
    assert result["owner"] == "bob" and result["score"] <= result["max-score"] == 20
    assert result["datetime"] == "2026-11-22T10:00:00Z" < result["graded_at"]
    for number, expected in (("7", 7), ("", None)):
        other = classroom50(bob, runner | {"GITHUB_ACTOR": "eve", "GITHUB_ACTOR_ID": number,
                                           "SUBMISSION_TAG": "submit/again"})
        jsonschema.validate(other, CLASSROOM50)
        assert other["submitted_by"] == {"username": "eve", "id": expected}
        assert other["datetime"] == other["graded_at"]
    assert all(test["score"] <= test["max-score"] for test in result["tests"])

    # Again: nothing has changed, so nothing is run; a changed file is graded anew.
    (a_class / "bob/ko.py").write_text(KO.solution())
    before = (tmp_path / "grades.csv").read_text()
    assert dlgo_here(capfd, *command).returncode == 0
    assert "bob,,10" in (tmp_path / "grades.csv").read_text() and "bob,,10" not in before
    kept = json.loads((tmp_path / "grades.json").read_text())
    others = [[grade for grade in some if grade["student"] != "bob"] for some in (kept, grades)]
    assert others[0] == others[1], "to the second that it took"


@pytest.mark.slow
def test_a_split_by_the_order_of_a_set_differs_in_a_new_process(tmp_path) -> None:
    exercise = get_exercise("leaking_split")
    source = exercise.solution()
    for order, failed in (("sorted", []), ("list", ["The seed decides the split"])):
        (tmp_path / "leaking_split.py").write_text(source.replace("sorted(set", f"{order}(set"))
        [graded] = grade_hand_in("alice", tmp_path, [exercise], trust=True)
        assert [result.title for result in graded.results if result.feedback] == failed


@pytest.mark.slow
def test_a_mark_is_kept_until_a_file_that_made_it_changes(tmp_path, monkeypatch) -> None:
    """Trees of minimax.py are in the checks of alpha_beta and uct."""
    names = ("ko", "alpha_beta", "uct", "fault_minimax")
    graded_exercises = [get_exercise(name) for name in names]
    for exercise in graded_exercises:
        (tmp_path / f"{exercise.name}.py").write_text(exercise.student_version())

    def grade_again(saved: list[grading.Grade]) -> list[grading.Grade]:
        saved_grades = {(grade.student, grade.exercise): grade for grade in saved}
        return grade_hand_in("alice", tmp_path, graded_exercises, True, saved_grades)

    grades, read = grade_again([]), Path.read_bytes
    for changed, expected in (
        ("README.md", []), ("exercises/ko.py", ["ko"]),
        ("exercises/minimax.py", ["alpha_beta", "uct", "fault_minimax"]),
        ("classroom/checks.py", [*names]), ("classroom/grading.py", [*names]),
        ("isolation/answer.py", [*names]), ("isolation/plain.py", [*names]),
        ("programs/sandbox.py", [*names]),
    ):
        monkeypatch.setattr(Path, "read_bytes", lambda path, changed=changed: (
            read(path) + b"#" * path.as_posix().endswith(changed)))
        again = grade_again(grades)
        assert [grade.exercise for grade, earlier in zip(again, grades, strict=True)
                if grade.digest != earlier.digest] == expected, changed


def test_only_the_grader_says_that_something_did_not_end_in_time(tmp_path) -> None:
    raises = "def forbidden(*_): raise ValueError('the loop did not end in time')\n"
    for source, hung in ((raises, False), ("import time\ntime.sleep(60)\n", True)):
        (tmp_path / "ko.py").write_text(source)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(grading, "_LOAD_SECONDS", 0.5 if hung else 30.0)
            [grade] = grade_hand_in("alice", tmp_path / "ko.py", [KO], trust=True)
        assert grade.timed_out == hung and grade.earned == 0


def test_trust_is_printed_and_said_on_the_page(a_class, tmp_path, capfd) -> None:
    done = dlgo_here(capfd, "class", "grade", a_class / "alice", "--trust", "--exercise", "ko",
                     "--out", tmp_path, "--gradescope", tmp_path / "results.json")
    assert done.returncode == 0 and "without a sandbox" in done.stderr
    assert "alice: ko 10/10" in done.stdout
    assert "without a sandbox" in (tmp_path / "grades.html").read_text()
    assert "without a sandbox" in json.loads((tmp_path / "results.json").read_text())["output"]


def test_mistakes_give_one_line(a_class, tmp_path, capfd) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    (tmp_path / "roster.csv").write_text("name\nAlice\n")
    grade = ("class", "grade", a_class / "alice", "--trust", "--exercise=ko", "--out", tmp_path)
    for arguments, part in (
        (("class", "new", "chess"), "there is no exercise 'chess'; `dlgo class list`"),
        (("class", "grade", empty, "--trust"), "contains no hand-ins"),
        (("class", "grade", tmp_path / "none", "--trust"), "there is no folder"),
        (("class", "grade", a_class, "--gradescope", tmp_path / "x.json"),
         "holds hand-ins of several students"),
        ((*grade, "--roster", tmp_path / "roster.csv"), "is neither Moodle's grading worksheet"),
        ((*grade, "--classroom50=x.json"), "result.json needs CLASSROOM, ASSIGNMENT"),
    ):
        assert_one_line(dlgo_here(capfd, *arguments), part)
    # Without a sandbox nothing is run.
    done = dlgo("class", "grade", a_class / "alice", "--out", tmp_path / "out", PATH=str(empty))
    assert_one_line(done, "apt install bubblewrap")
    assert not (tmp_path / "out").exists()


def test_a_new_exercise_is_written_once(tmp_path, capfd) -> None:
    done = dlgo_here(capfd, "class", "new", "ko", "liberties", "--out", tmp_path / "week1")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "week1/ko.py").read_text() == KO.student_version()
    assert_one_line(dlgo_here(capfd, "class", "new", "ko", "--out", tmp_path / "week1"),
                    "exists already")
    done = dlgo_here(capfd, "class", "new", "ko", "--notebook", "--out", tmp_path / "week1")
    assert done.returncode == 0 and (tmp_path / "week1/ko.ipynb").exists()
    assert dlgo_here(capfd, "class", "list").stdout.count("\n") == len(exercises())


@sandboxed
@pytest.mark.long
def test_every_exercise_is_graded_in_the_sandbox_in_time(tmp_path) -> None:
    """Solutions 100%, a start 0, each within 60 s, 512 MB and half a core's worth of CPU time."""
    for exercise in exercises().values():
        for source, wanted in ((exercise.solution(), 10), (exercise.student_version(), 0)):
            (tmp_path / f"{exercise.name}.py").write_text(source)
            [grade] = grade_hand_in("x", tmp_path / f"{exercise.name}.py", [exercise])
            assert grade.earned == wanted, grade
            assert grade.seconds < 30
