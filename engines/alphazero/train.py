"""AlphaZero's training loop: play games with the network, learn from them, play with the new one.

Besides the files of every run (`engines/learning/runs`), the folder of a run holds

    games/games-*.npz    the games of each iteration, a shard for each worker
    nets/0000, 0001, ... the network after each iteration; 0000 is the initial one

The same command continues a killed run: it keeps complete shards, and repeats the learning of an
unfinished iteration from the checkpoint before it. All random numbers come from the seed, so with
the same number of workers the networks equal those of an uninterrupted run.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import time
from collections import Counter
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dlgo.errors import ModelError
from dlgo.extras import require_extra
from dlgo.files import make_folder
from engines.alphazero import doctor
from engines.alphazero.ahead import GamesAhead
from engines.alphazero.config import AlphaZeroConfig
from engines.alphazero.first_network import new_network, prepare
from engines.alphazero.gating import play_match
from engines.alphazero.tasks import SelfPlayTask, columns, play_tasks
from engines.jobs import Executor, Inline, Processes
from engines.learning.data import Batch, BatchOptions, Dataset, endless_batches
from engines.learning.networks.card import Card, read_card
from engines.learning.networks.quantization import quantise_columns
from engines.learning.networks.runtimes import fastest_kind
from engines.learning.networks.store import TRAINING_MODULES, network_folder, network_of_run
from engines.learning.run_status import Progress
from engines.learning.runs.checkpoint import REMEDY
from engines.learning.runs.records import Curve
from engines.learning.runs.run import Learner, Run, about_training, open_run
from engines.learning.settings import AUTO

if TYPE_CHECKING:
    from engines.learning.networks.trainable import TrainableNetwork


def train(
    config: AlphaZeroConfig, folder: Path, progress: Progress | None = None,
    jobs: Executor | None = None,
) -> Card:
    """Run the iterations that are missing in a folder; returns the card of the last network.

    Args:
        jobs: workers that play the games; by default `config.workers` processes of this machine.
            Closed at the end.
    """
    require_extra("train", "training", *TRAINING_MODULES)
    with open_run(folder, config, progress=progress) as run:
        if not run.finished:
            jobs = jobs or (Processes(config.workers) if config.workers else Inline())
            run.train(AlphaZero(run.config, folder, jobs))
        return read_card(network_of_run(folder))


class AlphaZero(Learner):
    """A network that learns from games against itself."""

    curves = (
        Curve("loss of the policy (nats)", {"": "policy_loss"}),
        Curve("squared error of the value", {"": "value_loss"}),
        Curve("search and network agree", {"": "agreed"}),
    )

    def __init__(self, config: AlphaZeroConfig, folder: Path, jobs: Executor) -> None:
        make_folder(folder / "games", error=ModelError, remedy=REMEDY)
        self._folder, self._jobs, self._ahead = folder, jobs, GamesAhead()
        self._network = new_network(config)
        self._window: Any = None  # the Dataset that was learned last
        self.state = self._network.state

    def start(self, run: Run) -> None:
        """Write the initial network and choose its runtime."""
        self._keep(run, 0, prepare(self._network, run, learn))
        if run.config.runtime == AUTO:
            runtime = fastest_kind(str(network_folder(self._folder, 0)),
                                   run.config.selfplay.games_at_once, self._network.gpu is not None)
            run.use_config(dataclasses.replace(run.config, runtime=runtime))
            run.line(f"runtime of the network: {runtime}, the fastest on this machine")

    def iterate(self, run: Run, iteration: int) -> dict[str, float]:
        """Play, learn, save the new network, and with `gating_threshold` play a match."""
        config, tell = run.config, partial(run.progress, "self-play", items="games")
        self._ahead.finish(tell)
        stats = play_tasks(self._jobs, self._tasks(run, iteration), tell)
        window = self._window = self._read_window(run, iteration)
        if config.ahead and iteration < config.iterations:
            self._ahead.begin(play_tasks, self._jobs, self._tasks(run, iteration + 1))
        steps = max(1, round(config.epochs_per_position * stats["plies"] / config.batch_size))
        row = columns(stats) | {"window_positions": window.n_positions}
        row |= learn(self._network, run, window, iteration, steps)
        row |= self._keep(run, iteration, self._about(run, row))
        if config.gating_threshold:
            self._ahead.finish(tell)
            both = iteration, config.player_of(run.history, iteration)
            networks = [network_folder(self._folder, number) for number in both]
            tell = partial(run.progress, "match", items="games")
            row |= play_match(self._jobs, config, iteration, networks, tell)
        return row | {"cpu_seconds": _cpu_seconds(row)}

    def _tasks(self, run: Run, iteration: int) -> list[SelfPlayTask]:
        player = run.config.player_of(run.history, iteration)
        return [SelfPlayTask(run.config, self._folder, iteration, worker, player)
                for worker in range(run.config.shares)]

    def _read_window(self, run: Run, iteration: int) -> Dataset:
        """The games to learn from; a damaged shard is played again."""
        tasks = [task for past in run.config.window_of(iteration)
                  for task in self._tasks(run, past)]
        folder, paths = self._folder / "games", [task.path for task in tasks]
        window = Dataset.open(folder, lambda line: None, paths, self._window)
        if window.skipped:
            play_tasks(self._jobs, tasks)
            window = Dataset.open(folder, paths=paths, earlier=window)
        return window

    def _keep(self, run: Run, iteration: int, training: dict[str, Any]) -> dict[str, float]:
        """Save the network, also in eight bits if self-play uses them."""
        folder = network_folder(self._folder, iteration)
        self._network.save(folder, f"{self._folder.name}-{iteration:04d}", training)
        return quantise_columns(folder, run.config.runtime, run.config.seed)

    def _about(self, run: Run, row: Mapping[str, float]) -> dict[str, Any]:
        """The training part of the card."""
        first = read_card(network_folder(self._folder, 0)).training
        return about_training(
            "alphazero", run.config, [*run.history, row], self._network.gpu,
            (_cpu_seconds(row), run.seconds), first,
        ) | {name: first[name] for name in ("first_network", "data") if name in first}

    def lines(self, run: Run, row: Mapping[str, float]) -> list[str]:
        return doctor.iteration_lines(run.config, run.history, self._window)

    def close(self) -> None:
        self._ahead.close()
        self._jobs.close()


def learn(
    network: TrainableNetwork, run: Run, window: Dataset, iteration: int, steps: int
) -> dict[str, float]:
    """Train on a window of games for a number of steps; returns columns of the history.

    The losses of the heads for the end of the game are means over the positions whose game has a
    final board; nan if there is none.
    """
    config = run.config
    window.check_positions()
    options = BatchOptions(
        config.batch_size, symmetries=config.symmetries, targets="policy",
        search_value_weight=config.search_value_weight, margin_share=config.margin_share,
        finals=bool(config.final_heads) or config.margin_share > 0,
    )
    stream = endless_batches(window, network.encoder, options, config.seed, 1000 * iteration)
    wall, cpu = time.perf_counter(), time.process_time()
    network.rate = rate = config.learning_rate(run.history, network.first_rate)
    sums: Counter[str] = Counter()
    ended = 0.0  # sum over batches of the share that has a final board
    for done, batch in enumerate(itertools.islice(stream, steps), 1):
        losses = network.learn(*_targets(batch, network.heads))
        sums.update(losses)
        if batch.final_weights is not None:
            ended += float(batch.final_weights.mean())
        run.check("loss", losses["loss"], done)
        run.progress("training", done, steps, "steps")
    means = {name: total / steps for name, total in sums.items()}
    for head in config.final_heads:
        means[f"{head}_loss"] = sums[f"{head}_loss"] / ended if ended else math.nan
    return {
        **means, "steps": steps, "learning_rate": rate,
        "train_wall_seconds": time.perf_counter() - wall,
        "train_cpu_seconds": time.process_time() - cpu,
    }


def _targets(
    batch: Batch, heads: tuple[str, ...]
) -> tuple[np.ndarray, dict[str, Any], dict[str, Any]]:
    # Keras divides by the size of the batch, whatever the weights. Their mean is made 1, so that
    # the policy's weight does not depend on the share of full searches.
    weights = batch.policy_weights / max(float(batch.policy_weights.mean()), 1e-6)
    # The other heads count less when fewer games have a final board. If rescaled, a single
    # position of the only game with a final board would weigh as much as a batch.
    counts = {"policy": weights, "value": np.ones_like(batch.values)}
    return (
        batch.planes, {head: batch.target(head) for head in heads},
        {head: counts.get(head, batch.final_weights) for head in heads},
    )


def _cpu_seconds(row: Mapping[str, float]) -> float:
    """CPU seconds of this iteration so far; a match counts for the next network."""
    return sum(seconds for name, seconds in row.items() if name.endswith("_cpu_seconds"))
