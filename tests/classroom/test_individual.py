"""Individual exercises: each student has a variant of their own, which the grader knows."""

from __future__ import annotations

import csv
import json
import random
import stat
import sys
from pathlib import Path

import pytest

from experiments.classroom.exercise import Exercise, FaultExercise, exercises, get_exercise
from experiments.classroom.gradebooks import Roster
from experiments.classroom.hand_ins import hand_ins
from experiments.classroom.mutants import outcomes
from experiments.classroom.policy import Policy
from experiments.classroom.similarity import similar_groups
from tests.command import assert_one_line, dlgo_here
from tests.sandboxed import sandboxed

# Exercises of which all variants differ; faults differ in the program, too.
NAMES = ("evaluation", "rave", "uct", "predict_uct", "predict_alpha_beta", "elo", "q_update",
         "advantages", "fault_uct", "fault_elo")
STUDENTS = [f"student{number:02d}" for number in range(12)]


def points(exercise: Exercise, source: str) -> int:
    failed = outcomes(exercise, source)
    return sum(check.points for check in exercise.checks if not failed[check.title])


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_variants_differ_can_be_solved_and_are_wrong_for_others(name: str) -> None:
    """200 of each exercise."""
    variants = [get_exercise(name).individual(f"secret {number}") for number in range(200)]
    check_variants(variants)


@pytest.mark.parametrize("name", NAMES)
def test_two_variants_differ(name: str) -> None:
    exercise = get_exercise(name)
    assert exercise.varies and exercise.source == exercise.individual("").source
    check_variants([exercise, *map(exercise.individual, ("anna", "ben"))])


def test_classmates_have_different_faults() -> None:
    faults = [one for one in exercises().values() if isinstance(one, FaultExercise)]
    for exercise in faults:
        bugs = {exercise.individual(student).bug for student in STUDENTS}
        assert len(bugs) > 1 or len(exercise.bugs) == 1, exercise.name


def test_two_who_were_given_the_same_fault_are_not_alike(tmp_path: Path) -> None:
    policy, usual = Policy(seed_by_student="a seed"), get_exercise("fault_minimax")
    students_of: dict[str, list[str]] = {}
    for student in STUDENTS:
        exercise = policy.exercise("fault_minimax", student)
        students_of.setdefault(exercise.bug, []).append(student)
        (tmp_path / student).mkdir()
        (tmp_path / student / "fault_minimax.py").write_text(exercise.student_version())
    sources, _ = hand_ins(tmp_path, ["fault_minimax"])
    for bug, students in students_of.items():
        pair = {student: sources[student] for student in students[:2]}
        assert similar_groups(pair, [usual], policy) == [], bug


def check_variants(variants: list[Exercise]) -> None:
    solutions = [variant.solution() for variant in variants]
    assert len(set(solutions)) == len(variants)
    for place, variant in enumerate(variants):
        assert points(variant, solutions[place]) == 10
        assert not any(outcomes(variant, solutions[place], [variant.public_check()]).values())
        assert points(variant, solutions[place - 1]) < 10
        assert points(variant, variant.student_version()) == 0


