"""docs/add_a_game.md, done as it says: its code makes a game that every engine plays."""

from __future__ import annotations

import ast
import functools
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from tests.conftest import FULL

ROOT = Path(__file__).resolve().parents[1]
DOC = ROOT / "docs/add_a_game.md"
FOLDER = "dlgo/games/rows"


def code_by_file() -> dict[str, str]:
    """The document's Python code; the blocks of one file joined in order."""
    parts = defaultdict(list)
    for name, code in re.findall(r"^```python (\S+)\n(.*?)^```", DOC.read_text(), re.M | re.S):
        parts[name].append(code)
    return {name: "\n\n".join(blocks) for name, blocks in parts.items()}


def run(project: Path, *arguments: str, **more: str) -> str:
    """Run Python in the copy of the project, with a cache of its own, and return its output."""
    done = subprocess.run(
        [sys.executable, *arguments], cwd=project, capture_output=True, text=True, timeout=300,
        env={**os.environ, "PYTHONPATH": str(project), "DLGO_CACHE_DIR": str(project / ".cache"),
             **more},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project to which the game has been added."""
    folder = tmp_path_factory.mktemp("project")
    for package in ("dlgo", "engines", "experiments"):
        shutil.copytree(
            ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__")
        )
    code = code_by_file()
    table = folder / "dlgo/games/__init__.py"
    text = table.read_text()
    line = code.pop("dlgo/games/__init__.py")
    assert text.count("_GAMES = {\n") == 1
    table.write_text(text.replace("_GAMES = {\n", "_GAMES = {\n" + line))
    (folder / FOLDER).mkdir()
    (folder / FOLDER / "__init__.py").touch()
    for name, content in code.items():
        (folder / name).write_text(content)
    return folder


def test_the_game_has_fewer_than_100_lines_of_code() -> None:
    """Without blank lines, comments and docstrings."""
    code = code_by_file()
    lines = 0
    for name in ("kernel.py", "state.py"):
        text = code[f"{FOLDER}/{name}"]
        documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
        docstrings = [
            node.body[0] for node in ast.walk(ast.parse(text))
            if isinstance(node, documented) and ast.get_docstring(node)
        ]
        comments = {n for node in docstrings for n in range(node.lineno, node.end_lineno + 1)}
        for number, line in enumerate(text.splitlines(), 1):
            lines += bool(re.match(r"\s*[^\s#]", line)) and number not in comments
    assert 50 < lines < 100


def test_the_game_passes_the_conformance_kit(project: Path) -> None:
    assert run(project, "check_rows.py") == ""


def test_the_kit_runs_without_compiling(project: Path) -> None:
    """As the document advises for debugging."""
    assert run(project, "-W", "ignore", "check_rows.py", NUMBA_DISABLE_JIT="1") == ""


def test_a_broken_rule_is_named_as_the_document_says(project: Path) -> None:
    kernel = project / FOLDER / "kernel.py"
    text = kernel.read_text()
    script = """
from dlgo import get_game
from dlgo.conformance import RuleBroken, check_game
try:
    check_game(get_game("rows"), skip=("fresh process",))
except RuleBroken as error:
    print(error)
"""
    try:
        for old, new in (("in range(5)", "in range(4)"), (" ^ SIDES[state.words[TURN]]", "")):
            assert old in text
            kernel.write_text(text.replace(old, new))
            message = run(project, "-W", "ignore", "-c", script, NUMBA_DISABLE_JIT="1").strip()
            assert message, f"nothing wrong without {old!r}"
            quoted = re.escape(message[:44])
            assert re.search(f"^    {quoted}", DOC.read_text(), re.M), message
    finally:
        kernel.write_text(text)


def test_engines_play_the_game_unmodified(project: Path) -> None:
    """MCTS plays it in `test_plugins.py`, and here with `DLGO_FULL=1`: compiling it takes long."""
    first = "mcts:sims=500" if FULL else "alphabeta:depth=9"
    output = run(
        project, "-m", "experiments.cli", "play", "rows", "--first", first,
        "--second", "alphabeta:depth=9", "--seed", "1", "--delay", "0",
    )
    assert "Game over: black (x) wins." in output


def test_alphabeta_proves_what_plain_minimax_finds(project: Path) -> None:
    """The first player wins: seen by the engine, and by rules written once more, in Python."""
    lines = [{3 * i + j for j in range(3)} for i in range(3)]
    lines += [{3 * j + i for j in range(3)} for i in range(3)]

    @functools.cache
    def value(filled: frozenset[int], player: int, lead: int) -> int:
        """The result for player 0 if both play well."""
        if len(filled) == 9:
            return (lead > 0) - (lead < 0)
        values = []
        for cell in set(range(9)) - filled:
            after = filled | {cell}
            points = sum(cell in line and line <= after for line in lines)
            values.append(value(
                after, player if points else 1 - player, lead + (1 - 2 * player) * points
            ))
        return min(values) if player else max(values)

    script = """
from dlgo import GameState, get_game
from engines.registry import build_engine
game = get_game("rows")
for engine in ENGINES:
    print(build_engine(engine, game).select_move(GameState.new_game(game)).proven)
"""
    engines = ["alphabeta:depth=9", *(["mcts:sims=20000"] if FULL else [])]
    assert value(frozenset(), 0, 0) == 1
    assert run(project, "-c", f"ENGINES = {engines}\n{script}").split() == ["1"] * len(engines)
