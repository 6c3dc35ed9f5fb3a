"""Chapter 5, the exercise at its end: the network written in NumPy learns moves of Go.

    python -m experiments.chapters.ch05_go [--quick] [--data FOLDER]

The same layers that read digits in `ch05.py`, given a board as one plane (own stones 1, the
other's -1) and asked for the next move. By default on games of MCTS on 5x5, which are made first
and kept; --data takes any folder of `dlgo generate`.

What to look for: it learns something, well above the share of the most frequent move, and far
less than a convolutional network does on the same games (chapter 6). A dense layer has to learn
a shape anew for every place of the board.

Result (2026-11-21, 2-core Intel Xeon, 1,000 games, two minutes): 21.7% of the moves of games it has
not seen after 20 epochs (37.1% of those it has), where the commonest move would be 9.7%.
`--quick` (2026-11-22, 2-core AMD EPYC, 43 s of CPU time): 25.4% +-2.3%, the commonest move 13.9%.
"""

from __future__ import annotations

import sys
from pathlib import Path

import click
import numpy as np

from dlgo.encoders import get_encoder
from engines.learning.data import BatchOptions, Dataset, batches
from engines.learning.from_scratch import CrossEntropy, Dense, Network, ReLU
from experiments.arena.series import share_margin
from experiments.command import run
from experiments.datasets.generate import generate, make_recipe
from experiments.figures import BLUE, INK, ORANGE, drawing
from experiments.options import out_option, quick_option, seed_option
from experiments.progress import LineProgress

# Its moves are less random, so that few games are enough to learn from.
STRONGER = "mcts:sims=200,rollout=heavy,rule=rave"


def arrays(part: Dataset) -> tuple[np.ndarray, np.ndarray]:
    """All positions as rows of numbers, and the moves played there."""
    encoder = get_encoder("oneplane", part.game)
    parts = list(batches(part, encoder, BatchOptions(4096, shuffle=False)))
    inputs = np.concatenate([batch.planes for batch in parts]).astype(float)
    moves = np.concatenate([batch.policies.argmax(axis=1) for batch in parts])
    return inputs.reshape(len(inputs), -1), moves


@click.command()
@quick_option("300 games of a better player, six epochs of larger steps")
@click.option("--data", type=click.Path(path_type=Path), default=None,
              help="A folder of games; by default some are made.")
@out_option("out/ch05_go")
@seed_option
def main(quick: bool, data: Path | None, out: Path, seed: int) -> None:
    """Train a network written in NumPy to predict moves."""
    if data is None:
        games, teacher = (300, STRONGER) if quick else (1000, "mcts:sims=200")
        recipe = make_recipe("go:size=5", teacher, seed=seed)
        data = generate(recipe, games, out / f"games{games}", None, LineProgress(sys.stdout))
    train, test = Dataset.open(data).split(test=0.1, seed=seed)
    (inputs, moves), (test_inputs, test_moves) = arrays(train), arrays(test)
    actions = train.game.num_actions
    rng = np.random.default_rng(seed)
    sizes = [inputs.shape[1], 8 * inputs.shape[1], 4 * inputs.shape[1], actions]
    network = Network([
        Dense(sizes[0], sizes[1], rng), ReLU(), Dense(sizes[1], sizes[2], rng), ReLU(),
        Dense(sizes[2], sizes[3], rng),
    ], CrossEntropy())
    commonest = np.bincount(moves, minlength=actions).argmax()
    print(f"{train.game}: {len(moves):,} positions to learn from, {len(test_moves):,} of other "
          f"games to test on; layers of {', '.join(map(str, sizes))}")
    guess = (test_moves == commonest).mean()
    print(f"always the commonest move: {guess:.1%}")
    labels = np.eye(actions)[moves]
    losses = network.train(
        inputs, labels, epochs=6 if quick else 20, batch=32, rate=0.2 if quick else 0.05, rng=rng
    )
    known, other = [], []
    for epoch, loss in enumerate(losses, 1):
        known.append(100 * network.accuracy(inputs, moves))
        other.append(100 * network.accuracy(test_inputs, test_moves))
        print(f"epoch {epoch:>2}  loss {loss:.3f}  moves predicted {known[-1]:.1f}%, "
              f"of the other games {other[-1]:.1f}%")
    share = other[-1] / 100
    margin = 100 * share_margin(share, len(test_moves))
    print(f"of the other games, with 95% interval: {other[-1]:.1f}% +-{margin:.1f}%")

    with drawing(out / "ch05_go.png", size=(8, 5)) as (axes,):
        epochs = range(1, len(known) + 1)
        axes.plot(epochs, known, "s--", color=ORANGE, label="games it learns from")
        axes.errorbar(epochs, other, margin, fmt="o-", color=BLUE, capsize=4, label="other games")
        axes.axhline(100 * guess, color=INK, linestyle=":", label="always the commonest move")
        axes.set(xlabel="epoch", title="moves predicted, %", ylim=(0, None))
        axes.legend()


if __name__ == "__main__":
    run(main)
