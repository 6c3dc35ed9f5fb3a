"""Chapter 9: experience is collected, kept and read back; and is the new bot better than the old?

    python -m experiments.chapters.ch09_experience [--quick] [--out out/ch09_experience]

A policy plays Connect Four against itself; what is kept of a decision is shown for one game, then
for thousands. After some learning the new policy meets the one before, and the book's question of
10.3.2 is asked: how many games does it take to see a small difference?

What to look for: a decision takes 14 bytes, and seventy times as much with its planes. Who always
plays the likeliest move plays one single game. A bot that is a little better seldom shows it in 100
games. Result (2026-11-23, 2-core Intel Xeon, busy, 10 CPU s): new wins 52.9% (52.6% to 53.3%) of
100,000 games; 6% of matches of 100 games show it, 42% of those of 1,000.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

import click
import numpy as np
from scipy.stats import binom, binomtest

from dlgo import get_game
from dlgo.files import make_folder
from engines.actor_critic.textbook import TextbookActorCritic
from engines.learning.data.experience import merged, read_experience, write_experience
from engines.learning.selfplay.schedule import Schedule
from experiments.chapters import practice
from experiments.chapters.practice import decided, play, results_against, side, trained
from experiments.command import run
from experiments.figures import BLUE, INK, ORANGE, RED, drawing
from experiments.options import out_option, quick_option, seed_option

GAME = get_game("connect4")
SIZES = (100, 300, 1000, 3000, 10_000)


@click.command()
@quick_option("20,000 games between the two policies instead of 100,000")
@out_option("out/ch09_experience")
@seed_option
def main(quick: bool, out: Path, seed: int) -> None:
    """Collect experience, learn from it, and measure what that was worth."""
    learner = TextbookActorCritic(GAME, discount=0.9, seed=seed)
    one_game(learner)
    collected(learner, make_folder(out), 2000, seed)
    old = trained(learner, 30, seed)
    new = trained(old, 30, seed + 1)
    print("\nold: after 1,920 games; new: after 3,840. Against the untrained policy:")
    for name, policy in (("old", old), ("new", new)):
        share, low, high = decided(results_against(policy, learner, 2000, seed))
        print(f"  {name}: {share:.1%} ({low:.1%} to {high:.1%}) of 2,000 games")
    compare(results_against(new, old, 20_000 if quick else 100_000, seed),
            out / "ch09_experience.png")


def one_game(learner: TextbookActorCritic) -> None:
    """What is remembered of a game: state, action, its probability, the return."""
    decisions, result = learner.play()
    returns = learner.credit(decisions, result)
    print("a game of an untrained policy: who, column, its probability, return, discounted by 0.9")
    for number in (0, 1, 2, *range(len(decisions) - 3, len(decisions))):
        _, _, action, player, share = decisions[number]
        print(f"  {number + 1:>2} {player.name:<6}{action + 1}{share:>8.3f}{result(player):>5}"
              f"{returns[number]:>8.2f}")


def collected(learner: TextbookActorCritic, folder: Path, games: int, seed: int) -> None:
    """Play, write, read back, merge; draw moves, or play the likeliest."""
    parts = [play([side(learner)], Schedule.practice(games // 2, seed + k), GAME).with_returns()
             for k in (0, 1)]
    paths = [write_experience(folder / f"part{k}.npz", part) for k, part in enumerate(parts)]
    both = merged([read_experience(path, GAME) for path in paths])
    size = sum(path.stat().st_size for path in paths) / len(both.decisions)
    planes = 8 * int(np.prod(learner.encoder.shape)) + 16
    equal = np.array_equal(both.actions, np.concatenate([part.actions for part in parts]))
    print(f"\n{games:,} games, {len(both.decisions):,} decisions in two files, read and merged: "
          f"equal {equal}; {size:.1f} bytes a decision, {planes} with planes, action, reward")
    made = practice.decisions_of(learner, both)
    nats = -sum(np.log(decision.share) for decision in made)
    most = sum(np.log(decision.legal.sum()) for decision in made)
    print(f"entropy of the untrained policy: {nats / most:.1%} of that of random play")
    best = dataclasses.replace(side(learner), temperature=0.0)
    for name, player in (("the likeliest move", best), ("moves drawn", side(learner))):
        played = play([player], Schedule.practice(1000, seed), GAME)
        print(f"  {name}: {len(set(practice.games_of(played))):,} different games of 1,000")


def compare(results: np.ndarray, path: Path) -> None:
    """How sure the binomial test is of the new policy, by games; and what that test can see."""
    share, low, high = decided(results)
    print(f"\nnew against old: {share:.1%} ({low:.1%} to {high:.1%}) of {len(results):,} games")
    for wins, games in ((53, 100), (530, 1000)):
        print(f"binomial test, {wins} of {games:,}: p = {binomtest(wins, games).pvalue:.3f} for "
              f"either side, {binom.sf(wins - 1, games, 0.5):.3f} for {wins} or more")
    won = (results == 1).astype(float)[results != 0.5]
    seen = {}
    for size in [size for size in SIZES if 2 * size <= len(won)]:
        matches = won[: len(won) // size * size].reshape(-1, size).sum(axis=1)
        seen[size] = np.mean([binomtest(int(wins), size).pvalue < 0.05 and wins > size / 2
                              for wins in matches])
        print(f"  {size:>6,} games: {seen[size]:>4.0%} of {len(matches)} matches show that new is "
              f"better (p < 5%); in {np.mean(matches <= size / 2):.0%} it wins no more than half")
    gate, true = binom.sf(59, 100, 0.5), binom.sf(59, 100, 0.55)
    print(f"60 of 100, the book's gate: an equal bot passes with {gate:.1%}, in one of three tries "
          f"with {1 - (1 - gate) ** 3:.1%}; one that wins 55% of its games with {true:.0%}")
    with drawing(path, 2, 1, (7, 5)) as axes:
        games = np.unique(np.geomspace(20, len(won), 60).astype(int))
        shares = np.cumsum(won)[games - 1] / games
        margins = 196 * np.sqrt(shares * (1 - shares) / games)
        axes[0].plot(games, 100 * shares, color=BLUE)
        axes[0].fill_between(games, 100 * shares - margins, 100 * shares + margins, color=BLUE,
                             alpha=0.2, lw=0)
        axes[0].axhline(50, color=INK, lw=1.5, ls="--")
        axes[0].set(xscale="log", xlabel="games", title="won by the new policy, %")
        numbers = np.unique(np.geomspace(30, 30_000, 60).astype(int))
        for strength, colour in ((0.6, RED), (0.55, ORANGE), (share, BLUE)):
            least = binom.isf(0.025, numbers, 0.5)
            axes[1].plot(numbers, 100 * binom.sf(least, numbers, strength), color=colour,
                         label=f"wins {strength:.1%}")
        axes[1].plot(list(seen), [100 * value for value in seen.values()], "o", color=BLUE)
        axes[1].set(xscale="log", xlabel="games of a match", ylim=(0, 103),
                    title="matches that show who is better, %")
        axes[1].legend(loc="lower right")


if __name__ == "__main__":
    run(main)
