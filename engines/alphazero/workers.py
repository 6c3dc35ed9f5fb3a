"""AlphaZero's portions of work: the games of an iteration, and the matches that decide about
promotion (`match.py`).

A portion of games becomes a shard, which is written whole or not at all, and not played again if it
is there. Matches are short and leave no files: an interrupted match is played again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from dlgo.errors import DataError
from dlgo.files import write_file
from dlgo.games import get_game
from dlgo.rng import derive_seed
from engines.alphazero.config import AlphaZeroConfig
from engines.alphazero.exact import ExactResults
from engines.alphazero.match import new_match
from engines.alphazero.selfplay import SelfPlay, SelfPlayStats
from engines.jobs import Amount, Jobs, Outcome, Portion
from engines.learning.data.shards import read_shard, shard_bytes, shard_path
from engines.learning.selfplay.timed import Timed

if TYPE_CHECKING:
    from engines.learning.networks.leaf_evaluator import NetworkEvaluator


@dataclass(frozen=True)
class Job:
    """A worker's share of an iteration.

    Attributes:
        config: of the run.
        iteration: its number, from 1. worker: which share.
        network: folder of the model that plays. player: the iteration that made it.
        folder: where the shard goes.
    """

    config: AlphaZeroConfig
    iteration: int
    worker: int
    network: Path
    player: int
    folder: Path

    @property
    def path(self) -> Path:
        """The shard."""
        return shard_path(self.folder, (self.iteration - 1) * self.config.workers + self.worker)

    @property
    def numbers(self) -> range:
        """The games to play: each has a number of its own in the run."""
        start = (self.iteration - 1) * self.config.games
        return range(start + self.worker, start + self.config.games, self.config.workers)

    @property
    def portion(self) -> Portion:
        """The job as it is handed out."""
        return Portion(self.path.name, play_job, (self,), (self.network,))

    def keep(self, outcome: Outcome) -> SelfPlayStats:
        """Write the games that were played to the shard; what they were like."""
        write_file(self.path, outcome.value.shard, error=DataError)
        return outcome.value.stats


@dataclass(frozen=True)
class MatchJob:
    """A worker's share of an iteration's match.

    Attributes:
        config: of the run.
        iteration: that of the new network. worker: which share.
        networks: folders of the new network and of the one that plays now.
    """

    config: AlphaZeroConfig
    iteration: int
    worker: int
    networks: tuple[Path, Path]

    @property
    def numbers(self) -> list[int]:
        """The games to play, always both of a pair."""
        return [
            number for number in range(self.config.gating_games)
            if number // 2 % self.config.workers == self.worker
        ]


def stored_stats(job: Job) -> SelfPlayStats | None:
    """What a shard that was written earlier says of its games; None if it has to be played."""
    try:
        return SelfPlayStats(**read_shard(job.path).provenance["stats"])
    except (DataError, KeyError, TypeError):
        return None


def _evaluator(config: AlphaZeroConfig, iteration: int, network: Path) -> NetworkEvaluator:
    """A network as the settings have it play in an iteration."""
    from engines.learning.networks.leaf_evaluator import load_leaf_evaluator

    sides = derive_seed(config.seed, "sides", iteration) if config.random_symmetry else None
    return load_leaf_evaluator(
        str(network), get_game(config.game), config.runtime, sides=sides, cache=config.cache
    )


@dataclass(frozen=True)
class PlayedJob:
    """The games of a job.

    Attributes:
        shard: what belongs into its file.
        digest: of the games alone: equal games, equal digest.
        stats: of the games.
    """

    shard: bytes
    digest: str
    stats: SelfPlayStats


def play_job(job: Job, network: Path) -> Generator[Amount, None, PlayedJob]:
    """Play a share of an iteration.

    Args:
        network: folder of the model that plays.
    """
    config, game = job.config, get_game(job.config.game)
    cpu, wall = time.process_time(), time.perf_counter()
    evaluator = _evaluator(config, job.iteration, network)
    timed = Timed(evaluator)
    selfplay = SelfPlay(
        config.selfplay.game_played(game), timed, config.selfplay, config.seed
    )
    exact = ExactResults(config.exact_from, config.exact_moves) if config.exact_from else None
    played = {}
    for number, data in selfplay.play(job.numbers):
        played[number] = exact.corrected(data) if exact else data
        yield Amount(1, data.n_positions)
    games = [played[number] for number in job.numbers]
    stats = selfplay.stats
    stats.plies = sum(data.n_positions for data in games)  # more than played, with exact moves
    stats.networks = {str(job.player): stats.games}
    stats.remembered = evaluator.remembered
    stats.network_seconds = timed.seconds
    stats.wall_seconds = time.perf_counter() - wall
    stats.cpu_seconds = time.process_time() - cpu
    return PlayedJob(*shard_bytes(game, games, {
        "engine": f"self-play of {evaluator.network_id}", "seed": config.seed,
        "iteration": job.iteration, "stats": asdict(stats), "cpu_seconds": stats.cpu_seconds,
    }), stats)


def play_match(
    job: MatchJob, *networks: Path
) -> Generator[Amount, None, tuple[float, float]]:
    """Play a share of a match: (points of the new network, CPU seconds).

    Args:
        networks: folders of the new network and of the one that plays now.
    """
    config, numbers = job.config, job.numbers
    game = config.selfplay.game_played(get_game(config.game))
    cpu = time.process_time()
    settings = replace(
        config.selfplay, games_at_once=min(config.selfplay.games_at_once, len(numbers))
    )
    evaluators = [_evaluator(config, job.iteration, network) for network in networks]
    seed = derive_seed(config.seed, "match", job.iteration)
    match = new_match(game, evaluators, settings, seed)
    points = 0.0
    for _, won in match.play(numbers):
        points += won
        yield Amount(1)
    return points, time.process_time() - cpu


class Workers:
    """What those who play for a run can be asked for.

    Args:
        jobs: who plays; they live as long as the run.
    """

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs

    def close(self) -> None:
        """End them."""
        self._jobs.close()

    def play(
        self, jobs: list[Job], progress: Callable[[int, int], None] = lambda done, of: None
    ) -> SelfPlayStats:
        """Play what is not there yet; the stats of all jobs together.

        Args:
            progress: called a few times a second with how many games are done, and of how many.

        Raises:
            WorkerError: if a process dies.
        """
        total = SelfPlayStats()
        missing = {}
        of = sum(len(job.numbers) for job in jobs)
        for job in jobs:
            stats = stored_stats(job)
            if stats is None:
                missing[job.path.name] = job
            else:
                total.add(stats)
        there = of - sum(len(job.numbers) for job in missing.values())
        portions = [job.portion for job in missing.values()]
        outcomes = self._jobs.run(portions, lambda done: progress(there + done.items, of))
        with closing(outcomes):
            for outcome in outcomes:
                total.add(missing[outcome.portion.key].keep(outcome))
        return total

    def match(
        self, jobs: list[MatchJob], progress: Callable[[int, int], None] = lambda done, of: None
    ) -> tuple[float, float]:
        """Play a match: (points of the new network, CPU seconds), of all jobs together.

        Args, raises: as `play`.
        """
        jobs = [job for job in jobs if job.numbers]
        of = sum(len(job.numbers) for job in jobs)
        portions = [
            Portion(f"match {job.iteration}-{job.worker}", play_match, (job,), job.networks)
            for job in jobs
        ]
        points = seconds = 0.0
        outcomes = self._jobs.run(portions, lambda done: progress(done.items, of))
        with closing(outcomes):
            for outcome in outcomes:
                won, spent = outcome.value
                points += won
                seconds += spent
        return points, seconds
