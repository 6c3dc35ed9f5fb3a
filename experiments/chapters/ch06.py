"""Chapter 6: which loss and which layers make a network predict moves?

    python -m experiments.chapters.ch06 --quick

All networks learn the same games of Connect Four, played by a tree search, and see one plane as in
the book. `losses` uses NumPy; the other experiments need TensorFlow (the extra `train`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

import dlgo
from dlgo import GameState
from engines.learning import from_scratch as nn
from engines.learning.data import Dataset
from engines.learning.from_scratch.layers import Floats
from engines.learning.networks.store import TRAINING_MODULES
from engines.supervised.config import SupervisedConfig
from engines.supervised.trainer import train
from experiments.chapters.ch05 import VARIANTS, dense_network
from experiments.chapters.experiment import (
    Row,
    experiment,
    match,
    scratch_folder,
    script,
    share_row,
)
from experiments.chapters.practice import arrays
from experiments.figures import BLUE

WIDTHS = (42, 128, 64, 7)  # of the networks in NumPy
# Rows of figure 6.4 from index 0 on; x is black, to move.
_PROBE = {27: ".x o x o", 36: ".x o x o", 45: ". . x o"}
CAPTURE, ESCAPE = 20, 21

_BOOK = {"optimizer": "sgd:lr=0.01", "loss": "mse"}
NETWORKS: dict[str, dict[str, Any]] = {
    "dense, squared error": {"network": "mlp", **_BOOK},
    "convolutions, squared error": {"network": "cnn_plain", **_BOOK},
    "dense, cross-entropy": {"network": "mlp:activation=relu"},
    "convolutions, cross-entropy": {"network": "cnn:pool=none,dropout=0"},
    "  + max pooling": {"network": "cnn:dropout=0"},
    "  + dropout": {"network": "cnn:pool=none,dropout=0.5"},
    "residual": {"network": "resnet:blocks=3,filters=32"},
}


def probe() -> GameState:
    """The chapter's test position, black to move: 20 takes two stones."""
    game = dlgo.game("go9")
    cells = {first + col: cell for first, row in _PROBE.items()
             for col, cell in enumerate(row.replace(" ", ""))}
    state = game.start()
    black, white = ([action for action, cell in cells.items() if cell == stone] for stone in "xo")
    for pair in zip(black, white, strict=True):
        state = state.play(*map(game.move_of, pair))
    return state


@cache
def dataset(games: int) -> Dataset:
    """Games of Connect Four that a tree search plays against itself."""
    folder = scratch_folder() / "games"
    return dlgo.generate("connect4", "mcts:sims=200", games=games, out=folder, seed=1)


@cache
def trained(label: str, games: int, epochs: int) -> tuple[Path, Row]:
    """The folder of a trained network, and the share of unseen moves that it predicts."""
    folder = scratch_folder() / "model"
    config = SupervisedConfig(label, encoder="oneplane", value_head=False, epochs=epochs,
                              test=0.15, **NETWORKS[label])
    card = train(config, dataset(games), folder)
    return folder, share_row(label, card.accuracy["test"]["accuracy"],
                             card.training["data"]["test_positions"])


@experiment(quick={"games": 400, "epochs": 8}, full={"games": 800, "epochs": 12},
            quantity="accuracy")
def losses(games: int, epochs: int) -> Iterator[Row]:
    """Is it the loss or the activation that makes dense layers learn? All take equal steps.

    Compare with the last row: a network that predicts no more has learned nothing about positions.
    """
    (inputs, moves), (test_inputs, test_moves) = map(arrays, dataset(games).split(0.15, seed=1))
    for variant in VARIANTS:
        rng = np.random.default_rng(1)
        network = dense_network(WIDTHS, variant, rng)
        for _ in network.train(inputs, nn.one_hot(moves, 7), epochs=epochs, batch=32, rate=0.5,
                               rng=rng):
            pass
        yield share_row(variant, network.accuracy(test_inputs, test_moves), len(test_moves))
    yield share_row("most common column", (test_moves == np.bincount(moves).argmax()).mean(),
                    len(test_moves))


