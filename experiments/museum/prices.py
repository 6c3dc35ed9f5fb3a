"""What each fault costs in strength, and how much of it shows against a weak opponent.

    python -m experiments.museum.prices --only no-square-root
    python -m experiments.museum.prices --save        # everything that prices.csv does not have yet

A fault in a search: the search with the fault plays the right one, at equal CPU seconds a move. A
fault in learning: five learners with the fault and five without train for equal CPU seconds, then
their networks play each other. A fault in measuring: the Elo by which the measured result is wrong.

Each program also plays random moves, since that is how most people test theirs. The price is the
lost rating in Elo, with its 95% interval; if the interval contains 0, it may be luck.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import date
from functools import cache
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import click
import numpy as np
import pandas as pd
from scipy.stats import t as student

from dlgo import GameState, Move, get_game
from dlgo.encoders import get_encoder
from dlgo.files import write_csv
from engines.alphazero.textbook import TextbookPUCT
from engines.alphazero.textbook_training import TextbookAlphaZero
from engines.base import Budget
from engines.learning.from_scratch import CrossEntropy, Dense, ReLU
from experiments.arena.provenance import machine_text
from experiments.arena.series import play_series, share_margin
from experiments.chapters.practice import solved
from experiments.command import run
from experiments.museum.planting import (
    Fault,
    faults,
    get_fault,
    module_of,
    planted,
    right_source,
    write,
)
from experiments.options import quick_option
from reports.differences import elo_of_score, score_of_elo

PRICES = Path(__file__).with_name("prices.csv")
LOSSES = Path(__file__).with_name("losses.csv")
GAME = "connectn:rows=4,cols=5,n=4"
_NUMBERS = count(1)
_CURVE = 40  # points of a curve of losses


class Sizes(NamedTuple):
    """How much is played and trained."""

    pairs: int = 60  # openings of a match, each with both colours
    cpu: float = 0.03  # seconds a move
    sims: int = 60  # simulations a move, where a search cannot limit its seconds
    seeds: int = 5
    train: float = 20.0  # CPU seconds of a training
    seed_pairs: int = 12  # openings of a match between two learners


QUICK = Sizes(pairs=4, seeds=2, train=2.0, seed_pairs=2)


class Measured(NamedTuple):
    """Points of the program with the fault (0 to 1), and losses of trainings by their steps."""

    game: str
    shares: Sequence[float]  # against the right program; one for each seed
    games: int
    shown: float  # against random moves
    right_shown: float  # of the right program against random moves
    losses: tuple[Sequence[float], ...] = ()  # of the fault, of the right program


class Learned(NamedTuple):
    """A network that has learned, as a player, and the losses of its training."""

    player: Any
    losses: Sequence[float]


# Faults of a search.

def match(fault: Fault, sizes: Sizes) -> Measured:
    """Play the search with the fault against the right one; both run from files."""
    game = "draughts" if fault.kind == "double move" else GAME
    limit = f"sims={sizes.sims}" if fault.kind == "gumbel" else f"cpu={sizes.cpu}"
    with tempfile.TemporaryDirectory() as folder:
        right = Path(folder, "right.py")
        right.write_text(right_source(fault), encoding="utf-8")
        paths = write(fault, right.parent), right
        wrong, right = (f"{path}:{fault.player}:{limit}" for path in paths)
        result = play_series(game, wrong, right, sizes.pairs, seed=1)
        shown = [play_series(game, one, "random", max(sizes.pairs // 4, 1), seed=2).share
                 for one in (wrong, right)]
    return Measured(game, [result.share], result.games, *shown)


# Faults of learning.

def learning(fault: Fault, sizes: Sizes) -> Measured:
    """Train with the fault and without it from the same seeds; play each pair of networks."""
    learn, game = LEARNERS[fault.file]
    module = planted(fault)
    shares, shown, losses = [], [], []
    for seed in range(sizes.seeds):
        wrong = learn(module, seed, sizes.train)
        right = _right(fault.file, seed, sizes.train)
        shares.append(play_series(game, wrong.player, right.player, sizes.seed_pairs, seed).share)
        shown.append([play_series(game, one.player, "random", sizes.seed_pairs, seed).share
                      for one in (wrong, right)])
        losses.append((wrong.losses, right.losses))
    games = 2 * sizes.seed_pairs * sizes.seeds
    curves = tuple(_mean_curve(curves) for curves in zip(*losses, strict=True))
    return Measured(game, shares, games, *np.mean(shown, axis=0), curves)


@cache
def _right(file: str, seed: int, seconds: float) -> Learned:
    """The learner without a fault."""
    fault = next(one for one in faults().values() if one.file == file)
    return LEARNERS[file][0](module_of(right_source(fault), "museum_right"), seed, seconds)


def _mean_curve(curves: Iterable[Sequence[float]]) -> Sequence[float]:
    """The mean of the losses of several trainings, to the end of the shortest."""
    curves = list(curves)
    shortest = min(map(len, curves))
    return np.mean([curve[:shortest] for curve in curves], axis=0)


@contextmanager
def _limit(seconds: float) -> Iterator[Callable[[], None]]:
    """A block that ends early: it gets a function that ends it once `seconds` of CPU are spent."""
    end = time.process_time() + seconds

    def check() -> None:
        if time.process_time() > end:
            raise TimeoutError

    with suppress(TimeoutError):
        yield check


def _searching(evaluate: Callable[[GameState], tuple[dict[Move, float], float]]) -> Any:
    """The right search with the answers of a network."""
    class Searching(TextbookPUCT):
        default_budget = Budget(sims=32)

        def _set_up(self) -> None:
            pass

        def _evaluate(self, state: GameState) -> tuple[dict[Move, float], float]:
            return evaluate(state)

    Searching.__name__ = f"Searching{next(_NUMBERS)}"  # players are told apart by their names
    return Searching


class Policy:
    """Plays moves as a policy gives them probabilities."""

    def __init__(self, policy: Callable[[GameState], np.ndarray]) -> None:
        self._policy, self._rng = policy, np.random.default_rng(1)

    def select_move(self, state: GameState) -> Move:
        policy = self._policy(state)
        return state.game.move_of(int(self._rng.choice(len(policy), p=policy)))


def _alphazero(module: ModuleType, seed: int, seconds: float) -> Learned:
    learner, losses = module.TextbookAlphaZero(get_game(GAME), seed=seed), []
    with _limit(seconds) as check:
        for loss in learner.learn(10**6):
            losses.append(loss)
            check()
    answers = TextbookAlphaZero(get_game(GAME))  # the right one, with the network
    answers._runtime = learner.network
    return Learned(_searching(answers._evaluate), losses)


def _microzero(module: ModuleType, seed: int, seconds: float) -> Learned:
    losses: list[float] = []
    with _limit(seconds) as check:
        class Network(module.Network):
            def learn(self, *batch: Any) -> float:
                losses.append(super().learn(*batch))
                networks[:] = [self]
                check()
                return losses[-1]

        networks: list[Network] = []
        module.Network = Network
        module.train(seed, 10**6, progress=lambda text: None)
    module.Network = Network.__base__

    def evaluate(state: GameState) -> tuple[dict[Move, float], float]:
        board = np.zeros(9, dtype=int)
        for ply, move in enumerate(reversed(state.moves())):
            board[state.game.action_of(move)] = 1 if ply % 2 else -1
        policy, value = networks[0].evaluate(board)
        return {move: policy[state.game.action_of(move)] for move in state.legal_moves()}, value

    return Learned(_searching(evaluate), losses)


def _reinforce(module: ModuleType, seed: int, seconds: float) -> Learned:
    learner = module.TextbookReinforce(get_game("tictactoe"), seed=seed)
    with _limit(seconds) as check:
        for _ in learner.learn(10**6):
            check()
    return Learned(Policy(lambda state: learner.policy(state)[0]), ())


def _supervised(module: ModuleType, seed: int, seconds: float) -> Learned:
    """A policy learns the best moves of all positions of tic-tac-toe."""
    planes, outcomes = solved("oneplane")
    best = outcomes == outcomes.max(axis=1, keepdims=True)
    rng, losses = np.random.default_rng(seed), []
    network = module.Network(
        [Dense(planes.shape[1], 64, rng), ReLU(), Dense(64, 9, rng)], CrossEntropy())
    with _limit(seconds) as check:
        for loss in network.train(planes, best / best.sum(axis=1, keepdims=True), epochs=10**6,
                                  batch=64, rate=0.1, rng=rng):
            losses.append(loss)
            check()
    encoder = get_encoder("oneplane", get_game("tictactoe"))

    def policy(state: GameState) -> np.ndarray:
        legal = [state.game.action_of(move) for move in state.legal_moves()]
        logits = network.forward(encoder.encode(state).reshape(1, -1).astype(float))[0]
        shares = np.zeros(9)
        shares[legal] = np.exp(logits[legal] - logits[legal].max())
        return shares / shares.sum()

    return Learned(Policy(policy), losses)


LEARNERS: dict[str, tuple[Callable[[ModuleType, int, float], Learned], str]] = {
    "engines/alphazero/textbook_training.py": (_alphazero, GAME),
    "experiments/chapters/microzero.py": (_microzero, "tictactoe"),
    "engines/policy_gradient/textbook.py": (_reinforce, "tictactoe"),
    "engines/learning/from_scratch/network.py": (_supervised, "tictactoe"),
}


# Faults of measuring.

def report(fault: Fault, sizes: Sizes) -> Measured:
    """Measure learners against random moves, as the program with the fault does and rightly."""
    wrong, right = planted(fault), module_of(right_source(fault), "museum_right")
    games, shares, shown = 20 * sizes.pairs, [], []
    for seed in range(sizes.seeds):
        learner = right.TextbookReinforce(get_game("tictactoe"), seed=seed)
        with _limit(sizes.train / 4) as check:
            for _ in learner.learn(10**6):
                check()
        shown.append([wrong.TextbookReinforce.score(learner, games), learner.score(games)])
        shares.append(score_of_elo(elo_of_score(shown[-1][0]) - elo_of_score(shown[-1][1])))
    return Measured("tictactoe", shares, 2 * games * sizes.seeds, *np.mean(shown, axis=0))


def _cpu_seconds() -> float:
    """Of this process and of its players' that have ended."""
    return sum(os.times()[:4])


