"""Chapter 11: what is a move worth? And how much chance does it take to find out?

    python -m experiments.chapters.ch11_q_learning [--quick] [--out out/ch11_q_learning]

The Q-network of the textbook learns tic-tac-toe from games against itself, with four ways to choose
epsilon, the chance of a random move. Tic-tac-toe is solved, so every estimate can be compared with
what is true: in how many of all 4,520 positions does the best move by Q lose what was not lost?

What to look for: without random moves each batch is one game, played 256 times, and nothing is
learned. With one move in ten at random half of the positions are met, with one in two nearly all.
Letting epsilon fall does not pay in so short a training. Q is about the games that were played: the
first move seems better than a draw. Fewer mistakes than at first are made in positions never met.

Result (2026-11-23, 2-core Intel Xeon, busy, 5 CPU minutes): losing mistakes 30.9 +-2.0% without
chance, 13.5 +-3.3% with 0.1, 1.4 +-0.2% with 0.5, 1.7 +-0.3% where it falls.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np

from dlgo import get_game
from engines.q_learning.textbook import TextbookQ
from experiments.chapters.practice import (
    ILLEGAL,
    against_random,
    exam,
    games_of,
    losing_mistakes,
    practise,
    rows_met,
    spread,
)
from experiments.command import run
from experiments.figures import COLOURS, INK, drawing
from experiments.options import out_option, quick_option, seed_option

GAMES = 256  # a batch
SCHEDULES: dict[str, Callable[[float], float]] = {
    "none": lambda done: 0.0,
    "always 0.1": lambda done: 0.1,
    "always 0.5": lambda done: 0.5,
    "0.5 falling to 0.1": lambda done: 0.5 - 0.4 * done,
}


class Run(NamedTuple):
    """What came of one seed.

    Attributes:
        mistakes, first_move: after each tenth batch: losing mistakes, Q of the best first move.
        score: points against random play. games: how many different ones were played.
        met, known, unknown: share of positions met; losing mistakes in those and in the others.
    """

    mistakes: list[float]
    first_move: list[float]
    score: float
    games: int
    met: float
    known: float
    unknown: float


def learn(epsilon: Callable[[float], float], batches: int, seed: int) -> Run:
    """Train one network."""
    learner = TextbookQ(get_game("tictactoe"), seed=seed)
    met, games = np.zeros(len(exam(learner)[0]), bool), set()
    mistakes, first_move = [], []
    for batch in range(batches + 1):
        if batch % 10 == 0:
            values, outcomes = exam(learner)
            mistakes.append(losing_mistakes(learner).mean())
            first_move.append(values[0, outcomes[0] != ILLEGAL].max())
        learner.epsilon = epsilon(batch / batches)
        if batch < batches:
            played = practise(learner, GAMES, 1000 * seed + batch)
            games.update(games_of(played))
            met[rows_met(learner, played)] = True
    wrong = losing_mistakes(learner)
    return Run(mistakes, first_move, against_random(learner, 1000, seed), len(games), met.mean(),
               wrong[met].mean(), wrong[~met].mean() if not met.all() else 0.0)


@click.command()
@quick_option("4 seeds and 20,480 games instead of 10 and 76,800")
@out_option("out/ch11_q_learning")
@seed_option
def main(quick: bool, out: Path, seed: int) -> None:
    """Learn what moves are worth, with more and with less chance."""
    seeds, batches = (4, 80) if quick else (10, 300)
    runs: dict[str, list[Run]] = {}
    print(f"{seeds} seeds, {batches * GAMES:,} games each; intervals of 95%\n")
    print(f"{'epsilon':<20}{'losing mistakes':<19}{'against random':<19}{'first move':>10}"
          f"{'games':>9}{'met':>6}{'known':>8}{'unknown':>9}")
    for name, epsilon in SCHEDULES.items():
        runs[name] = [learn(epsilon, batches, seed + k) for k in range(seeds)]
        wrong = spread([100 * one.mistakes[-1] for one in runs[name]])
        score = spread([100 * one.score for one in runs[name]])
        first = np.mean([one.first_move[-1] for one in runs[name]])
        games, met, known, unknown = np.mean([one[3:] for one in runs[name]], axis=0)
        print(f"{name:<20}{f'{wrong[0]:.1f} +-{wrong[1]:.1f}%':<19}"
              f"{f'{score[0]:.1f} +-{score[1]:.1f}%':<19}{first:>10.2f}{games:>9,.0f}{met:>6.0%}"
              f"{known:>8.1%}{unknown:>9.1%}", flush=True)
    with drawing(out / "ch11_q_learning.png", 2, 1, (7, 5)) as axes:
        games = np.arange(0, batches + 1, 10) * GAMES / 1000
        for (name, ones), colour in zip(runs.items(), COLOURS, strict=False):
            for axis, curves in ((axes[0], [100 * np.array(one.mistakes) for one in ones]),
                                 (axes[1], [np.array(one.first_move) for one in ones])):
                axis.plot(games, np.mean(curves, axis=0), color=colour, label=name)
                axis.fill_between(games, np.min(curves, axis=0), np.max(curves, axis=0),
                                  color=colour, alpha=0.15, lw=0)
        axes[0].set(title="losing mistakes, % of 4,520 positions", ylim=(0, None),
                    xlabel="thousands of games")
        axes[1].axhline(0, color=INK, lw=1.5, ls="--")
        axes[1].set(title="Q of the first move; in truth 0", xlabel="thousands of games",
                    ylim=(-1, 1))
        axes[1].legend(*axes[0].get_legend_handles_labels(), title="chance of a random move",
                       loc="lower right", ncols=2)


if __name__ == "__main__":
    run(main)
