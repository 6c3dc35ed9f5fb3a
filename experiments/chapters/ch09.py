"""Chapter 9: what does a bot's experience show, and when has the bot become better?

    python -m experiments.chapters.ch09 --quick

A policy learns Connect Four from its own games. Calculations say what a match can show.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from functools import cache

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

import dlgo
from engines.learning.selfplay.schedule import Schedule
from engines.policy_gradient.textbook import TextbookReinforce
from experiments.chapters.experiment import Row, experiment, mean_row, script
from experiments.chapters.practice import decided, games_of, play, results_against, side, trained
from experiments.figures import BLUE, INK, ORANGE, RED

CONNECT4 = dlgo.game("connect4")


@cache
def policy(games: int) -> TextbookReinforce:
    """A policy that has learned from its own games: a step after every 64 of them."""
    if games == 0:
        return TextbookReinforce(CONNECT4, discount=0.9, seed=1)
    return trained(policy(games - 1920), batches=30, seed=games // 1920)


@experiment(quick={"games": 1000}, full={"games": 1000}, unit="",
            quantity="different games of 1,000")
def variety(games: int) -> Iterator[Row]:
    """How many of 1,000 games of one untrained policy differ?"""
    for label, temperature in (("always the most probable move", 0.0), ("moves drawn", 1.0)):
        player = dataclasses.replace(side(policy(0)), temperature=temperature)
        played = play([player], Schedule.practice(games, 1), CONNECT4)
        yield {"label": label, "value": len(set(games_of(played)))}


@experiment(quick={"games": 300}, full={"games": 2000}, reference=100, digits=1,
            quantity="entropy relative to that of random play")
def entropy(games: int) -> Iterator[Row]:
    """How near is the policy to random play? Random play has an entropy of 100%."""
    for practice in (0, 1920, 3840):
        played = play([side(policy(practice))], Schedule.practice(games, 1), CONNECT4)
        legal = played.encode(played.decisions, policy(0).encoder).legal.sum(axis=1)
        nats, most = (np.add.reduceat(values, played.firsts[:-1])
                      for values in (-np.log(played.probabilities), np.log(legal)))
        yield mean_row(f"after {practice:,} games", 100 * nats / most)


@experiment(quick={"games": 2000}, full={"games": 20_000}, reference=50, digits=1,
            quantity="decided games won by the first bot")
def progress(games: int) -> Iterator[Row]:
    """Does twice the practice win? The share of decided games that the first bot wins."""
    for practice, earlier in ((1920, 0), (3840, 0), (3840, 1920)):
        share = decided(results_against(policy(practice), policy(earlier), games, 1))
        value, low, high = (100 * number for number in share)
        yield {"label": f"{practice:,} games against {f'{earlier:,}' if earlier else 'untrained'}",
               "value": value, "low": low,
               "high": high}


@experiment(quick={"games": 2000}, full={"games": 10_000}, reference=50, digits=1)
def match_length(games: int) -> Iterator[Row]:
    """From how many games on does the interval exclude 50%? One long match, game by game."""
    results = results_against(policy(3840), policy(1920), games, 2)
    for count in (20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000):
        if count <= games:
            value, low, high = (100 * number for number in decided(results[:count]))
            yield {"label": f"{count:,} games", "games": count, "value": value, "low": low,
                   "high": high}


@match_length.drawing
def _(table: pd.DataFrame, axes: Axes) -> None:
    axes.errorbar(table["games"], table["value"],
                  [table["value"] - table["low"], table["high"] - table["value"]], fmt="o",
                  color=BLUE, capsize=5)
    axes.axhline(50, color=INK, linestyle="--", linewidth=1.5)
    axes.set(xscale="log", xlabel="games played so far", ylabel="decided games won, %",
             ylim=(0, 100))


@experiment(quick={"longest": 30_000}, full={"longest": 30_000}, tolerance=0.01)
def power(longest: int) -> Iterator[Row]:
    """How many matches show that a bot is better (p < 5%)? Calculated, for three strengths."""
    from scipy.stats import binom

    for strength in (0.60, 0.55, 0.53):
        for games in (30, 100, 300, 1000, 3000, 10_000, 30_000):
            if games <= longest:
                needed = binom.isf(0.025, games, 0.5)  # more wins than this are significant
                yield {"label": f"wins {strength:.0%}", "games": games,
                       "value": 100 * binom.sf(needed, games, strength)}


@power.drawing
def _(table: pd.DataFrame, axes: Axes) -> None:
    for (label, rows), colour in zip(table.groupby("label", sort=False), (RED, ORANGE, BLUE),
                                     strict=True):
        axes.plot(rows["games"], rows["value"], "o-", color=colour, label=label)
    axes.set(xscale="log", xlabel="games of a match", ylabel="matches that show it, %",
             ylim=(0, 105))
    axes.legend(loc="upper left")


@power.conclusion
def _(table: pd.DataFrame) -> str:
    hundred = table[table["games"] == 100].set_index("label")["value"]
    return "A match of 100 games shows the difference with these chances: " + ", ".join(
        f"{label}: {value:.0f}%" for label, value in hundred.items()) + "."


if __name__ == "__main__":
    script(__doc__, variety, entropy, progress, match_length, power)