def fit_in_keras(inputs: Floats, labels: Floats, epochs: int) -> Any:
    """The network of `losses` with cross-entropy and ReLUs, in Keras."""
    from engines.learning.networks.backend import keras

    keras.utils.set_random_seed(1)
    network = keras.Sequential([
        keras.Input((42,)),
        keras.layers.Dense(128, activation="relu"),
        keras.layers.Dense(64, activation="relu"),
        keras.layers.Dense(7),
    ])
    loss = keras.losses.CategoricalCrossentropy(from_logits=True)
    network.compile(keras.optimizers.SGD(0.5), loss, metrics=["accuracy"])
    network.fit(inputs, labels, batch_size=32, epochs=epochs, verbose=0)
    return network


@experiment(quick={"games": 400, "epochs": 8}, full={"games": 800, "epochs": 12},
            quantity="accuracy")
def library(games: int, epochs: int) -> Iterator[Row]:
    """Does the same network in Keras learn as much as the one in NumPy (see `losses`)?"""
    (inputs, moves), (test_inputs, test_moves) = map(arrays, dataset(games).split(0.15, seed=1))
    network = fit_in_keras(inputs, nn.one_hot(moves, 7), epochs)
    _, accuracy = network.evaluate(test_inputs, nn.one_hot(test_moves, 7), verbose=0)
    yield share_row("Keras", accuracy, len(test_moves))


@experiment(quick={"games": 400, "epochs": 2, "networks": 4},
            full={"games": 800, "epochs": 6, "networks": 7}, quantity="accuracy")
def layers(games: int, epochs: int, networks: int) -> Iterator[Row]:
    """Dense layers or convolutions: which predict more moves, and with which loss?

    The first two are the book's: squared error, sigmoids and SGD. The others use cross-entropy,
    ReLUs and Adam.
    """
    for label in list(NETWORKS)[:networks]:
        yield trained(label, games, epochs)[1]


@experiment(quick=None, full={"games": 800, "epochs": 6, "networks": 7, "pairs": 100})
def playing(games: int, epochs: int, networks: int, pairs: int) -> Iterator[Row]:
    """Does the network that predicts more moves also win more games?

    Each plays MCTS with 20 simulations and answers without a search.
    """
    for label in list(NETWORKS)[:networks]:
        folder, predicted = trained(label, games, epochs)
        yield predicted | {"label": f"{label}: predicted"}
        yield match("connect4", f"supervised:model={folder}", "mcts:sims=20", pairs,
                    f"{label}: score")


@playing.drawing
def _(table: pd.DataFrame, axes: Axes) -> None:
    predicted, score = (table[table["label"].str.endswith(what)]
                        for what in ("predicted", "score"))
    axes.errorbar(
        predicted["value"], score["value"], (score["high"] - score["low"]).to_numpy() / 2,
        (predicted["high"] - predicted["low"]).to_numpy() / 2, "o", color=BLUE, capsize=4)
    axes.set(xlabel="unseen moves predicted in %", ylabel="score against MCTS in %", xlim=(0, None),
             ylim=(0, None))


@playing.conclusion
def _(table: pd.DataFrame) -> str:
    rows = table[table["label"].str.endswith("predicted")].sort_values("value").iloc[[0, -1]]
    scores = table.set_index("label").apply(playing.text, axis=1)
    return "\n".join(f"{label}: {scores[label + ': predicted']} of the moves, score "
                     f"{scores[label + ': score']}."
                     for label in rows["label"].str.removesuffix(": predicted"))


for entry in (library, layers, playing):
    entry.needs("train", *TRAINING_MODULES)

if __name__ == "__main__":
    script(__doc__, losses, library, layers, playing)