@pytest.fixture(scope="module")
def a_class(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Students' folders of two exercises as `dlgo class new` writes them."""
    folder = tmp_path_factory.mktemp("individual")
    (folder / "class.csv").write_text("\n".join(["student", *STUDENTS]) + "\n")
    return folder


@sandboxed
@pytest.mark.long
def test_a_class_with_individual_exercises_is_graded(a_class: Path, capfd) -> None:
    names = ("uct", "fault_elo", "predict_alpha_beta")
    seed, roster = a_class / "secrets/class.seed", a_class / "class.csv"
    individual = ("--seed-by-student", seed, "--roster", roster)
    for folder, more in (("start", ()), ("hand-ins", ("--solution",)), ("again", ("--solution",))):
        done = dlgo_here(capfd, "class", "new", *names, *individual, *more, "--out",
                         a_class / folder)
        assert done.returncode == 0, done.stderr
    if sys.platform != "win32":
        assert stat.S_IMODE(seed.stat().st_mode) == 0o600
    texts = {(a_class / "start" / student / "uct.py").read_text() for student in STUDENTS}
    assert len(texts) == len(STUDENTS)
    hand_ins = a_class / "hand-ins"
    assert (hand_ins / STUDENTS[1] / "uct.py").read_bytes() == (
        a_class / "again" / STUDENTS[1] / "uct.py").read_bytes(), "the seed decides"

    # One copies from a classmate and changes names; one hands in two files of the common form.
    copied = (hand_ins / STUDENTS[1] / "uct.py").read_text().replace("total", "my_total")
    (hand_ins / STUDENTS[0] / "uct.py").write_text(copied)
    for name in ("uct", "fault_elo"):
        (hand_ins / STUDENTS[2] / f"{name}.py").write_text(get_exercise(name).solution())
    command = ("class", "grade", hand_ins, *individual, "--out", a_class / "marks")
    assert dlgo_here(capfd, *command).returncode == 0
    with (a_class / "marks/grades.csv").open() as file:
        rows = {row["student"]: [int(row[name]) for name in names] for row in csv.DictReader(file)}
    assert rows[STUDENTS[0]][0] < 10 and rows[STUDENTS[0]][1:] == [10, 10]
    assert max(rows[STUDENTS[2]][:2]) < 10 == rows[STUDENTS[2]][2]
    assert all(rows[student] == [10, 10, 10] for student in STUDENTS[3:])
    page = (a_class / "marks/students" / f"{STUDENTS[2]}.html").read_text()
    assert "own values: C = " in page
    exercise = get_exercise("uct").individual("one")
    assert not exercise.notes(exercise.solution()), "the student's own values are in the file"
    for number in range(3, len(STUDENTS)):  # only three hand in the same code
        start = (a_class / "start" / STUDENTS[number] / "uct.py").read_text()
        (hand_ins / STUDENTS[number] / "uct.py").write_text(start)
    done = dlgo_here(capfd, "class", "similarity", hand_ins, *individual, "--exercise", "uct",
                     "--out", a_class / "similar.csv")
    assert done.returncode == 0
    with (a_class / "similar.csv").open() as file:
        assert {name for row in csv.DictReader(file) for name in (row["student"], row["other"])
                } == {*STUDENTS[:3]}

    # A plan names the seed, too. Grades are kept; with another seed, none is.
    (a_class / "class.toml").write_text('roster = "class.csv"\nseed_by_student = "other.seed"\n')
    (a_class / "other.seed").write_text('seed = "another"\n')
    before = json.loads((a_class / "marks/grades.json").read_text())
    for options, kept in ((individual, True), (("--plan", a_class / "class.toml"), False)):
        assert dlgo_here(capfd, "class", "grade", hand_ins, *options, "--exercise", "uct", "--out",
                         a_class / "marks").returncode == 0
        after = json.loads((a_class / "marks/grades.json").read_text())
        assert all((grade == earlier) == kept for grade, earlier in zip(after, before, strict=True)
                   if grade["exercise"] == "uct" and grade["student"] in STUDENTS[:3])


def test_mistakes_give_one_line(a_class: Path, tmp_path: Path, capfd) -> None:
    (tmp_path / "no.seed").write_text("title = 1\n")
    (tmp_path / "a.seed").write_text('seed = "a"\n')
    for arguments, part in (
        (("new", "uct", "--seed-by-student", tmp_path / "x"), "and --roster"),
        (("new", "uct", "--roster", a_class / "class.csv"), "need --seed-by-student"),
        (("new", "uct", "--roster", a_class / "class.csv", "--seed-by-student",
          tmp_path / "no.seed"), "contains no seed of a class"),
        (("grade", a_class, "--seed-by-student", tmp_path / "missing"), "cannot be read"),
        (("grade", a_class, "--seed-by-student", tmp_path / "a.seed", "--gradescope",
          tmp_path / "results.json"), "do not know whose work they grade"),
    ):
        assert_one_line(dlgo_here(capfd, "class", *arguments, "--out", tmp_path), part)
    assert not list(tmp_path.glob("student*"))


@pytest.mark.parametrize(("header", "row", "folder", "hand_in"), [
    (["student"], ["Zoë B."], "Zoë B.", "Zoë B."), (["student"], ["../a/b"], "_._a_b", "../a/b"),
    (["Identifier", "Full name"], ["Participant 41", "Kim A"], "Kim A_41", "Kim A"),
    (["Student", "ID"], ["A, Kim", "77"], "A, Kim_77", "akim_77"),
])
def test_a_student_has_one_name_in_folders_and_rosters(header, row, folder, hand_in) -> None:
    roster = Roster(header, [row, ["Points Possible", ""][: len(row)]])
    assert folder in roster.students
    assert roster.folder_of(folder) == roster.folder_of(hand_in) == folder


def test_a_variant_is_the_same_in_any_order() -> None:
    first = get_exercise("predict_uct").individual("a").source
    random.seed(1)
    get_exercise("predict_uct").individual("b").source  # noqa: B018
    assert get_exercise("predict_uct").individual("a").source == first
