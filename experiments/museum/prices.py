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
from scipy.stats import sem
from scipy.stats import t as student

from dlgo import get_game
from dlgo.errors import DlgoError
from dlgo.files import write_file
from engines.base import Budget, Engine
from experiments.arena.provenance import machine_text
from experiments.arena.series import play_series, share_margin
from experiments.chapters.practice import trained
from experiments.museum.planting import Fault, planted
from reports.differences import elo_of_score, score_of_elo

PRICES = Path(__file__).with_name("prices.csv")
LOSSES = Path(__file__).with_name("losses.csv")
GAME = "connectn:rows=4,cols=5,n=4"
# Where a search with a network plays, and its settings.
_NETWORK = "connect4", {"model": "connect4-alphazero-wide"}
CPU, SIMS = 0.03, 60  # seconds of a move; its simulations, where a search cannot limit its seconds
PAIRS = 60  # openings, each with both colours
SEEDS, SECONDS, BATCHES = 5, 20.0, 30  # trainings: CPU seconds, or batches of 64 games, of each


class Measured(NamedTuple):
    """The results of a fault. Of two numbers, the second one is the right program's."""

    game: str
    games: int
    shares: Sequence[float]  # of the points against the right program; one for each training
    shown: Sequence[float]  # two shares of the points against random moves
    losses: Sequence[pd.Series] = ()  # two mean losses of trainings, by iterations


def _player(engine: Engine, losses: Sequence[float] = ()) -> SimpleNamespace:
    """An engine with what it has learned, in this process: nothing ends a move that is late."""
    return SimpleNamespace(select_move=lambda state: engine.select_move(state), losses=losses)


def _modules(fault: Fault) -> tuple[ModuleType, ModuleType]:
    """The file with the fault, and the right one."""
    return planted(fault), import_module(fault.file.removesuffix(".py").replace("/", "."))


def _share(game: str, one: Any, other: Any, pairs: int, seed: int) -> float:
    """Points of `one` per game. Raises DlgoError if a game was lost by a crash."""
    series = play_series(game, one, other, pairs, seed)
    if series.failures:
        raise DlgoError(f"no price, since games failed: {series}")
    return series.share


def match(fault: Fault) -> Measured:
    """Play the search with the fault against the right one."""
    game, model = _NETWORK if fault.family == "puct" else (GAME, {})
    game = "draughts" if fault.kind == "double move" else game
    budget = Budget(sims=SIMS) if fault.kind == "gumbel" else Budget(cpu=CPU)
    players = [_player(getattr(module, fault.player)(get_game(game), budget, **model))
               for module in _modules(fault)]
    shown = [_share(game, one, "random", max(PAIRS // 4, 1), seed=2) for one in players]
    return Measured(game, 2 * PAIRS, [_share(game, *players, PAIRS, seed=1)], shown)


@cache
def _learned(module: ModuleType, seed: int) -> SimpleNamespace:
    """The textbook's AlphaZero after a training."""
    learner, losses = module.TextbookAlphaZero(get_game(GAME), seed=seed), []
    end = time.process_time() + SECONDS
    for loss in learner.learn(10**6):
        losses.append(loss)
        if time.process_time() > end:
            break
    return _player(learner, losses)


def learning(fault: Fault) -> Measured:
    """Train with the fault and without it from the same seeds; play each pair of learners."""
    groups = [[_learned(module, seed) for seed in range(SEEDS)] for module in _modules(fault)]
    pairs = max(PAIRS // SEEDS, 1)
    shares = [_share(GAME, *two, pairs, seed) for seed, two in enumerate(zip(*groups, strict=True))]
    shown = [np.mean([_share(GAME, one, "random", pairs, seed) for seed, one in enumerate(group)])
             for group in groups]
    losses = [pd.DataFrame([one.losses for one in group]).dropna(axis=1).mean() for group in groups]
    return Measured(GAME, 2 * pairs * SEEDS, shares, shown, losses)


def report(fault: Fault) -> Measured:
    """Measure learners against random moves, as the program with the fault does and rightly."""
    game, games = get_game("tictactoe"), 20 * PAIRS
    wrong, right = (module.TextbookReinforce for module in _modules(fault))
    learners = [trained(right(game, seed=seed), BATCHES, seed) for seed in range(SEEDS)]
    shown = [(wrong.score(one, games), one.score(games)) for one in learners]
    errors = [elo_of_score(measured) - elo_of_score(true) for measured, true in shown]
    sign = np.sign(np.mean(errors))  # too good is as wrong as too bad
    shares = [score_of_elo(-sign * error) for error in errors]
    return Measured(game.name, 2 * games * SEEDS, shares, np.mean(shown, axis=0))


def measure(fault: Fault) -> dict[str, Any]:
    """Measure the price of a fault; put it into prices.csv, and losses into losses.csv."""
    how = match if fault.player else report if fault.kind == "evaluation" else learning
    start, measured = time.process_time(), how(fault)
    share, seeds = float(np.mean(measured.shares)), len(measured.shares)
    margin = share_margin(share, measured.games)
    if seeds > 1:
        margin = max(margin, student.ppf(0.975, seeds - 1) * sem(measured.shares))
    ends = np.clip([share + margin, share, share - margin], 0.001, 0.999)
    low, price, high = (round(-elo_of_score(one)) + 0 for one in ends)  # never -0
    shown, right_shown = (round(float(one), 3) for one in measured.shown)
    row = {
        "fault": fault.name, "measure": how.__name__, "game": measured.game, "price": price,
        "low": low, "high": high, "games": measured.games, "seeds": seeds, "shown": shown,
        "right_shown": right_shown, "cpu_seconds": round(time.process_time() - start),
        "date": date.today().isoformat(), "machine": machine_text(),
    }
    curves = [pd.DataFrame({"fault": fault.name, "which": which, "step": curve.index,
                            "loss": curve.round(4)})
              for which, curve in zip(("fault", "right"), measured.losses, strict=False)]
    for path, new in ((PRICES, [pd.DataFrame([row])]), (LOSSES, curves)):
        table = pd.read_csv(path)
        kept = table[table["fault"] != fault.name]
        write_file(path, pd.concat([kept, *new]).to_csv(index=False))
    return row
