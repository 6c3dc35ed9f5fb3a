"""Chapter 3: how fast is a Go board, and what makes it so?

    python -m experiments.chapters.ch03_board_speed [--quick]

The same random games (any legal play that fills no own eye) on four boards in Python, then
random games inside compiled code. Each row changes one thing:

    deep copies       the textbook board; a copy of it copies every string, as in listing 3.12
    sets              strings are immutable, so the copies share them
    Zobrist keys      superko compares one integer instead of all stones (chapter 3.5)
    compiled rules    the same rules as Numba kernels, called from Python once a move
    compiled rollout  the whole game in one compiled call

What to look for: the biggest gain on the textbook board is not the hashing. The last two rows run
the same rules; what lies between them is Python. Boards that play the same seed must end with the
same score, which is checked. The rollout draws its own games, and knows the simple ko only.

Last run: 2026-11-21, one core of a busy 2-core AMD EPYC, CPU time. Games/s from the first row to
the last: 0.56, 9.1, 13.6, 522, 100,000. Sharing strings gains 16 times, hashing half as much again,
compiled rules 38 times more, and leaving Python between moves another 190 times.
"""

from __future__ import annotations

import copy
import random
import time
from collections.abc import Callable
from pathlib import Path

import click
import numpy as np

from dlgo import GameState, Move, get_game, kernels
from dlgo.games.go.state import Go
from dlgo.games.go.textbook import Board, TextbookState, is_point_an_eye
from dlgo.games.go.textbook_zobrist import ZobristState
from dlgo.rng import make_rng
from experiments.command import run
from experiments.figures import draw_bars, drawing
from experiments.options import out_option, quick_option


class DeepCopyBoard(Board):
    """The textbook board without the idea that strings can be shared."""

    def copy(self) -> Board:
        return copy.deepcopy(self)


class DeepCopyState(TextbookState):
    board_class = DeepCopyBoard


def textbook_game(state_class: type[TextbookState], game: Go, seed: int) -> tuple[int, float]:
    """Play one random game; return its number of moves and Black's margin."""
    choose = random.Random(seed).choice
    state = state_class.new_game(game.size, game.komi)
    moves = 0
    while not state.is_over():
        plays = [
            move for move in state.legal_moves()
            if move.is_play and not is_point_an_eye(state.board, move.point, state.next_player)
        ]
        state = state.apply_move(choose(plays) if plays else Move.pass_turn())
        moves += 1
    return moves, state.margin()


def compiled_game(game: Go, seed: int) -> tuple[int, float]:
    """The same game on the fast board: `search_actions` lists the moves that fill no eye."""
    choose = random.Random(seed).choice
    actions = np.empty(game.num_actions, np.int64)
    state, moves = GameState.new_game(game), 0
    while not state.is_over():
        n = kernels.search_actions(state.kernel_state, actions)
        plays = actions[: n - 1].tolist()  # the last action is the pass
        state = state.apply_move(game.move_of(choose(plays) if plays else game.pass_action))
        moves += 1
    return moves, game.margin(state)


def timed(play: Callable[[int], object], seconds: float) -> tuple[float, list]:
    """Call `play` with 0, 1, 2, ... for about `seconds` of CPU time: calls/s, what it returned."""
    results: list[object] = []
    start = time.process_time()
    while (spent := time.process_time() - start) < seconds or not results:
        results.append(play(len(results)))
    return len(results) / spent, results


@click.command()
@quick_option("Half a second a board instead of 30 s")
@out_option("out/ch03_board_speed")
def main(quick: bool, out: Path) -> None:
    """Random games a second on each Go board."""
    seconds, game = 0.5 if quick else 30, get_game("go", size=9)
    start, rng = game.new_kernel_state(), make_rng(1)
    work = game.scratch_state(start)
    rows: dict[str, Callable[[int], tuple[int, float]]] = {
        "deep copies": lambda seed: textbook_game(DeepCopyState, game, seed),
        "sets": lambda seed: textbook_game(TextbookState, game, seed),
        "Zobrist keys": lambda seed: textbook_game(ZobristState, game, seed),
        "compiled rules": lambda seed: compiled_game(game, seed),
    }
    compiled_game(game, 0), kernels.rollouts(start, work, rng, 1)  # compile before the clock runs

    print("Random games on 9x9, one thread, CPU time.\n")
    print(f"{'board':<17}{'games/s':>10}{'moves/s':>10}{'gain':>8}")
    last, longest, speeds = None, [], {}
    for name, play in rows.items():
        speed, games = timed(play, seconds)
        moves = speed * sum(n for n, _ in games) / len(games)
        gain = f"x {speed / last:.1f}" if last else ""
        print(f"{name:<17}{speed:>10,.2f}{moves:>10,.0f}{gain:>8}", flush=True)
        assert all(a == b for a, b in zip(longest, games, strict=False)), f"{name}: other games"
        last, longest = speed, max(longest, games, key=len)
        speeds[name] = speed
    batch = 100
    speed = batch * timed(lambda _: kernels.rollouts(start, work, rng, batch), seconds)[0]
    print(f"{'compiled rollout':<17}{speed:>10,.0f}{'':>10}{f'x {speed / last:.1f}':>8}")
    speeds["compiled rollout"] = speed
    with drawing(out / "ch03_board_speed.png", size=(10, 5)) as (axes,):
        draw_bars(axes, speeds, texts=[f"{speed:,.{speed < 100:d}f}" for speed in speeds.values()])
        axes.set(xscale="log", xlim=(0.1, 2e6), xlabel="random games on 9x9 a second, one thread")


if __name__ == "__main__":
    run(main)
