"""Speed of self-play in games per hour: many searches in lockstep, compared with one by one.

    python -m experiments.bench.selfplay [--game connect4] [--net resnet:blocks=4,filters=64]
        [--model DIR] [--sims 60] [--at-once 128] [--seconds 60] [--csv FILE] [--quick]

* lockstep: self-play as in training (`engines/alphazero`), in one process, with each installed
  runtime of the network. All searches are full searches.
* model.predict: the same searches one after the other, with a call of Keras's `predict` for each
  position, on TensorFlow's default number of threads.

Each row is measured for at least `--seconds`, and until every board has finished a game, because
openings and endings have different costs. (With model.predict there is one board; its game may take
minutes.)

The load of the evaluator is the share of the time for evaluations: encoding, the network, softmax.
The rest is tree search and storing games.

What to look for: the ratio, and whether the load is near 100%. If it is, only a faster network
makes self-play faster. docs/lab_notebook.md has results.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np

from dlgo import GameSpec, get_game
from dlgo.encoders import default_encoder, get_encoder
from dlgo.errors import ModelError
from dlgo.files import write_csv
from engines.alphazero.config import SelfPlaySettings
from engines.alphazero.self_play import SelfPlay
from engines.learning.networks import catalog
from engines.learning.networks.leaf_evaluator import NetworkEvaluator, encoder_of
from engines.learning.networks.runtimes import KerasRuntime, NetworkRuntime, load_runtime
from engines.search.leaf_evaluator import LeafEvaluator
from experiments.command import run
from experiments.options import Number, csv_option

RUNTIMES = ("onnx", "int8")
PREDICT = "model.predict"
DEFAULTS = {"net": "resnet:blocks=4,filters=64", "sims": 60, "at_once": 128, "seconds": 60.0}
QUICK = {"net": "resnet:blocks=1,filters=8", "sims": 8, "at_once": 16, "seconds": 0.5}


class Row(NamedTuple):
    """A line of the table."""

    label: str
    games_per_hour: float
    positions_per_s: float
    evaluations_per_s: float
    evaluator_load: float
    batch: float


class Meter(LeafEvaluator):
    """An evaluator that counts its evaluations and their time."""

    def __init__(self, evaluator: NetworkEvaluator) -> None:
        self._evaluator = evaluator
        self.evaluations = self.steps = 0
        self.seconds = 0.0

    def evaluate(self, leaves: Any, n: int) -> Any:
        start = time.perf_counter()
        answer = self._evaluator.evaluate(leaves, n)
        self.seconds += time.perf_counter() - start
        self.evaluations += n
        self.steps += 1
        return answer


class _PredictRuntime(KerasRuntime):
    """The simplest implementation: a call of `predict` for every position."""

    def evaluate(self, planes: np.ndarray) -> dict[str, np.ndarray]:
        answers = [self.model.predict(planes[i : i + 1], verbose=0) for i in range(len(planes))]
        return {name: np.concatenate([answer[name] for answer in answers]) for name in self.heads}


def load(model: str, kind: str) -> NetworkRuntime:
    """The runtime of the network. Raises ModelError if it is not installed."""
    if kind != PREDICT:
        return load_runtime(model, kind)
    card = load_runtime(model, "keras").card  # which checks the file
    return _PredictRuntime(card, str(Path(model) / "network.keras"))


def measure(
    game: GameSpec, runtime: NetworkRuntime, label: str, sims: int, at_once: int, seconds: float
) -> Row:
    """Play, count games and positions, and print a row."""
    meter = Meter(NetworkEvaluator(runtime, encoder_of(runtime.card, game)))
    settings = SelfPlaySettings(
        sims=sims, full_share=1.0, games_at_once=at_once, random_share=0.0)
    size = 1
    while size < 2 * at_once:  # some runtimes compile batch sizes
        runtime.evaluate(np.zeros((min(size, at_once), *runtime.card.shape), np.float32))
        size *= 2
    play = SelfPlay(game, meter, settings, 1)
    lengths: dict[int, int] = {}  # plies of each board's first game
    start = time.perf_counter()
    for number, data in play.play(iter(range(10**9))):
        if number < at_once:
            lengths[number] = len(data.actions)
        if time.perf_counter() - start >= seconds and len(lengths) == at_once:
            break
    spent = time.perf_counter() - start
    positions = play.stats["plies"] / spent
    row = Row(
        label, 3600 * positions / float(np.mean([*lengths.values()])), positions,
        meter.evaluations / spent, meter.seconds / spent, meter.evaluations / meter.steps,
    )
    click.echo(f"{row.label:<26}{row.games_per_hour:>11,.0f}{row.positions_per_s:>13,.2f}"
               f"{row.evaluations_per_s:>15,.0f}{row.evaluator_load:>7.0%}{row.batch:>8.1f}")
    return row


def write_model(folder: Path, game: GameSpec, net: str) -> None:
    """A network with random weights."""
    from engines.learning.networks.architectures import build_network
    from engines.learning.networks.backend import keras
    from engines.learning.networks.card import Card
    from engines.learning.networks.saving import save_model

    encoder = get_encoder(default_encoder(game), game)
    keras.utils.set_random_seed(1)
    network = build_network(net, encoder, ("policy", "value"))
    save_model(folder, network, Card(
        "untrained", str(game), encoder.name, net, encoder.shape, encoder.num_actions,
    ))


@click.command()
@click.option("--game", "game_name", default="connect4", show_default=True,
              help="Game to play.")
@click.option("--net", help=f"Architecture of an untrained network; {DEFAULTS['net']} by default.")
@click.option("--model", help="Use a trained network instead (name or folder).")
@click.option("--sims", type=Number(int, 2, 100_000),
              help=f"Simulations a move; {DEFAULTS['sims']} by default.")
@click.option("--at-once", type=Number(int, 1, 10_000),
              help=f"Games in lockstep; {DEFAULTS['at_once']} by default.")
@click.option("--seconds", type=Number(float, 0.1, 3600),
              help=f"Minimum length of each measurement; {DEFAULTS['seconds']:g} by default.")
@csv_option
@click.option("--quick", is_flag=True,
              help="Smaller defaults for all other options; takes seconds.")
def main(
    game_name: str, model: str | None, csv: Path | None, quick: bool, **options: Any
) -> None:
    """Measure the games per hour of self-play, in lockstep and one by one."""
    settings: dict[str, Any] = (QUICK if quick else DEFAULTS) | {
        name: value for name, value in options.items() if value is not None
    }
    net = catalog.canonical("network", catalog.NETWORKS, settings.pop("net"))
    game = get_game(game_name)
    rows: list[Any] = []
    with tempfile.TemporaryDirectory() as folder:
        if model is None:
            write_model(Path(folder), game, net)
        click.echo(f"{game}, {model or net}, {settings['sims']} simulations a move, "
                   f"{settings['at_once']} games in lockstep")
        click.echo(f"{'':<26}{'games/h':>11}{'positions/s':>13}{'evaluations/s':>15}{'load':>7}"
                   f"{'batch':>8}")
        for kind in (*RUNTIMES, PREDICT):
            try:
                runtime = load(model or folder, kind)
            except ModelError as error:
                if not rows:
                    raise
                click.echo(f"not measured: {kind}: {error}")
                continue
            label = PREDICT if kind == PREDICT else f"lockstep, {kind}"
            overrides = {"at_once": 1} if kind == PREDICT else {}
            rows.append(measure(game, runtime, label, **settings | overrides))
    for row in rows[:-1]:
        times = row.positions_per_s / rows[-1].positions_per_s
        click.echo(f"{row.what} / {rows[-1].what}: {times:,.0f} times the positions/s")
    if csv:
        write_csv(csv, Row._fields, rows)


if __name__ == "__main__":
    run(main)
