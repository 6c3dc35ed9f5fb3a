"""What each fault costs in strength, and how much of it shows against random moves.

A fault in a search: the search with the fault plays the right one, at equal CPU seconds a move
(Gumbel's search: at equal simulations). A fault in learning: learners with the fault and without it
train for equal CPU seconds, then play each other. A fault in measuring: the Elo by which the
measured result is wrong.

All play random moves, too, since that is how most people test their programs. The price is the lost
rating in Elo, with its 95% interval; if the interval contains 0, it may be luck.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import date
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from dlgo import get_game
from dlgo.errors import DlgoError
from dlgo.files import write_file
from engines.base import Budget
from experiments.arena.provenance import machine_text
from experiments.arena.series import play_series
from experiments.chapters.practice import trained
from experiments.museum.planting import Fault, planted
from reports.differences import elo_of_score, score_of_elo
from reports.intervals import mean_margin, share_margin
from reports.tables import read_csv

PRICES, LOSSES = (Path(__file__).with_name(name) for name in ("prices.csv", "losses.csv"))
MODEL = "connect4-alphazero-wide"  # the network of searches that need one
CPU, SIMS = 0.03, 60  # seconds of a move; its simulations, where a search cannot limit its seconds
PAIRS = 60  # openings, each with both colours
SEEDS, SECONDS, BATCHES = 5, 20.0, 30  # trainings: CPU seconds, or batches of 64 games, of each


class Measured(NamedTuple):
    """The results of a fault. Of two numbers, the second one is the right program's."""

    games: int
    shares: Sequence[float]  # of the points against the right program; one for each training
    strength: Sequence[float]  # two shares of the points against random moves
    losses: Sequence[pd.Series] = ()  # two mean losses of trainings, by iterations


@cache
def _player(module: ModuleType, search: str, game: str, seed: int) -> SimpleNamespace:
    """A search of a module, or else what its learner has learned; in this process, where nothing
    ends a move that is late."""
    losses: list[float] = []
    if search:
        kind = getattr(module, search)
        budget = Budget(cpu=CPU) if "cpu" in kind.budgets else Budget(sims=SIMS)
        needs_model = any(option.name == "model" for option in kind.options)
        engine = kind(get_game(game), budget, **({"model": MODEL} if needs_model else {}))
    else:
        engine, start = module.TextbookAlphaZero(get_game(game), seed=seed), time.process_time()
        for loss in engine.learn(10**6):
            losses.append(loss)
            if time.process_time() > start + SECONDS:
                break
    return SimpleNamespace(select_move=lambda state: engine.select_move(state), losses=losses)


def _share(game: str, player: Any, opponent: Any, pairs: int, seed: int) -> float:
    """Points of `player` per game. Raises DlgoError if a game was lost by a crash."""
    series = play_series(game, player, opponent, pairs, seed)
    if series.failures:
        raise DlgoError(f"no price, since games failed: {series}")
    return series.share


def play(fault: Fault, *modules: ModuleType) -> Measured:
    """Play the program with the fault against the right one, and both against random moves.
    Learners are trained from the same seeds, and meet in pairs."""
    seeds = range(1 if fault.player else SEEDS)
    pairs, game = max(PAIRS // len(seeds), 1), fault.game
    groups = [[_player(module, fault.player, game, seed) for seed in seeds] for module in modules]
    shares = [_share(game, faulty, right, pairs, seed)
              for faulty, right, seed in zip(*groups, seeds, strict=True)]
    random_shares = [np.mean([_share(game, player, "random", pairs, seed)
                              for seed, player in enumerate(group)]) for group in groups]
    losses = [pd.DataFrame([player.losses for player in group]).dropna(axis=1).mean()
              for group in groups]
    return Measured(
        2 * pairs * len(seeds), shares, [*map(float, random_shares)],
        () if fault.player else losses)


def report(fault: Fault, *modules: ModuleType) -> Measured:
    """Measure learners against random moves, as the program with the fault does and rightly."""
    game, games = get_game(fault.game), 20 * PAIRS
    wrong, right = (module.TextbookReinforce for module in modules)
    learners = [trained(right(game, seed=seed), BATCHES, seed) for seed in range(SEEDS)]
    scores = [(wrong.score(learner, games), learner.score(games)) for learner in learners]
    errors = [elo_of_score(measured) - elo_of_score(true) for measured, true in scores]
    sign = np.sign(np.mean(errors))  # too good is as wrong as too bad
    shares = [score_of_elo(-sign * error) for error in errors]
    return Measured(2 * games * SEEDS, shares, np.mean(scores, axis=0))


def measure(fault: Fault) -> dict[str, Any]:
    """Measure the price of a fault; put it into prices.csv, and losses into losses.csv."""
    start, measure = time.process_time(), report if fault.kind == "evaluation" else play
    right = import_module(fault.file.removesuffix(".py").replace("/", "."))
    measured = measure(fault, planted(fault), right)
    share, seeds = float(np.mean(measured.shares)), len(measured.shares)
    margin = share_margin(share, measured.games)
    if seeds > 1:
        margin = max(margin, mean_margin(measured.shares))
    ends = np.clip([share + margin, share, share - margin], 0.001, 0.999)
    low, price, high = (round(-elo_of_score(share_end)) + 0 for share_end in ends)  # never -0
    faulty_shown, right_shown = (round(float(value), 3) for value in measured.strength)
    row = {
        "fault": fault.name, "game": fault.game, "price": price, "low": low, "high": high,
        "games": measured.games, "seeds": seeds, "shown": faulty_shown, "right_shown": right_shown,
        "cpu_seconds": round(time.process_time() - start), "date": date.today().isoformat(),
        "machine": machine_text(),
    }
    curves = [pd.DataFrame({"fault": fault.name, "which": label, "step": curve.index,
                            "loss": curve.round(4)})
              for label, curve in zip(("fault", "right"), measured.losses, strict=False)]
    for path, new in ((PRICES, [pd.DataFrame([row])]), (LOSSES, curves)):
        table = read_csv(path)
        other_rows = table[table["fault"] != fault.name]
        write_file(path, pd.concat([other_rows, *new]).to_csv(index=False))
    return row
