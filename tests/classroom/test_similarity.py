"""Copies among hand-ins are found, whatever their names; solutions of different people are not."""

from __future__ import annotations

import ast
import builtins
import csv
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from experiments.classroom.exercise import exercises, get_exercise
from experiments.classroom.similarity import Group, similar_groups
from tests.classroom.independent import INDEPENDENT
from tests.classroom.styles_by_hand import SOLUTIONS
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


class Renamed(ast.NodeTransformer):
    """Gives other names to parameters and variables."""

    names = frozenset({"np", "math", "random"})  # that stay

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.name = f"my_{node.name}"
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id not in dir(builtins) and node.id not in self.names:
            node.id = f"my_{node.id}"
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.arg(f"my_{node.arg}")


def disguised(text: str) -> str:
    """The same code with other names, other layout, no types or docstrings, functions in another
    order."""
    tree = Renamed().visit(ast.parse(re.sub(r'"""(.|\n)*?"""', '"other words"', text)))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    for node in functions:
        node.returns = None
    tree.body = [node for node in tree.body if node not in functions] + functions[::-1]
    return ast.unparse(ast.fix_missing_locations(tree)).replace("    ", "\t").replace(
        ", ", " ,\\\n").replace("return ", "return  # a comment\\\n".replace("  # a comment", ""))


def groups_of(folder: Path, texts: dict[str, str], name: str, **options) -> list[Group]:
    for student, text in texts.items():
        (folder / student).mkdir(parents=True)
        (folder / student / f"{name}.py").write_text(text)
    return similar_groups({student: folder / student for student in texts}, [get_exercise(name)],
                          **options)


def test_copies_are_alike_and_own_code_is_not(tmp_path: Path, capfd) -> None:
    [group] = groups_of(tmp_path, {
        "ann": SOLUTION, "bo": disguised(SOLUTION), "cy": OWN, "di": EXERCISE.student_version(),
        "ed": "def captures(:\n  1/0 '''", "gil": "def captures(:"}, "captures")
    assert group.students == ["ann", "bo"] and group.pairs[0].share > 0.9
    (tmp_path / "fay").mkdir()
    write(tmp_path / "fay/captures.ipynb", ["%matplotlib inline\n!ls", f"%%time\n{SOLUTION}"])
    done = dlgo_here(capfd, "class", "similarity", tmp_path, "--out", tmp_path / "out.csv")
    assert done.returncode == 0 and "none is a verdict" in done.stdout
    assert "group 1, captures: ann, bo, fay share 100% of the shorter code\n" in done.stdout
    with (tmp_path / "out.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {frozenset((row["student"], row["other"])) for row in rows} == {
        frozenset(pair) for pair in (("ann", "bo"), ("ann", "fay"), ("bo", "fay"))}
    assert {row["group"] for row in rows} == {"1"}


def test_code_that_cannot_be_parsed_is_no_obstacle(tmp_path: Path) -> None:
    cells = ["x = '\0'", "-" * 20_000 + "1", f"x = 0x{'f' * 5000}", "(" * 5000, "\ud800"]
    for name in ("ann", "bo"):
        (tmp_path / name).mkdir()
        write(tmp_path / name / "captures.ipynb", [*cells, SOLUTION])
    (tmp_path / "cy").mkdir()
    (tmp_path / "cy/captures.py").write_text("\n".join(cells[:4]))
    sources = {path.name: path for path in tmp_path.iterdir()}
    [group] = similar_groups(sources, [EXERCISE])
    assert group.students == ["ann", "bo"]


@pytest.mark.parametrize("size", [6, 12])
def test_groups_of_any_size_are_listed(size: int, tmp_path: Path) -> None:
    """Six of twelve, and a whole class."""
    texts = {f"own{number}": f"{OWN}\nx = {number}" for number in range(12 - size)}
    texts |= {f"s{number:02}": SOLUTION for number in range(size)}
    groups = groups_of(tmp_path, texts, "captures")
    [ring] = [group for group in groups if "s00" in group.students]
    assert ring.students == [f"s{number:02}" for number in range(size)]
    assert len(ring.pairs) == size * (size - 1) // 2


@pytest.mark.parametrize("name", [name for name in exercises() if not name.startswith("fault_")])
def test_disguised_copies_are_found_in_each_exercise(name: str, tmp_path: Path) -> None:
    solution = get_exercise(name).solution()
    [group] = groups_of(tmp_path, {"ann": solution, "bo": disguised(solution)}, name)
    assert group.pairs[0].share > 0.9


def test_statements_in_another_order_are_found(tmp_path: Path) -> None:
    one = """\
def returns(rewards):
    total, found = 0, []
    for reward in reversed(rewards):
        total = reward + GAMMA * total
        found.append(total)
    count = len(found)
    assert count == len(rewards)
    return found[::-1]
def advantages(rewards, values):
    out = [0] * len(values)
    later = 0
    for n in range(len(values) - 1, -1, -1):
        following = values[n + 1] if n + 1 < len(values) else 0
        error = rewards[n] + GAMMA * following - values[n]
        later = error + GAMMA * LAMBDA * later
        out[n] = later
    return out
"""
    other = one.replace("    out = [0] * len(values)\n    later = 0\n",
                        "    later = 0\n    out = [0] * len(values)\n")
    assert other != one
    [group] = groups_of(tmp_path, {"ann": one, "bo": other}, "advantages")
    assert group.students == ["ann", "bo"]


@pytest.mark.parametrize("name", sorted({*INDEPENDENT, *SOLUTIONS}))
def test_solutions_of_different_people_are_not_listed(name: str, tmp_path: Path) -> None:
    texts = [get_exercise(name).solution(), *INDEPENDENT.get(name, ()), *SOLUTIONS.get(name, ())]
    students = {f"s{number}": text for number, text in enumerate(texts)}
    assert len(students) > 1 and groups_of(tmp_path, students, name) == []


def test_the_mend_of_a_fault_is_nobodys_own(tmp_path: Path) -> None:
    """Right hand-ins of one variant are equal; each has what it was given, and one mend."""
    for name, exercise in exercises().items():
        for seed in "abcd" if name.startswith("fault_") else "":
            variant = exercise.individual(seed)
            policy: Any = SimpleNamespace(exercise=lambda *_, variant=variant: variant)
            texts = dict.fromkeys(["ann", "bo"], variant.of.solution())
            assert groups_of(tmp_path / f"{name}{seed}", texts, name, policy=policy) == []
