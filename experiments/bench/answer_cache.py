"""What a cache of the network's answers saves: the same games, thought through with it and without.

    python -m experiments.bench.answer_cache [--quick] [--game connect4] [--cache 20000]
    python -m experiments.bench.answer_cache --selfplay --runtime openvino-int8

Two players with a fixed number of simulations play games from random openings. Each move is found
twice, with the cache and without, in turns: the searches must be equal in every number, so what
differs is the cost. Prints, for each game, the share of evaluations and of CPU time that remains,
mean of the games with its 95% interval.

With --selfplay the games are those of a worker of `dlgo train alphazero`, in lockstep and with the
settings of the preset; they differ in the last digits of the network's answers at most.

The results stand in docs/engines/alphazero.md.
"""

from __future__ import annotations

import dataclasses
import math
import statistics
import time

import click

from dlgo import DlgoError, GameState, get_game
from engines.alphazero.config import make_config
from engines.alphazero.selfplay import SelfPlay
from engines.base import Cost, Decision
from engines.learning.networks.leaf_evaluator import load_leaf_evaluator, model_for
from engines.learning.networks.runtimes import KINDS
from engines.registry import build_engine
from experiments.bench.measure import random_positions
from experiments.command import run
from experiments.number import Number
from experiments.options import quick_option, seed_option

_OPENING_PLIES = 4


def mean_text(shares: list[float]) -> str:
    """The mean in percent, with half the width of its 95% interval by a normal distribution."""
    mean = 100 * statistics.mean(shares)
    if len(shares) < 2:
        return f"{mean:.0f}"
    return f"{mean:.0f} +-{196 * statistics.stdev(shares) / math.sqrt(len(shares)):.0f}"


def found(decision: Decision) -> Decision:
    """A decision without what it cost."""
    return dataclasses.replace(decision, cost=Cost())


def compare(game: str, options: str, cache: int, games: int, seed: int) -> None:
    """Play the games, and print a row of the table.

    Raises:
        DlgoError: if a search with the cache differs from the one without.
    """
    spec = get_game(game)
    text = f"alphazero:{options}"
    players = [
        [build_engine(f"{text},cache={size}", spec, seed=player) for size in (0, cache)]
        for player in range(2)
    ]
    for engine in (engine for player in players for engine in player):
        engine.warm_up()
    evaluations: list[float] = []
    seconds: list[float] = []
    asked = 0
    for number, start in enumerate(random_positions(spec, _OPENING_PLIES, games, seed)):
        state: GameState = start
        for player in players:
            for engine in player:
                engine.new_game(number)
        spent = [[0, 0.0], [0, 0.0]]
        plies = 0
        while not state.is_over():
            # Who is first has the processor's caches to warm.
            order = (0, 1) if plies // 2 % 2 else (1, 0)
            decisions = {which: players[plies % 2][which].select_move(state) for which in order}
            for which, decision in decisions.items():
                spent[which][0] += decision.cost.evaluations
                spent[which][1] += decision.cost.cpu_seconds
            if found(decisions[0]) != found(decisions[1]):
                raise DlgoError(f"{text}: a search with cache={cache} differs, after "
                                f"{len(state.moves())} plies of game {number}")
            state = state.apply_move(decisions[0].move)
            plies += 1
        asked += spent[0][0]
        evaluations.append(spent[1][0] / max(spent[0][0], 1))
        seconds.append(spent[1][1] / spent[0][1])
    print(f"| {spec} | {len(seconds)} | {asked:,} | {mean_text(evaluations)} | "
          f"{mean_text(seconds)} |", flush=True)


def compare_selfplay(game: str, runtime: str, cache: int, games: int, seed: int) -> None:
    """Play games of self-play with the cache and without, and print a row of the table."""
    spec = get_game(game)
    settings = make_config(str(spec)).selfplay
    model = model_for(spec, "alphazero")
    evaluations, seconds = [0, 0], [0.0, 0.0]
    # Once without counting, a few games: everything is compiled then.
    for size, number in ((cache, 2), (0, games), (cache, games)):
        evaluator = load_leaf_evaluator(model, spec, runtime, cache=size)
        play = SelfPlay(spec, evaluator, settings, seed)
        began = time.process_time()
        for _ in play.play(range(number)):
            pass
        which = int(size > 0)
        seconds[which] = time.process_time() - began
        evaluations[which] = play.stats.evaluations - evaluator.remembered
    remain = [100 * pair[1] / pair[0] for pair in (evaluations, seconds)]
    print(f"| {spec} | {games} | {evaluations[0]:,} | {remain[0]:.0f} | {remain[1]:.0f} |",
          flush=True)


@click.command()
@click.option("--game", "names", multiple=True, default=("connect4", "go9", "draughts"),
              show_default=True, help="What is played; may be repeated.")
@click.option("--options", default="sims=400", show_default=True,
              help="Of AlphaZero, the number of simulations among them.")
@click.option("--cache", type=Number(int, 1, 10_000_000), default=20_000, show_default=True,
              help="Positions whose answers are kept.")
@click.option("--games", type=Number(int, 1), default=4, show_default=True,
              help="Games from random openings.")
@click.option("--selfplay", is_flag=True, help="Games of self-play, with the preset's settings.")
@click.option("--runtime", default="onnx", show_default=True, type=click.Choice(KINDS),
              help="With --selfplay: what runs the network.")
@seed_option
@quick_option("One game of Connect Four with 20 simulations")
def main(
    names: tuple[str, ...], options: str, cache: int, games: int, selfplay: bool, runtime: str,
    seed: int, quick: bool,
) -> None:
    """Compare the cost of searches with a cache of answers and without."""
    if quick:
        names, options, games = ("connect4",), "sims=20", 1
    print("| | games | evaluations without | remain, % | CPU time remains, % |")
    print("|---|---:|---:|---:|---:|")
    for name in names:
        if selfplay:
            compare_selfplay(name, runtime, cache, games, seed)
        else:
            compare(name, options, cache, games, seed)


if __name__ == "__main__":
    run(main)
