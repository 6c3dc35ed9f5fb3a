"""Imports by name, which import-linter does not see, keep the layers of docs/architecture.md."""

from __future__ import annotations

import grimp

from dlgo import encoders
from dlgo.games import GAMES
from engines.learners import LEARNERS
from engines.registry import ENGINES

PACKAGES = ("dlgo", "engines", "experiments", "reports")
TABLES = {
    "dlgo.encoders": [
        *encoders._GENERIC.values(), *encoders._TURNED.values(),
        *(target for table in encoders._OF_GAME.values() for target in table.values()),
    ],
    "dlgo.games": [*GAMES.built_in.values()],
    "engines.learners": [target for target, _ in LEARNERS.values()],
    "engines.registry": [*ENGINES.built_in.values()],
}


def test_tables_of_names_make_no_circle() -> None:
    graph = grimp.build_graph(*PACKAGES, cache_dir=None)
    for module, targets in TABLES.items():
        for target in targets:
            loaded = target.partition(":")[0]
            assert loaded.partition(".")[0] == module.partition(".")[0]
            assert module not in {loaded} | graph.find_upstream_modules(loaded), loaded
