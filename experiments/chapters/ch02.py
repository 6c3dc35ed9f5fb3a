"""Chapter 2: how large is Go, and does it matter how you count?

    python -m experiments.chapters.ch02 --quick

Complete games of random players and of a search, in three questions about the rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

import dlgo
from dlgo import GameState, Player, Point, kernels
from dlgo.games.go.scoring import score
from dlgo.games.go.state import Go
from dlgo.games.go.textbook import Board, GoString
from dlgo.moves import parse_point
from dlgo.rng import make_rng
from experiments.chapters.experiment import Row, experiment, mean_row, script, share_row
from experiments.figures import BLUE, INK, ORANGE


def position(
    rows: Sequence[str], player: Player = Player.black, komi: float = 7.5
) -> GameState:
    """The position of a diagram, highest row first: x black, o white, . empty."""
    stones = {mark: [Point(row, col) for row, line in enumerate(reversed(rows), 1)
                     for col, cell in enumerate(line, 1) if cell == mark] for mark in "xo"}
    return Go(size=len(rows), komi=komi).position(stones["x"], stones["o"], player)


def chain(state: GameState, name: str) -> GoString:
    """The chain of stones on a point such as "C3", from the textbook board."""
    board = Board(state.game.board_rows)
    for point in board.points():
        if owner := state.game.cell(state, point.row, point.col):
            board.place_stone(owner, point)
    string = board.get_go_string(parse_point(name, board.size, board.size))
    assert string is not None
    return string


@experiment(quick={"games": 20}, full={"games": 100}, unit="legal moves", size=(8, 5))
def moves(games: int) -> Iterator[Row]:
    """How many moves are legal on 19x19? Random games, averaged move by move."""
    game, rng, plies = dlgo.game("go19"), np.random.default_rng(1), 401
    start, actions = game.new_kernel_state(), np.empty(game.num_actions, np.int64)
    state = game.scratch_state(start, plies)  # superko remembers all positions
    numbers = np.zeros((games, plies))
    for line in numbers:
        kernels.copy_into(state, start)
        for ply in range(plies):
            line[ply] = n = kernels.legal_actions(state, actions)
            kernels.play(state, actions[rng.integers(n)])
    for ply in range(0, plies, 25):
        yield mean_row(f"after {ply} moves", numbers[:, ply], plies=float(ply))
    yield mean_row("mean of 150 moves", numbers[:, :150].mean(axis=1))


@moves.drawing
def _(table: pd.DataFrame, axes: Axes) -> None:
    axes.errorbar(table["plies"], table["value"], (table["high"] - table["low"]) / 2, fmt="o-",
                  color=BLUE, capsize=4)
    axes.set(xlabel="moves played", ylabel="legal moves, mean with 95% interval", ylim=(0, None))


@moves.conclusion
def _(table: pd.DataFrame) -> str:
    text = table.set_index("label").apply(moves.text, axis=1)
    return (f"{text['after 0 moves']} at first, {text['after 150 moves']} after 150 moves; "
            f"{text['mean of 150 moves']} on average before that.")


@experiment(quick={"games": 300}, full={"games": 1000}, quantity="games with the same winner")
def counting(games: int) -> Iterator[Row]:
    """Do area counting and territory counting name the same winner on 9x9?

    Komi is 7.5 for area and 6.5 for territory, as people play. The difference matters where games
    are close: look at the search.
    """
    game = dlgo.game("go", size=9, komi=7.5)
    for label, spec, part in (("random players", "random", 1),
                              ("MCTS, 100 simulations", "mcts:sims=100", 3)):
        bot, agree, n = dlgo.engine(spec, game), 0, games // part
        for seed in range(1, n + 1):
            bot.new_game(seed)
            state = game.start()
            while not state.is_over():
                state = state.apply_move(bot.select_move(state).move)
            territory = score(state, rules="territory").margin + 1  # 7.5 - 6.5
            agree += (score(state).margin > 0) == (territory > 0)
        yield share_row(label, agree / n, n)


@experiment(quick={"games": 2000}, full={"games": 20_000}, reference=50)
def komi(games: int) -> Iterator[Row]:
    """Which komi makes random play fair on 5x5 and 9x9? Look for Black's share of 50%."""
    for size in (5, 9):
        for points in (0.5, 2.5, 4.5, 6.5, 8.5):
            game = dlgo.game("go", size=size, komi=points)
            start = game.new_kernel_state()
            mean = kernels.rollouts(start, game.scratch_state(start), make_rng(1), games) / games
            yield share_row(f"{size}x{size}, komi {points:g}", (1 + mean) / 2, games,
                            size=float(size), komi=points)


@komi.drawing
def _(table: pd.DataFrame, axes: Axes) -> None:
    for (size, rows), colour in zip(table.groupby("size"), (ORANGE, BLUE), strict=True):
        axes.errorbar(rows["komi"], rows["value"], (rows["high"] - rows["low"]) / 2, fmt="o-",
                      color=colour, capsize=5, label=f"{size:.0f}x{size:.0f}")
    axes.axhline(50, color=INK, linewidth=1.5, linestyle="--")
    axes.set(xlabel="komi, points", ylabel="won by Black in %, with 95% interval", ylim=(40, 60),
             yticks=range(40, 61, 5))
    axes.legend()


@komi.conclusion
def _(table: pd.DataFrame) -> str:
    return "\n".join(
        f"{size:.0f}x{size:.0f}: Black wins {komi.text(rows.iloc[0])} with komi 0.5 and "
        f"{komi.text(rows.iloc[-1])} with komi 8.5." for size, rows in table.groupby("size"))


if __name__ == "__main__":
    script(__doc__, moves, counting, komi)
