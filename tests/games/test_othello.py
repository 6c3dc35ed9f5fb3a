"""Othello against rules written from its rule book, OpenSpiel, and known values."""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
import pytest

from dlgo import GameState, Move, Player, Point, get_game, kernels
from dlgo.errors import IllegalMoveError, NotationError
from dlgo.games.othello import kernel
from dlgo.games.othello.state import Othello
from dlgo.jit import kernel as jit_kernel
from engines.registry import build_engine
from tests.conftest import RUN_ALL, random_game

# Slow rules: a board is a string of rows from the top, one character for each cell.


@functools.cache
def rays(size: int, cell: int) -> list[list[int]]:
    """The cells that follow a cell in each of eight directions."""
    row, col = divmod(cell, size)
    lines = []
    for down, right in ((a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b):
        cells = [(row + i * down, col + i * right) for i in range(1, size)]
        lines.append([size * a + b for a, b in cells if 0 <= a < size and 0 <= b < size])
    return lines


def play(board: str, size: int, cell: int, me: str) -> str | None:
    """The board after a play; None if it encloses nothing."""
    other, turned = "o" if me == "x" else "x", []
    for line in rays(size, cell) if board[cell] == "." else []:
        colours = "".join(board[there] for there in line)
        enclosed = len(colours) - len(colours.lstrip(other))
        if enclosed and colours[enclosed:].startswith(me):
            turned += line[:enclosed]
    if not turned:
        return None
    return "".join(me if i == cell or i in turned else disc for i, disc in enumerate(board))


def boards_after(board: str, size: int, me: str) -> dict[int, str]:
    """The board after each play of a player."""
    plays = ((cell, play(board, size, cell, me)) for cell in range(size**2))
    return {cell: after for cell, after in plays if after}


@functools.cache
def best_margin(board: str, size: int, me: str) -> int:
    """Own discs minus the opponent's under perfect play, by full search."""
    other = "o" if me == "x" else "x"
    after = boards_after(board, size, me).values()
    if after:
        return max(-best_margin(one, size, other) for one in after)
    if boards_after(board, size, other):
        return -best_margin(board, size, other)
    return board.count(me) - board.count(other)


def board_of(state: GameState) -> str:
    size, discs = state.game.size, state.game.stones(state)
    points = (Point(row, col) for row in range(size, 0, -1) for col in range(1, size + 1))
    return "".join({Player.black: "x", Player.white: "o", None: "."}[discs.get(p)] for p in points)


@pytest.mark.parametrize("size", [4, 6, 8, 10])
def test_random_games_agree_with_the_slow_rules(size: int) -> None:
    game, passes = Othello(size=size), 0
    for seed in range(40 // size if size < 10 else 1):
        for state in random_game(game, seed):
            board, me = board_of(state), "xo"[state.next_player.index]
            after, other = boards_after(board, size, me), boards_after(board, size, "ox"[me == "o"])
            assert state.is_over() == (not after and not other)
            if state.is_over():
                break
            moves = state.legal_moves()
            passes += moves == [Move.pass_turn()]
            texts = {"abcdefghij"[cell % size] + str(cell // size + 1): one
                     for cell, one in after.items()} or {"pass": board}
            assert {game.move_text(move) for move in moves} == texts.keys()
            for text, one in texts.items():
                assert board_of(state.play(text)) == one
        assert kernels.margin(state.kernel_state) == board.count("x") - board.count("o")
        assert state.result() == np.sign(board.count("x") - board.count("o"))
    assert passes or size == 10


def test_random_games_agree_with_openspiel() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    game = Othello()
    for seed in range(30):
        theirs = pyspiel.load_game("othello").new_initial_state()
        for ours in random_game(game, seed):
            if ours.last_move:
                theirs.apply_action(theirs.string_to_action(game.move_text(ours.last_move)))
            assert ours.is_over() == theirs.is_terminal()
            if not ours.is_over():
                assert ours.next_player.index == theirs.current_player()
                moves = {game.move_text(move) for move in ours.legal_moves()}
                assert moves == {theirs.action_to_string(a) for a in theirs.legal_actions()}
        assert ours.result() == theirs.returns()[0]


@pytest.mark.slow
def test_the_second_player_wins_4x4_by_eight_discs() -> None:
    game = Othello(size=4)
    assert best_margin(board_of(game.start()), 4, "x") == -8
    decision = build_engine("alphabeta:depth=20,solve=yes", game, 1).select_move(game.start())
    assert decision.proven == -1


def test_late_positions_of_6x6_are_solved_as_by_full_search() -> None:
    game, results = Othello(size=6), set()
    engine = build_engine("alphabeta:depth=20,solve=yes", game, 1)
    for seed in range(12):
        state = random_game(game, seed)[-9]
        margin = best_margin(board_of(state), 6, "xo"[state.next_player.index])
        assert engine.select_move(state).proven == np.sign(margin), board_of(state)
        results.add(np.sign(margin))
    assert results >= {-1, 1}


# Perfect play from the start (Feinstein, British Othello Federation's newsletter, July 1993; there
# the columns are b to g, the rows 2 to 7).
PERFECT = "c2b4c5d2e4e3d1c1b1d5d6f4b3b2f3f2e2b6a4c6a6a2b5a5e6e5a3a1f5f6e1f1"


class Ahead(NamedTuple):
    """A state in which black has `words[-1]` discs more at the end."""

    words: np.ndarray
    rows: np.ndarray


@jit_kernel
def result_ahead(state):
    return np.sign(kernel.margin(state) + state.words[-1])


kernels.implement(Ahead, **{
    name: table[kernel.OthelloState] for name, table in kernels._implementations.items()
} | {"result": result_ahead})


class OthelloAhead(Othello):
    def __init__(self, ahead: int) -> None:
        self.ahead = ahead
        super().__init__(size=6)

    def new_kernel_state(self) -> Ahead:
        state = super().new_kernel_state()
        return Ahead(np.append(state.words, self.ahead), state.rows)


def along_perfect_play(game: Othello, plays: int) -> GameState:
    state = game.start()
    for i in range(0, 2 * plays, 2):
        passes = ["pass"] if state.legal_moves() == [Move.pass_turn()] else []
        state = state.play(*passes, PERFECT[i : i + 2])
    return state


def test_perfect_play_on_6x6_ends_with_20_to_16_discs() -> None:
    end = along_perfect_play(Othello(size=6), 32)
    assert end.is_over() and end.game.result_text(end) == "white (o) wins 20-16"


@pytest.mark.parametrize("empty", [11, 16, *([20] if RUN_ALL else [])])
def test_positions_of_perfect_play_on_6x6_are_worth_four_discs_to_white(empty: int) -> None:
    """Black loses with three discs more, and wins with five. 16 empty cells take 0.2 s of CPU, 20
    cells 10 s."""
    for ahead, result in ((3, -1), (5, 1)):
        state = along_perfect_play(OthelloAhead(ahead), 32 - empty)
        engine = build_engine("alphabeta:depth=40,solve=yes,tt=22", state.game, 1)
        turn = 1 if state.next_player is Player.black else -1
        assert engine.select_move(state).proven == turn * result


def test_moves_are_written_as_othello_players_do() -> None:
    """Black opens f5 or its images; white stands on the diagonal from a1."""
    game = get_game("othello")
    state = game.start()
    assert sorted(map(game.move_text, state.legal_moves())) == ["c4", "d3", "e6", "f5"]
    assert "\n 4  .  .  .  o  x " in str(state)
    state = state.play("F5", "f6")
    assert str(state).endswith("black 3, white 3")
    with pytest.raises(NotationError, match="'i1' is not a cell: write a1 to h8, or pass"):
        game.parse_move(state, "i1")
    for text, why in (("a1", "it encloses no disc"), ("f5", "the cell is taken"),
                      ("pass", "there is a legal play")):
        with pytest.raises(IllegalMoveError, match=why):
            state.play(text)
    with pytest.raises(IllegalMoveError, match=r"^\(1, 0\) is illegal: there is no such cell"):
        state.apply_move(Move.play(Point(1, 0)))


def test_a_player_without_a_play_must_pass() -> None:
    game = get_game("othello:size=4")
    state = game.start().play("c4", "d4", "a2", "b4", "d3", "d2")
    assert state.legal_moves() == game.parse_moves(state, "Pass") == [Move.pass_turn()]
    with pytest.raises(IllegalMoveError):
        state.play("a1")
    state = state.play("Pass", "b1")
    assert state.game.result_text(state) == "white (o) wins 10-1"
