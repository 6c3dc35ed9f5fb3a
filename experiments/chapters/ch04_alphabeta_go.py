"""Chapter 4: depth-limited search with alpha-beta cuts, in Go.

    python -m experiments.chapters.ch04_alphabeta_go [--quick] [--size 5]

What to look for: each ply costs many times the one before, yet far less than the number of
legal moves, which is what search without cuts would pay. Searching deeper wins against
searching less deep. In the second table `cost` is the measured CPU time of one move.

Last run: 2026-11-22, 200 games a match, 2-core AMD EPYC, 9 s of CPU time: at depth 4 cuts leave
2,345 of 225,398 nodes; each depth scores 69, 76, 72 +-6% against one ply less.
"""

from __future__ import annotations

from pathlib import Path

import click

from dlgo import GameState, get_game
from engines.registry import build_engine
from experiments.chapters.matches import print_matches
from experiments.command import run
from experiments.figures import BLUE, RED, draw_scores, drawing
from experiments.options import out_option, quick_option, seed_option, size_option

# The same search without any of its techniques: plain minimax.
PLAIN = "cuts=no,deepening=no,table=no"


@click.command()
@quick_option("Less depth, 100 games a match instead of 200")
@size_option(5)
@seed_option
@out_option("out/ch04_alphabeta_go")
def main(quick: bool, size: int, seed: int, out: Path) -> None:
    """Count the tree, then let depths play against each other."""
    game = get_game("go", size=size, komi=0.5)
    state = GameState.new_game(game)
    for text in ("C3", "C2", "D2"):
        state = state.apply_move(game.parse_move(state, text))
    print(state)
    print(f"{len(state.legal_moves())} legal moves\n")
    print("depth     nodes   times   uncut nodes   best line")
    before, cut, uncut = 1, [], []
    for depth in range(1, 6 if quick else 8):
        decision = build_engine(f"alphabeta:depth={depth}", game, seed).select_move(state)
        nodes = decision.cost.nodes
        line = " ".join(game.move_text(move) for move in decision.pv)
        cut.append(nodes)
        if depth < 5:
            plain = build_engine(f"alphabeta:depth={depth},{PLAIN}", game, seed)
            uncut.append(plain.select_move(state).cost.nodes)
        shown = f"{uncut[-1]:,}" if depth < 5 else "-"
        print(f"{depth:>5}{nodes:>10,}{nodes / before:>8.1f}{shown:>14}   {line}")
        before = nodes

    scores = print_matches("match", game, (
        ("alphabeta:depth=1", "random"),
        ("alphabeta:depth=2", "alphabeta:depth=1"),
        ("alphabeta:depth=3", "alphabeta:depth=2"),
        ("alphabeta:depth=4", "alphabeta:depth=3"),
    ), 50 if quick else 100, seed)
    with drawing(out / "ch04_alphabeta_go.png", 2, 1, (6.5, 5), width_ratios=(1, 1.2)) as axes:
        axes[0].plot(range(1, len(uncut) + 1), uncut, "s-", color=RED, label="plain minimax")
        axes[0].plot(range(1, len(cut) + 1), cut, "o-", color=BLUE, label="alpha-beta")
        axes[0].set(yscale="log", xlabel="depth in plies", title="positions looked at",
                    xticks=range(1, len(cut) + 1))
        axes[0].legend()
        draw_scores(axes[1], scores)
        axes[1].set_title(f"each depth against one less, Go {size}x{size}")


if __name__ == "__main__":
    run(main)
