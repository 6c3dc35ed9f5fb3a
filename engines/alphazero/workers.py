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
from engines.alphazero.match import Match
from engines.alphazero.selfplay import SelfPlay, SelfPlayStats
from engines.jobs import Amount, Jobs, Outcome, Portion
from engines.learning.data.shards import read_shard, shard_bytes, shard_path
from engines.learning.networks.store import network_folder

if TYPE_CHECKING:
    from engines.learning.networks.leaf_evaluator import NetworkEvaluator

# Called a few times a second with how many games are done, and of how many.
Tell = Callable[[int, int], None]


@dataclass(frozen=True)
class Job:
    """A worker's share of an iteration.

    Attributes:
        config: of the run. folder: of the run.
        iteration: its number, from 1. worker: which share.
        player: the iteration that made the network that plays.
    """

    config: AlphaZeroConfig
    iteration: int
    worker: int
    player: int
    folder: Path

    @property
    def path(self) -> Path:
        """The shard."""
        number = (self.iteration - 1) * self.config.workers + self.worker
        return shard_path(self.folder / "games", number)

    @property
    def numbers(self) -> range:
        """The games to play: each has a number of its own in the run."""
        start = (self.iteration - 1) * self.config.games
        return range(start + self.worker, start + self.config.games, self.config.workers)

    @property
    def portion(self) -> Portion:
        """The job as it is handed out."""
        network = network_folder(self.folder, self.player)
        return Portion(self.path.name, play_job, (self,), (network,))

    def keep(self, outcome: Outcome) -> SelfPlayStats:
        """Write the games that were played to the shard; what they were like."""
        write_file(self.path, outcome.value.shard, error=DataError)
        return outcome.value.stats

    def stored_stats(self) -> SelfPlayStats | None:
        """What the shard says of its games; None if it has to be played."""
        try:
            return SelfPlayStats(**read_shard(self.path).provenance["stats"])
        except (DataError, KeyError, TypeError):
            return None


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


def _evaluator(config: AlphaZeroConfig, network: Path) -> NetworkEvaluator:
    """A network as the settings have it play."""
    from engines.learning.networks.leaf_evaluator import load_leaf_evaluator

    return load_leaf_evaluator(
        str(network), get_game(config.game), config.runtime, cache=config.cache
    )


def play_job(job: Job, network: Path) -> Generator[Amount, None, PlayedJob]:
    """Play a share of an iteration with the model in the folder `network`."""
    config, game = job.config, get_game(job.config.game)
    cpu, wall = time.process_time(), time.perf_counter()
    evaluator = _evaluator(config, network)
    selfplay = SelfPlay(
        config.selfplay.game_played(game), evaluator, config.selfplay, config.seed
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
    stats.network_seconds = evaluator.seconds
    stats.wall_seconds = time.perf_counter() - wall
    stats.cpu_seconds = time.process_time() - cpu
    return PlayedJob(*shard_bytes(game, games, {
        "engine": f"self-play of {evaluator.network_id}", "seed": config.seed,
        "iteration": job.iteration, "stats": asdict(stats), "cpu_seconds": stats.cpu_seconds,
    }), stats)


def play_jobs(jobs: Jobs, shares: list[Job], tell: Tell = lambda done, of: None) -> SelfPlayStats:
    """Play what is not there yet; the stats of all shares together.

    Raises:
        WorkerError: if a process dies.
    """
    total = SelfPlayStats()
    missing = {}
    of = sum(len(job.numbers) for job in shares)
    for job in shares:
        stats = job.stored_stats()
        if stats is None:
            missing[job.path.name] = job
        else:
            total.add(stats)
    there = of - sum(len(job.numbers) for job in missing.values())
    portions = [job.portion for job in missing.values()]
    with closing(jobs.run(portions, lambda done: tell(there + done.items, of))) as outcomes:
        for outcome in outcomes:
            total.add(missing[outcome.portion.key].keep(outcome))
    return total


def match_numbers(config: AlphaZeroConfig, worker: int) -> list[int]:
    """A worker's games of a match, always both of a pair."""
    return [number for number in range(config.gating_games)
            if number // 2 % config.workers == worker]


def play_match_share(
    config: AlphaZeroConfig, iteration: int, worker: int, *networks: Path
) -> Generator[Amount, None, tuple[float, float]]:
    """Play a share of the match of an iteration: (points of the new network, CPU seconds).

    Args:
        networks: folders of the new network and of the one that plays now.
    """
    cpu, numbers = time.process_time(), match_numbers(config, worker)
    settings = replace(
        config.selfplay, games_at_once=min(config.selfplay.games_at_once, len(numbers))
    )
    evaluators = [_evaluator(config, network) for network in networks]
    match = Match(config.selfplay.game_played(get_game(config.game)), evaluators, settings,
                  derive_seed(config.seed, "match", iteration))
    points = 0.0
    for _, won in match.play(numbers):
        points += won
        yield Amount(1)
    return points, time.process_time() - cpu


def play_match(
    jobs: Jobs, config: AlphaZeroConfig, iteration: int, networks: tuple[Path, Path],
    tell: Tell = lambda done, of: None,
) -> tuple[float, float]:
    """Play the match of an iteration: (points of the new network, CPU seconds).

    Args:
        networks: folders of the new network and of the one that plays now.

    Raises:
        WorkerError: if a process dies.
    """
    portions = [
        Portion(f"match {iteration}-{worker}", play_match_share, (config, iteration, worker),
                networks)
        for worker in range(config.workers) if match_numbers(config, worker)
    ]
    points = seconds = 0.0
    outcomes = jobs.run(portions, lambda done: tell(done.items, config.gating_games))
    with closing(outcomes):
        for outcome in outcomes:
            won, spent = outcome.value
            points += won
            seconds += spent
    return points, seconds
