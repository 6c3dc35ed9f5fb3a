"""Evaluations a second of one network, by everything that can run it, side by side in one run.

    python -m experiments.bench.evaluators [--game go9] [--net resnet:blocks=6,filters=64]
        [--model NAME] [--threads 1] [--seconds 0.5] [--rounds 5] [--cpu] [--csv FILE]

The network has random weights, or is that of a model.

Beside them stands what the processor can do at all: the rate of a large product of matrices,
in float32 and in bfloat16, by the faster of ONNX Runtime and OpenVINO. The share is that of
the float32 rate which the network's own operations reach (convolutions and dense layers,
counted by hand); a share above 100% is possible where convolutions are computed with fewer
operations (Winograd) or in bfloat16.

Each thing is measured in turns, round after round, and the best round counts: a machine that
does something else meanwhile makes a round slow, never fast.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import numpy as np

from dlgo import get_game
from dlgo.encoders import default_encoder, get_encoder
from dlgo.errors import ModelError
from dlgo.files import write_csv
from dlgo.rates import Meter, rates_in_turns
from engines.learning.networks.card import Card
from engines.learning.networks.runtimes import KINDS, load_runtime, openvino_core
from engines.learning.networks.store import find_model, load_card
from experiments.command import run
from experiments.options import Number, csv_option, measuring_options

BATCHES = (1, 8, 64, 256)
_SIDE = 2048  # of the square matrices
Call = Callable[[], object]


@click.command()
@click.option("--game", "game_name", default="go9", show_default=True,
              help="Game whose positions the network sees.")
@click.option("--encoder", help="Encoder of the positions; the game's usual one by default.")
@click.option("--net", default="resnet:blocks=6,filters=64", show_default=True,
              help="Architecture of the network; its weights are random.")
@click.option("--model",
              help="Measure the network of this model (name or folder) instead of a random one.")
@click.option("--threads", default=1, show_default=True, type=Number(int, 1, 256),
              help="Threads that run the network.")
@measuring_options(0.5, 5)
@click.option("--cpu", is_flag=True,
              help="Count CPU seconds instead of the clock's, where the machine is busy.")
@csv_option
def main(
    game_name: str, encoder: str | None, net: str, model: str | None, threads: int,
    seconds: float, rounds: int, cpu: bool, csv: Path | None,
) -> None:
    """Measure and print the table."""
    from engines.learning.networks.architectures import flops

    if model:
        _, card = load_card(model)
        game_name, encoder, net = card.game, card.encoder, card.network
    game = get_game(game_name)
    encoding = get_encoder(encoder or default_encoder(game), game)
    with tempfile.TemporaryDirectory() as made:
        network = _new_network(encoding, net, threads)
        operations = flops(network)
        folder = find_model(model) if model else _make_model(Path(made), encoding, net, network)
        calls = _calls(folder, encoding.shape, threads)
        meters = [_one(call) for call in calls.values()]
        rates = rates_in_turns(
            meters, seconds, rounds, time.process_time if cpu else time.perf_counter)
        best = {key: max(measured) for key, measured in zip(calls, rates, strict=True)}
    products = {
        kind: max(rate for (name, size), rate in best.items() if not size and kind in name)
        * 2 * _SIDE**3 for kind in ("f32", "bf16") if any(kind in name for name, _ in best)
    }
    click.echo(
        f"{game}, {encoding.name} {encoding.shape}, {net}: {operations / 1e6:.1f} million "
        f"operations an evaluation, {threads} thread{'s' * (threads > 1)}, best of {rounds} rounds "
        f"of {seconds:g} {'CPU ' * cpu}s"
    )
    for kind, rate in products.items():
        click.echo(f"matrix product, {kind:<5}{rate / 1e9:>10,.0f} GFLOP/s")
    click.echo(f"{'evaluations/s at batch':<28}" + "".join(f"{n:>10,}" for n in BATCHES)
               + f"{'share of f32 product at ' + str(BATCHES[-1]):>30}")
    rows = []
    for name in dict.fromkeys(name for name, size in best if size):
        rates = [best[name, size] * size for size in BATCHES]
        share = rates[-1] * operations / products["f32"]
        rows.append([name, *rates, share])
        click.echo(f"{name:<28}" + "".join(f"{rate:>10,.0f}" for rate in rates)
                   + f"{share:>30.0%}")
    table = {row[0]: row for row in rows}
    click.echo(f"batch 1: ONNX Runtime / model.predict = "
               f"{table['onnx'][1] / table['model.predict'][1]:,.0f}")
    if "openvino-bf16" in table:
        click.echo(f"batch {BATCHES[-1]}: OpenVINO bf16 / float32 product = "
                   f"{table['openvino-bf16'][-1]:.2f}, / ONNX Runtime = "
                   f"{table['openvino-bf16'][-2] / table['onnx'][-2]:.2f}")
    if "int8" in table:
        click.echo("int8 by the faster of both / ONNX Runtime: " + ", ".join(
            f"{max(rates[i] for name, rates in table.items() if 'int8' in name) / one:.2f} at "
            f"{size}" for i, (size, one) in enumerate(zip(BATCHES, table["onnx"][1:-1],
                                                          strict=True), 1)))
    if csv:
        header = ["what", *(f"per_s_at_{n}" for n in BATCHES), "share_of_f32_product"]
        write_csv(csv, header, rows)


def _one(call: Call) -> Meter:
    """A call as one unit."""

    def meter() -> int:
        call()
        return 1

    return meter


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


def _make_model(folder: Path, encoder: Any, net: str, network: Any) -> Path:
    """A model of this network in `folder`, also in eight bits; the folder."""
    from engines.learning.networks.quantization import quantise_model
    from engines.learning.networks.saving import save_model

    save_model(folder, network, Card(
        "bench", str(encoder.game), encoder.name, net, encoder.shape, encoder.num_actions,
    ))
    quantise_model(str(folder), held_out=64)
    return folder


def _calls(folder: Path, shape: tuple, threads: int) -> dict[tuple[str, int], Call]:
    """(what, batch size) -> a call that evaluates one batch; size 0: one matrix product."""
    calls: dict[tuple[str, int], Call] = {}
    rng = np.random.default_rng(1)
    evaluators = {}
    for kind in KINDS:
        try:
            evaluators[kind] = load_runtime(str(folder), kind, threads)
        except ModelError as error:
            if kind in ("onnx", "keras"):
                raise
            click.echo(f"{kind} is not measured: {error}")
    predict = evaluators["keras"].model.predict
    names = {"keras": "tf.function"}
    for size in BATCHES:
        planes = rng.integers(0, 2, (size, *shape)).astype(np.float32)
        for kind, evaluator in evaluators.items():
            calls[names.get(kind, kind), size] = (
                lambda evaluator=evaluator, planes=planes: evaluator.evaluate(planes)
            )
        calls["model.predict", size] = (
            lambda planes=planes: predict(planes, batch_size=len(planes), verbose=0)
        )
    for name, call in _products(threads, "openvino" in evaluators).items():
        calls[name, 0] = call
    return calls


def _products(threads: int, with_openvino: bool) -> dict[str, Call]:
    """A product of two square matrices, by ONNX Runtime and OpenVINO."""
    import onnxruntime as ort
    from onnx import TensorProto, helper, numpy_helper

    matrix = np.random.default_rng(2).standard_normal((_SIDE, _SIDE)).astype(np.float32)
    sides = [_SIDE, _SIDE]
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["a", "b"], ["c"])], "product",
        [helper.make_tensor_value_info("a", TensorProto.FLOAT, sides)],
        [helper.make_tensor_value_info("c", TensorProto.FLOAT, sides)],
        [numpy_helper.from_array(matrix, "b")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 9
    content = model.SerializeToString()
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    session = ort.InferenceSession(content, options)
    products: dict[str, Call] = {"onnx product f32": lambda: session.run(None, {"a": matrix})}
    if with_openvino:
        core = openvino_core()
        for kind in ("f32", "bf16"):
            request = core.compile_model(core.read_model(content), "CPU", {
                "INFERENCE_PRECISION_HINT": kind, "INFERENCE_NUM_THREADS": threads,
            }).create_infer_request()
            products[f"openvino product {kind}"] = (
                lambda request=request: request.infer({0: matrix})
            )
    return products


if __name__ == "__main__":
    run(main)
