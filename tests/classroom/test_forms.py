"""Forms in which work is handed in, and values in which functions answer: each is read, or refused
in a line that says why."""

from __future__ import annotations

import array
import collections
import decimal
import enum
import fractions
import json
import re
import time
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engines.isolation.plain import Other, from_plain, to_plain
from experiments.classroom.collecting import collect
from experiments.classroom.exercise import exercises, get_exercise
from experiments.classroom.grading import Grade, grade_hand_in
from tests.classroom.test_notebooks import write

KO = get_exercise("ko")
SOLUTION = KO.solution()
BODY = SOLUTION.replace("from __future__ import annotations\n", "")
MISSING = "ModuleNotFoundError: No module named 'matplotlib'"


def notebook3(cells: list[str]) -> str:
    return json.dumps({"nbformat": 3, "worksheets": [{"cells": [
        {"cell_type": "code", "input": text.splitlines(keepends=True)} for text in cells]}]})


# What is handed in (texts, bytes, or lists of cells), the points, and words of the notes, or else
# of the feedback.
FORMS: dict[str, tuple[dict[str, str | bytes | list[str]], int, list[str]]] = {
    "a byte order mark": ({"ko.py": b"\xef\xbb\xbf" + SOLUTION.encode()}, 10, []),
    "UTF-16": ({"ko.py": SOLUTION.encode("utf-16")}, 10, ["not in UTF-8; it was read as utf-16"]),
    "UTF-16 without a mark": ({"ko.py": SOLUTION.encode("utf-16-be")}, 10, ["as utf-16-be"]),
    "UTF-32": ({"ko.py": SOLUTION.encode("utf-32")}, 10, ["as utf-32"]),
    "an old encoding": ({"ko.py": f"{SOLUTION}\nx = 'Größe'".encode("cp1252")}, 10,
                        ["as windows-1252"]),
    "an old encoding that is named": (
        {"ko.py": f"# coding: latin-1\n{SOLUTION}\nassert len('ö') < 2".encode("latin-1")}, 10, []),
    "an unknown encoding": ({"ko.py": f"# coding: klingon\n{SOLUTION}"}, 0, ["raised Syntax"]),
    "line ends of Windows": ({"ko.py": SOLUTION.replace("\n", "\r\n")}, 10, []),
    "line ends of old Macs": ({"ko.py": SOLUTION.replace("\n", "\r").encode()}, 10, []),
    "tabs": ({"ko.py": SOLUTION.replace("    ", "\t")}, 10, []),
    "tabs and spaces": ({"ko.py": f"{SOLUTION}\ndef f(x):\n\tif x:\n        pass\n"}, 0,
                        ["ko.py raised TabError: inconsistent use of tabs and spaces"]),
    "a document": ({"ko.py": b"PK\3\4..."}, 0, ["a document, not code: save it as plain text"]),
    "from __future__ late": ({"ko.py": f"import math\nx = math.pi\n{SOLUTION}"}, 10, []),
    "a main program": ({"ko.py": f"{SOLUTION}\nif __name__ == '__main__':\n    1 / 0"}, 10, []),
    "prints at load": ({"ko.py": f"print('x' * 100_000)\n{BODY}"}, 10, []),
    "a question at the end": ({"ko.py": f"{SOLUTION}\nsize = input()"}, 10,
                              ["ko.py failed, line 39: EOFError", "the rest is not run"]),
    "a question at the start": ({"ko.py": f"size = input()\n{BODY}"}, 0,
                                ["There is no function forbidden(); use the names of the task. "
                                 "ko.py failed, line 1: EOFError: EOF when reading a line; the "
                                 "rest is not run."]),
    "an end": ({"ko.py": f"{SOLUTION}\nimport sys\nsys.exit()"}, 10, ["line 40: SystemExit"]),
    "another end": ({"ko.py": f"{SOLUTION}\nquit()"}, 10, ["line 39: SystemExit"]),
    "plots": ({"ko.py": f"import matplotlib.pyplot as plt\nplt.figure()\n{BODY}\nplt.show()"}, 10,
              [f"ko.py, line 1: {MISSING}; the rest of the file runs"]),
    "plots in a notebook": ({"ko.ipynb": ["import matplotlib.pyplot as plt", "plt.figure()\nx = 1",
                                          f"assert x\n{BODY}\nplt.show()"]}, 10,
                            [f"cell 1 (import matplotlib.pyplot as plt), line 1: {MISSING}"]),
    "an import that is needed": (
        {"ko.py": "import matplotlib\ndef forbidden(*_):\n    return matplotlib.cbook(1)"}, 0,
        [f"forbidden raised {MISSING}, in line 3."]),
    "an import that is needed in a notebook": (
        {"ko.ipynb": ["from matplotlib import cm", "def forbidden(*_):\n    return cm(1)"]}, 0,
        [f"forbidden raised {MISSING}, in cell 2, line 2."]),
    "an import in a function": ({"ko.py": "def forbidden(*_):\n    import matplotlib"}, 0,
                                [f"forbidden raised {MISSING}, in line 2."]),
    "a decorator that is missing": (
        {"ko.py": f"import numba\n{BODY.replace('def for', '@numba.njit' + chr(10) + 'def for')}"},
        0, ["forbidden raised ModuleNotFoundError: No module named 'numba'"]),
    "a second file": ({"ko.py": "from helper import *", "helper.py": f"import matplotlib\n{BODY}"},
                      10, [f"helper.py, line 1: {MISSING}"]),
    "a second file beside it": ({"ko.py": "from .helper import forbidden", "helper.py": SOLUTION},
                                10, []),
    "a second file that is missing": ({"ko.py": "from helper import forbidden"}, 0,
                                      ["forbidden raised ModuleNotFoundError: No module named "
                                       "'helper'"]),
    "a second file that ends": ({"ko.py": f"import helper\n{BODY}", "helper.py": "x ="}, 0,
                                ["ko.py raised SyntaxError: invalid syntax (helper.py, line 1)"]),
    "commands in a file": ({"ko.py": f"!pip install numpy\n%matplotlib inline\n{BODY}"}, 10,
                           ["ko.py: !pip install numpy is not run"]),
    "prompts in a file": ({"ko.py": f">>> import math\n{BODY}"}, 10, []),
    "types that do not exist": ({"ko.py": BODY.replace("str", "Board").replace("bool", "Bool")}, 10,
                                []),
    "async def": ({"ko.py": SOLUTION.replace("def forbidden", "async def forbidden")}, 10, []),
    "await": ({"ko.ipynb": [SOLUTION, "import asyncio\nawait asyncio.sleep(0)\nx = 1",
                            "async def f(): return x\nassert await f() == 1"]}, 10, []),
    "a lambda": ({"ko.py": f"{SOLUTION}\nown = forbidden\nforbidden = lambda *a: own(*a)"}, 10, []),
    "a static method": (
        {"ko.py": f"{SOLUTION}\nclass A:\n    @staticmethod\n    def f(*a): return own(*a)\n"
                  "own = forbidden\nforbidden = A.f"}, 10, []),
    "a syntax of Python 2": ({"ko.py": f"{SOLUTION}\nprint 'x'"}, 0, ["ko.py raised SyntaxError: "
                                                                       "Missing parentheses"]),
    "a conflict": ({"ko.py": f"<<<<<<< HEAD\n{SOLUTION}"}, 0, ["SyntaxError: invalid syntax, in "
                                                               "line 1."]),
    "a capital in a function's name": (
        {"ko.py": BODY.replace("forbidden", "Forbidden")}, 0,
        ["There is no function forbidden(); use the names of the task: you have Forbidden()."]),
    "a class around it": (
        {"ko.py": "class Ko:\n" + "\n".join(f"    {line}" for line in BODY.split("\n"))}, 0,
        ["of the task: forbidden() is a method of your class Ko; define it outside of the class."]),
    "a copy's name": ({"ko (1).py": SOLUTION}, 10, ["ko (1).py is taken as ko.py"]),
    "a capital": ({"Ko.py": SOLUTION}, 10, ["Ko.py is taken as ko.py"]),
    "checkpoints": ({".ipynb_checkpoints/ko-checkpoint.ipynb": ["1 / 0"], "ko.ipynb": [SOLUTION]},
                    10, []),
    "a folder in a folder": ({"ko/ko/ko.py": SOLUTION}, 10, []),
    "an old notebook": ({"ko.ipynb": notebook3(["x = 1", SOLUTION])}, 10, []),
    "a notebook in UTF-16": ({"ko.ipynb": notebook3([SOLUTION]).encode("utf-16")}, 10,
                             ["ko.ipynb is not in UTF-8"]),
    "a notebook as a file": ({"ko.py": notebook3([SOLUTION])}, 10, ["ko.py is a notebook; it"]),
    "a file as a notebook": ({"ko.ipynb": SOLUTION}, 10, ["is not a notebook; it was"]),
    "no notebook": ({"ko.ipynb": "{"}, 0, ["ko.ipynb is not a notebook that can be read"]),
    "nothing": ({"ko.py": ""}, 0, ["There is no function forbidden(); use the names of the task."]),
    "a file and a notebook": ({"ko.py": SOLUTION, "ko.ipynb": [KO.student_version()]}, 10,
                              ["ko.ipynb is ignored: ko.py counts"]),
    "a notebook and a file": ({"ko.ipynb": [SOLUTION], "ko.py": KO.student_version()}, 10,
                              ["ko.py is ignored: ko.ipynb counts"]),
    "displays": ({"ko.ipynb": ["from IPython.display import HTML, clear_output, display\n"
                               "import IPython\nIPython.get_ipython().magic('x')\ndisplay(HTML(1))",
                               BODY.replace("    if rule", "    clear_output()\n    if rule", 1)]},
                 10, []),
    "Colab": ({"ko.ipynb": ["from google.colab import drive\ndrive.mount('/drive')\n%cd /drive",
                            f"#@title Ko\n{BODY}"]}, 10,
              ["cell 1 (from google.colab import drive): %cd is not run",
               "line 1: ModuleNotFoundError: No module named 'google'"]),
    "files that cells write": (
        {"ko.ipynb": ["%%writefile helper.py\nx = 1", f"%%file -a helper.py\n{BODY}",
                      "from helper import *\nassert x == 1"]}, 10, []),
    "the file that a cell writes": ({"ko.ipynb": [f"%%writefile ko.py\n{SOLUTION}"]}, 10, []),
    "a file that a cell runs": ({"ko.ipynb": ["%run helper.py"], "helper.py": SOLUTION}, 10, []),
    "a file outside that a cell writes": ({"ko.ipynb": [f"%%writefile ../ko.py\n{SOLUTION}"]}, 0,
                                          ["%%writefile is not run"]),
    "other commands of a cell": ({"ko.ipynb": [f"%%cython\n{SOLUTION}"]}, 0,
                                 ["use the names of the task. ko.ipynb, cell 1 (%%cython): "
                                  "%%cython is not run."]),
}


