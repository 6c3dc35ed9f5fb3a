"""Notebooks that are handed in: a correct solution earns all points, whatever stands around it."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from engines.isolation.cells import parse_cell
from experiments.classroom import grading
from experiments.classroom.collecting import _cells_of
from experiments.classroom.exercise import get_exercise
from experiments.classroom.grading import Grade, grade_hand_in

CASES = Path(__file__).parents[3] / "shared/cases/notebooks"
KO = get_exercise("ko")
SOLUTION = KO.solution()
BODY = SOLUTION.replace("from __future__ import annotations\n", "")
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
             "cell 4 (%cd ..): %cd",
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
    "an import that is missing here": (
        ["import matplotlib_of_mine\nimport math\nfrom math import no_such_name",
         f"assert math.pi\n{BODY}"],
        10, ["cell 1 (import matplotlib_of_mine), line 1: ModuleNotFoundError: No module named "
             "'matplotlib_of_mine'; the rest of the cell runs", "line 3: ImportError"],
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


@pytest.mark.parametrize("text", [{}, {"source": None}, {"source": []}, {"input": ["1"]}])
def test_a_cell_without_a_text_is_empty(text: dict[str, object]) -> None:
    cells = [{"cell_type": "code", **text}, {"cell_type": "code", "source": SOLUTION}]
    assert _cells_of(json.dumps({"nbformat": 4, "cells": cells})) == [
        "1" if "input" in text else "", SOLUTION]


@pytest.mark.slow
def test_a_cell_without_end_costs_itself(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(grading, "_LOAD_SECONDS", 2.0)
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


# Cells that Jupyter reads in its own way, and what is not run of them.
COMMANDS = {
    "%matplotlib inline\nx = 1": [], "!ls -l 'it''s\n!ls it's": ["!ls -l 'it''s", "!ls it's"],
    "x['a'] = %time f(1)": [], "x = 5 \\\n% 3": [], "x = (1\n% 2)": [], "%prun -s cumtime f()": [],
    "if x:\n    %time f(1)\n    !ls": ["!ls"], "!pip install \\\nnumpy\nx = 1": 1,
    "a, b = !ls {x}": ["!ls {x}"], "x = !ls \\\n  -l\ny = 2": 1,
    "try:\n    !ls\nexcept E:\n    pass": 1, "x = '''\n%time\n'''\n%cd -q ..": ["%cd"],
    "f(\n'''\n%time''')\n%time g()": [], "!echo '''\nx = 1": 1,
    "x = (\n!ls\n)": "error", "x = [1,\n%time\n]": "error", "x = 7 + \\\n!ls": "error",
    "f(a=1).x = !ls": 1, "x: int = !ls": 1, "x += !ls": "error", "x == !ls": "error",
    "if x: y = !ls": 1, "if x: !ls": "error", "x = 1; !ls": "error", "a = b = !ls": "error",
    "/f a b": [], ",f a b": [], ";f a b": [], "!!ls": ["!!ls"], "% time x": 1, "%time": [],
    "x?": [], "x.y??": [], "?x": [], "?": [], "x[0].b?": [], "%time?": [], "print(x)?": "error",
    "y = 1 # a?\nx?": [], ">>> x = 1\n... y": [], "In [1]: x = 1\n   ...: y = 2": [],
    "  x = 1\n  !ls": 1, "x = %timeit -n 5 f()": [], "x = 1\n%%time\ny": ["%%time"],
    "%time for i in x: f(i)": [],
}


def commands_of(cell: str) -> tuple[str, object]:
    try:
        tree, commands = parse_cell(cell, "a.ipynb, cell 1")
    except SyntaxError:
        return "error", "error"
    return ast.unparse(tree), commands


@pytest.mark.parametrize("cell", COMMANDS)
def test_commands_are_those_of_ipython(cell: str) -> None:
    """Its own transformer gives the same statements; `%time x` stands for `x`, others for None."""
    code, commands = commands_of(cell)
    wanted = COMMANDS[cell]
    assert (len(commands) if isinstance(wanted, int) else commands) == wanted
    transformer = pytest.importorskip("IPython.core.inputtransformer2").TransformerManager()
    try:
        tree = ast.parse(transformer.transform_cell(cell))
    except SyntaxError:
        assert code == "error"
    else:
        assert code == ast.unparse(WithoutCommands().visit(tree))


class WithoutCommands(ast.NodeTransformer):
    """Replaces IPython's calls for commands by what we run in their place."""

    def visit_Expr(self, node: ast.Expr) -> object:
        text = ast.unparse(node)
        if text.startswith("get_ipython().run_line_magic"):
            return ast.parse(self._code(node.value)).body
        if text.startswith("get_ipython()"):
            return ast.parse("None").body
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> object:
        text = ast.unparse(node)
        if text.startswith("get_ipython().getoutput"):
            return ast.List([])
        if text.startswith("get_ipython().run_line_magic"):
            return ast.parse(self._code(node), mode="eval").body
        return self.generic_visit(node)

    @staticmethod
    def _code(call: ast.Call) -> str:
        name, line = (argument.value for argument in call.args)
        return line.removeprefix("-s cumtime ") if name in ("time", "prun") and line else "None"


@pytest.mark.parametrize(("cell", "code", "skipped"), [
    ("%%bash -x\nls", "", ["%%bash"]), ("\n%%time\nx = 1", "x = 1", []),
    ("%%capture out\n!ls\nx = 1", "None\nx = 1", ["!ls"]), ("%%timeit\nf()", "", []),
])
def test_commands_of_whole_cells(cell: str, code: str, skipped: list[str]) -> None:
    assert commands_of(cell) == (code, skipped)


@pytest.mark.slow
@pytest.mark.skipif(not CASES.is_dir(), reason="the shared cases are not there")
def test_a_correct_solution_earns_all_points_in_each_shared_notebook(tmp_path: Path) -> None:
    liberties = get_exercise("liberties")
    for path in sorted(CASES.glob("*.ipynb")):
        (tmp_path / "liberties.ipynb").write_bytes(path.read_bytes())
        [grade] = grade_hand_in("alice", tmp_path / "liberties.ipynb", [liberties], trust=True)
        assert grade.earned == 10 and all("cell 2" in note for note in grade.notes), path


def test_scripts_that_jupyter_exports_run(tmp_path: Path) -> None:
    start = "get_ipython().run_line_magic('matplotlib', 'inline')\ndisplay(1)\n"
    (tmp_path / "ko.py").write_text(start + BODY)
    assert graded(tmp_path / "ko.py").earned == 10
