"""Facts about hostile hand-ins: each fails alone, and the others get their grades."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import time
import unicodedata
from pathlib import Path

import pytest

from dlgo.system import processes
from engines.isolation.calls import CallError, Functions
from engines.isolation.channel import Host
from engines.programs import sandbox, sealed
from engines.programs.sandbox import Sandbox, SandboxError
from experiments.classroom import grading
from experiments.classroom.exercise import get_exercise
from experiments.classroom.gradebooks import Roster, write_class_table
from experiments.classroom.grading import Grade, Result
from experiments.classroom.pages import page_name, write_grades
from tests.classroom.attacks import ATTACKS, EXPENSIVE
from tests.command import ROOT, assert_one_line, dlgo_here
from tests.conftest import RUN_ALL
from tests.sandboxed import sandboxed

KO = get_exercise("ko")
CASES = Path(__file__).resolve().parents[3] / "shared/cases/class"
# Seconds that one hostile hand-in may take: the 45 s of its exercise, and those to end it; a busy
# machine takes long to end a fork bomb.
_LIMIT = 120.0


def graded(capfd: pytest.CaptureFixture[str], folder: Path, out: Path, *options: str) -> dict:
    """The grades of `ko` of a class, by student."""
    done = dlgo_here(capfd, "class", "grade", folder, "--exercise", "ko", "--out", out, *options)
    assert done.returncode == 0, done.stderr
    return {grade["student"]: grade for grade in json.loads((out / "grades.json").read_text())}


def earned(grade: dict) -> int:
    return sum(result["earned"] for result in grade["results"])


@pytest.mark.sandbox
@sandboxed
def test_each_attack_fails_alone(tmp_path, capfd) -> None:
    """Alice and Zed, the first and the last of the class, get ten points each, as ever. It prints
    what happened (`pytest -s`)."""
    attacks = ATTACKS | (EXPENSIVE if RUN_ALL else {})
    for name, (code, _) in attacks.items():
        (tmp_path / "class" / name).mkdir(parents=True)
        (tmp_path / "class" / name / "ko.py").write_text(code)
    for name in ("alice", "zed"):
        (tmp_path / "class" / name).mkdir()
        (tmp_path / "class" / name / "ko.py").write_text(KO.solution())
    start = time.monotonic()
    grades = graded(capfd, tmp_path / "class", tmp_path / "out")
    assert set(grades) == {"alice", "zed", *attacks}
    print()
    for name, grade in grades.items():
        seconds = sum(result["seconds"] for result in grade["results"])
        text = next((r["feedback"] for r in grade["results"] if r["feedback"]), "")
        print(f"{name:26} {earned(grade):2} {seconds:5.1f} s  {text[:110]}")
    print(f"{len(attacks)} attacks in {time.monotonic() - start:.0f} s")
    wrong = {}
    for name, (_, words) in attacks.items():
        said = [result["feedback"] for result in grades[name]["results"]]
        seconds = sum(result["seconds"] for result in grades[name]["results"])
        if (earned(grades[name]) > 2 or seconds > _LIMIT
                or not any(words in text for text in said if text)):
            wrong[name] = said, seconds
    assert not wrong
    assert earned(grades["alice"]) == earned(grades["zed"]) == 10
    page = (tmp_path / "out/grades.html").read_text()
    assert "<script" not in page and "\x1b" not in page and "\u202e" not in page
    pages = {path.stem for path in (tmp_path / "out/students").iterdir()}
    assert pages == set(grades)


# A line that switches off what could look for changes in the hand-in's own process.
BLIND = """
import json, sys; dumps = json.dumps; json.dumps = lambda v, **_: dumps(v if type(v) is dict else 0)
f = sys._getframe()
while 'to_plain' not in f.f_globals: f = f.f_back
f.f_globals.update(call_unchanged=lambda function, arguments, _: function(*arguments),
                   fingerprints=lambda values: [0 for _ in values])