def graded(
    folder: Path, files: dict[str, str | bytes | list[str]], trust: bool = True
) -> Grade:
    for name, content in files.items():
        path = folder / "alice" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, list):
            write(path, content)
        else:
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
    [grade] = grade_hand_in("alice", folder / "alice", [KO], trust=trust)
    return grade


@pytest.mark.parametrize("form", FORMS)
def test_each_form_is_read_or_refused_in_a_line(form: str, tmp_path: Path) -> None:
    files, points, words = FORMS[form]
    grade = graded(tmp_path, files)
    feedback = list(dict.fromkeys(result.feedback for result in grade.results if result.feedback))
    assert grade.earned == points, grade
    lines = grade.notes or feedback
    for text in words:
        assert any(text in line for line in [*grade.notes, *feedback]), (grade.notes, feedback)
    assert words or not lines


@pytest.mark.sandbox
def test_the_sandbox_reads_them_too(tmp_path: Path) -> None:
    for form in ("await", "plots", "files that cells write", "a second file"):
        (tmp_path / form).mkdir()
        assert graded(tmp_path / form, FORMS[form][0], trust=False).earned == 10, form


def test_a_file_that_cells_write_in_many_parts_costs_little(tmp_path: Path) -> None:
    cells = [f"%%writefile -a helper.py\n{'#' * 400}"] * 12_000
    start = time.process_time()
    write(tmp_path / "ko.ipynb", cells)
    (tmp_path / "taken").mkdir()
    collected = collect(tmp_path / "ko.ipynb", tmp_path / "taken", ["ko"])
    assert time.process_time() - start < 3 and len(collected.files) == 2


