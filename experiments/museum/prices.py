"""What each fault costs in strength, and how much of it shows against random moves.

    python -m experiments.museum.prices --only no-square-root
    python -m experiments.museum.prices --save        # everything that prices.csv does not have yet

A fault in a search: the search with the fault plays the right one, at equal CPU seconds a move
(Gumbel's search: at equal simulations). A fault in learning: learners with the fault and without it
train for equal CPU seconds, then play each other. A fault in measuring: the Elo by which the
measured result is wrong.

All play random moves, too, since that is how most people test their programs. The price is the lost
rating in Elo, with its 95% interval; if the interval contains 0, it may be luck.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from datetime import date
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import click
import numpy as np
import pandas as pd
from scipy.stats import sem
from scipy.stats import t as student

from dlgo import GameState, get_game
from dlgo.files import write_file
from engines.alphazero import textbook_training
from engines.base import Budget, Decision, Engine
from engines.policy_gradient.textbook import TextbookReinforce
from experiments.arena.provenance import machine_text
from experiments.arena.series import play_series, share_margin
from experiments.chapters.practice import trained
from experiments.command import run
from experiments.museum.planting import Fault, FaultError, faults, get_fault, planted
from experiments.options import quick_option
from reports.differences import elo_of_score, score_of_elo

PRICES = Path(__file__).with_name("prices.csv")
LOSSES = Path(__file__).with_name("losses.csv")
GAME = "connectn:rows=4,cols=5,n=4"
# Where a search with a network plays, and its settings.
_NETWORK = "connect4", {"model": "connect4-alphazero-wide"}


class Sizes(NamedTuple):
    """How much is played and trained."""

    pairs: int = 60  # openings of a match, each with both colours
    cpu: float = 0.03  # seconds a move
    sims: int = 60  # simulations a move, where a search cannot limit its seconds
    seeds: int = 5
    train: float = 20.0  # CPU seconds of a training
    batches: int = 30  # of 64 games, for a learner whose result is measured
    seed_pairs: int = 12  # openings of a match between two learners


QUICK = Sizes(pairs=4, seeds=2, train=2.0, batches=5, seed_pairs=2)


class Measured(NamedTuple):
    """The results of a fault.

    Attributes:
        shares: of the points against the right program, 0 to 1; one for each seed.
        shown: of the points against random moves: of the fault, of the right program.
        losses: mean losses of trainings, by their iterations: of the fault, of the right program.
    """

    game: str
    shares: Sequence[float]
    games: int
    shown: Sequence[float]
    losses: Sequence[pd.Series] = ()


class Player:
    """An engine with what it has learned, in this process: nothing ends a move that is late."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def select_move(self, state: GameState) -> Decision:
        return self._engine.select_move(state)


def _share(game: str, one: Player, other: Player | str, pairs: int, seed: int) -> float:
    """Points of `one` per game. Raises FaultError if a game was lost by a crash."""
    series = play_series(game, one, other, pairs, seed)
    if series.failures:
        raise FaultError(f"no price, since games failed: {series}")
    return series.share


def right_module(fault: Fault) -> ModuleType:
    """The module without the fault."""
    return import_module(fault.file.removesuffix(".py").replace("/", "."))


