"""What `--cluster` has chosen: a cluster, or None for this machine, which is the usual case.

Ray is loaded only where a cluster is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engines.jobs import Jobs
    from experiments.cluster.games import ClusterGames
    from experiments.cluster.jobs import ClusterJobs


@contextmanager
def games_on(
    cluster: str | None, workers: int | None = None, verify_share: float = 0.0
) -> Iterator[ClusterGames | None]:
    """Who plays the games of a tournament. Args, raises: as `ClusterGames`."""
    if cluster is None:
        yield None
        return
    from experiments.cluster.games import ClusterGames

    with closing(ClusterGames(cluster, workers, verify_share)) as games:
        yield games


@contextmanager
def jobs_on(
    cluster: str | None, say: Callable[[str], None], specs: Iterable[str] = (),
    workers: int | None = None, verify_share: float = 0.0,
) -> Iterator[ClusterJobs | None]:
    """Who does portions of work. Args, raises: as `ClusterJobs`."""
    if cluster is None:
        yield None
        return
    from experiments.cluster.jobs import ClusterJobs

    with ClusterJobs(cluster, say, specs, workers, verify_share) as jobs:
        yield jobs


@contextmanager
def workers_on(
    cluster: str | None, say: Callable[[str], None], specs: Iterable[str] = (),
    workers: int | None = None, verify_share: float = 0.0,
) -> Iterator[Jobs | None]:
    """As `jobs_on`; without a cluster, so many processes of this machine, if a number is given."""
    if cluster is None and workers is not None:
        from engines.jobs import Processes

        with Processes(workers) as processes:
            yield processes
        return
    with jobs_on(cluster, say, specs, workers, verify_share) as jobs:
        yield jobs
