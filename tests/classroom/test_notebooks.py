"""Notebooks that are handed in: a correct solution earns all points, whatever stands around it."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from engines.isolation.cells import parse_cell
from experiments.classroom import grading
from experiments.classroom.exercise import get_exercise
from experiments.classroom.grading import Grade, grade_hand_in

KO = get_exercise("ko")
SOLUTION = KO.solution()
# Cells around the solution's; the points; what the page says of each cell that is named.
NOTEBOOKS = {
    "code, a magic, and operators that begin a line": (
        ["import math\ndisplay(math.pi)", "%matplotlib inline",
         SOLUTION + "\ndef odd(a, b):\n    return (a\n        != b) or [a\n        % b]"
         "\ntext = '''\n!ls\n%time\nx?\n'''\nrest = 7 \\\n    % 3\nassert rest == 1"], 10, [],
    ),
    "commands": (
        ["!pip install \\\n  numpy", "files = !ls\nassert files == []", "%%bash\nls | wc",
         "%cd ..", "%%writefile helper.py\nx = 1", f"%pip install numpy\n{SOLUTION}", "len?",
         "?len", "pip install numpy"],
        10, ["cell 1 (!pip install \\): !pip", "cell 2 (files = !ls): !ls", "cell 3 (%%bash): %%",
             "cell 4 (%cd ..): %cd", "cell 5 (%%writefile",
             "cell 6 (%pip install numpy): %pip is not run",
             "cell 9 (pip install numpy) failed"],
    ),
    "commands that run code": (
        ["%time y = 1\nassert y == 1", "x = %time 2 + 2\nassert x == 4", f"%%time\n{SOLUTION}",
         "for i in range(2):\n    %time z = i\nassert z == 1", "%timeit -n 5 1 + 1"], 10, [],
    ),
    "cells that fail": (
        ["display(undefined)", "assert 1 == 2, 'no'", "x = (1,", SOLUTION, "y = 1\n\n1 / 0",
         "import sys\nsys.exit('bye')", "\ud800"],
        10, ["cell 1 (display(undefined)) failed, line 1: NameError", "AssertionError: no",
             "cell 3 (x = (1,) failed, line 1: Syntax",
             "cell 5 (y = 1) failed, line 3: ZeroDivisionError",
             "SystemExit: bye", "cell 7"],
    ),
    "an own display, and types that are written later": (
        ["from __future__ import annotations", "def f(x: Later) -> Later: ...",
         "def display(board):\n    return 7", "assert display(1) == 7", SOLUTION], 10, [],
    ),
    "a cell that ends its process": (
        [SOLUTION, "import os\nos.kill(os.getpid(), 9)", "import os\nos._exit(0)", "x = 1"],
        10, ["cell 2 (import os) is skipped", "cell 3 (import os) is skipped"],
    ),
    "many that end their process": ([SOLUTION, *["import os\nos._exit(0)"] * 4], 0,
                                    [f"cell {number} ended" for number in (2, 3, 4, 5)]),
    "a solution that fails": ([f"1 / 0\n{SOLUTION}"], 0, ["cell 1 (1 / 0) failed, line 1"]),
}


def write(path: Path, cells: list[str], picture: str = "") -> Path:
    outputs = [{"output_type": "display_data", "data": {"image/png": picture}}]
    path.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
        {"cell_type": "markdown", "source": ["# text"]},
        *({"cell_type": "code", "source": text.splitlines(keepends=True), "outputs": outputs}
          for text in cells),
    ]}))
    return path


def graded(path: Path) -> Grade:
    [grade] = grade_hand_in("alice", path, [KO], trust=True)
    return grade


@pytest.mark.parametrize("title", NOTEBOOKS)
def test_cells_are_run_one_by_one(title: str, tmp_path: Path) -> None:
    cells, points, named = NOTEBOOKS[title]
    grade = graded(write(tmp_path / "ko.ipynb", cells))
    assert grade.earned == points, grade
    assert len(grade.notes) == len(named), grade.notes
    for note, words in zip(grade.notes, named, strict=True):
        assert words in note


def test_a_cell_without_end_costs_itself(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(grading, "_LOAD_SECONDS", 4.0)
    grade = graded(write(tmp_path / "ko.ipynb", ["while True: pass", SOLUTION]))
    assert grade.earned == 10 and "cell 1 (while True: pass) is skipped" in grade.notes[0]


def test_feedback_names_cell_and_line_and_helpers_may_be_notebooks(tmp_path: Path) -> None:
    folder = tmp_path / "alice"
    folder.mkdir()
    write(folder / "helper.ipynb", ["1 / 0", "def help(): return [][1]"])
    names = [node.name for node in ast.parse(SOLUTION).body if isinstance(node, ast.FunctionDef)]
    wrong = "".join(f"def {name}(*_):\n    {{}}[1]\n" for name in names)
    write(folder / "ko.ipynb", ["from helper import help", wrong])
    grade = graded(folder)
    assert "KeyError: 1, in cell 2, line " in grade.results[0].feedback
    assert grade.notes == [
        "helper.ipynb, cell 1 (1 / 0) failed, line 1: ZeroDivisionError: division by zero"
    ]


def test_pictures_do_not_make_a_notebook_too_large(tmp_path: Path) -> None:
    assert graded(write(tmp_path / "ko.ipynb", [SOLUTION], "A" * (5 << 20))).earned == 10
    large = graded(write(tmp_path / "ko.ipynb", [SOLUTION], "A" * (9 << 20)))
    assert not large.results and "ko.ipynb" in large.notes[0]
    (tmp_path / "ko.ipynb").write_text("{")
    assert "not a notebook" in graded(tmp_path / "ko.ipynb").notes[0]


@pytest.mark.parametrize(("cell", "code", "skipped"), [
    ("%matplotlib inline\nx = 1", "x = 1", []), ("!ls -l 'it''s\n!ls it's", "[]\n[]", 2),
    ("x['a'] = %time f(1)", "x['a'] = f(1)", []), ("%%bash -x\nls", "", ["%%bash"]),
    ("\n%%time\nx = 1", "x = 1", []), ("x = 5 \\\n% 3", "x = 5 % 3", []),
    ("if x:\n    %time f(1)\n    !ls", "if x:\n    f(1)\n    []", ["!ls"]),
    ("!pip install \\\nnumpy\nx = 1", "[]\nx = 1", 1), ("x = (1\n% 2)", "x = (1 % 2)", []),
    ("x = \'\'\'\n%time\n\'\'\'\n%cd -q ..", "x = '\\n%time\\n'", ["%cd"]),
    ("a, b = !ls {x}", "a, b = []", 1),
])
def test_commands_become_python(cell: str, code: str, skipped: list[str] | int) -> None:
    tree, commands = parse_cell(cell, "a.ipynb, cell 1")
    left = [line for line in ast.unparse(tree).splitlines() if line != "None"]
    assert left == ast.unparse(ast.parse(code)).splitlines()
    assert (len(commands) if isinstance(skipped, int) else commands) == skipped
