"""Evaluations per second of one network, with every runtime that can run it.

    python -m experiments.bench.evaluators [--game go9] [--net resnet:blocks=6,filters=64]
        [--model NAME] [--threads 1] [--seconds 0.5] [--rounds 5] [--cpu] [--csv FILE]

The network has random weights, or belongs to a model.

All things are measured round after round, and the best round counts: other work of the machine
makes a round slower, never faster.
"""

from __future__ import annotations

import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np

from dlgo import get_game
from dlgo.encoders import default_encoder, get_encoder
from dlgo.errors import ModelError
from dlgo.files import write_csv
from dlgo.rates import Meter, rates_in_turns
from dlgo.text import number_of
from engines.learning.networks.card import Card
from engines.learning.networks.runtimes import KINDS, load_runtime
from engines.learning.networks.store import find_model, load_card
from experiments.command import run
from experiments.options import Number, csv_option, measuring_options

BATCHES = (1, 8, 64, 256)


@click.command()
@click.option("--game", "game_name", default="go9", show_default=True,
              help="Game of the positions that the network evaluates.")
@click.option("--net", default="resnet:blocks=6,filters=64", show_default=True,
              help="Architecture of the network; its weights are random.")
@click.option("--model",
              help="Measure the network of this model (name or folder) instead of a random one.")
@click.option("--threads", default=1, show_default=True, type=Number(int, 1, 256),
              help="Threads that run the network.")
@measuring_options(0.5, 5)
@click.option("--cpu", is_flag=True,
              help="Count CPU seconds instead of wall seconds, for busy machines.")
@csv_option
def main(
    game_name: str, net: str, model: str | None, threads: int, seconds: float, rounds: int,
    cpu: bool, csv: Path | None,
) -> None:
    """Measure the evaluations per second of a network with each runtime."""
    from engines.learning.networks.architectures import flops

    encoder = default_encoder(get_game(game_name))
    if model:
        _, card = load_card(model)
        game_name, encoder, net = card.game, card.encoder, card.network
    encoding = get_encoder(encoder, get_game(game_name))
    with tempfile.TemporaryDirectory() as folder:
        network = _new_network(encoding, net, threads)
        operations = flops(network)
        if not model:
            _write_model(Path(folder), encoding, net, network)
        meters = _meters(str(find_model(model)) if model else folder, encoding.shape, threads)
        clock = time.process_time if cpu else time.perf_counter
        rates = rates_in_turns(list(meters.values()), seconds, rounds, clock)
    best = {key: max(measured) for key, measured in zip(meters, rates, strict=True)}
    click.echo(
        f"{game_name}, {encoding.name} {encoding.shape}, {net}: {operations / 1e6:.1f} million "
        f"operations an evaluation, {number_of(threads, 'thread')}, best of {rounds} rounds "
        f"of {seconds:g} {'CPU ' * cpu}s"
    )
    click.echo(f"{'evaluations/s at batch':<28}" + "".join(f"{n:>10,}" for n in BATCHES))
    rows = []
    for name in dict.fromkeys(name for name, _ in best):
        rows.append([name, *(best[name, size] for size in BATCHES)])
        click.echo(f"{name:<28}" + "".join(f"{rate:>10,.0f}" for rate in rows[-1][1:]))
    if csv:
        write_csv(csv, ["what", *(f"per_s_at_{n}" for n in BATCHES)], rows)


def _new_network(encoder: Any, net: str, threads: int) -> Any:
    """A network with random weights, in Keras."""
    from engines.learning.networks.architectures import build_network
    from engines.learning.networks.backend import keras

    if keras.backend.backend() == "tensorflow":
        import tensorflow as tf

        tf.config.threading.set_intra_op_parallelism_threads(threads)
        tf.config.threading.set_inter_op_parallelism_threads(1)
    keras.utils.set_random_seed(1)
    return build_network(net, encoder)


def _write_model(folder: Path, encoder: Any, net: str, network: Any) -> None:
    """A model of this network, also in eight bits."""
    from engines.learning.networks.quantization import quantise_model
    from engines.learning.networks.saving import save_model

    save_model(folder, network, Card(
        "bench", str(encoder.game), encoder.name, net, encoder.shape, encoder.num_actions,
    ))
    quantise_model(str(folder), held_out=64)


def _meters(folder: str, shape: tuple, threads: int) -> dict[tuple[str, int], Meter]:
    """(what, batch size) -> a meter that evaluates one batch, in positions."""
    runtimes = {}
    for kind in KINDS:
        try:
            runtimes[kind] = load_runtime(folder, kind, threads)
        except ModelError as error:
            if kind in ("onnx", "keras"):
                raise
            click.echo(f"{kind} is not measured: {error}")
    calls = {"tf.function" if kind == "keras" else kind: runtime.evaluate
             for kind, runtime in runtimes.items()}
    calls["model.predict"] = partial(runtimes["keras"].model.predict, verbose=0)
    rng, meters = np.random.default_rng(1), {}
    for size in BATCHES:
        planes = rng.integers(0, 2, (size, *shape)).astype(np.float32)
        for name, call in calls.items():
            if name == "model.predict":
                call = partial(call, batch_size=size)

            def meter(call: Any = call, planes: np.ndarray = planes) -> int:
                call(planes)
                return len(planes)

            meters[name, size] = meter
    return meters


if __name__ == "__main__":
    run(main)
