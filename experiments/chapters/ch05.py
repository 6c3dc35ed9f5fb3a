"""Chapter 5: does a network of a few lines of NumPy learn, and how do you know that it is right?

    python -m experiments.chapters.ch05 --quick

Networks from scratch read scikit-learn's digits (8x8 pixels) and predict moves of Go.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

import dlgo
from dlgo.extras import require_extra
from engines.learning import from_scratch as nn
from engines.learning.from_scratch.check import gradient_error
from experiments.chapters.experiment import Row, experiment, scratch_folder, script, share_row
from experiments.chapters.practice import arrays
from experiments.figures import BLUE, INK, ORANGE, draw_bars

EPOCHS = (1, 2, 3, 5, 10, 20, 30)  # shown


def digits() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """1,438 images and digits to learn from, then 359 others; float64[n, 64] from 0 to 1."""
    require_extra("course", "reading digits (chapter 5)", "sklearn")
    from sklearn.datasets import load_digits

    images, classes = load_digits(return_X_y=True)
    order = np.random.default_rng(1).permutation(len(images))
    images, classes = images[order] / 16, classes[order]
    return images[359:], classes[359:], images[:359], classes[:359]


class NoSlope(nn.Sigmoid):
    """A mistake: the derivative of the sigmoid is missing."""

    def backward(self, delta: np.ndarray) -> np.ndarray:
        """Pass delta on unchanged."""
        return delta


class NotTransposed(nn.Dense):
    """A mistake: W in the place of its transpose; only possible if W is square."""

    def backward(self, delta: np.ndarray) -> np.ndarray:
        """Right gradients for the weights, a wrong delta for the layer before."""
        super().backward(delta)
        return delta @ self.weights


# The activation between the layers, and the loss.
VARIANTS: dict[str, tuple[type[nn.Layer], type[nn.Loss]]] = {
    "squared error, sigmoids": (nn.Sigmoid, nn.MeanSquaredError),
    "squared error, ReLUs": (nn.ReLU, nn.MeanSquaredError),
    "cross-entropy, sigmoids": (nn.Sigmoid, nn.CrossEntropy),
    "cross-entropy, ReLUs": (nn.ReLU, nn.CrossEntropy),
}
WIDTHS = (64, 32, 32, 10)  # the chapter's network, narrower because the images are smaller


def dense_network(
    widths: Sequence[int], variant: str, rng: np.random.Generator, scale: float | None = None
) -> nn.Network:
    """Dense layers of these widths; `scale` is the standard deviation of the first weights.

    Squared error compares the labels with sigmoids of the last layer; cross-entropy takes logits.
    """
    activation, loss = VARIANTS[variant]
    layers: list[nn.Layer] = []
    for inputs, outputs in pairwise(widths):
        layers += [nn.Dense(inputs, outputs, rng, scale), activation()]
    layers[-1:] = [nn.Sigmoid()] if loss is nn.MeanSquaredError else []
    return nn.Network(layers, loss())


def reader(variant: str, seed: int = 1, scale: float | None = None) -> nn.Network:
    """A network that can learn to read the digits."""
    return dense_network(WIDTHS, variant, np.random.default_rng(seed), scale)


def sigmoids(seed: int, dense: type = nn.Dense, sigmoid: type = nn.Sigmoid) -> nn.Network:
    """The reader with squared error and sigmoids, made of layers that may have a mistake."""
    rng = np.random.default_rng(seed)
    return nn.Network([nn.Dense(64, 32, rng), sigmoid(), dense(32, 32, rng), sigmoid(),
                       nn.Dense(32, 10, rng), sigmoid()], nn.MeanSquaredError())


def accuracies(network: nn.Network, rate: float, epochs: int) -> Iterator[Row]:
    """Train on digits; the share of unseen digits read right after each epoch."""
    images, classes, test_images, test_classes = digits()
    rng = np.random.default_rng(2)
    for epoch, _ in enumerate(network.train(images, nn.one_hot(classes, 10), epochs=epochs,
                                            batch=10, rate=rate, rng=rng), 1):
        yield share_row(f"epoch {epoch}", network.accuracy(test_images, test_classes),
                        len(test_classes), epoch=float(epoch))


MISTAKES: dict[str, Any] = {"no mistake": {}, "sigmoid's slope missing": {"sigmoid": NoSlope},
            "W not transposed": {"dense": NotTransposed}}


@experiment(quick={"samples": 10}, full={"samples": 10}, unit="", digits=7, tolerance=0.5,
            quantity="relative error of the gradient")
def gradients(samples: int) -> Iterator[Row]:
    """How far is backpropagation from finite differences? A mistake gives an error near 1."""
    rng = np.random.default_rng(3)
    inputs, labels = rng.random((samples, 64)), nn.one_hot(rng.integers(10, size=samples), 10)
    for label, changes in MISTAKES.items():
        yield {"label": label,
               "value": gradient_error(sigmoids(1, **changes), inputs, labels, rng)}


@gradients.drawing
def _(table: pd.DataFrame, axes: Axes) -> None:
    draw_bars(axes, dict(zip(table["label"], table["value"], strict=True)),
              texts=[f"{value:.1g}" for value in table["value"]])
    axes.set(xscale="log", xlim=(1e-9, 1e4), xlabel="relative error of the gradient")


@experiment(quick={"epochs": 5}, full={"epochs": 10}, quantity="accuracy")
def mistakes(epochs: int) -> Iterator[Row]:
    """How many unseen digits do networks with these mistakes read? Would you notice?"""
    for label, changes in MISTAKES.items():
        *_, last = accuracies(sigmoids(1, **changes), 3.0, epochs)
        yield last | {"label": label, "epoch": float(epochs)}


@experiment(quick={"epochs": 10}, full={"epochs": 30}, size=(8, 5))
def reading(epochs: int) -> Iterator[Row]:
    """How fast do two networks learn to read unseen digits? Compare the first epochs."""
    for variant, rate in (("squared error, sigmoids", 3.0), ("cross-entropy, ReLUs", 0.1)):
        for row in accuracies(reader(variant), rate, epochs):
            if row["epoch"] in EPOCHS:
                yield row | {"label": f"{variant}, {row['label']}"}


def lines_of(table: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """The rows of each network or part, from labels such as `unseen games, epoch 3`."""
    table = table[table["epoch"].notna()]
    yield from table.groupby(table["label"].str.rpartition(", ")[0], sort=False)


def draw_lines(table: pd.DataFrame, axes: Axes) -> None:
    """A line over epochs for each network or part."""
    for (line, rows), colour in zip(lines_of(table), (BLUE, ORANGE), strict=True):
        axes.errorbar(rows["epoch"], rows["value"], (rows["high"] - rows["low"]) / 2, fmt="o-",
                      color=colour, capsize=4, label=line)
    axes.set(xlabel="epoch", ylabel="accuracy in %, with 95% interval", ylim=(0, None),
             xticks=(1, 5, 10, 20, 30))
    axes.set_xlim(0, table["epoch"].max() + 1)
    axes.legend()


def last_rows(table: pd.DataFrame) -> str:
    """The first and the last row of each line in words."""
    return "\n".join(f"{line}: {reading.text(rows.iloc[0])} after epoch 1, "
                     f"{reading.text(rows.iloc[-1])} after epoch {rows['epoch'].iloc[-1]:.0f}."
                     for line, rows in lines_of(table))


reading.drawing(draw_lines)
reading.conclusion(last_rows)


@experiment(quick={"seeds": 1}, full={"seeds": 5}, quantity="accuracy")
def changes(seeds: int) -> Iterator[Row]:
    """Which change makes the start fast: the loss or the activation?

    Unseen digits read after two epochs. Each network has its own best learning rate of five: the
    one with which it reads most of the digits that it learns from.
    """
    images, classes, test_images, test_classes = digits()
    for variant in VARIANTS:
        tried = []
        for rate in (0.1, 0.3, 1.0, 3.0, 10.0):
            known, unseen = [], []
            for seed in range(1, seeds + 1):
                network = reader(variant, seed)
                with np.errstate(over="ignore", invalid="ignore"):  # too large a rate
                    *_, _ = accuracies(network, rate, 2)
                known.append(network.accuracy(images, classes))
                unseen.append(network.accuracy(test_images, test_classes))
            tried.append((np.mean(known), np.mean(unseen), rate))
        _, share, rate = max(tried)
        yield share_row(f"{variant}, rate {rate:g}", float(share), len(test_classes))


@experiment(quick={"epochs": 3}, full={"epochs": 5}, size=(8, 5), quantity="accuracy")
def scales(epochs: int) -> Iterator[Row]:
    """How large should the first weights be? Their standard deviation, and unseen digits read.

    Sigmoids learn with squared error and the rate 3, ReLUs with cross-entropy and the rate 0.1.
    """
    for name, variant, rate in (("sigmoids", "squared error, sigmoids", 3.0),
                                ("ReLUs", "cross-entropy, ReLUs", 0.1)):
        for label, scale in (("0.01", 0.01), ("1 / sqrt(inputs)", None), ("1", 1.0), ("5", 5.0)):
            *_, last = accuracies(reader(variant, scale=scale), rate, epochs)
            yield last | {"label": f"{name}, {label}", "epoch": float(epochs)}


def spreads(network: nn.Network) -> list[float]:
    """How much the output of each activation differs from image to image: its standard deviation,
    averaged over the neurons."""
    outputs, result = digits()[0], []
    for layer in network.layers:
        outputs = layer.forward(outputs)
        if not isinstance(layer, nn.Dense):
            result.append(float(outputs.std(axis=0).mean()))
    return result


@experiment(quick={"games": 140, "epochs": 5, "rate": 0.2},
            full={"games": 800, "epochs": 20, "rate": 0.05}, size=(8, 5))
def go(games: int, epochs: int, rate: float) -> Iterator[Row]:
    """How many moves of Go on 5x5 does the network predict, in games it knows and in others?

    Compare with the dotted line: the share of the most common move.
    """
    folder = scratch_folder() / "games"
    data = dlgo.generate("go:size=5", "mcts:sims=200,rollout=heavy,rule=rave", games=games,
                         out=folder, seed=1)
    known, unseen = map(arrays, data.split(0.15, seed=1))
    yield share_row("most common move", (unseen[1] == np.bincount(known[1]).argmax()).mean(),
                    len(unseen[1]))
    rng = np.random.default_rng(1)
    network = dense_network((25, 200, 100, 26), "cross-entropy, ReLUs", rng)
    for epoch, _ in enumerate(network.train(known[0], nn.one_hot(known[1], 26), epochs=epochs,
                                            batch=32, rate=rate, rng=rng), 1):
        if epoch in EPOCHS:
            for line, part in (("unseen games", unseen), ("games it learns from", known)):
                yield share_row(f"{line}, epoch {epoch}", network.accuracy(*part), len(part[1]),
                                epoch=float(epoch))


@go.drawing
def _(table: pd.DataFrame, axes: Axes) -> None:
    axes.axhline(table["value"].iloc[0], color=INK, linestyle=":", label="most common move")
    draw_lines(table, axes)


go.conclusion(last_rows)

for entry in (mistakes, reading, changes, scales):
    entry.needs("course", "sklearn")

if __name__ == "__main__":
    script(__doc__, gradients, mistakes, reading, changes, scales, go)
