"""Chapter 10.1: a policy learns to add it up, from nothing but who won.

    python -m experiments.chapters.ch10_add_it_up [--quick]

Two players choose a number from 1 to 5, a hundred times each; the higher sum wins. The policy is
five probabilities. After each game a choice becomes likelier by how much oftener the winner made it
than the loser did. No one tells the policy that 5 is more than 4.

Three ways to learn from the same games:

    the book's        adds a small amount for each choice of the winner, subtracts the loser's
    REINFORCE         follows the gradient of log pi; the policy is the softmax of five logits
    ties for player 2 the book's as printed: who draws as player 2 counts as the winner

What to look for: 1 goes first, 5 takes all. Single games mislead, and the curves tremble. Ties do
no harm here: they are rare, and as good for one choice as for another.

Result (100 seeds, 2026-11-23, 2-core Intel Xeon, 8 CPU s): after 2,000 games p(5) is 0.974 on
average and 0.951 at least by the book's rule, 0.998 by REINFORCE, 0.974 where ties count for player
2.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click
import numpy as np

from engines.learning.networks.leaf_evaluator import softmax
from experiments.command import run
from experiments.figures import COLOURS, drawing
from experiments.options import out_option, quick_option

CHOICES, TURNS = np.arange(1, 6), 100
# Of the book; and for logits, whose gradient is smaller where a choice is rare.
RATE, LOGIT_RATE = 1e-4, 2e-3


def play(policy: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A game: how often each player made each choice, int[2, 5]."""
    return rng.multinomial(TURNS, policy, size=2)


def credit(counts: np.ndarray, ties: bool) -> np.ndarray:
    """How much oftener the winner made each choice than the loser: int[5].

    Args:
        ties: count a tie as won by player 2, as the book does.
    """
    sums = counts @ CHOICES
    if sums[0] == sums[1] and not ties:
        return np.zeros(len(CHOICES), int)
    winner = 0 if sums[0] > sums[1] else 1
    return counts[winner] - counts[1 - winner]


def learn(games: int, seed: int, ties: bool = False) -> np.ndarray:
    """The book's rule (listing 10.4): the policy after each game, float64[games + 1, 5]."""
    rng = np.random.default_rng(seed)
    policies = [np.full(len(CHOICES), 1 / len(CHOICES))]
    for _ in range(games):
        step = RATE * credit(play(policies[-1], rng), ties)
        policy = np.clip(policies[-1] + step, 0, 1)
        policies.append(policy / policy.sum())
    return np.array(policies)


def reinforce(games: int, seed: int) -> np.ndarray:
    """The gradient of log pi, for the choices of both players, by their results."""
    rng = np.random.default_rng(seed)
    logits = np.zeros(len(CHOICES))
    policies = [softmax(logits)]
    for _ in range(games):
        # d log pi(a) / d logits = [a] - pi. Winner and loser choose equally often, so pi cancels.
        logits = logits + LOGIT_RATE * credit(play(policies[-1], rng), ties=False)
        policies.append(softmax(logits))
    return np.array(policies)


METHODS: dict[str, Callable[[int, int], np.ndarray]] = {
    "the book's": learn,
    "REINFORCE": reinforce,
    "ties for player 2": lambda games, seed: learn(games, seed, ties=True),
}


@click.command()
@quick_option("20 seeds instead of 100")
@click.option("--games", default=2000, show_default=True, type=click.IntRange(10, 100_000),
              help="Games to learn from.")
@out_option("out/ch10_add_it_up")
def main(quick: bool, games: int, out: Path) -> None:
    """Learn to choose 5, from results alone."""
    seeds = 20 if quick else 100
    runs = {}
    for name, method in METHODS.items():
        runs[name] = np.array([method(games, seed) for seed in range(seeds)])
        five = runs[name][:, -1, 4]
        half = np.array([np.argmax(curve > 0.5) for curve in runs[name][:, :, 4]])
        click.echo(f"{name:<18} p(5) after {games:,} games: {five.mean():.3f} on average, "
                   f"{five.min():.3f} at least; above one half after {half.mean():,.0f}")
    early = runs["the book's"][:, games // 2]
    click.echo(f"after {games // 2:,} games of it p(1) is {early[:, 0].mean():.3f}, "
               f"{early[:, 0].max():.3f} at most, and p(5) {early[:, 4].mean():.3f}")
    rng, even = np.random.default_rng(0), np.full(len(CHOICES), 1 / len(CHOICES))
    ones = np.array([credit(play(even, rng), ties=False)[0] for _ in range(5000)])
    click.echo(f"of 5,000 games of an even policy the winner chose 1 less often in "
               f"{(ones < 0).mean():.1%}, more often in {(ones > 0).mean():.1%}")
    with drawing(out / "ch10_add_it_up.png", 2, 1, (7, 5)) as axes:
        for axis, name in zip(axes, ("the book's", "REINFORCE"), strict=True):
            for choice, colour in zip(CHOICES, COLOURS, strict=True):
                curves = runs[name][:, :, choice - 1]
                low, middle, high = np.quantile(curves, (0.1, 0.5, 0.9), axis=0)
                axis.plot(middle, color=colour, label=f"p({choice})")
                axis.fill_between(range(games + 1), low, high, color=colour, alpha=0.2, lw=0)
            axis.set(title=f"{name}: median of {seeds} seeds, and 80% of them", xlabel="games",
                     ylim=(0, 1))
        axes[0].legend(loc="center left")


if __name__ == "__main__":
    run(main)