"""


@sandboxed
@pytest.mark.slow
def test_a_changed_argument_is_seen_from_outside(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "f.py").write_text(f"{BLIND}\ndef clear(board):\n    board.clear()\n    return 1\n")
    with Functions(tmp_path / "f.py", Sandbox([tmp_path], sealed=True), 60) as functions:
        with pytest.raises(CallError, match=r"clear\(\) changed its argument 'board'; work"):
            functions.call("clear", [1, 2])
        assert functions.call("clear", [1, 2]) == 1, "one bug is one failure"


def test_nobody_gets_time_for_cores_that_their_own_processes_had(monkeypatch) -> None:
    """A fork bomb would otherwise wait for itself: for minutes on a busy machine."""
    monkeypatch.setattr(processes, "run_times", lambda pid: (1.0, 9.0))
    host = object.__new__(Host)
    host._sandbox, host.process = Sandbox(), 1
    for seconds, delay in ((0.9, 9.0), (1.0, 9.0), (4.0, 6.0), (20.0, -10.0)):
        host._cpu = seconds  # of all processes
        assert host.core_delay() == delay


# Names of students' folders that break things.
NAMES = [
    "quo'te\"d", "a,b;c", "<img src=x onerror=alert(1)>", "line\nbreak", "\x1b[31mred",
    "\u202eevil", "n" * 250, "\N{FAMILY}" * 60, "e\u0301ve", "\u00e9ve", "CON", "aux.txt", " ",
    "=1+1", "\tTab", "\r=1", "@SUM(A1)", "x;=1+1", "%2e%2e%2f", "#frag?x=1", "{{ 7*7 }}", "-rf",
    "--out", "~", "$HOME", "'; DROP TABLE", "null", "0", "a\\b", "\x7f", "\u200b", "\ufeff",
]
BYTES = [b"\xff\xfe", b"caf\xe9", b"\xed\xa0\x80"]


@pytest.mark.sandbox
@sandboxed
def test_names_that_break_things_break_nothing(tmp_path, capfd) -> None:
    folder = tmp_path / "class"
    for name in [*map(os.fsencode, NAMES), *BYTES]:
        path = Path(os.fsdecode(os.path.join(os.fsencode(folder), name)))  # noqa: PTH118
        path.mkdir(parents=True)
        (path / "note.txt").write_text("nothing")
    broken = Path(os.fsdecode(os.fsencode(folder) + b"/\xff\xfe"))
    (broken / os.fsdecode(b"\xff.py")).write_text("x = 1")
    (broken / "link\n.py").symlink_to("/etc/passwd")
    (broken / "ko.py").write_text("raise RuntimeError(__file__)")
    (folder / "alice").mkdir()
    (folder / "alice/ko.py").write_text(KO.solution())
    out = tmp_path / "out"
    grades = graded(capfd, folder, out)
    students = len(NAMES) + len(BYTES) + 1
    assert len(grades) == students and earned(grades["alice"]) == 10
    assert all(name.isprintable() for name in grades)
    assert len(list((out / "students").iterdir())) == students
    assert any("link .py is a link" in note for note in grades["\\udcff\\udcfe"]["notes"])
    for path in [out / "grades.html", *(out / "students").iterdir()]:
        text = path.read_text(encoding="utf-8")
        assert "<img" not in text and "\x1b" not in text and "\u202e" not in text, path
    rows = list(csv.reader((out / "grades.csv").open(newline="")))
    assert len(rows) == students + 1
    for row in rows:
        assert not any(cell[:1] in set("=+-@\t\r\n") for cell in row), row
        assert ";=" not in row[0]


def test_long_names_are_shortened_in_pages(tmp_path: Path) -> None:
    """A name of 255 letters takes 2,000 pixels of a table; a title has the whole."""
    name, note = "n" * 255, "x" * 300
    grade = Grade(name, "ko", [Result("t", 1, 1, "", 0.0)], 1, [note], hand_in="h" * 255)
    write_grades(tmp_path, {name: [grade]}, ["ko"], absent=["a" * 255])
    text = (tmp_path / "grades.html").read_text()
    for letter, count in (("n", 2), ("h", 1), ("a", 1)):
        short = f'<span title="{letter * 255}">{letter * 39}\N{HORIZONTAL ELLIPSIS}</span>'
        assert text.count(short) == count and text.count(letter * 41) == count * (255 // 41)
    assert "overflow-wrap: anywhere" in text, "notes are broken anywhere"
    assert (tmp_path / "students" / page_name(name)).exists()


@pytest.mark.parametrize(("cell", "written"), [
    ("=1+1", "'=1+1"), ("+a", "'+a"), ("-a", "'-a"), ("@a", "'@a"), ("\ta", "'\ta"),
    ("\ra", "'\na"), ("\n=1", "'\n'=1"), (" =1", "' =1"), ("\uff1d1", "'\uff1d1"),
    ("a;=1", "a;'=1"), ("a\rb", "a\nb"),
    ("a\t=1", "a\t'=1"), ("-1.5", "-1.5"), ("+49", "+49"), ("a=b", "a=b"), ("", ""), ("a-b", "a-b"),
])
def test_no_cell_is_a_formula(cell: str, written: str, tmp_path: Path) -> None:
    write_class_table(tmp_path / "t.csv", ["note"], {"ann": [cell]}, [""],
                      Roster(["student", "group"], [["ann", cell]]))
    with (tmp_path / "t.csv").open(newline="") as file:
        assert list(csv.reader(file))[1] == ["ann", written, written]


def test_a_roster_finds_names_that_are_written_otherwise(tmp_path: Path) -> None:
    """macOS takes accents apart in names of files; some forms have spaces at their ends."""
    folder = unicodedata.normalize("NFD", "Zoë Gómez")
    roster = Roster(["student"], [["Zoë Gómez "], ["absent"]])
    assert write_class_table(tmp_path / "t.csv", ["points"], {folder: [7]}, [0], roster) == []
    assert "Zoë Gómez ,7\nabsent,0" in (tmp_path / "t.csv").read_text()


@pytest.mark.sandbox
@sandboxed
@pytest.mark.skipif(not CASES.is_dir(), reason="needs the shared cases")
def test_shared_cases(tmp_path, capfd, monkeypatch) -> None:
    monkeypatch.setattr(grading, "_CALL_SECONDS", 3.0)
    for name in ("hash_20000", "memory_error", "simple_surrogate"):
        grades = graded(capfd, CASES / "grader" / name, tmp_path / name)
        assert earned(grades["alice"]) == 10 and earned(grades["eve"]) == 0, name
    for options in ((), ("--trust",)):
        grades = graded(capfd, CASES / "trust", tmp_path / f"trust{len(options)}", *options)
        assert earned(grades["eve"]) == 0
        assert "No module named 'experiments" in grades["eve"]["results"][0]["feedback"]


SYSTEM_PYTHON = "/usr/bin/python3"


def test_root_never_runs_students_code_as_root(monkeypatch, tmp_path, capfd) -> None:
    monkeypatch.setattr(processes, "is_root", lambda: True)
    monkeypatch.setattr(sandbox, "other_user", lambda: 0)
    (tmp_path / "ko.py").touch()
    done = dlgo_here(capfd, "class", "grade", tmp_path / "ko.py", "--trust", "--out", tmp_path)
    assert_one_line(done, "--trust would run students' code as root, since other users cannot run")
    with pytest.raises(SandboxError, match="install Python and dlgo where all users can read them"):
        Sandbox(sealed=True, trusted=True).command(["true"])
    monkeypatch.setattr(sandbox, "other_user", lambda: 4711)
    sandbox.check_trust()
    with pytest.raises(SandboxError, match="as root: run this command as another user"):
        sandbox.check_trust(changes_user=False)


READS = """
import os
got = []
for folder in {folders!r}:
    try:
        got += os.listdir(folder)
    except (PermissionError, NotADirectoryError):  # in a worktree, `.git` is a file
        pass
