"""Chapter 10.2 and 10.3: what the loss, the learning rate and the size of a batch are worth.

    python -m experiments.chapters.ch10_reinforce [--quick] [--out out/ch10_reinforce]

A single batch is learned from again and again, with the book's loss, which has no lowest value, and
with the bounded one, which fades as a move of a lost game becomes rare. Then the textbook's
REINFORCE learns Connect Four in several ways, always from the same number of games.

What to look for:
    on one batch the book's loss falls without end, and the logits run away; the bounded one rests;
    a likeliest move, learned or not, tends to the same column, which beats random play in three
    of four games: what has been learned is what comes on top of the row `untrained`;
    a small rate learns nothing, a -1 in a squared error hardly anything.

Result (2026-11-23, 2-core Intel Xeon, busy, 4 CPU minutes): logits grow to 2e29 in 500 steps by
the book's loss, to 6.2 by the bounded one. Untrained 72.3 +-5.1%, the book's 87.1 +-2.6%, a
hundredth of the rate 76.5 +-4.6%, squared error 79.5 +-2.7%, batches of 16 games 78.6 +-2.3%; the
others do not differ surely from the book's.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np

from dlgo import get_game
from engines.learning.from_scratch import Loss
from engines.learning.from_scratch.layers import Floats
from engines.policy_gradient.textbook import (
    BoundedLoss,
    PolicyGradientLoss,
    TextbookReinforce,
    softmax,
)
from experiments.chapters.practice import against_random, practise, spread
from experiments.command import run
from experiments.figures import BLUE, INK, ORANGE, draw_bars, drawing
from experiments.options import out_option, quick_option, seed_option


class SquaredLoss(Loss):
    """Squared distance of the policy from a 1 or -1 at the move: what the book warns of."""

    def __init__(self, legal: np.ndarray) -> None:
        self._legal = legal

    def value(self, outputs: Floats, labels: Floats) -> float:
        return float(((softmax(outputs, self._legal) - labels) ** 2).sum() / len(outputs))

    def delta(self, outputs: Floats, labels: Floats) -> Floats:
        policy = softmax(outputs, self._legal)
        slopes = 2 * (policy - labels)
        return policy * (slopes - (policy * slopes).sum(axis=1, keepdims=True)) / len(outputs)


class Variant(TextbookReinforce):
    """REINFORCE with another loss, or with several steps from each batch."""

    def __init__(self, loss: type[Loss], steps: int, **more: Any) -> None:
        super().__init__(get_game("connect4"), discount=0.9, **more)
        self._loss, self._steps = loss, steps

    def step(self, decisions: Any, returns: Floats) -> None:
        planes, legal, labels = self.arrays(decisions, returns)
        shares = (np.array([decision.share for decision in decisions]),)
        self.network.loss = self._loss(legal, *shares[: self._loss is BoundedLoss])
        self.largest = []
        for _ in range(self._steps):
            self.largest.append(float(np.abs(self.scores(planes)).max()))
            self.network.step(planes, labels, self.rate)


# Loss, steps from each batch, rate, games in a batch.
VARIANTS: dict[str, tuple[type[Loss], int, float, int]] = {
    "untrained": (PolicyGradientLoss, 0, 1.0, 2560),
    "the book's": (PolicyGradientLoss, 1, 1.0, 64),
    "5 steps from each batch": (PolicyGradientLoss, 5, 1.0, 64),
    "5 steps, bounded": (BoundedLoss, 5, 1.0, 64),
    "rate / 100": (PolicyGradientLoss, 1, 0.01, 64),
    "rate x 30": (PolicyGradientLoss, 1, 30.0, 64),
    "batches of 16 games": (PolicyGradientLoss, 1, 1.0, 16),
    "squared error": (SquaredLoss, 1, 1.0, 64),
}


@click.command()
@quick_option("4 seeds and 2,560 games instead of 10 and 12,800")
@out_option("out/ch10_reinforce")
@seed_option
def main(quick: bool, out: Path, seed: int) -> None:
    """Compare losses and settings of REINFORCE."""
    seeds, games = (4, 2560) if quick else (10, 12_800)
    curves = {}
    for name, loss in (("the book's", PolicyGradientLoss), ("bounded", BoundedLoss)):
        learner = Variant(loss, 500, rate=0.1, seed=seed)
        practise(learner, 8, seed)
        curves[name] = learner.largest
        print(f"500 steps from one batch, {name}: the largest logit {learner.largest[0]:.2f} at "
              f"first, {learner.largest[-1]:.3g} at last")
    print(f"\nConnect Four, {seeds} seeds, {games:,} games each; points of 1,000 games against "
          "random play, intervals of 95%")
    scores: dict[str, tuple[float, float]] = {}
    for name, (loss, steps, rate, batch) in VARIANTS.items():
        found = []
        for k in range(seeds):
            learner = Variant(loss, steps, rate=rate, seed=seed + k)
            for number in range(games // batch):
                practise(learner, batch, 100_000 * (seed + k) + number)
            found.append(100 * against_random(learner, 1000, seed))
        scores[name] = spread(found)
        print(f"  {name:<26}{scores[name][0]:.1f} +-{scores[name][1]:.1f}%", flush=True)
    with drawing(out / "ch10_reinforce.png", 2, 1, (8, 5)) as axes:
        for (name, largest), colour in zip(curves.items(), (ORANGE, BLUE), strict=True):
            axes[0].plot(largest, color=colour, label=name)
        axes[0].set(title="largest logit, one batch", xlabel="steps from it", yscale="log")
        axes[0].legend()
        draw_bars(axes[1], {name: share for name, (share, _) in scores.items()},
                  [margin for _, margin in scores.values()],
                  [f"{share:.0f}%" for share, _ in scores.values()], most=100)
        axes[1].axvline(scores["untrained"][0], color=INK, lw=1.5, ls="--")
        axes[1].set(xlim=(0, 118), xticks=range(0, 101, 25), title="points against random play, %")


if __name__ == "__main__":
    run(main)
