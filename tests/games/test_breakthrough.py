"""Breakthrough against rules written from its rule book, OpenSpiel, and known values."""

from __future__ import annotations

import functools

import pytest

from dlgo import GameState, get_game, kernels
from dlgo.errors import IllegalMoveError, NotationError
from dlgo.games.breakthrough.kernel import LEFT
from dlgo.games.breakthrough.state import Breakthrough
from engines.registry import build_engine
from tests.conftest import RUN_ALL, random_game

Men = frozenset[tuple[int, int]]

# Slow rules: the player to move always goes up; the board is turned over after each move.


def moves(own: Men, other: Men, cols: int) -> list[tuple[Men, Men]]:
    """Both players' men after each legal move."""
    after = []
    for row, col in own:
        for end in range(max(col - 1, 0), min(col + 2, cols)):
            there = row + 1, end
            if there not in own and not (there in other and end == col):
                after.append((own - {(row, col)} | {there}, other - {there}))
    return after


def turned(men: Men, rows: int) -> Men:
    return frozenset((rows - 1 - row, col) for row, col in men)


def won(own: Men, other: Men, rows: int) -> bool:
    """Whether the owner of `own`, who has just moved, has won."""
    return not other or any(row == rows - 1 for row, _ in own)


def start(rows: int, cols: int) -> tuple[Men, Men]:
    men = frozenset((row, col) for row in (0, 1) for col in range(cols))
    return men, turned(men, rows)


def count(own: Men, other: Men, rows: int, cols: int, plies: int) -> int:
    if plies == 0:
        return 1
    return sum(
        count(turned(b, rows), turned(a, rows), rows, cols, plies - 1) if not won(a, b, rows)
        else plies == 1
        for a, b in moves(own, other, cols)
    )


@functools.cache
def mover_wins(own: Men, other: Men, rows: int, cols: int) -> bool:
    return any(
        won(a, b, rows) or not mover_wins(turned(b, rows), turned(a, rows), rows, cols)
        for a, b in moves(own, other, cols)
    )


@pytest.mark.parametrize(("rows", "cols", "depth"), [(8, 8, 2), (4, 3, 7), (5, 4, 5), (7, 2, 7)])
def test_sequences_of_moves_are_as_many_as_by_the_slow_rules(
    rows: int, cols: int, depth: int
) -> None:
    game = Breakthrough(rows=rows, cols=cols)
    for plies in range(1, depth + 1):
        slow = count(*start(rows, cols), rows, cols, plies)
        assert game.perft(game.new_kernel_state(), plies) == slow


@pytest.mark.parametrize(("rows", "cols"), [(8, 8), (6, 6), (6, 9), (9, 3)])
def test_random_games_agree_with_openspiel(rows: int, cols: int) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    game = Breakthrough(rows=rows, cols=cols)
    for seed in range(10):
        theirs = pyspiel.load_game(f"breakthrough(rows={rows},columns={cols})").new_initial_state()
        for ours in random_game(game, seed):
            if ours.last_move:
                theirs.apply_action(theirs.string_to_action(theirs_of(game, ours)))
            assert ours.is_over() == theirs.is_terminal()
            if not ours.is_over():
                here = sorted(theirs.action_to_string(a) for a in theirs.legal_actions())
                after = (ours.apply_move(move) for move in ours.legal_moves())
                assert sorted(theirs_of(game, state) for state in after) == here
        assert ours.result() == theirs.returns()[0]


def theirs_of(game: Breakthrough, state: GameState) -> str:
    """The last move as OpenSpiel writes it: its black, who begins, is at the top; `*` captures."""
    text = game.move_text(state.last_move)
    cells = text.replace("x", "-").split("-")
    flipped = (f"{cell[0]}{game.board_rows + 1 - int(cell[1:])}" for cell in cells)
    return "".join(flipped) + "*" * ("x" in text)


@pytest.mark.parametrize(("rows", "cols"), [(4, 2), (4, 3), (5, 2), (6, 2), (7, 2)])
def test_small_boards_are_won_by_the_same_player_as_by_full_search(rows: int, cols: int) -> None:
    game = Breakthrough(rows=rows, cols=cols)
    decision = build_engine("alphabeta:depth=60,solve=yes", game, 1).select_move(game.start())
    assert decision.proven == (1 if mover_wins(*start(rows, cols), rows, cols) else -1)


@pytest.mark.parametrize(("rows", "cols", "nodes", "result"), [
    (4, 6, 30_000, -1), (5, 3, 50_000, -1), (6, 3, 800_000, 1), (5, 4, 3_000_000, -1),
    *([(5, 5, 300_000_000, -1)] if RUN_ALL else [])])
def test_alpha_beta_solves_larger_boards(rows: int, cols: int, nodes: int, result: int) -> None:
    """In as many nodes, thanks to the order of moves; those of 5x5 take a minute of CPU."""
    spec = f"alphabeta:depth=100,nodes={nodes},solve=yes,history=no,killers=no,tt=24"
    engine = build_engine(spec, Breakthrough(rows=rows, cols=cols), 1)
    assert engine.select_move(engine.game.start()).proven == result


def test_a_capture_is_written_with_an_x() -> None:
    game = get_game("breakthrough")
    state = game.start().play("a2-a3", "b7-b6", "a3-a4", "b6-b5", "A4xB5")
    assert [game.move_text(move) for move in state.moves()][-1] == "a4xb5"
    assert kernels.piece(state.kernel_state, 33) == 0
    assert state.previous_state.play("a4-b5") == state
    for text in ("a4", "a4-z9", "a4-b5-c6", "", "i4-i5"):
        with pytest.raises(NotationError, match="write two cells of a1 to h8, such as a2-a3"):
            game.parse_move(state, text)
    for text, why in (("a7-a5", "one step ahead"), ("c7xb6", "captures only diagonally")):
        with pytest.raises(IllegalMoveError, match=why):
            state.play(text)


def position(black: tuple[str, ...], white: tuple[str, ...]) -> GameState:
    """Some men on a board of 7 rows and 8 columns, black to move."""
    game = get_game("breakthrough:rows=7,cols=8")
    state = game.new_kernel_state()
    state.rows[:] = 0
    for player, cells in enumerate((black, white)):
        state.words[LEFT + player] = len(cells)
        for cell in cells:
            state.rows[player, int(cell[1])] |= 2 << ord(cell[0]) - ord("a")
    return GameState(game, state)


def test_a_player_without_men_has_lost() -> None:
    state = position(("c3", "h1"), ("d4", "a6")).play("c3xd4")
    assert not state.is_over()
    state = position(("c3", "h1"), ("d4",)).play("c3xd4")
    assert state.result() == 1 and state.game.winning_cells(state) == []