try:
    open({results!r}, "w")
    got += ["results"]
except PermissionError:
    pass
raise RuntimeError(f"{{got}} {{os.getuid() > 65536}} {{sorted(os.environ)}}")
"""


@pytest.mark.sandbox
@pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="only root can do without walls")
def test_without_a_sandbox_root_grades_as_another_user(tmp_path: Path) -> None:
    """As in Gradescope's containers: solutions cannot be read, nor results be written."""
    libraries = os.pathsep.join([str(ROOT), *(p for p in sys.path if p.endswith("-packages"))])
    run = {"env": {"PYTHONPATH": libraries, "PATH": "/usr/bin:/bin", "SECRET": "1",
                   "DLGO_CACHE_DIR": str(tmp_path), "HOME": str(tmp_path)},
           "capture_output": True, "text": True, "cwd": "/"}
    look = "from engines.programs.sandbox import other_user; print(other_user())"
    try:
        able = subprocess.run([SYSTEM_PYTHON, "-c", look], **run)
    except OSError as error:
        pytest.skip(f"needs {SYSTEM_PYTHON}: {error}")
    if able.returncode or able.stdout == "0\n":
        pytest.skip(f"other users cannot run {SYSTEM_PYTHON} with this folder")
    results = tmp_path / "results.json"
    results.touch(0o644)
    exercises = ROOT / "experiments/classroom/exercises"
    clone = (ROOT / name for name in (".git", "build", "tests"))
    folders = [exercises, exercises.with_name("questions"), *clone]
    modes = [(path, path.stat().st_mode) for path in folders if path.exists()]
    (tmp_path / "ko.py").write_text(READS.format(
        folders=[str(exercises), str(ROOT / ".git")], results=str(results)))
    done = subprocess.run([SYSTEM_PYTHON, "-m", "dlgo", "class", "grade", tmp_path / "ko.py",
                           "--trust", "--out", tmp_path / "out", "--gradescope", results], **run)
    for folder, before in modes:
        assert folder.stat().st_mode & 0o77 == 0
        folder.chmod(before)
    assert done.returncode == 0, done.stderr
    output = json.loads(results.read_text())["tests"][0]["output"]
    assert "RuntimeError: [] True [" in output and "SECRET" not in output


@pytest.mark.slow
@sandboxed
def test_a_sealed_sandbox_shows_only_numpy_of_installed_packages(monkeypatch, tmp_path) -> None:
    """Also where they lie in the standard library's folder, as in Docker's images."""
    numpy, *_ = sealed.numpy_folders()
    tmp_path.chmod(0o755)
    (tmp_path / "ko.py").write_text("import numpy, os\nnumpy.zeros(1)\n"
                                    f"raise RuntimeError(os.listdir({str(numpy.parent)!r}))")
    places = (*sealed.places(), numpy.parent)
    monkeypatch.setattr(sealed, "places", lambda: places)
    monkeypatch.setattr(sealed, "hidden", lambda: [numpy.parent])
    names = [path.name for path in sealed.numpy_folders()]
    with Functions(tmp_path / "ko.py", Sandbox([tmp_path], sealed=True), 60) as functions:
        [report] = functions.reports
    assert any(f"RuntimeError: {order}" in report for order in (names, names[::-1]))
