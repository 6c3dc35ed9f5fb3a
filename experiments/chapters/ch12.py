"""Chapter 12: what does a critic add, and what does PPO?

    python -m experiments.chapters.ch12 --quick

Advantages in games of Connect Four; learners of tic-tac-toe from the same number of games.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

import dlgo
from engines.actor_critic.textbook import TextbookActorCritic
from engines.learning.data.experience import Experience
from engines.learning.data.records import PLAYER_1
from engines.learning.networks.leaf_evaluator import model_for
from engines.learning.selfplay.policy_games import Side, network_side
from engines.learning.selfplay.schedule import Schedule
from engines.ppo.textbook import TextbookPPO
from experiments.chapters.experiment import Row, experiment, mean_row, script
from experiments.chapters.practice import (
    losing_mistakes,
    losing_moves,
    play,
    side,
    train_batch,
    trained,
)
from experiments.figures import BLUE, COLOURS

TICTACTOE, CONNECT4 = dlgo.game("tictactoe"), dlgo.game("connect4")


@cache
def games_with_critic(games: int) -> Experience:
    """Games of the Connect Four network that comes with the package: moves drawn, V recorded."""
    network = model_for(CONNECT4, "alphazero")
    player = network_side(network, CONNECT4, "onnx", like=Side(learns=True))
    return play([player], Schedule.practice(games, 1), CONNECT4).with_returns()


@experiment(quick={"games": 200}, full={"games": 1000}, unit="", digits=2)
def advantages(games: int) -> Iterator[Row]:
    """When in a game are advantages large? The mean size of A = R - V, by tenths of the game."""
    experience = games_with_critic(games)
    sizes = np.split(np.abs(experience.advantages), experience.firsts[1:-1])
    for tenth in range(10):
        parts = [row[len(row) * tenth // 10 : len(row) * (tenth + 1) // 10] for row in sizes]
        yield mean_row(f"{10 * tenth} to {10 * tenth + 10}%",
                       [part.mean() for part in parts if len(part)], middle=10 * tenth + 5)


@advantages.drawing
def _(table: pd.DataFrame, axes: Axes) -> None:
    axes.errorbar(table["middle"], table["value"], (table["high"] - table["low"]) / 2, fmt="o-",
                  color=BLUE, capsize=5)
    axes.set(xlabel="% of the game that has been played", ylabel="mean |A|", ylim=(0, None))


@experiment(quick={"games": 200}, full={"games": 1000}, quantity="share")
def surprises(games: int) -> Iterator[Row]:
    """How often had the critic expected the opposite result (size of A above 1.5)?"""
    experience = games_with_critic(games)
    sizes = np.abs(experience.advantages)
    opposite = sizes > 1.5
    for label, values, per_game in (
        ("decisions", opposite, experience.plies.mean()),
        ("their part of the total |A|", sizes * opposite, sizes.sum() / games),
    ):  # decisions of one game depend on each other: the interval is that of sums by game
        sums = np.add.reduceat(values.astype(float), experience.firsts[:-1])
        yield mean_row(label, 100 * sums / per_game)


@experiment(quick=None, full={"seeds": 10, "games": 3000},
            quantity="games whose loser made the mistake there")
def blame(seeds: int, games: int) -> Iterator[Row]:
    """Is the loser's move with the lowest advantage the mistake that gave away a draw or win?"""
    shares: dict[str, list[float]] = {}
    for seed in range(1, seeds + 1):
        learner = trained(TextbookPPO(TICTACTOE, seed=seed), 200, seed)
        experience = play([side(learner)], Schedule.practice(games, seed), TICTACTOE)
        mistakes = losing_moves(learner, experience)
        result = np.repeat(experience.results, experience.plies)
        decided = [rows for rows in np.split(np.arange(len(result)), experience.firsts[1:-1])
                   if result[rows[0]]]
        losers = [rows[(experience.flags[rows] & PLAYER_1 == 0) == (result[rows[0]] < 0)]
                  for rows in decided]
        shares.setdefault("a move at random", []).append(
            100 * np.mean([mistakes[rows].mean() for rows in losers]))
        for gae_lambda in (1.0, 0.95, 0.5, 0.0):
            advantages = experience.with_returns(gae_lambda=gae_lambda).advantages
            label = "A = R - V (lambda 1)" if gae_lambda == 1 else f"GAE, lambda {gae_lambda:g}"
            shares.setdefault(label, []).append(
                100 * np.mean([mistakes[rows[advantages[rows].argmin()]] for rows in losers]))
    for label, values in shares.items():
        yield mean_row(label, values)