def match(fault: Fault, sizes: Sizes) -> Measured:
    """Play the search with the fault against the right one."""
    game, model = _NETWORK if fault.family == "puct" else (GAME, {})
    game = "draughts" if fault.kind == "double move" else game
    budget = Budget(sims=sizes.sims) if fault.kind == "gumbel" else Budget(cpu=sizes.cpu)
    players = [Player(getattr(module, fault.player)(get_game(game), budget, **model))
               for module in (planted(fault), right_module(fault))]
    share = _share(game, *players, sizes.pairs, seed=1)
    shown = [_share(game, one, "random", max(sizes.pairs // 4, 1), seed=2) for one in players]
    return Measured(game, [share], 2 * sizes.pairs, shown)


class Learned(Player):
    """The textbook's AlphaZero after CPU seconds of training, and its losses."""

    def __init__(self, module: ModuleType, seed: int, seconds: float) -> None:
        learner, self.losses = module.TextbookAlphaZero(get_game(GAME), seed=seed), []
        super().__init__(learner)
        end = time.process_time() + seconds
        for loss in learner.learn(10**6):
            self.losses.append(loss)
            if time.process_time() > end:
                return


@cache
def _right(seed: int, seconds: float) -> Learned:
    return Learned(textbook_training, seed, seconds)


def learning(fault: Fault, sizes: Sizes) -> Measured:
    """Train with the fault and without it from the same seeds; play each pair of learners."""
    module, seeds, pairs = planted(fault), range(sizes.seeds), sizes.seed_pairs
    learners = [[Learned(module, seed, sizes.train) for seed in seeds],
                [_right(seed, sizes.train) for seed in seeds]]
    shares = [_share(GAME, *pair, pairs, seed)
              for seed, pair in enumerate(zip(*learners, strict=True))]
    shown = [np.mean([_share(GAME, one, "random", pairs, seed) for seed, one in enumerate(group)])
             for group in learners]
    losses = [pd.DataFrame([one.losses for one in group]).dropna(axis=1).mean()
              for group in learners]
    return Measured(GAME, shares, 2 * pairs * sizes.seeds, shown, losses)


def report(fault: Fault, sizes: Sizes) -> Measured:
    """Measure learners against random moves, as the program with the fault does and rightly."""
    game, games, shown = get_game("tictactoe"), 20 * sizes.pairs, []
    wrong_score = planted(fault).TextbookReinforce.score
    for seed in range(sizes.seeds):
        learner = trained(TextbookReinforce(game, seed=seed), sizes.batches, seed)
        shown.append((wrong_score(learner, games), learner.score(games)))
    errors = [elo_of_score(wrong) - elo_of_score(right) for wrong, right in shown]
    sign = np.sign(np.mean(errors))  # too good is as wrong as too bad
    shares = [score_of_elo(-sign * error) for error in errors]
    return Measured(game.name, shares, 2 * games * sizes.seeds, np.mean(shown, axis=0))


def price_of(fault: Fault, sizes: Sizes) -> tuple[dict[str, Any], Measured]:
    """The row of a fault in prices.csv, and what it was computed from."""
    measure = match if fault.player else report if fault.kind == "evaluation" else learning
    start = sum(os.times()[:4])  # CPU seconds, also of players that have ended
    measured = measure(fault, sizes)
    share, seeds = float(np.mean(measured.shares)), len(measured.shares)
    margin = share_margin(share, measured.games)
    if seeds > 1:
        margin = max(margin, student.ppf(0.975, seeds - 1) * sem(measured.shares))
    low, price, high = (
        round(-elo_of_score(min(max(one, 0.001), 0.999))) + 0  # never -0
        for one in (share + margin, share, share - margin))
    shown, right_shown = (round(float(one), 3) for one in measured.shown)
    return {
        "fault": fault.name, "measure": measure.__name__, "game": measured.game, "price": price,
        "low": low, "high": high, "games": measured.games, "seeds": seeds, "shown": shown,
        "right_shown": right_shown, "cpu_seconds": round(sum(os.times()[:4]) - start),
        "date": date.today().isoformat(), "machine": machine_text(),
    }, measured


def save(row: dict[str, Any], measured: Measured) -> None:
    """Put a row into prices.csv, and its losses into losses.csv, in place of earlier ones."""
    curves = [pd.DataFrame({"fault": row["fault"], "which": which, "step": curve.index,
                            "loss": curve.round(4)})
              for which, curve in zip(("fault", "right"), measured.losses, strict=False)]
    for path, new in ((PRICES, [pd.DataFrame([row])]), (LOSSES, curves)):
        table = pd.read_csv(path)
        table = pd.concat([table[table["fault"] != row["fault"]], *new])
        write_file(path, table.to_csv(index=False))


@click.command(help=__doc__.replace("\n    ", "\n\b\n    "))
@click.option("--only", multiple=True, metavar="FAULT", help="Measure this fault; may be repeated.")
@click.option("--save", "keep", is_flag=True, help="Keep the prices for the page of the museum.")
@quick_option("A few games and seconds")
def main(only: tuple[str, ...], keep: bool, quick: bool) -> None:
    if quick and keep:
        raise click.UsageError("--quick measures too little to keep: leave out --save")
    missing = [name for name in faults() if name not in set(pd.read_csv(PRICES)["fault"])]
    for name in only or missing:
        row, measured = price_of(get_fault(name), QUICK if quick else Sizes())
        print(f"{name:28} {row['price']:5.0f} Elo ({row['low']:.0f} to {row['high']:.0f}), "
              f"{row['games']} games; against random moves {row['shown']:.0%}, "
              f"right {row['right_shown']:.0%}", flush=True)
        if keep:
            save(row, measured)


if __name__ == "__main__":
    run(main)
