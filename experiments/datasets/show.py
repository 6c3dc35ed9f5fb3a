"""`dlgo data show`: what is in a folder of training data and where it comes from."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from dlgo.text import duration, number_of
from engines.learning.data import Dataset, read_shard
from engines.learning.data.records import NO_RESULT

_RESULTS = {1: "first player wins", -1: "second player wins", 0: "draws", NO_RESULT: "unknown"}


def show_lines(folder: Path) -> list[str]:
    """Games, positions, sizes, results, makers. Raises DataError if there are no games."""
    dataset = Dataset.open(folder)
    paths = sorted({dataset.source(i).rpartition(", ")[0] for i in range(dataset.n_games)})
    size = sum(Path(path).stat().st_size for path in paths)
    games = dataset.games()
    distinct = len(set(dataset.digests.tolist()))
    results = Counter(_RESULTS.get(game.result, "unknown") for game in games)
    makers: Counter[str] = Counter()
    cpu = 0.0
    for path in paths:
        provenance = read_shard(Path(path), verify=False).provenance
        recipe = provenance.get("recipe", {})
        source = recipe.get("engine") or recipe.get("archive") or ""
        makers[" ".join([str(provenance.get("maker", "unknown")), str(source)]).strip()] += 1
        cpu += float(provenance.get("cpu_seconds", 0.0))
    return [
        f"{dataset.game}: {number_of(dataset.n_games, 'game')} ({distinct:,} different), "
        f"{number_of(dataset.n_positions, 'position')} to learn from",
        f"{number_of(len(paths), 'shard')}, {size:,} bytes, "
        f"{size / max(dataset.n_positions, 1):.1f} a position",
        "results: " + ", ".join(f"{result} {count:,}" for result, count in results.most_common()),
        *(f"made by {maker}: {number_of(count, 'shard')}"
          for maker, count in makers.most_common(10)),
        f"{duration(cpu)} of CPU time",
    ]
