"""Chapter 3: two random bots play a game of Go against each other.

    python -m experiments.chapters.ch03_bot_v_bot [--quick] [--size 9] [--seed 1]

What to look for: the bots have no idea what they are doing, but they keep the rules. Stones
without liberties leave the board, nobody fills an own eye, and so the game ends by itself,
with two passes, when only eyes are left. Without the rule about eyes it would hardly ever
end. The last lines repeat the game many times at full speed: the side with komi wins more.
"""

from __future__ import annotations

import time

import click

from dlgo import GameState, get_game, kernels
from dlgo.rng import make_rng
from engines.registry import build_engine
from experiments.command import run
from experiments.number import Number
from experiments.options import quick_option, seed_option, size_option

CLEAR_SCREEN = "\x1b[2J\x1b[H"


@click.command()
@quick_option("Do not wait between moves")
@size_option(9)
@seed_option
@click.option("--delay", type=Number(float, 0, 60), default=0.2, show_default=True,
              help="Seconds between moves.")
def main(quick: bool, size: int, seed: int, delay: float) -> None:
    """Show one game between random bots, then the statistics of many."""
    game = get_game("go", size=size)
    bots = [build_engine("random", game, seed), build_engine("random", game, seed + 1)]
    state = GameState.new_game(game)
    plies = 0
    while not state.is_over():
        move = bots[state.next_player.index].select_move(state).move
        name = state.next_player.name
        state = state.apply_move(move)
        plies += 1
        if not quick:
            print(f"{CLEAR_SCREEN}{state}\n{name}: {game.move_text(move)}")
            time.sleep(delay)
    print(state)
    print(f"After {plies} moves: {game.result_text(state)}.\n")

    start = GameState.new_game(game).kernel_state
    work, rng, n = game.scratch_state(start), make_rng(seed), 2_000
    kernels.rollouts(start, work, rng, 1)  # compile
    began = time.perf_counter()
    total = kernels.rollouts(start, work, rng, n)
    seconds = time.perf_counter() - began
    print(f"{n:,} games in {seconds:.2f} s ({n / seconds:,.0f} a second).")
    print(f"Black's mean result with komi {game.komi:g}: {total / n:+.3f} (+1 wins, -1 loses).")


if __name__ == "__main__":
    run(main)
