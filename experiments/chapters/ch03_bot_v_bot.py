"""Chapter 3: two random bots play a game of Go against each other.

    python -m experiments.chapters.ch03_bot_v_bot [--quick] [--size 9] [--seed 1]

What to look for: the bots have no idea what they are doing, but they keep the rules. Stones
without liberties leave the board, nobody fills an own eye, and so the game ends by itself,
with two passes, when only eyes are left. Without the rule about eyes it hardly ever ends. The
last lines repeat the game many times at full speed: the side with komi wins more.

Last run: 2026-11-22, `--quick`, 2-core AMD EPYC: White wins the game of 96 moves by 2.5 points;
Black's mean result with komi 7.5 is -0.126 +-0.043 in 2,000 games.
"""

from __future__ import annotations

import math
import time
from pathlib import Path

import click
import numpy as np

from dlgo import GameSpec, GameState, get_game, kernels
from dlgo.rng import make_rng
from engines.registry import build_engine
from experiments.command import run
from experiments.figures import drawing
from experiments.number import Number
from experiments.options import out_option, quick_option, seed_option, size_option
from experiments.play.board_drawing import draw_board

CLEAR_SCREEN = "\x1b[2J\x1b[H"


def ends(game: GameSpec, most: int, seed: int) -> bool:
    """Whether a game of any legal moves, passes only when there is no other, ends in time."""
    start, rng = game.new_kernel_state(), np.random.default_rng(seed)
    state = game.scratch_state(start, most)  # superko remembers all positions
    kernels.copy_into(state, start)
    actions = np.empty(game.num_actions, np.int64)
    for _ in range(most):
        if kernels.terminal(state):
            return True
        n = kernels.legal_actions(state, actions)  # the last one is the pass
        kernels.play(state, actions[rng.integers(n - 1) if n > 1 else 0])
    return False


@click.command()
@quick_option("Do not wait between moves")
@size_option(9)
@seed_option
@click.option("--delay", type=Number(float, 0, 60), default=0.2, show_default=True,
              help="Seconds between moves.")
@out_option("out/ch03_bot_v_bot")
def main(quick: bool, size: int, seed: int, delay: float, out: Path) -> None:
    """Show one game between random bots, then the statistics of many."""
    game = get_game("go", size=size)
    bots = [build_engine("random", game, seed), build_engine("random", game, seed + 1)]
    state = GameState.new_game(game)
    states = [state]
    while not state.is_over():
        move = bots[state.next_player.index].select_move(state).move
        name = state.next_player.name
        state = state.apply_move(move)
        states.append(state)
        if not quick:
            print(f"{CLEAR_SCREEN}{state}\n{name}: {game.move_text(move)}")
            time.sleep(delay)
    print(state)
    print(f"After {len(states) - 1} moves: {game.result_text(state)}.\n")

    ended = sum(ends(game, 1_000, seed + number) for number in range(20))
    print(f"Without the rule about eyes {ended} of 20 games end within 1,000 moves.")
    start = GameState.new_game(game).kernel_state
    work, rng, n = game.scratch_state(start), make_rng(seed), 2_000
    kernels.rollouts(start, work, rng, 1)  # compile
    began = time.perf_counter()
    total = kernels.rollouts(start, work, rng, n)
    seconds = time.perf_counter() - began
    print(f"{n:,} games in {seconds:.2f} s ({n / seconds:,.0f} a second).")
    mean = total / n
    margin = 1.96 * math.sqrt((1 - mean**2) / n)
    print(f"Black's mean result with komi {game.komi:g}: {mean:+.3f} +-{margin:.3f} "
          "(+1 wins, -1 loses).")

    with drawing(out / "ch03_bot_v_bot.png", 4, 1, (4.2, 4.6)) as axes:
        for axis, part in zip(axes, (0.2, 0.5, 0.8, 1.0), strict=True):
            plies = round(part * (len(states) - 1))
            draw_board(axis, states[plies])
            axis.set_title(f"after {plies} moves")


if __name__ == "__main__":
    run(main)