class Colour(enum.Enum):
    BLACK = "b"


class Result(enum.IntEnum):
    LOSS = -1


class Points(list):
    pass


class Text(str):
    pass


VALUES: list[tuple[Any, Any]] = [
    (Colour.BLACK, "b"), (Result.LOSS, -1), ([Colour.BLACK], ["b"]), (Text("b"), "b"),
    (fractions.Fraction(1, 2), 0.5), (fractions.Fraction(4, 2), 2), (decimal.Decimal("0.5"), 0.5),
    (decimal.Decimal("inf"), float("inf")), (Points([1]), [1]), (range(3), [0, 1, 2]),
    ({1: 2}.keys(), [1]), ({1: 2}.values(), [2]), ({1: 2}.items(), [(1, 2)]),
    (collections.deque([1]), [1]), (collections.UserList([1]), [1]), (array.array("i", [1]), [1]),
    ((n for n in (1, 2)), [1, 2]), (map(str, [1]), ["1"]), (zip([1], [2], strict=True), [(1, 2)]),
    (reversed([1, 2]), [2, 1]), (collections.Counter("a"), {"a": 1}),
    (types.MappingProxyType({1: 2}), {1: 2}), ({range(2)}, {(0, 1)}), ({Colour.BLACK: 1}, {"b": 1}),
    (np.array([None, 1], object), [None, 1]), (np.ma.array([1, 2], mask=[1, 0]), [None, 2]),
    (np.float32(0.5), 0.5), (np.str_("b"), "b"), (np.array(["x" * 2000]), ["x" * 2000]),
    (np.zeros(1, "i4,f4"), [(0, 0.0)]), (10**3000, 10**3000),
]