def price_of(fault: Fault, sizes: Sizes) -> tuple[dict[str, Any], Measured]:
    """The row of a fault in prices.csv, and what it was computed from."""
    measure = match if fault.player else report if fault.kind == "evaluation" else learning
    start = _cpu_seconds()
    measured = measure(fault, sizes)
    share, seeds = float(np.mean(measured.shares)), len(measured.shares)
    margin = share_margin(share, measured.games)
    if seeds > 1:
        spread = float(np.std(measured.shares, ddof=1)) / seeds**0.5
        margin = max(margin, student.ppf(0.975, seeds - 1) * spread)
    low, price, high = (
        round(-elo_of_score(min(max(one, 0.001), 0.999))) + 0  # never -0
        for one in (share + margin, share, share - margin))
    if fault.kind == "evaluation":  # wrong is wrong in either direction
        low, price, high = sorted((low, price, high)) if price > 0 else (-high, -price, -low)
    return {
        "fault": fault.name, "measure": measure.__name__, "game": measured.game, "price": price,
        "low": low, "high": high, "games": measured.games, "seeds": seeds,
        "shown": round(measured.shown, 3), "right_shown": round(measured.right_shown, 3),
        "cpu_seconds": round(_cpu_seconds() - start), "date": date.today().isoformat(),
        "machine": machine_text(),
    }, measured


