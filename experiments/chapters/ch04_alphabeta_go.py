"""Chapter 4: depth-limited search with alpha-beta cuts, in Go.

    python -m experiments.chapters.ch04_alphabeta_go [--quick] [--size 5]

What to look for: each ply costs many times the one before, yet far less than the number of
legal moves, which is what search without cuts would pay. Searching deeper wins against
searching less deep. In the second table `cost` is the measured CPU time of one move.
"""

from __future__ import annotations

import click

from dlgo import GameState, get_game
from engines.registry import build_engine
from experiments.chapters.matches import print_matches
from experiments.command import run
from experiments.options import quick_option, seed_option, size_option


@click.command()
@quick_option("Fewer games, less depth")
@size_option(5)
@seed_option
def main(quick: bool, size: int, seed: int) -> None:
    """Count the tree, then let depths play against each other."""
    game = get_game("go", size=size, komi=0.5)
    state = GameState.new_game(game)
    for text in ("C3", "C2", "D2"):
        state = state.apply_move(game.parse_move(state, text))
    print(state)
    print(f"{len(state.legal_moves())} legal moves\n")
    print("depth     nodes   times   best line")
    before = 1
    for depth in range(1, 6 if quick else 8):
        decision = build_engine(f"alphabeta:depth={depth}", game, seed).select_move(state)
        nodes = decision.cost.nodes
        line = " ".join(game.move_text(move) for move in decision.pv)
        print(f"{depth:>5}{nodes:>10,}{nodes / before:>8.1f}   {line}")
        before = nodes

    print_matches("match", game, (
        ("alphabeta:depth=1", "random"),
        ("alphabeta:depth=2", "alphabeta:depth=1"),
        ("alphabeta:depth=3", "alphabeta:depth=2"),
        ("alphabeta:depth=4", "alphabeta:depth=3"),
    ), 10 if quick else 50, seed)


if __name__ == "__main__":
    run(main)
