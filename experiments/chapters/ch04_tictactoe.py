"""Chapter 4: tic-tac-toe is solved by looking at everything.

    python -m experiments.chapters.ch04_tictactoe [--quick] [--human]

What to look for: minimax sees every line to its end, so it knows the value of the game (a
draw) and of each first move. Alpha-beta finds the same value while visiting a small part of
the tree: lines that cannot change the outcome are cut. MCTS knows nothing but random games,
and still draws after a few hundred of them. With `--human` you may try to beat it.
"""

from __future__ import annotations

import click

from dlgo import GameState, get_game
from engines.registry import build_engine
from experiments.command import run
from experiments.options import quick_option
from experiments.play.console import Console
from experiments.play.session import Session, make_player

WORDS = {1: "win", 0: "draw", -1: "loss"}


@click.command()
@quick_option("Start minimax after two moves")
@click.option("--human", is_flag=True, help="Play against alpha-beta afterwards.")
def main(quick: bool, human: bool) -> None:
    """Solve the game in three ways."""
    game = get_game("tictactoe")
    state = GameState.new_game(game)
    for text in ("B2", "A1") if quick else ():
        state = state.apply_move(game.parse_move(state, text))
    print(state)

    decision = build_engine("minimax", game).select_move(state)
    print(f"full minimax: {WORDS[decision.proven]}, {decision.cost.nodes:,} states visited")

    decision = build_engine("alphabeta:depth=9", game).select_move(state)
    print(
        f"alpha-beta:   {WORDS[decision.proven]}, {decision.cost.nodes:,} states visited, "
        f"line {' '.join(game.move_text(move) for move in decision.pv)}"
    )
    for simulations in (100, 1000, 10_000):
        decision = build_engine(f"mcts:sims={simulations}", game, 1).select_move(state)
        print(
            f"MCTS {simulations:>6,}:  value {decision.value:+.3f}, "
            f"plays {game.move_text(decision.move)}"
        )
    if human:
        players = [make_player("human", game, 1), make_player("alphabeta:depth=9", game, 2)]
        Console(Session(GameState.new_game(game), players)).run()


if __name__ == "__main__":
    run(main)
