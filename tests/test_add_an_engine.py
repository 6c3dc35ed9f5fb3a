"""docs/add_an_engine.md and `dlgo new`, done as they say.

The tournament is a pair of games each in place of ten, and the report has no intervals; with
`--run-all` both are as they are written.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import ROOT, dlgo_here
from tests.conftest import RUN_ALL

DOC = (ROOT / "docs/add_an_engine.md").read_text()
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
SHORTER = {} if RUN_ALL else {
    "--pairs 10": "--pairs 1", "report my.sqlite": "report my.sqlite --bootstrap 0",
}


def dlgo(
    capfd: pytest.CaptureFixture[str], folder: Path, *arguments: str, status: int = 0
) -> str:
    done = dlgo_here(capfd, *arguments, cwd=folder, stdin="resign\n")
    assert done.returncode == status, done.stderr
    return done.stdout + done.stderr


def run(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, timeout=300,
        env=ENVIRONMENT, check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


@pytest.mark.slow
def test_the_commands_lead_into_the_report(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    commands = re.findall(r"^    dlgo (.*)$", DOC, re.M)
    assert [command.split()[0] for command in commands] == [
        "new", "play", "tournament", "report", "play", "tournament"]
    for name, code in re.findall(r"^```python (\S+)\n(.*?)^```", DOC, re.M | re.S):
        (tmp_path / name).write_text(code)
    for command in commands:
        for long, short in SHORTER.items():
            command = command.replace(long, short)
        dlgo(capfd, tmp_path, *command.split())
    assert "greedy" in (tmp_path / "my-report/report.html").read_text()


@pytest.mark.slow
def test_the_code_runs(tmp_path: Path) -> None:
    blocks = re.findall(r"^```python (\S+)\n(.*?)^```", DOC, re.M | re.S)
    for name, code in blocks:
        (tmp_path / name).write_text(code)
    assert run(tmp_path, "check_wild.py") == ""
    assert run(tmp_path, "in_python.py").strip() in set("1234567")  # a column


@pytest.mark.slow
@pytest.mark.parametrize(
    ("noun", "name"), [("engine", "my_greedy"), *([("game", "my_game")] if RUN_ALL else [])]
)
def test_a_beginning_passes_its_own_test(
    noun: str, name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    output = dlgo(capfd, tmp_path, "new", noun, name)
    assert f"wrote {name}.py" in output
    text = (tmp_path / f"{name}.py").read_text() + (tmp_path / f"test_{name}.py").read_text()
    assert not re.search(r"one_ply|OnePly|\brows\.|\"rows|RowsAndColumns|RowsState", text)
    run(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"test_{name}.py")
    again = dlgo(capfd, tmp_path, "new", noun, name, status=2)
    assert f"{name}.py exists already" in again


@pytest.mark.parametrize(("arguments", "message"), [
    (("engine", "Greedy Bot"), "cannot be the name of a Python file"),
    (("engine", "class"), "cannot be the name of a Python file"),
    (("engine", "mcts"), "engine 'mcts' exists already"),
    (("game", "go"), "game 'go' exists already"),
    (("game", "../x"), "cannot be the name of a Python file"),
])
def test_names_that_cannot_be_used_are_refused(
    arguments: tuple[str, ...], message: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert message in dlgo(capfd, tmp_path, "new", *arguments, status=2)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_what_strangers_write_is_told_in_their_words(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Each fault with its remedy, by `dlgo check`; files beside it do not matter."""
    dlgo(capfd, tmp_path, "new", "game", "rows")
    rows = (tmp_path / "rows.py").read_text()
    assert "choose another name" in dlgo(capfd, tmp_path, "new", "engine", "json", status=2)
    (tmp_path / "random.py").write_text("class Random: pass\n")
    assert "keeps all" in dlgo(capfd, tmp_path, "check", "rows.py")
    for old, new, status, part in (
        ("min(1, max(-1, int(state.words[LEAD])))", "1", 1, "result is 1 and should be -1"),
        ("    title =", "    tilte =", 2, "title is None; set it to a text"),
        ('everywhere",)', 'everywhere")', 2, "write a comma after it"),
        ("board_cols = 3", "board_cols = 30", 2, "whole number from 1 to 25"),
        (', "B3 C3 A2 C1 A1 B1 A3 B2 C2": -1', "", 0, "won by the second player, so such a result"),
    ):
        assert rows.count(old) == 1
        (tmp_path / "other.py").write_text(rows.replace(old, new))
        said = dlgo(capfd, tmp_path, "check", "other.py", status=status)
        assert part in " ".join(said.split())
    (tmp_path / "leaves.py").write_text(
        "import sys\nclass Leaves:\n    def select_move(self, state):\n        sys.exit('bye')\n")
    (tmp_path / "both.py").write_text(rows + (tmp_path / "leaves.py").read_text())
    for arguments, part in (
        (("both.py",), "holds a game and an engine; name one"),
        (("rows.py", "--game", "tictactoe"), "--game is for engines"),
        (("none.py",), "none.py does not exist"),
        (("leaves.py:misspelt=1",), "has no option 'misspelt'"),
    ):
        assert part in dlgo(capfd, tmp_path, "check", *arguments, status=2)
    said = dlgo(capfd, tmp_path, "check", "leaves.py", "--game", "tictactoe", status=1)
    assert "SystemExit: bye" in said and "leaves.py, line 4" in said


@pytest.mark.slow
def test_sets_of_texts_have_one_order_for_one_seed(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "sets.py").write_text(
        "class Sets:\n    def select_move(self, state):\n"
        "        return min({str(move) for move in state.legal_moves()}, key=hash)\n")
    games = set()
    for number in range(3):
        file = tmp_path / f"{number}.txt"
        dlgo(capfd, tmp_path, "play", "connect4", "--first", "sets.py", "--second", "sets.py",
             "--seed", "5", "--delay", "0", "--save", file)
        games.add(file.read_text().split("\n", 3)[-1])
    assert len(games) == 1