class WithoutCritic(TextbookActorCritic):
    """REINFORCE with a bonus for entropy: nothing is expected, so A = R."""

    def values(self, planes: np.ndarray) -> np.ndarray:
        return np.zeros(len(planes))


def learners(seeds: int, batches: int, variants: dict[str, tuple]) -> Iterator[Row]:
    """Losing mistakes, % of all positions, by games of one's own, 64 a batch."""
    for label, (method, settings) in variants.items():
        curves = []
        for seed in range(1, seeds + 1):
            learner, curve = method(TICTACTOE, seed=seed, **settings), []
            for batch in range(batches):
                train_batch(learner, 64, 1000 * seed + batch)
                if (batch + 1) % (batches // 10) == 0:
                    curve.append(100 * losing_mistakes(learner).mean())
            curves.append(curve)
        for tenth, values in enumerate(zip(*curves, strict=True), start=1):
            yield mean_row(label, values, games=tenth * batches * 64 // 10)


def draw_mistakes(table: pd.DataFrame, axes: Axes) -> None:
    """A line for each learner with its interval."""
    for (label, rows), colour in zip(table.groupby("label", sort=False), COLOURS, strict=False):
        axes.plot(rows["games"] / 1000, rows["value"], "o-", color=colour, label=label)
        axes.fill_between(rows["games"] / 1000, rows["low"], rows["high"], color=colour,
                          alpha=0.15, linewidth=0)
    axes.set(xlabel="thousands of games", ylabel="positions with a\nlosing mistake, %",
             ylim=(0, 55))
    axes.legend(loc="upper right", ncols=2, fontsize=13)


METHODS = {
    "REINFORCE": (WithoutCritic, {"entropy": 0.0}), "critic": (TextbookActorCritic,
                                                               {"entropy": 0.0}),
    "entropy": (WithoutCritic, {}), "critic and entropy": (TextbookActorCritic, {}),
    "PPO (has both)": (TextbookPPO, {}),
}
STEPS = {f"{epochs} steps{', not clipped' if clip > 1 else ''}".replace("1 steps", "1 step"):
         (TextbookPPO, {"epochs": epochs, "clip": clip})
         for epochs, clip in ((1, 0.2), (4, 0.2), (4, 1e9), (20, 0.2), (20, 1e9))}


@experiment(quick={"seeds": 3, "batches": 100, "names": ("REINFORCE", "PPO (has both)")},
            full={"seeds": 5, "batches": 400, "names": tuple(METHODS)}, digits=1)
def methods(seeds: int, batches: int, names: tuple[str, ...]) -> Iterator[Row]:
    """Which learner makes the most of its games? Positions in which it gives away a draw or win."""
    yield from learners(seeds, batches, {name: METHODS[name] for name in names})


@experiment(quick=None, full={"seeds": 5, "batches": 150}, digits=1)
def steps(seeds: int, batches: int) -> Iterator[Row]:
    """How many steps can PPO take from each batch of games, with and without the clip?"""
    yield from learners(seeds, batches, STEPS)


methods.drawing(draw_mistakes)
steps.drawing(draw_mistakes)

if __name__ == "__main__":
    script(__doc__, advantages, surprises, blame, methods, steps)
