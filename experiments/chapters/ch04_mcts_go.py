"""Chapter 4: Monte Carlo tree search in Go.

    python -m experiments.chapters.ch04_mcts_go [--quick] [--size 5]

What to look for: the visits gather on few moves near the centre, and the more simulations,
the fewer. The value creeps up slowly: Black can win the whole 5x5 board, but random games
do not show that. More simulations win against fewer: the score of doubled effort stays
above one half.
"""

from __future__ import annotations

import click

from dlgo import GameState, get_game
from engines.registry import build_engine
from experiments.chapters.matches import print_matches
from experiments.command import run
from experiments.options import quick_option, seed_option, size_option


@click.command()
@quick_option("Fewer games")
@size_option(5)
@seed_option
def main(quick: bool, size: int, seed: int) -> None:
    """Show where the visits go, then let budgets play against each other."""
    game = get_game("go", size=size, komi=0.5)
    state = GameState.new_game(game)
    print("simulations   value   most visited moves")
    for simulations in (100, 1000, 10_000, 50_000):
        decision = build_engine(f"mcts:sims={simulations}", game, seed).select_move(state)
        favourites = list(decision.policy.items())[:5]
        shares = "  ".join(f"{game.move_text(move)} {share:.0%}" for move, share in favourites)
        print(f"{simulations:>11,}{decision.value:>+8.2f}   {shares}")

    print_matches("match", game, (
        ("mcts:sims=50", "random"),
        ("mcts:sims=100", "mcts:sims=50"),
        ("mcts:sims=200", "mcts:sims=100"),
        ("mcts:sims=400", "mcts:sims=200"),
        ("mcts:sims=800", "alphabeta:depth=3"),
    ), 10 if quick else 50, seed)


if __name__ == "__main__":
    run(main)
