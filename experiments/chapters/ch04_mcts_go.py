"""Chapter 4: Monte Carlo tree search in Go.

    python -m experiments.chapters.ch04_mcts_go [--quick] [--size 5]

What to look for: the visits gather on few moves near the centre, and the more simulations,
the fewer. The value creeps up slowly: Black can win the whole 5x5 board, but random games
do not show that. More simulations win against fewer: the score of doubled effort stays
above one half.

Last run: 2026-11-22, 200 games a match, 2-core AMD EPYC, 22 s of CPU time: C3 gets 37% of 1,000
simulations and 74% of 50,000; doublings score 70, 70, 68 +-6%.
"""

from __future__ import annotations

from pathlib import Path

import click

from dlgo import GameState, get_game
from engines.registry import build_engine
from experiments.chapters.matches import print_matches
from experiments.command import run
from experiments.figures import BLUE, draw_scores, drawing
from experiments.options import out_option, quick_option, seed_option, size_option
from experiments.play.board_drawing import draw_board


@click.command()
@quick_option("100 games a match instead of 200")
@size_option(5)
@seed_option
@out_option("out/ch04_mcts_go")
def main(quick: bool, size: int, seed: int, out: Path) -> None:
    """Show where the visits go, then let budgets play against each other."""
    game = get_game("go", size=size, komi=0.5)
    state = GameState.new_game(game)
    print("simulations   value   most visited moves")
    policies = {}
    for simulations in (100, 1000, 10_000, 50_000):
        decision = build_engine(f"mcts:sims={simulations}", game, seed).select_move(state)
        policies[simulations] = decision.policy
        favourites = list(decision.policy.items())[:5]
        shares = "  ".join(f"{game.move_text(move)} {share:.0%}" for move, share in favourites)
        print(f"{simulations:>11,}{decision.value:>+8.2f}   {shares}")

    scores = print_matches("match", game, (
        ("mcts:sims=50", "random"),
        ("mcts:sims=100", "mcts:sims=50"),
        ("mcts:sims=200", "mcts:sims=100"),
        ("mcts:sims=400", "mcts:sims=200"),
        ("mcts:sims=800", "alphabeta:depth=3"),
    ), 50 if quick else 100, seed)
    with drawing(out / "ch04_mcts_go.png", 4, 1, (4.4, 4.8), width_ratios=(1, 1, 1, 1.7)) as axes:
        for axis, simulations in zip(axes, (100, 1000, 50_000), strict=False):
            draw_board(axis, state)
            for move, share in policies[simulations].items():
                if not move.is_pass:
                    axis.scatter(move.point.col, move.point.row, s=2500 * share, color=BLUE,
                                 alpha=0.85, zorder=5)
            axis.set_title(f"{simulations:,} simulations")
        draw_scores(axes[3], scores)


if __name__ == "__main__":
    run(main)
