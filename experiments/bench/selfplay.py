"""Self-play in games an hour, side by side in one run: many searches in lockstep, or one by one.

    python -m experiments.bench.selfplay [--game connect4] [--net resnet:blocks=4,filters=64]
        [--model DIR] [--sims 60] [--at-once 128] [--seconds 60] [--csv FILE] [--quick]

* lockstep: self-play as training has it (`engines/alphazero`), with everything installed that
  runs the network, on one process and on one for each core. All searches are full ones.
* model.predict: the same searches one after the other, each position a call of Keras's
  `predict`, on as many threads as TensorFlow likes to take.

Each row is measured for at least `--seconds`, and no shorter than every board of it takes for a
whole game: openings and endings cost differently. (With model.predict only the time counts, for
a single game would take minutes; its games an hour are by the length of the others' games.)

The load of the evaluator is the share of its time that a process spends on asking the network:
encoding, the network itself, softmax. What is left is walking trees and keeping games.

What to look for: the ratio, and whether the load is near 100%. If it is, only a faster network
makes self-play faster. docs/engines/alphazero.md has results.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Generator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np

from dlgo import get_game
from dlgo.encoders import default_encoder, get_encoder
from dlgo.errors import ModelError
from dlgo.files import write_csv
from engines.alphazero.config import SelfPlaySettings
from engines.alphazero.self_play import SelfPlay
from engines.jobs import Amount, Portion, Processes
from engines.learning.networks import catalog
from engines.learning.networks.leaf_evaluator import NetworkEvaluator, encoder_of
from engines.learning.networks.runtimes import KerasRuntime, NetworkRuntime, load_runtime
from engines.treesearch.leaf_evaluator import LeafEvaluator
from experiments.command import run as run_command
from experiments.options import FILE, Number

RUNTIMES = ("onnx", "openvino-bf16", "int8", "openvino-int8")
PREDICT = "model.predict"
DEFAULTS = {"net": "resnet:blocks=4,filters=64", "sims": 60, "at_once": 128, "seconds": 60.0}
QUICK = {"net": "resnet:blocks=1,filters=8", "sims": 8, "at_once": 16, "seconds": 0.5}


@dataclass(frozen=True)
class Task:
    """What a process measures."""

    model: str  # folder of the network
    runtime: str  # what runs it, or PREDICT
    game: str
    sims: int  # simulations a move
    at_once: int  # games in lockstep
    seconds: float  # for how long
    whole_games: bool  # and until every board has ended its first game
    seed: int = 1  # of the games

    @property
    def settings(self) -> SelfPlaySettings:
        """How games are played."""
        return SelfPlaySettings(
            sims=self.sims, full_share=1.0, games_at_once=self.at_once, random_share=0.0)


class Measured(NamedTuple):
    """Counts of a process."""

    seconds: float
    network_seconds: float
    positions: int
    evaluations: int
    steps: int
    length: float  # mean plies of the boards' first games, NaN without any


class Row(NamedTuple):
    """A line of the table: rates of all processes together."""

    what: str
    processes: int
    seconds: float
    games_per_hour: float
    positions_per_s: float
    evaluations_per_s: float
    evaluator_load: float
    batch: float
    times_predict: float | None = None  # positions a second, in those of model.predict


class Over(Exception):  # noqa: N818 (no error)
    """Raised in the middle of self-play when enough has been measured."""


class Meter(LeafEvaluator):
    """An evaluator that counts its evaluations and their time, and ends the measurement.

    It does so when a move has just been made, so that no search is counted in part where there
    is only one.
    """

    def __init__(self, evaluator: NetworkEvaluator) -> None:
        self._evaluator = evaluator
        self.play: SelfPlay | None = None
        self.evaluations = self.steps = 0
        self.seconds = 0.0
        self.enough = lambda: False
        self._plies = 0

    def evaluate(self, leaves: Any, n: int) -> Any:
        plies = self.play.stats["plies"] if self.play else 0
        if plies > self._plies and self.enough():
            raise Over
        self._plies = plies
        start = time.perf_counter()
        answer = self._evaluator.evaluate(leaves, n)
        self.seconds += time.perf_counter() - start
        self.evaluations += n
        self.steps += 1
        return answer


class _PredictRuntime(KerasRuntime):
    """As one would write it first: a call of `predict` for every position."""

    def evaluate(self, planes: np.ndarray) -> dict[str, np.ndarray]:
        answers = [self.model.predict(planes[i : i + 1], verbose=0) for i in range(len(planes))]
        return {name: np.concatenate([answer[name] for answer in answers]) for name in self.heads}


class _NoNetwork(NetworkRuntime):
    """Knows nothing, at once."""

    def evaluate(self, planes: np.ndarray) -> dict[str, np.ndarray]:
        return {
            name: np.zeros((len(planes), *head.shape), np.float32)
            for name, head in self.card.heads.items()
        }


# What `prepare` leaves for `measure` in a process: the network of a task, by all but its seed.
_prepared: dict[Task, NetworkEvaluator] = {}


def prepare(task: Task) -> Generator[Amount, None, None]:
    """Compile and load all that `measure` needs in this process; some runtimes compile batch sizes.
    """
    yield Amount()
    game = get_game(task.game)
    runtime = load_runtime(task.model, "keras" if task.runtime == PREDICT else task.runtime)
    if task.runtime == PREDICT:
        runtime = _PredictRuntime(runtime.card, str(Path(task.model) / "network.keras"))
    encoder, size = encoder_of(runtime.card, game), 1
    while size < 2 * task.at_once:
        runtime.evaluate(np.zeros((min(size, task.at_once), *runtime.card.shape), np.float32))
        size *= 2
    quick = NetworkEvaluator(_NoNetwork(runtime.card), encoder)
    next(SelfPlay(game, quick, task.settings, task.seed).play(iter(range(task.at_once))))
    _prepared[replace(task, seed=0)] = NetworkEvaluator(runtime, encoder)


def measure(task: Task) -> Generator[Amount, None, Measured]:
    """Play, and count what is played."""
    yield Amount()
    if replace(task, seed=0) not in _prepared:  # the process that was prepared has been lost
        yield from prepare(task)
    meter = Meter(_prepared[replace(task, seed=0)])
    play = meter.play = SelfPlay(get_game(task.game), meter, task.settings, task.seed)
    lengths: dict[int, int] = {}  # plies of each board's first game
    start = time.perf_counter()
    meter.enough = lambda: time.perf_counter() - start >= task.seconds and (
        not task.whole_games or len(lengths) == task.at_once
    )
    try:
        for number, data in play.play(iter(range(10**9))):
            if number < task.at_once:
                lengths[number] = len(data.actions)
    except Over:
        pass
    seconds = time.perf_counter() - start
    length = float(np.mean([*lengths.values()])) if len(lengths) == task.at_once else float("nan")
    return Measured(
        seconds, meter.seconds, play.stats["plies"], meter.evaluations, meter.steps, length)


def run(task: Task, processes: int) -> Row:
    """One row: as many processes at once, each with its own games.

    Raises:
        DlgoError: if a process cannot play.
    """
    with Processes(processes) as jobs:
        for work in (prepare, measure):  # all measure at the same time, when all are prepared
            outcomes = [*jobs.run(
                Portion(str(i), work, (replace(task, seed=task.seed + i),))
                for i in range(processes)
            )]
    shares = [outcome.value for outcome in outcomes]
    positions = sum(share.positions / share.seconds for share in shares)
    return Row(
        task.runtime if task.runtime == PREDICT else f"lockstep, {task.runtime}",
        processes,
        seconds=max(share.seconds for share in shares),
        games_per_hour=3600 * positions / float(np.mean([share.length for share in shares])),
        positions_per_s=positions,
        evaluations_per_s=sum(share.evaluations / share.seconds for share in shares),
        evaluator_load=float(np.mean([share.network_seconds / share.seconds for share in shares])),
        batch=sum(share.evaluations for share in shares) / sum(share.steps for share in shares),
    )


def make_model(folder: str, game_name: str, net: str) -> Generator[Amount, None, None]:
    """A network with random weights. In a process of its own, so that it takes TensorFlow along."""
    from engines.learning.networks.architectures import build_network
    from engines.learning.networks.backend import keras
    from engines.learning.networks.card import Card
    from engines.learning.networks.saving import save_model

    yield Amount()
    game = get_game(game_name)
    encoder = get_encoder(default_encoder(game), game)
    keras.utils.set_random_seed(1)
    network = build_network(net, encoder, ("policy", "value"))
    save_model(Path(folder), network, Card(
        "untrained", str(game), encoder.name, net, encoder.shape, encoder.num_actions,
    ))


@click.command()
@click.option("--game", "game_name", default="connect4", show_default=True)
@click.option("--net", help=f"Architecture of an untrained network; {DEFAULTS['net']} by default.")
@click.option("--model", help="A trained network in its place.")
@click.option("--sims", type=Number(int, 2, 100_000),
              help=f"Simulations a move; {DEFAULTS['sims']} by default.")
@click.option("--at-once", type=Number(int, 1, 10_000),
              help=f"Games in lockstep of each process; {DEFAULTS['at_once']} by default.")
@click.option("--seconds", type=Number(float, 0.1, 3600),
              help=f"Least length of each measurement; {DEFAULTS['seconds']:g} by default.")
@click.option("--workers", type=Number(int, 1, 256),
              help="Processes besides one; a process for each core by default.")
@click.option("--csv", type=FILE, help="Write the table there.")
@click.option("--quick", is_flag=True,
              help="Smaller in everything that is not given: it takes seconds.")
def main(
    game_name: str, model: str | None, workers: int | None, csv: Path | None, quick: bool,
    **given: Any,
) -> None:
    """Measure self-play and print the table."""
    wanted = (QUICK if quick else DEFAULTS) | {
        name: value for name, value in given.items() if value is not None
    }
    net = catalog.canonical("network", catalog.NETWORKS, wanted.pop("net"))
    with tempfile.TemporaryDirectory() as folder:
        if model is None:
            with Processes(1) as jobs:
                [*jobs.run([Portion("network", make_model, (folder, game_name, net))])]
        task = Task(model or folder, "", game_name, whole_games=True, **wanted)
        click.echo(f"{get_game(game_name)}, {model or net}, {task.sims} simulations a move, "
                   f"{task.at_once} games in lockstep a process, {os.cpu_count()} cores")
        click.echo(f"{'':<26}{'processes':>10}{'games/h':>11}{'positions/s':>13}"
                   f"{'evaluations/s':>15}{'load':>7}{'batch':>8}")
        rows = _rows(task, workers or os.cpu_count() or 1)
    for row in rows[:-1]:
        click.echo(f"{row.what}, {row.processes} process{'es' * (row.processes > 1)} / "
                   f"{PREDICT}: {row.times_predict:,.0f} times the positions/s")
    if csv:
        write_csv(csv, Row._fields, (
            [round(cell, 4) if isinstance(cell, float) else cell for cell in row] for row in rows))


def _rows(task: Task, most: int) -> list[Row]:
    """Measure and print row after row, that of model.predict last."""
    rows: list[Row] = []
    for kind in RUNTIMES:
        try:
            load_runtime(task.model, kind)
        except ModelError as error:
            if kind == RUNTIMES[0]:
                raise
            click.echo(f"not measured: {kind}: {error}")
            continue
        rows += [_shown(run(replace(task, runtime=kind), processes))
                 for processes in dict.fromkeys((1, most))]
    single = run(replace(task, runtime=PREDICT, at_once=1, whole_games=False), 1)
    games = rows[0].games_per_hour * single.positions_per_s / rows[0].positions_per_s
    last = _shown(single._replace(games_per_hour=games))
    return [*(row._replace(times_predict=row.positions_per_s / last.positions_per_s)
              for row in rows), last]


def _shown(row: Row) -> Row:
    click.echo(
        f"{row.what:<26}{row.processes:>10}{row.games_per_hour:>11,.0f}"
        f"{row.positions_per_s:>13,.2f}{row.evaluations_per_s:>15,.0f}{row.evaluator_load:>7.0%}"
        f"{row.batch:>8.1f}"
    )
    return row


if __name__ == "__main__":
    run_command(main)
