"""A single worker's jobs are done in the process of the tests: another takes a second to start."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from experiments.datasets import sgf_import, shard_making
from experiments.datasets.jobs import run_jobs


def _run_jobs(
    function: Callable[..., Iterator[Any]], jobs: list[tuple[Any, ...]], workers: int | None = None
) -> Iterator[Any]:
    if workers != 1:
        yield from run_jobs(function, jobs, workers)
        return
    for job in jobs:
        yield from function(*job)


@pytest.fixture(scope="module", autouse=True)
def _one_worker_is_here() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for module in (shard_making, sgf_import):
            patch.setattr(module, "run_jobs", _run_jobs)
        yield
