"""AlphaZero: play with the network, learn from the games, play with the new network.

Beside what every run leaves (`engines/learning/runs`), the folder of a run holds

    games/games-*.npz    the games of each iteration, a shard for each worker
    nets/0000, 0001, ... the network after each iteration; 0000 knows nothing yet, or what another
                         network knows (`first_network`) or games of others taught it
                         (`first_games`)

Killed at any moment, the same command continues: a shard that is whole is not played again, an
iteration that was not finished is learned again from the checkpoint before it, and all that is
random comes from the seed. So with the same number of workers the networks are those of an
unbroken run.

With `gating_threshold`, a new network plays the next games only if it holds its own in a match
against the one that played the last; the iteration's row of the history has the score.

With `ahead`, self-play goes on while the network learns (`ahead.py`). Then it depends on the clock
which network plays a game, and the networks are not those of another run; the rest holds.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from dlgo.errors import SpecError
from dlgo.extras import require_extra
from dlgo.games import get_game
from engines.alphazero.ahead import AheadSchedule
from engines.alphazero.config import AUTO, AlphaZeroConfig
from engines.alphazero.doctor import MOST_GAMES, examine_iteration
from engines.alphazero.learner import learn, new_network
from engines.alphazero.selfplay import SelfPlayStats
from engines.alphazero.workers import Job, play_jobs, play_match
from engines.jobs import Amount, Background, Inline, Jobs, Processes
from engines.learning.data import Dataset
from engines.learning.diagnostics.findings import lines
from engines.learning.networks.card import Card, read_card
from engines.learning.networks.fastest import fastest_kind
from engines.learning.networks.quantization import quantise_model
from engines.learning.networks.runtimes import INT8_KINDS
from engines.learning.networks.store import TRAINING_MODULES, network_folder, network_of_run
from engines.learning.runs import Curve, Learner, Progress, Run, open_run
from engines.learning.runs.records import playing_network
from engines.learning.runs.run import about_training

_COSTS = (
    "selfplay_cpu_seconds", "train_cpu_seconds", "quantise_cpu_seconds", "match_cpu_seconds",
)
# Positions that say in the card of each network what eight bits cost it.
_HELD_OUT = 256


def train(
    config: AlphaZeroConfig, folder: Path, progress: Progress | None = None,
    jobs: Jobs | None = None,
) -> Card:
    """Do the iterations that are missing in a folder.

    Args:
        config: canonical.
        folder: made if it is not there.
        jobs: play the games; by default processes of this machine. They are closed at the end.

    Returns:
        The card of the last network, or of the last one promoted.

    Raises:
        ModelError, KeyboardInterrupt: as `open_run` and `Run.train`.
        SpecError: for `ahead` where one process both plays and learns.
    """
    if config.ahead and isinstance(jobs, Inline):
        raise SpecError(f"ahead={config.ahead}: games cannot be played while the network learns "
                        "where one process does both; leave ahead at 0, or play in processes")
    require_extra("train", "training", *TRAINING_MODULES)
    with open_run(folder, config, progress=progress) as run:
        if not run.finished:
            run.train(AlphaZeroLearner(run.config, folder, jobs))
        return read_card(network_of_run(folder))


class AlphaZeroLearner(Learner):
    """A network that learns from games of its own."""

    curves = (
        Curve("loss of the policy (nats)", {"": "policy_loss"}),
        Curve("squared error of the value", {"": "value_loss"}),
        Curve("search and network agree", {"": "agreed"}),
        Curve("age of the networks that played (iterations)",
              {"mean": "network_age", "oldest": "network_age_max"}),
    )

    def __init__(
        self, config: AlphaZeroConfig, folder: Path, jobs: Jobs | None = None
    ) -> None:
        self._config, self._folder = config, folder
        config.selfplay.game_played(get_game(config.game))  # endgame tables, before workers ask
        (folder / "games").mkdir(exist_ok=True)
        self._network = new_network(config)
        self._jobs = jobs or Processes(config.workers)
        self._last_window: Dataset | None = None
        self._schedule: AheadSchedule | None = None
        self._begun = 0  # the first iteration whose games it played
        self.state = self._network.state

    def close(self) -> None:
        """End the workers."""
        self._jobs.close()

    def start(self, run: Run) -> None:
        """Write the network that plays the first games; it may have learned before."""
        config = self._config
        training: dict[str, Any] = {"method": "alphazero", "iterations": 0, "cpu_seconds": 0.0}
        if config.first_network:
            card = self._network.take_over(config.first_network)
            training |= {
                name: card.training[name]
                for name in ("games", "cpu_seconds", "wall_seconds", "data")
                if name in card.training
            }
            training["first_network"] = {
                "name": card.name, "network_id": card.network_id,
                **{name: card.training[name] for name in ("iterations", "games", "cpu_seconds")
                   if name in card.training},
            }
            run.line(f"beginning with the weights of {card.name}")
        if config.first_games:
            data = Dataset.open(Path(config.first_games), run.line)
            steps = max(1, round(config.first_games_epochs * data.n_positions / config.batch_size))
            measured = learn(self._network, config, data, 0, steps, run)
            training |= {
                "data": {
                    "folder": data.folder.name, "games": data.n_games,
                    "positions": data.n_positions, "cpu_seconds": round(data.cpu_seconds, 1),
                    "digest": data.digest,
                },
                "cpu_seconds": round(
                    training["cpu_seconds"] + measured["train_cpu_seconds"], 1
                ),
                "wall_seconds": round(
                    training.get("wall_seconds", 0.0) + measured["train_wall_seconds"], 1
                ),
            }
            run.line(
                f"{data.n_games:,} games of others, {data.n_positions:,} positions: policy loss "
                f"{measured['policy_loss']:.3f}, value error {measured['value_loss']:.3f}; "
                f"{measured['train_wall_seconds']:.0f} s"
            )
        self._save(0, training)
        self._quantise(0)

    def _save(self, iteration: int, training: dict[str, Any]) -> None:
        name = f"{self._folder.name}-{iteration:04d}"
        self._network.save(network_folder(self._folder, iteration), name, training)

    def _quantise(self, iteration: int) -> dict[str, float]:
        """Also write the network in eight bits where it plays so: columns of the history."""
        if self._config.runtime not in INT8_KINDS:
            return {}
        cpu = time.process_time()
        folder = network_folder(self._folder, iteration)
        cost = quantise_model(
            str(folder), seed=self._config.seed, held_out=_HELD_OUT).accuracy["int8"]
        return {
            "int8_policy": cost["policy"], "int8_value": cost["value"],
            "quantise_cpu_seconds": time.process_time() - cpu,
        }

    def _settle_runtime(self, run: Run) -> None:
        """Measure what runs the network fastest here; the run keeps it."""
        runtime = fastest_kind(
            str(network_folder(self._folder, 0)), self._config.selfplay.games_at_once,
            self._network.gpu is not None,
        )
        self._config = dataclasses.replace(self._config, runtime=runtime)
        run.settle(self._config)
        run.line(f"the network runs on {runtime}, the fastest here")

    def iterate(self, run: Run, iteration: int) -> dict[str, float]:
        """Play, learn, write the new network, and with `gating_threshold` play a match."""
        if self._config.runtime == AUTO:
            self._settle_runtime(run)
        config, player = self._config, playing_network(run.history, iteration)
        if config.ahead:
            self._wait_for_games(run, iteration, player)
        stats = play_jobs(self._jobs, self._shares(iteration, player), self._tell(run, "self-play"))
        window = self._window(run, iteration)
        steps = max(1, round(config.epochs_per_position * stats.plies / config.batch_size))
        row = _of_games(stats)
        if config.ahead:
            row["network_age"], row["network_age_max"] = stats.ages(player)
            run.note = f"age of games {row['network_age']:.1f}"
        row |= {
            "window_positions": window.n_positions,
            **learn(self._network, config, window, iteration, steps, run),
        }
        before = read_card(network_folder(self._folder, 0)).training
        self._save(iteration, about_training(
            "alphazero", config, [*run.history, row], self._network.gpu,
            (_cpu_seconds(row), run.seconds), before,
        ) | {name: before[name] for name in ("first_network", "data") if name in before})
        row |= self._quantise(iteration)
        if config.gating_threshold:
            row |= self._match(run, iteration, player)
        return row | {"cpu_seconds": _cpu_seconds(row)}

    def _tell(self, run: Run, phase: str) -> Callable[[int, int], None]:
        return partial(run.progress, phase, items="games")

    def _wait_for_games(self, run: Run, iteration: int, player: int) -> None:
        """Wait for the games of this iteration, while workers also play those of later ones."""
        config = self._config
        if self._schedule is None:
            self._schedule = AheadSchedule(config, self._folder, iteration - 1, player)
            self._jobs = Background(self._jobs, self._schedule, self._schedule.keep)
            self._begun = iteration
        schedule = self._schedule
        schedule.publish(iteration - 1, player)
        earlier = (iteration - self._begun) * config.games
        there: int | None = None  # games that were there when the learner began to wait

        def tell(amount: Amount) -> None:
            nonlocal there
            done = min(max(amount.items - earlier, 0), config.games)
            there = done if there is None else there
            run.progress("self-play", done - there, config.games - there, "games")

        self._jobs.wait(lambda: schedule.is_whole(iteration), tell)

    def _shares(self, iteration: int, player: int) -> list[Job]:
        """The workers' shares of the games of an iteration."""
        return [Job(self._config, iteration, worker, player, self._folder)
                for worker in range(self._config.workers)]

    def _match(self, run: Run, iteration: int, player: int) -> dict[str, float]:
        """Play the new network against the one that played its games: columns of the history."""
        config = self._config
        networks = network_folder(self._folder, iteration), network_folder(self._folder, player)
        points, seconds = play_match(
            self._jobs, config, iteration, networks, self._tell(run, "match"))
        score = points / config.gating_games
        return {
            "match_score": score, "promoted": float(score >= config.gating_threshold),
            "match_cpu_seconds": seconds,
        }

    def _window(self, run: Run, iteration: int) -> Dataset:
        """The games to learn from; a shard that has gone bad since is played again."""
        shares = [
            job for past in self._config.window_of(iteration)
            for job in self._shares(past, playing_network(run.history, past))
        ]
        folder, paths = self._folder / "games", [job.path for job in shares]
        window = Dataset.open(folder, lambda line: None, paths, self._last_window)
        if window.skipped:
            play_jobs(self._jobs, shares)
            window = Dataset.open(folder, paths=paths, earlier=window)
        self._last_window = window
        return window

    def lines(self, run: Run, row: Mapping[str, float]) -> list[str]:
        """What came of the games and of learning; then what the doctor finds."""
        match = ""
        if "match_score" in row:
            match = (f"; the new network scores {row['match_score']:.0%} and is "
                     f"{'promoted' if row['promoted'] else 'refused'}")
        age = ""
        if "network_age" in row:
            age = (f"; networks that played were {row['network_age']:.1f} older than the newest, "
                   f"{row['network_age_max']:.0f} at most")
        first = (
            f"{row['games']:.0f} games, {row['plies'] / row['games']:.0f} positions each, "
            f"{row['first_won']:.0%} won, {row['drawn']:.0%} drawn; policy loss "
            f"{row['policy_loss']:.3f}, value error {row['value_loss']:.3f}; search and network "
            f"agree in {row['agreed']:.0%}{match}{age}"
        )
        window = self._last_window
        assert window is not None
        # The shards of this iteration are the window's last.
        played = np.flatnonzero(window.shards >= window.n_shards - self._config.workers)
        diagnosis = examine_iteration(
            self._config, run.history, window.games(played[:MOST_GAMES]))
        return [first, *lines(diagnosis, ill_only=True)]


def _cpu_seconds(row: Mapping[str, float]) -> float:
    """Of this iteration so far; a match counts for the networks after its own."""
    return sum(row.get(name, 0.0) for name in _COSTS)


def _of_games(stats: SelfPlayStats) -> dict[str, float]:
    """The iteration's games as columns of the history."""
    games, full = max(stats.games, 1), max(stats.full, 1)
    lost, drawn, won = stats.results
    return {
        "games": stats.games, "plies": stats.plies, "evaluations": stats.evaluations,
        "remembered": stats.remembered / max(stats.evaluations, 1),
        "batch": stats.evaluations / max(stats.steps, 1),
        "first_won": won / games, "drawn": drawn / games, "first_lost": lost / games,
        "entropy": stats.entropy / full, "prior_entropy": stats.prior_entropy / full,
        "divergence": stats.divergence / full, "agreed": stats.agreed / full,
        "resigned": stats.resigned / games,
        "resigned_wrongly": stats.wrong / stats.checked if stats.checked else 0.0,
        "network_share": stats.network_seconds / max(stats.wall_seconds, 1e-9),
        "selfplay_cpu_seconds": stats.cpu_seconds,
        "evaluations_per_second": stats.evaluations / max(stats.cpu_seconds, 1e-9),
    }
