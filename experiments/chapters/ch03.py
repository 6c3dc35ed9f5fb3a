"""Chapter 3: what makes a Go board fast, and when is a bot better than chance?

    python -m experiments.chapters.ch03 --quick

Random games on five boards that follow the same rules; games with and without the rule about eyes;
matches of simple bots.
"""

from __future__ import annotations

import copy
import random
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

import dlgo
from dlgo import GameState, Move, kernels
from dlgo.games.go.state import Go
from dlgo.games.go.textbook import Board, TextbookState, is_point_an_eye
from dlgo.games.go.textbook_zobrist import ZobristState
from dlgo.rng import make_rng
from engines.base import Budget, Cost, Decision, Engine
from experiments.chapters.experiment import Row, experiment, match, script, share_row
from experiments.figures import BLUE, draw_bars


class Centre(Engine):
    """Draws five legal moves and plays the one nearest to the middle of the board."""

    name = "centre"
    summary = "likes the middle"
    sign = 1

    def new_game(self, seed: int) -> None:
        """Start the random numbers of a game."""
        self.rng = random.Random(seed)

    def _decide(self, state: GameState, budget: Budget) -> Decision:
        moves = [move for move in state.sensible_moves() if move.is_play]
        if not moves:
            return Decision(Move.pass_turn(), cost=Cost(nodes=1))
        middle = (state.game.board_rows + 1) / 2

        def distance(move: Move) -> float:
            row, col = move.point or (middle, middle)
            return (row - middle) ** 2 + (col - middle) ** 2

        drawn = self.rng.sample(moves, min(5, len(moves)))
        return Decision(min(drawn, key=lambda move: self.sign * distance(move)),
                        cost=Cost(nodes=1))


class Edge(Centre):
    """The same, but the move that is farthest from the middle."""

    name = "edge"
    summary = "likes the edge"
    sign = -1


class DeepCopyBoard(Board):
    """The textbook board, copying every string instead of sharing it (listing 3.12)."""

    def copy(self) -> Board:
        """A copy of everything."""
        return copy.deepcopy(self)


class DeepCopyState(TextbookState):
    """A `TextbookState` on a `DeepCopyBoard`."""

    board_class = DeepCopyBoard


def textbook_game(state_class: type[TextbookState], seed: int) -> tuple[int, float]:
    """Play one random game on 9x9; its number of moves and Black's margin."""
    choose, moves, state = random.Random(seed).choice, 0, state_class.new_game(9, 7.5)
    while not state.is_over():
        plays = [move for move in state.legal_moves() if move.point
                 and not is_point_an_eye(state.board, move.point, state.next_player)]
        state = state.apply_move(choose(plays) if plays else Move.pass_turn())
        moves += 1
    return moves, state.margin()


def compiled_game(seed: int) -> tuple[int, float]:
    """The same game by compiled rules, called from Python once a move."""
    game = Go(size=9, komi=7.5)
    choose, moves, state = random.Random(seed).choice, 0, game.start()
    actions = np.empty(game.num_actions, np.int64)
    while not state.is_over():
        n = kernels.search_actions(state.kernel_state, actions)  # moves that fill no eye
        plays = actions[: n - 1].tolist()  # the last action is the pass
        state = state.apply_move(game.move_of(choose(plays) if plays else game.pass_action))
        moves += 1
    return moves, game.margin(state)


@experiment(quick={"seconds": 0.5}, full={"seconds": 10}, unit="games/s", digits=1, tolerance=0.6)
def boards(seconds: float) -> Iterator[Row]:
    """How many random games on 9x9 does each board play in a second of CPU time?

    The first three differ in a few lines of Python. All play the same games, which is checked.
    """
    def timed(play: Callable[[int], Any]) -> tuple[float, list[Any]]:
        results: list[Any] = []
        begin = time.process_time()
        while (spent := time.process_time() - begin) < seconds or not results:
            results.append(play(len(results)))
        return len(results) / spent, results

    game = dlgo.game("go", size=9, komi=7.5)
    start, rng = game.new_kernel_state(), make_rng(1)
    longest: list[int] = []
    work = game.scratch_state(start)
    compiled_game(0), kernels.rollouts(start, work, rng, 1)  # compile before the clock runs
    for label, play in (("deep copies", lambda seed: textbook_game(DeepCopyState, seed)),
                        ("shared chains", lambda seed: textbook_game(TextbookState, seed)),
                        ("Zobrist keys", lambda seed: textbook_game(ZobristState, seed)),
                        ("compiled rules", compiled_game)):
        speed, played = timed(play)
        assert all(a == b for a, b in zip(longest, played, strict=False)), f"{label}: other games"
        longest = max(longest, played, key=len)
        yield {"label": label, "value": speed}
    yield {"label": "compiled games",
           "value": 100 * timed(lambda _: kernels.rollouts(start, work, rng, 100))[0]}


@boards.drawing
def _(table: pd.DataFrame, axes: Axes) -> None:
    draw_bars(axes, dict(zip(table["label"], table["value"], strict=True)),
              texts=[f"{speed:,.{speed < 100:d}f}" for speed in table["value"]], colour=BLUE)
    axes.set(xscale="log", xlim=(0.1, 1e7), xlabel="games/s, each tick is ten times the last")


@boards.conclusion
def _(table: pd.DataFrame) -> str:
    ratios = table["value"].iloc[1:].array / table["value"].iloc[:-1].array
    return "Against the board before: " + ", ".join(
        f"{label} {ratio:,.{ratio < 10:d}f} times as fast"
        for label, ratio in zip(table["label"].iloc[1:], ratios, strict=True)) + "."


@experiment(quick={"games": 40}, full={"games": 400}, quantity="games that end")
def eyes(games: int) -> Iterator[Row]:
    """How many random games on 9x9 end within 1,000 moves, with and without the rule about eyes?"""
    game, most = dlgo.game("go9"), 1000
    start, actions = game.new_kernel_state(), np.empty(game.num_actions, np.int64)
    state = game.scratch_state(start, most)
    for label, listed in (("any legal move", kernels.legal_actions),
                          ("own eyes stay empty", kernels.search_actions)):
        rng, ended = np.random.default_rng(1), 0
        for _ in range(games):
            kernels.copy_into(state, start)
            for _ in range(most):
                if kernels.terminal(state):
                    break
                n = listed(state, actions)  # the last one is the pass
                kernels.play(state, actions[rng.integers(n - 1) if n > 1 else 0])
            ended += kernels.terminal(state)
        yield share_row(label, ended / games, games)


@experiment(quick={"pairs": 60}, full={"pairs": 500}, reference=50)
def bots(pairs: int) -> Iterator[Row]:
    """Which of three bots beats random play on 5x5? Two prefer a place; one looks ahead."""
    for label, bot in (("middle", Centre), ("edge", Edge), ("100 random games", "mcts:sims=100")):
        yield match("go:size=5,komi=0.5", bot, "random", pairs, f"{label} against random")


if __name__ == "__main__":
    script(__doc__, boards, eyes, bots)
