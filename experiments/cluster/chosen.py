"""What `--cluster` has chosen: a cluster, or None for this machine, which is the usual case.

Ray is loaded only where a cluster is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

from dlgo.errors import SpecError
from engines.jobs import Jobs, Processes

if TYPE_CHECKING:
    from experiments.cluster.jobs import ClusterJobs


def _refuse_alone(verify_share: float, price: float | None) -> None:
    """Raises SpecError for what means nothing without a cluster."""
    options = (("--verify-share", verify_share), ("--price", price))
    given = [name for name, value in options if value]
    if given:
        raise SpecError(f"{' and '.join(given)} without --cluster: there is one machine; name a "
                        "cluster (local is one) or leave that out")


@contextmanager
def jobs_on(
    cluster: str | None, say: Callable[[str], None], specs: Iterable[str] = (),
    workers: int | None = None, verify_share: float = 0.0, price: float | None = None,
    items: str = "games",
) -> Iterator[ClusterJobs | None]:
    """Who does tasks. Args, raises: as `ClusterJobs`; and SpecError for a share or a price without
    a cluster."""
    if cluster is None:
        _refuse_alone(verify_share, price)
        yield None
        return
    from experiments.cluster.jobs import ClusterJobs

    with ClusterJobs(cluster, say, specs, workers, verify_share, price, items) as jobs:
        yield jobs


def games_on(
    cluster: str | None, workers: int | None = None, verify_share: float = 0.0,
    price: float | None = None,
) -> AbstractContextManager[ClusterJobs | None]:
    """Who plays the games of a tournament, which says what is sent along and who tells people.
    Args, raises: as `jobs_on`."""
    return jobs_on(cluster, str, (), workers, verify_share, price)


def new_jobs(
    cluster: str | None, say: Callable[[str], None], specs: Iterable[str] = (),
    workers: int | None = None, verify_share: float = 0.0,
) -> Jobs:
    """Who does tasks until it is closed: a cluster, or processes of this machine."""
    if cluster is None:
        _refuse_alone(verify_share, None)
        return Processes(workers)
    from experiments.cluster.jobs import ClusterJobs

    return ClusterJobs(cluster, say, specs, workers, verify_share)
