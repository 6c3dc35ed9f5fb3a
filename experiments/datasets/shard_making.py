"""What generating and importing games share: shards made by jobs, with progress, and resumed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dlgo.errors import DataError
from dlgo.files import write_file
from engines.jobs import Amount, Executor, Task
from engines.learning.data.shards import shard_path
from experiments.arena.provenance import machine_text, time_text, version_text
from experiments.progress import LineProgress, Tally


@dataclass(frozen=True)
class MadeShard:
    """The result of a task that makes a shard; the first two fields are from `shard_bytes`."""

    content: bytes  # of the file, which the caller writes
    digest: str  # of the games alone (`Shard.content`): equal games, equal digest
    reports: tuple[Any, ...] = ()  # further reports


def make_shards(
    tasks: Mapping[int, Task], jobs: Executor, folder: Path, tally: Tally,
    progress: LineProgress, count: Callable[[Any], None] = lambda report: None,
) -> None:
    """Do work that makes shards, write them into `folder`, and show how it goes.

    Args:
        tasks: by the number of the shard; each returns a `MadeShard`.
        count: told the reports of each shard that has been written.

    Raises DlgoError as `Executor.run` does, and if a shard cannot be written.
    """
    numbers = {task.key: number for number, task in tasks.items()}

    def tell(amount: Amount) -> None:
        tally.made, tally.positions = amount
        progress.show(tally)

    tally.started = time.monotonic()
    progress.begin(tally)
    try:
        with closing(jobs.run(tasks.values(), tell)) as outcomes:
            for outcome in outcomes:
                path = shard_path(folder, numbers[outcome.task.key])
                write_file(path, outcome.value.content, error=DataError)
                for report in outcome.value.reports:
                    count(report)
    except KeyboardInterrupt:
        progress.log(f"finished files in {folder} are kept; run the same command to continue")
        raise
    finally:
        progress.end(tally)


@dataclass
class Stopwatch:
    """CPU and wall seconds from when it is made."""

    cpu: float = field(default_factory=lambda: _cpu_seconds())
    wall: float = field(default_factory=time.perf_counter)

    def provenance(self, maker: str, recipe: dict[str, Any], number: int) -> dict[str, Any]:
        """The origin of a shard, as stored in it."""
        return {
            "maker": maker, "recipe": recipe, "shard": number, "version": version_text(),
            "machine": machine_text(), "finished": time_text(time.time()),
            "cpu_seconds": round(_cpu_seconds() - self.cpu, 3),
            "wall_seconds": round(time.perf_counter() - self.wall, 3),
        }


def _cpu_seconds() -> float:
    """CPU seconds of this process, and of the programs it has started and that have ended."""
    return time.process_time() + sum(os.times()[2:4])
