"""Hand-ins that are alike are found, whatever their names; what all have in common is not."""

from __future__ import annotations

import csv
import re
from pathlib import Path

from experiments.classroom.exercise import get_exercise
from experiments.classroom.similarity import similar_pairs
from tests.classroom.test_notebooks import write
from tests.command import dlgo_here

EXERCISE = get_exercise("captures")
SOLUTION = EXERCISE.solution()
OWN = """\
def captures(board, point, colour):
    taken = set()
    for r, line in enumerate(board):
        for c, stone in enumerate(line):
            while stone not in (colour, '.') and (r, c) not in taken:
                taken |= {(r, c)} if not any(x == '.' for x in line[c:]) else set()
                break
    return taken
"""


def renamed(text: str) -> str:
    """The same code with other names and no comments or docstrings."""
    text = re.sub(r'\"\"\"(.|\n)*?\"\"\"', '"other words"', text)
    return re.sub(r"(#.*)|\b(board|point|row|col|colour|stones)\b",
                  lambda match: "" if match[1] else f"my_{match[2]}", text)


def test_renamed_code_is_alike_and_own_code_is_not(tmp_path: Path, capfd) -> None:
    for name, text in (("ann", SOLUTION), ("bo", renamed(SOLUTION)), ("cy", OWN),
                       ("di", EXERCISE.student_version()), ("ed", "def captures(:\n  1/0 '''")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "captures.py").write_text(text)
    first, *others = similar_pairs({path.name: path for path in tmp_path.iterdir()}, [EXERCISE])
    assert {first.student, first.classmate} == {"ann", "bo"} and first.share > 0.9
    assert all(pair.share < 0.3 for pair in others)
    assert not any("di" in pair for pair in others), "what students were given is nobody's"
    (tmp_path / "fay").mkdir()
    write(tmp_path / "fay/captures.ipynb", [SOLUTION])
    done = dlgo_here(capfd, "class", "similarity", tmp_path, "--out", tmp_path / "out.csv")
    assert done.returncode == 0 and "none is a verdict" in done.stdout
    with (tmp_path / "out.csv").open() as file:
        rows = list(csv.DictReader(file))
    alike = {(row["student"], row["other"]) for row in rows if float(row["share"]) > 0.9}
    assert {frozenset(pair) for pair in alike} == {
        frozenset(pair) for pair in (("ann", "bo"), ("ann", "fay"), ("bo", "fay"))}


def test_code_that_a_whole_class_shares_counts_for_nothing(tmp_path: Path) -> None:
    for number in range(6):
        (tmp_path / f"{number}.py").write_text(SOLUTION)
    sources = {}
    for path in list(tmp_path.iterdir()):
        (tmp_path / path.stem).mkdir()
        sources[path.stem] = tmp_path / path.stem
        path.rename(tmp_path / path.stem / "captures.py")
    assert similar_pairs(sources, [EXERCISE]) == []
