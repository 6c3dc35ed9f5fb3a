"""Chapter 4: tic-tac-toe is solved by looking at everything.

    python -m experiments.chapters.ch04_tictactoe [--quick] [--human]

What to look for: minimax sees every line to its end, so it knows the value of the game (a
draw) and of each first move. Alpha-beta finds the same value while visiting a small part of
the tree: lines that cannot change the outcome are cut. MCTS knows nothing but random games,
and its value still comes near the right one, 0, with many of them. With `--human` you may try to
beat it.

Last run: 2026-11-22, 2-core AMD EPYC, 8 s of CPU time: minimax looks at 549,945 positions and
alpha-beta at 6,048; the mean value by MCTS is 0.353 +-0.030 with 100 simulations, 0.132 +-0.005
with 10,000.
"""

from __future__ import annotations

import statistics
from pathlib import Path

import click

from dlgo import GameState, get_game
from dlgo.files import write_file
from engines.registry import build_engine
from engines.watching.recording import watch
from experiments.command import run
from experiments.figures import BLUE, INK, draw_bars, drawing
from experiments.options import out_option, quick_option
from experiments.play.console import Console
from experiments.play.session import Session, make_player

SEARCHES = 30
WORDS = {1: "win", 0: "draw", -1: "loss"}


@click.command()
@quick_option("Start minimax after two moves")
@click.option("--human", is_flag=True, help="Play against alpha-beta afterwards.")
@out_option("out/ch04_tictactoe")
def main(quick: bool, human: bool, out: Path) -> None:
    """Solve the game in three ways."""
    game = get_game("tictactoe")
    state = GameState.new_game(game)
    for text in ("B2", "A1") if quick else ():
        state = state.apply_move(game.parse_move(state, text))
    print(state)

    decision = build_engine("minimax", game).select_move(state)
    print(f"full minimax: {WORDS[decision.proven]}, {decision.cost.nodes:,} states visited")
    nodes = {"minimax": decision.cost.nodes}

    decision = build_engine("alphabeta:depth=9", game).select_move(state)
    print(
        f"alpha-beta:   {WORDS[decision.proven]}, {decision.cost.nodes:,} states visited, "
        f"line {' '.join(game.move_text(move) for move in decision.pv)}"
    )
    nodes["alpha-beta"] = decision.cost.nodes
    budgets, means, margins = (100, 1000, 10_000), [], []
    for simulations in budgets:
        engine, values = build_engine(f"mcts:sims={simulations}", game), []
        for seed in range(SEARCHES):
            engine.new_game(seed)
            values.append(engine.select_move(state).value)
        means.append(statistics.fmean(values))
        margins.append(1.96 * statistics.stdev(values) / SEARCHES**0.5)
        print(f"MCTS {simulations:>6,}:  value {means[-1]:+.3f} +-{margins[-1]:.3f}, "
              f"mean of {SEARCHES} searches")

    with drawing(out / "ch04_tictactoe.png", 2, 1, (5.6, 4.4)) as axes:
        draw_bars(axes[0], nodes, texts=[f"{count:,}" for count in nodes.values()])
        axes[0].set(title="positions looked at", xlim=(0, 1.3 * max(nodes.values())), xticks=())
        axes[1].errorbar(budgets, means, margins, fmt="o-", color=BLUE, capsize=5)
        axes[1].axhline(0, color=INK, linestyle="--", linewidth=1.5)
        axes[1].annotate("a draw", (100, 0), xytext=(0, 5), textcoords="offset points")
        axes[1].set(xscale="log", xlabel="simulations", title="value by MCTS")
    tree = watch(build_engine("textbook-mcts:sims=40", game, 1), state)
    print("tree:", write_file(out / "ch04_tictactoe_tree.svg", tree.svg(most_nodes=16)))
    if human:
        players = [make_player("human", game, 1), make_player("alphabeta:depth=9", game, 2)]
        Console(Session(GameState.new_game(game), players)).run()


if __name__ == "__main__":
    run(main)