@pytest.mark.parametrize("value, plain", VALUES, ids=lambda value: type(value).__name__)
def test_what_has_one_meaning_is_converted(value: Any, plain: Any) -> None:
    result = from_plain(json.loads(json.dumps(to_plain(value))))
    assert result == plain and type(result) is (frozenset if type(plain) is set else type(plain))


@pytest.mark.parametrize("value, text", [
    (iter(int, 1), "callable_iterator: over 4096 values"), (1j, "complex: 1j"),
    (b"b", "bytes: b'b'"), (10**5000, "int: about 4,983 digits"), (np.array([1j]), "complex: 1j"),
    (range(10**9), "over"),
    (np.zeros(1, "M8[s]"), "datetime: 1970"), (types.SimpleNamespace(x=1), "namespace(x=1)"),
], ids=lambda value: type(value).__name__)
def test_other_values_are_described(value: Any, text: str) -> None:
    result = from_plain(json.loads(json.dumps(to_plain(value))))
    [result] = result if isinstance(result, list) else [result]
    assert isinstance(result, Other) and text in str(result)


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_a_matrix_is_a_list_of_lists() -> None:
    assert from_plain(to_plain(np.matrix([[1, 2]]))) == [[1, 2]]


def test_the_rules_stand_in_the_first_lines() -> None:
    for exercise in exercises().values():
        for text in (exercise.student_version(), exercise.notebook()):
            head = text.partition("def ")[0]
            assert "other imports are skipped" in head and "nor round numbers" in head


@pytest.mark.parametrize("source", [
    "def forbidden(*_):\n    import os\n    os._exit(3)", "def forbidden(*_):\n    1 / 0", "x = 1",
    "def forbidden(*_):\n    return {1: 'x' * 2**20}", "import os\nos._exit(3)", "x = (",
    "def forbidden(positions, *_):\n    positions.append(1)",
    "def forbidden(*_):\n    raise NotImplementedError",
])
def test_names_of_functions_have_no_capital(source: str, tmp_path: Path) -> None:
    grade = graded(tmp_path, {"ko.py": source})
    lines = [result.feedback for result in grade.results if result.feedback]
    assert lines and not any(re.search(r"\b(Forbidden|Ko)\b", line) for line in lines), lines
    if "There is no function" not in lines[0] and "ko.py" in lines[0]:
        assert {*lines[1:]} == {"Not run: ko.py cannot be loaded; see the first check."}
