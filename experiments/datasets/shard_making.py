"""What generating and importing games share: shards made by jobs, with progress, and resumed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dlgo.errors import DataError
from dlgo.text import duration
from engines.learning.data.shards import Shard, read_shard, shard_path
from experiments.arena.provenance import machine_text, time_text, version_text
from experiments.datasets.jobs import run_jobs
from experiments.datasets.progress import LineProgress, Tally


def run_with_progress(
    function: Callable[..., Iterator[Any]], jobs: Iterable[tuple[Any, ...]], workers: int | None,
    folder: Path, tally: Tally, progress: LineProgress, count: Callable[[Any], None],
) -> None:
    """Run jobs that write shards into `folder`, and show how it goes.

    Args:
        function, jobs, workers: as for `run_jobs`.
        folder: named if the work is interrupted.
        tally: what is shown.
        progress: where it is shown.
        count: adds a report of a job to the tally.

    Raises:
        DataError: as `run_jobs` does.
    """
    progress.begin(tally)
    try:
        with closing(run_jobs(function, jobs, workers)) as reports:
            for report in reports:
                count(report)
                progress.show(tally)
    except KeyboardInterrupt:
        progress.say(f"the shards in {folder} are kept: run the same command to go on")
        raise
    finally:
        progress.end(tally)


def summary(games: int, tally: Tally) -> str:
    """What has been made, in one line."""
    return f"{games} games, {tally.positions:,} positions in {duration(tally.seconds())}"


def existing_shard(folder: Path, number: int, say: Callable[[str], None]) -> Shard | None:
    """The shard of that number; None if it is missing or broken and has to be made."""
    path = shard_path(folder, number)
    if not path.exists():
        return None
    try:
        return read_shard(path)
    except DataError as error:
        say(f"{error}; it is made again")
        return None


@dataclass
class Stopwatch:
    """CPU and wall seconds from when it is made."""

    cpu: float = field(default_factory=lambda: _cpu_seconds())
    wall: float = field(default_factory=time.perf_counter)

    def provenance(self, maker: str, recipe: dict[str, Any], number: int) -> dict[str, Any]:
        """Where a shard comes from, as it is stored in it."""
        return {
            "maker": maker, "recipe": recipe, "shard": number, "version": version_text(),
            "machine": machine_text(), "finished": time_text(time.time()),
            "cpu_seconds": round(_cpu_seconds() - self.cpu, 3),
            "wall_seconds": round(time.perf_counter() - self.wall, 3),
        }


def _cpu_seconds() -> float:
    """CPU seconds of this process, and of the programs it has started and that have ended."""
    return time.process_time() + sum(os.times()[2:4])
