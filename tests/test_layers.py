"""Imports by name, which import-linter does not see, keep the layers of docs/architecture.md."""

from __future__ import annotations

import ast

import grimp

from dlgo import encoders
from dlgo.games import GAMES
from engines.learners import LEARNERS
from engines.registry import ENGINES
from tests.command import ROOT

PACKAGES = ("dlgo", "engines", "experiments", "reports")
# What calls the functions below, and what it loads: parts of this project from a table of names,
# or modules that its caller names.
BY_NAME = {
    "dlgo/encoders/__init__.py": "encoders",
    "dlgo/jit.py": "a part of Numba",
    "dlgo/plugins.py": "games and engines, and those of users",
    "engines/isolation/host.py": "functions named on its command line",
    "engines/isolation/start.py": "a module beside it, without its packages",
    "engines/learners.py": "learners",
    "experiments/arena/games.py": "a function named by the caller",
    "experiments/chapters/__main__.py": "chapters beside it",
    "experiments/classroom/exercise.py": "exercises below it",
    "experiments/classroom/hostile_bot.py": "what the sandbox forbids",
    "experiments/docs/tables.py": "encoders",
    "experiments/museum/prices.py": "modules with planted faults",
}
LOADERS = {"__import__", "import_module", "resolve_name", "run_module", "run_path"}
TABLES = {
    "dlgo.encoders": [
        *encoders._GENERIC.values(), *encoders._TURNED.values(),
        *(target for table in encoders._OF_GAME.values() for target in table.values()),
    ],
    "dlgo.games": [*GAMES.built_in.values()],
    "engines.learners": [target for target, _ in LEARNERS.values()],
    "engines.registry": [*ENGINES.built_in.values()],
}


def test_few_files_import_by_name() -> None:
    files = set()
    for path in (path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        names = {getattr(node, "id", getattr(node, "attr", ""))
                 for node in ast.walk(ast.parse(path.read_text("utf-8")))}
        if names & LOADERS:
            files.add(path.relative_to(ROOT).as_posix())
    assert files <= set(BY_NAME)


def test_tables_of_names_make_no_circle() -> None:
    graph = grimp.build_graph(*PACKAGES, cache_dir=None)
    for module, targets in TABLES.items():
        for target in targets:
            loaded = target.partition(":")[0]
            assert loaded.partition(".")[0] == module.partition(".")[0]
            assert module not in {loaded} | graph.find_upstream_modules(loaded), loaded
