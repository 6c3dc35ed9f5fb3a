"""What `--cluster` has chosen: a cluster, or None for this machine, which is the usual case."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from dlgo.errors import SpecError
from engines.jobs import Executor, Processes

if TYPE_CHECKING:
    from experiments.cluster.jobs import ClusterJobs


def jobs_on(
    cluster: str | None, log: Callable[[str], None], specs: Iterable[str] = (),
    workers: int | None = None, verify_share: float = 0.0, price: float | None = None,
    items: str = "games",
) -> AbstractContextManager[ClusterJobs | None]:
    """Who does tasks, as `ClusterJobs`; SpecError for a share or a price without a cluster."""
    if cluster is None:
        options = (("--verify-share", verify_share), ("--price", price))
        if given := [name for name, value in options if value]:
            raise SpecError(f"{' and '.join(given)} needs a cluster; add --cluster ADDRESS (such "
                            "as local), or leave it out")
        return nullcontext()
    from experiments.cluster.jobs import ClusterJobs  # which loads Ray

    return ClusterJobs(cluster, log, specs, workers, verify_share, price, items)


def games_on(
    cluster: str | None, workers: int | None = None, verify_share: float = 0.0,
    price: float | None = None,
) -> AbstractContextManager[ClusterJobs | None]:
    """As `jobs_on`, for a tournament, which says what is sent along and who tells people."""
    return jobs_on(cluster, str, (), workers, verify_share, price)


def new_jobs(
    cluster: str | None, log: Callable[[str], None], specs: Iterable[str] = (),
    workers: int | None = None, verify_share: float = 0.0,
) -> Executor:
    """As `jobs_on`; without a cluster, processes of this machine."""
    jobs = jobs_on(cluster, log, specs, workers, verify_share)
    return Processes(workers) if isinstance(jobs, nullcontext) else jobs
