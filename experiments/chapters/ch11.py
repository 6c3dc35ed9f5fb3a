"""Chapter 11: what does a bot learn about moves, and from which games?

    python -m experiments.chapters.ch11 --quick

Q-learning in tic-tac-toe. The game is solved, so every value can be checked.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

import dlgo
from engines.q_learning.textbook import TextbookQ
from experiments.chapters.experiment import Row, experiment, mean_row, script
from experiments.chapters.practice import followers, losing_mistakes, rows_met, solved, train_batch
from experiments.figures import BLUE, COLOURS, ORANGE

TICTACTOE = dlgo.game("tictactoe")
LEARNERS = {  # the chance of a random move at first and at last
    "never": (0.0, 0.0), "always 10%": (0.1, 0.1), "always 50%": (0.5, 0.5),
    "50% falling to 10%": (0.5, 0.1),
}
TABLES = {"result of the game": False, "best Q of the next position": True}


@cache
def networks(name: str, seeds: int, batches: int) -> list[dict]:
    """What each seed of a learner shows after batches of 256 games, in %.

    `mistakes` is a list, by tenths of the training; `coverage` is the share of positions that the
    games met; `met` and `new` are the mistakes in these and in the other positions at the end.
    """
    (first, last), rows = LEARNERS[name], []
    for seed in range(1, seeds + 1):
        learner, met, mistakes = TextbookQ(TICTACTOE, seed=seed), set(), []
        for batch in range(batches + 1):
            if batch % (batches // 10) == 0:
                mistakes.append(100 * losing_mistakes(learner).mean())
            if batch < batches:
                learner.epsilon = first + (last - first) * batch / batches
                met.update(rows_met(learner, train_batch(learner, 256, 1000 * seed + batch)))
        wrong, met_mask = losing_mistakes(learner), np.zeros(len(followers()), bool)
        met_mask[list(met)] = True
        rows.append({"mistakes": mistakes, "coverage": 100 * met_mask.mean(),
                     "met": 100 * wrong[met_mask].mean(), "new": 100 * wrong[~met_mask].mean()})
    return rows


@experiment(quick={"seeds": 3, "batches": 30, "names": ("never", "always 50%")},
            full={"seeds": 5, "batches": 200, "names": tuple(LEARNERS)}, digits=1)
def curiosity(seeds: int, batches: int, names: tuple[str, ...]) -> Iterator[Row]:
    """How often must the bot try a random move? Positions in which it gives away a draw or win."""
    for name in names:
        curves = np.array([row["mistakes"] for row in networks(name, seeds, batches)])
        for tenth, values in enumerate(curves.T):
            yield mean_row(name, values, games=tenth * batches * 256 // 10)


@curiosity.drawing
def _(table: pd.DataFrame, axes: Axes) -> None:
    for (label, rows), colour in zip(table.groupby("label", sort=False), COLOURS, strict=False):
        axes.plot(rows["games"] / 1000, rows["value"], "o-", color=colour, label=label)
        axes.fill_between(rows["games"] / 1000, rows["low"], rows["high"], color=colour,
                          alpha=0.15, linewidth=0)
    axes.set(xlabel="thousands of games", ylabel="positions with a\nlosing mistake, %",
             ylim=(0, 55))
    axes.legend(title="random moves", loc="upper right", ncols=2)


@experiment(quick={"seeds": 3, "batches": 30, "names": ("never", "always 50%")},
            full={"seeds": 5, "batches": 200, "names": tuple(LEARNERS)}, digits=1,
            quantity="positions met")
def coverage(seeds: int, batches: int, names: tuple[str, ...]) -> Iterator[Row]:
    """How many of all 4,520 positions do the games meet, by how often a move is random?"""
    for name in names:
        yield mean_row(name, [row["coverage"] for row in networks(name, seeds, batches)])


@experiment(quick=None, full={"seeds": 5, "batches": 200}, digits=1,
            quantity="positions with a losing mistake")
def unseen(seeds: int, batches: int) -> Iterator[Row]:
    """Does the network know positions that its games never met? Losing mistakes there."""
    rows = networks("50% falling to 10%", seeds, batches)
    yield mean_row("before learning", [row["mistakes"][0] for row in rows])
    for key, label in (("met", "positions met"), ("new", "positions never met")):
        row = mean_row(label, [row[key] for row in rows])
        yield row | {"low": max(row["low"], 0.0)}  # a share is not negative


Table = list[dict[int, float]]  # a number for each move (an action) in each row of `solved`


def new_table() -> Table:
    """A table with 0 for each move in all 4,520 unfinished positions; row 0 is the start."""
    return [dict.fromkeys(moves, 0.0) for moves in followers()]


def play_game(
    q: Table, epsilon: float, rng: random.Random
) -> tuple[list[tuple[int, int]], float]:
    """Play a game against itself, with a random move with probability epsilon, else the best.

    Returns:
        The decisions, each a position and a move, and the result for the player of the last one:
        1 for a win, 0 for a draw.
    """
    graph, decisions, result = followers(), [], 0.0
    position: int | None = 0
    while position is not None:
        moves = q[position]
        best = max(moves, key=moves.__getitem__)
        move = rng.choice([*moves]) if rng.random() < epsilon else best
        decisions.append((position, move))
        position, result = graph[position][move]
    return decisions, result


def learn_game(
    q: Table, tries: Table, decisions: list[tuple[int, int]], result: float, bootstrap: bool
) -> None:
    """Move Q of each decision of a game towards its target, the last decision first.

    Args:
        tries: how often each move has been learned so far; the step shrinks with it.
        result: for the player of the last decision.
        bootstrap: whether the target is the value of the next position (Watkins), not the result.
    """
    target = result
    for position, move in reversed(decisions):
        tries[position][move] += 1
        q[position][move] += (target - q[position][move]) / tries[position][move] ** 0.7
        # The player of the decision before is the opponent, who sees the opposite value.
        target = -max(q[position].values()) if bootstrap else -target


def table_q(bootstrap: bool, games: int, seed: int, epsilon: float = 0.5) -> list[tuple]:
    """Learn a table of Q by either target, see `learn_game`.

    Returns:
        Games, the mean error of Q over all moves, and the mean Q of the first moves, from time to
        time.
    """
    rng, (_, truth) = random.Random(seed), solved("planes")
    q, tries = new_table(), new_table()
    rows: list[Any] = []
    for game in range(1, games + 1):
        learn_game(q, tries, *play_game(q, epsilon, rng), bootstrap)
        if game in (1000, 3000, 10_000, 30_000, 100_000, 300_000):
            errors = [abs(q[row][move] - truth[row, move]) for row in range(len(q))
                      for move in q[row]]
            rows.append((game, np.mean(errors), np.mean([*q[0].values()])))
    return rows


tables = cache(table_q)


@experiment(quick={"seeds": 3, "games": 100_000}, full={"seeds": 5, "games": 300_000}, unit="",
            digits=2)
def targets(seeds: int, games: int) -> Iterator[Row]:
    """Which target finds perfect play's values? The mean error of Q, half of all moves random."""
    for label, bootstrap in TABLES.items():
        runs = [tables(bootstrap, games, seed) for seed in range(seeds)]
        for point in zip(*runs, strict=True):
            yield mean_row(label, [error for _, error, _ in point], games=point[0][0])


@targets.drawing
def _(table: pd.DataFrame, axes: Axes) -> None:
    for (label, rows), colour in zip(table.groupby("label", sort=False), (ORANGE, BLUE),
                                     strict=True):
        axes.plot(rows["games"], rows["value"], "o-", color=colour, label=label)
    axes.set(xscale="log", xlabel="games", ylabel="mean error of Q", ylim=(0, None))
    axes.legend(title="target", loc="lower left")


@experiment(quick={"seeds": 3, "games": 100_000}, full={"seeds": 5, "games": 300_000}, unit="",
            digits=2, reference=0, quantity="mean Q of the nine first moves")
def first_move(seeds: int, games: int) -> Iterator[Row]:
    """What is the first move worth, by either target? Perfect play draws: 0."""
    for label, bootstrap in TABLES.items():
        yield mean_row(label, [tables(bootstrap, games, seed)[-1][2] for seed in range(seeds)])


if __name__ == "__main__":
    script(__doc__, curiosity, coverage, unseen, targets, first_move)