def line_of(row: dict[str, Any]) -> str:
    """A row in words."""
    luck = "; this may be luck" if row["low"] <= 0 <= row["high"] else ""
    return (f"{row['fault']:28} {row['price']:5.0f} Elo ({row['low']:.0f} to {row['high']:.0f}"
            f"{luck}), {row['games']} games; against random moves {row['shown']:.0%}, "
            f"right {row['right_shown']:.0%}")


def _read(path: Path, columns: Sequence[str]) -> pd.DataFrame:
    return pd.read_csv(path) if path.exists() else pd.DataFrame(columns=list(columns))


def save(row: dict[str, Any], measured: Measured) -> None:
    """Put a row into prices.csv, and its losses into losses.csv, in place of earlier ones."""
    curves = [
        {"fault": row["fault"], "which": which, "step": step, "loss": round(float(curve[step]), 4)}
        for which, curve in zip(("fault", "right"), measured.losses, strict=False)
        for step in np.unique(np.linspace(0, len(curve) - 1, min(_CURVE, len(curve))).astype(int))
    ]
    for path, rows in ((PRICES, [row]), (LOSSES, curves)):
        kept = _read(path, rows[0] if rows else ("fault", "which", "step", "loss"))
        kept = pd.concat([kept[kept["fault"] != row["fault"]], pd.DataFrame(rows)])
        write_csv(path, kept.columns, kept.itertuples(index=False))


@click.command(help=__doc__.replace("\n    ", "\n\b\n    "))
@click.option("--only", multiple=True, metavar="FAULT", help="Measure this fault; may be repeated.")
@click.option("--save", "keep", is_flag=True, help="Keep the prices for the page of the museum.")
@quick_option("A few games and seconds")
def main(only: tuple[str, ...], keep: bool, quick: bool) -> None:
    if quick and keep:
        raise click.UsageError("--quick measures too little to keep: leave out --save")
    there = set() if only else set(_read(PRICES, ["fault"])["fault"])
    for name in only or [name for name in faults() if name not in there]:
        row, measured = price_of(get_fault(name), QUICK if quick else Sizes())
        print(line_of(row), flush=True)
        if keep:
            save(row, measured)


if __name__ == "__main__":
    run(main)
