"""Chapter 14: the search of AlphaGo Zero, step by step, without any training.

    python -m experiments.chapters.ch14_alphago_zero [--quick]

Four things to look at, on positions of Connect Four:

1. which branch is followed (table 14.2 of the book): with c = 1 the one with the good mean, with
   c = 4 the one that is least explored;
2. noise in the priors of the root (14.4): a move that the network dismisses gets visits;
3. a search in batches: many games at once ask the network about all their leaves in one call;
4. eight simulations, by PUCT and by Gumbel AlphaZero's rule (Danihelka et al. 2022), which is
   newer than the book.

What to look for: in 2, the first column, whose prior is 1%; in 3, leaves a call; in 4, that Gumbel
gives the better move a chance where PUCT follows the prior. Training is in
`ch14_tictactoe` and `ch14_connect4`.

Last run, 2026-11-22: 0 visits without noise, some with it; 8 leaves a call for 16 games at once;
Gumbel plays the winning column 1, PUCT column 5.
"""

from __future__ import annotations

import math
from pathlib import Path

import click
import numpy as np

from dlgo import GameState, get_game, kernels
from engines.alphazero.selfplay import SelfPlay
from engines.alphazero.settings import SelfPlaySettings
from engines.learning.selfplay.batched_search import BatchedSearch
from engines.treesearch import tree as ts
from engines.treesearch.gumbel import GUMBEL_SCALES, Gumbel, best_child
from engines.treesearch.leaf_evaluator import LeafEvaluator, UniformEvaluator
from engines.treesearch.rules import PUCT
from experiments.command import run
from experiments.figures import COLOURS, drawing
from experiments.options import out_option, quick_option

GAME = get_game("connect4")
PRIORS = np.array([0.01, 0.04, 0.15, 0.5, 0.2, 0.06, 0.04])


class Biased(LeafEvaluator):
    """A network that likes the centre, and takes every position for even."""

    def evaluate(self, leaves, n):
        return np.tile(PRIORS.astype(np.float32), (n, 1)), np.zeros(n, np.float32)


def branches() -> None:
    """Figure 14.3: three branches of a node with three visits."""
    print("1. which branch is followed:")
    rows = (("A", 0.1, 2, 0.068), ("B", -0.5, 1, 0.042), ("C", 0.0, 0, 0.038))
    for c in (1.0, 4.0):
        scores = {name: q + c * p * math.sqrt(3) / (1 + n) for name, q, n, p in rows}
        listed = "  ".join(f"{name} {score:+.3f}" for name, score in scores.items())
        print(f"   c = {c:g}: {listed}   -> {max(scores, key=scores.__getitem__)}")


def visits(rule, noise: float, sims: int, state: GameState, seed: int = 1) -> tuple[list[int], int]:
    """Visits of each column, and the column to play."""
    search = BatchedSearch(GAME, 1, 20_000, rule, Biased(), room=50)
    kernels.copy_into(kernels.row(search.roots, 0), state.kernel_state)
    search.seed(0, seed)
    search.set_root(0)
    search.start(0, sims, noise, 10.0)
    while search.remaining[0] > 0:
        search.step()
    tree, counts = search.tree(0), [0] * 7
    first = int(tree.first_child[ts.ROOT])
    for child in range(first, first + int(tree.n_children[ts.ROOT])):
        counts[int(tree.action[child])] = int(tree.visits[child])
    best = best_child(rule, tree) if isinstance(rule, Gumbel) else ts.most_visited(tree, ts.ROOT)
    return counts, int(tree.action[best]) + 1


@click.command()
@quick_option("Fewer games")
@out_option("out/ch14_alphago_zero")
def main(quick: bool, out: Path) -> None:
    """Show the parts of the search."""
    branches()
    start, rule = GameState.new_game(GAME), PUCT(0.9, 0.1)
    print(f"\n2. visits of 200 simulations; priors are {PRIORS.tolist()}:")
    by_noise = {}
    for seed, noise in enumerate((0.0, 0.25, 0.25, 0.5)):
        by_noise[noise], best = visits(rule, noise, 200, start, seed)
        print(f"   noise {noise:4.0%}: {by_noise[noise]}, plays {best}")

    print("\n3. self-play, all leaves of a step in one call:")
    games = 16 if quick else 200
    for at_once in (1, 4, 16) if quick else (1, 16, 64):
        settings = SelfPlaySettings(sims=32, fast_sims=8, games_at_once=at_once)
        selfplay = SelfPlay(GAME, UniformEvaluator(GAME), settings, seed=1)
        plies = [len(game.actions) for _, game in selfplay.play(range(games))]
        stats = selfplay.stats
        print(f"   {at_once:>3} games at once: {len(plies)} games of {np.mean(plies):.0f} plies, "
              f"{stats.evaluations:,} leaves in {stats.steps:,} calls, "
              f"{stats.evaluations / stats.steps:.1f} a call")

    print("\n4. eight simulations where column 1 wins at once (its prior is 1%):")
    state = start
    for text in "121314":
        state = state.apply_move(GAME.parse_move(state, text))
    print(state)
    planned = {}
    for name, selection in (("PUCT", rule), ("Gumbel", Gumbel(16, *GUMBEL_SCALES))):
        counts, best = visits(selection, 0.0, 9, state)
        print(f"   {name:<7} {counts}, plays {best}")
        planned[name] = counts

    with drawing(out / "ch14_alphago_zero.png", 2, 1, (6.5, 4.5)) as axes:
        for axis, title, rows in (
            (axes[0], "200 visits, priors favour column 4", {
                f"noise {noise:.0%}": counts for noise, counts in by_noise.items()}),
            (axes[1], "8 visits; column 1 wins at once", planned),
        ):
            for k, (name, counts) in enumerate(rows.items()):
                width = 0.8 / len(rows)
                places = [column + (k - (len(rows) - 1) / 2) * width for column in range(1, 8)]
                axis.bar(places, counts, width, color=COLOURS[k], label=name)
            axis.set(title=title, xlabel="column", ylabel="visits", xticks=range(1, 8))
            axis.legend()


if __name__ == "__main__":
    run(main)
