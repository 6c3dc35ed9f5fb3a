"""What it brings to keep a small network inside the compiled search.

    python -m experiments.bench.guided [--quick] [--model NAME] [--beside NAME] [--sims 2000]

The same positions are searched, in turns,

    by onnx, asked from Python        one leaf after the other, as larger networks are
    by our own code, asked from Python
    by our own code, within the loop  which computes what the policy says of the legal moves only

and by another network (`--beside`), asked by onnx. Prints CPU microseconds a simulation, the median
of the rounds. No answers are remembered between simulations. The first three must visit alike.

The results stand in docs/networks.md.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import click

from dlgo import DlgoError, GameState, get_game
from dlgo.rates import rates_in_turns
from engines.decision import Budget
from engines.learning.networks.leaf_evaluator import load_leaf_evaluator
from engines.learning.networks.store import load_card
from engines.treesearch import tree as ts
from engines.treesearch.guided import GuidedSearcher
from engines.treesearch.leaf_evaluator import LeafBatchSearcher
from engines.treesearch.rules import PUCT
from engines.treesearch.searcher import Searcher
from experiments.bench.measure import random_positions
from experiments.command import run
from experiments.number import Number
from experiments.options import quick_option, seed_option

_OPENING_PLIES = 8
_RULE = PUCT(0.9, 0.1)


def searcher(model: str, runtime: str, guided: bool, sims: int) -> Searcher:
    """A search by a model, in the loop or asked from Python."""
    game = get_game(load_card(model)[1].game)
    evaluator = load_leaf_evaluator(model, game, runtime)
    capacity = 2 * (sims + 2) * game.num_actions
    if guided:
        return GuidedSearcher(game, capacity, False, _RULE, evaluator.guide())
    return LeafBatchSearcher(game, capacity, False, _RULE, evaluator, batch=1)


def meter(search: Searcher, states: Sequence[GameState], sims: int) -> Callable[[], int]:
    """Searches all positions; says how many simulations that were."""
    def simulate() -> int:
        done = 0
        for state in states:
            search.new_game(1)
            search.set_root(state)
            done += search.simulate(Budget(sims=sims))
        return done

    return simulate


def visits(search: Searcher, state: GameState, sims: int) -> list[Any]:
    """How often each move of a position is visited."""
    search.new_game(1)
    search.set_root(state)
    search.simulate(Budget(sims=sims))
    tree = search.tree
    first = int(tree.first_child[ts.ROOT])
    children = slice(first, first + int(tree.n_children[ts.ROOT]))
    return sorted(zip(tree.action[children].tolist(), tree.visits[children].tolist(), strict=True))


@click.command()
@click.option("--model", default="draughts-alphazero", show_default=True,
              help="A network of dense layers alone.")
@click.option("--beside", default="draughts-alphazero-resnet", show_default=True,
              help="Another network for the same game.")
@click.option("--sims", type=Number(int, 2), default=2000, show_default=True,
              help="Simulations of a search.")
@click.option("--rounds", type=Number(int, 1), default=5, show_default=True, help="Measurements.")
@seed_option
@quick_option("A tenth of a second each")
def main(model: str, beside: str, sims: int, rounds: int, seed: int, quick: bool) -> None:
    """Measure what a simulation costs with a network inside the search and outside."""
    if quick:
        sims, rounds = 40, 1
    game = get_game(load_card(model)[1].game)
    states = list(random_positions(game, _OPENING_PLIES, 4, seed))
    ways = {
        f"{model}, onnx, asked from Python": searcher(model, "onnx", False, sims),
        f"{model}, compiled, asked from Python": searcher(model, "compiled", False, sims),
        f"{model}, compiled, within the loop": searcher(model, "compiled", True, sims),
        f"{beside}, onnx, asked from Python": searcher(beside, "onnx", False, sims),
    }
    same = list(ways.values())[:3]
    for state in states:
        if len({str(visits(search, state, 40)) for search in same}) > 1:
            raise DlgoError(f"the searches of {model} differ")
    rates = rates_in_turns(
        [meter(search, states, sims) for search in ways.values()], 0.1 if quick else 0.5, rounds,
        time.process_time,
    )
    costs = [1e6 / statistics.median(measured) for measured in rates]
    print("| network | CPU microseconds a simulation | times |")
    print("|---|---:|---:|")
    for name, cost in zip(ways, costs, strict=True):
        print(f"| {name} | {cost:.1f} | {costs[-1] / cost:.1f} |")


if __name__ == "__main__":
    run(main)
