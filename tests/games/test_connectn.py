"""N in a row on any board, against OpenSpiel, the two special kernels, and known values."""

from __future__ import annotations

import numpy as np
import pytest

from dlgo import get_game, kernels
from dlgo.api import GameState, Move, Player, Point
from dlgo.errors import IllegalMoveError, SpecError
from dlgo.games.connectn import kernel
from dlgo.games.connectn.state import SWAP, ConnectN
from dlgo.perft import perft
from dlgo.rng import make_rng
from engines.registry import build_engine
from tests.conftest import RUN_ALL, assert_agrees_with_openspiel, random_game

CONNECT_FOUR = ConnectN()
TIC_TAC_TOE = ConnectN(cols=3, rows=3, n=3, gravity=False)


def play(game: ConnectN, text: str) -> GameState:
    """The state after moves in the game's notation, separated by blanks."""
    return game.start().play(*text.split())


def random_spec(seed: int, **fixed: object) -> ConnectN:
    """A board of random size and a random n that fits on it."""
    generator = np.random.default_rng(seed)
    cols, rows = (int(side) for side in generator.integers(1, 10, size=2))
    if cols == rows == 1:
        cols = 2
    n = int(generator.integers(2, max(cols, rows) + 1))
    return ConnectN(cols=cols, rows=rows, n=n, **fixed)


# The rules as others play them ------------------------------------------------------------


@pytest.mark.parametrize("gravity", [True, False])
def test_random_games_agree_with_openspiel(gravity: bool) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    for seed in range(150):
        game = random_spec(seed, gravity=gravity)
        cols, rows, n = game.cols, game.rows, game.n
        theirs = (
            f"connect_four(rows={rows},columns={cols},x_in_row={n})" if gravity
            else f"mnk(m={cols},n={rows},k={n})"
        )
        other = pyspiel.load_game(theirs)
        assert other.num_distinct_actions() == game.num_actions
        assert_agrees_with_openspiel(game, other, seed)


@pytest.mark.parametrize(
    ("general", "name"), [(CONNECT_FOUR, "connect4"), (TIC_TAC_TOE, "tictactoe")]
)
def test_same_game_as_the_special_kernel(general: ConnectN, name: str) -> None:
    special = get_game(name)
    assert general.opening_plies == special.opening_plies
    for seed in range(200 if RUN_ALL else 50):
        for ours in random_game(general, seed):
            if ours.last_move is None:
                theirs = GameState.new_game(special)
            else:
                theirs = theirs.apply_move(ours.last_move)
            assert str(ours) == str(theirs)
            assert ours.is_over() == theirs.is_over()
            assert ours.winner() is theirs.winner()
            assert list(ours.legal_actions()) == list(theirs.legal_actions())
            if name == "connect4" and not ours.is_over():
                assert kernels.evaluate(ours.kernel_state) == kernels.evaluate(theirs.kernel_state)


@pytest.mark.parametrize(
    ("game", "counts"),
    [
        (TIC_TAC_TOE, (9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872)),
        (CONNECT_FOUR, (7, 49, 343, 2401, 16807, 117649, 823536)),
    ],
    ids=str,
)
def test_perft(game: ConnectN, counts: tuple[int, ...]) -> None:
    plies = len(counts) + 1
    batch = kernels.make_batch(game.new_kernel_state(), plies)
    kernels.copy_into(kernels.row(batch, 0), game.new_kernel_state())
    scratch = (np.empty((plies, game.num_actions), np.int64), np.empty(plies, np.int64))
    for depth, leaves in enumerate(counts, 1):
        assert perft(batch, depth, *scratch, np.empty(plies, np.int64)) == leaves


@pytest.mark.parametrize(("size", "games"), [(1, 2), (2, 90), (3, 356232)])
def test_number_of_games_with_four_in_a_row_on_small_boards(size: int, games: int) -> None:
    """Boards n + 1 wide and n high: OEIS A342329. On the first two nobody can win."""
    start = kernel.new_state(size, size + 1, 4, True, False)
    kernels.reset(start)
    counts: dict[int, int] = {}

    def count(state: kernel.ConnectNState) -> int:
        if kernels.terminal(state):
            return 1
        known = int(kernels.key(state))
        if known not in counts:
            child = kernel.new_state(size, size + 1, 4, True, False)
            counts[known] = 0
            for column in filter(lambda column: kernels.is_legal(state, column), range(size + 1)):
                kernels.copy_into(child, state)
                kernels.play(child, column)
                counts[known] += count(child)
        return counts[known]

    assert count(start) == games


@pytest.mark.parametrize("spec", [
    "connectn:cols=4,rows=4,n=3", "connectn:cols=4,rows=3,n=3,gravity=no", "connect4",
])
def test_forced_actions_win_or_keep_the_opponent_from_winning(spec: str) -> None:
    """By brute force: a win; else all actions without a winning reply; else any one."""
    game, kinds = get_game(spec), set()

    def wins(state: GameState) -> list[int]:
        mover = state.next_player
        return [action for action in state.legal_actions().tolist()
                if state.apply_move(game.move_of(action)).winner() is mover]

    for state in (state for seed in range(6) for state in random_game(game, seed)[:-1]):
        out = np.empty(game.num_actions, np.int64)
        forced = out[: kernels.forced_actions(state.kernel_state, out)].tolist()
        safe = [action for action in state.legal_actions().tolist()
                if not wins(state.apply_move(game.move_of(action)))]
        kinds.add(kind := "win" if wins(state) else "safe" if safe else "lost")
        if kind == "safe":
            assert sorted(forced) == safe, state
        else:
            assert len(forced) == 1 and forced[0] in (wins(state) or state.legal_actions()), state
    assert kinds == {"win", "safe", "lost"}


# The pie rule -----------------------------------------------------------------------------


def test_the_swap_takes_over_the_first_stone() -> None:
    game = ConnectN(pie=True)
    before = play(game, "4")
    after = play(game, "4 swap")
    assert game.cell(before, 1, 4) is Player.black
    assert game.cell(after, 1, 4) is Player.white
    assert after.next_player is Player.black
    assert game.last_cell(after) == Point(1, 4)
    # White has the stone in the middle and black moves: it is the game with colours exchanged.
    for text, winner in (("1 4 1 4 1 4", Player.white), ("1 2 1 2 1 2 1", Player.black)):
        assert play(game, "4 swap " + text).winner() is winner


@pytest.mark.parametrize("gravity", [True, False])
def test_only_the_first_reply_may_be_a_swap(gravity: bool) -> None:
    game = ConnectN(cols=4, rows=4, gravity=gravity, pie=True)
    for seed in range(20):
        for ply, state in enumerate(random_game(game, seed)):
            allowed = game.swap_action in state.legal_actions()
            assert allowed == state.is_valid_move(SWAP) == (ply == 1)
            if not allowed and not state.is_over():
                with pytest.raises(IllegalMoveError, match="only the first reply"):
                    state.apply_move(SWAP)


@pytest.mark.parametrize(
    ("game", "replies"), [(CONNECT_FOUR, 7), (TIC_TAC_TOE, 8)], ids=["connect4", "tictactoe"]
)
def test_random_games_with_the_pie_rule(game: ConnectN, replies: int) -> None:
    """The mean result is (replies - 1) / (replies + 1) of the mean without the rule: a swap
    exchanges the players' chances, and one random reply in replies + 1 is a swap."""
    games, means = 200_000, []
    for pie in (False, True):
        start = ConnectN(**{**game.settings, "pie": pie}).new_kernel_state()
        work = game.scratch_state(start)
        means.append(kernels.rollouts(start, work, make_rng(5), games) / games)
    expected = means[0] * (replies - 1) / (replies + 1)
    assert abs(means[1] - expected) < 4 * np.sqrt(2 / games)


@pytest.mark.parametrize("options", ["4x3", "4x4 gravity"])
def test_whoever_opens_with_the_pie_rule_gets_the_most_balanced_opening(options: str) -> None:
    """The second player takes the better side of each opening, so black's value is the
    maximum of -|value of the opening|."""
    size, _, gravity = options.partition(" ")
    settings = {"cols": int(size[0]), "rows": int(size[2]), "n": 3, "gravity": bool(gravity)}
    game = ConnectN(**settings)
    start = GameState.new_game(game)
    openings = [-value(start.apply_move(move)) for move in start.legal_moves()]
    assert max(openings) == 1
    with_pie = value(GameState.new_game(ConnectN(**settings, pie=True)))
    assert with_pie == max(-abs(opening) for opening in openings)


# Values of small boards -------------------------------------------------------------------


def value(state: GameState, tt: int = 20) -> int | None:
    """The exact value for the player to move."""
    cells = state.game.rows * state.game.cols
    engine = build_engine(f"alphabeta:depth={cells + 2},tt={tt},solve=yes", state.game)
    return engine.select_move(state).proven


@pytest.mark.parametrize(
    ("cols", "rows", "solved"),
    [
        # John Tromp, tromp.github.io/c4; Steininger's table of larger boards.
        (4, 4, 0), (5, 4, 0), (4, 5, 0), (4, 6, 0),
        # Two minutes. Without gravity the second player could never win.
        *([(5, 5, 0), (6, 4, -1)] if RUN_ALL else []),
    ],
)
def test_values_of_connect_four_on_small_boards(cols: int, rows: int, solved: int) -> None:
    start = GameState.new_game(ConnectN(cols=cols, rows=rows))
    assert value(start, tt=24 if cols * rows > 24 else 22) == solved


@pytest.mark.parametrize(
    ("cols", "rows", "n", "solved"),
    [(3, 3, 3, 0), (4, 3, 3, 1), (3, 4, 3, 1), (4, 4, 3, 1), (4, 4, 4, 0), (5, 2, 3, 0)],
)
def test_values_of_boards_without_gravity(cols: int, rows: int, n: int, solved: int) -> None:
    game = ConnectN(cols=cols, rows=rows, n=n, gravity=False)
    assert value(GameState.new_game(game)) == solved


# Faces: displays, notation, keys ----------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "moves", "cells"),
    [
        ("connectn", "1 2 1 2 1 2 1", "A1 A2 A3 A4"),
        ("connectn", "1 1 2 2 3 3 4", "A1 B1 C1 D1"),
        ("connectn", "1 2 2 3 3 4 3 4 4 6 4", "A1 B2 C3 D4"),
        ("connectn", "1 1 2 2 4 4 5 5 3", "A1 B1 C1 D1 E1"),  # five at once
        ("connectn", "1 1 2 2", ""),
        ("connectn:cols=5,rows=5,n=3,gravity=no", "B2 E5 C3 E4 C1 E1 A1", "A1 B2 C3"),
        ("connectn:cols=5,rows=5,n=3,gravity=no", "A1 C2 C1 E5 A3 E4 C3 A5 B2",
         "A1 C1 B2 A3 C3"),  # two lines
    ],
)
def test_winning_cells(game: str, moves: str, cells: str) -> None:
    state = play(get_game(game), moves)
    found = state.game.winning_cells(state)
    assert found == [Point(int(cell[1]), "ABCDE".index(cell[0]) + 1) for cell in cells.split()]


def test_illegal_moves_name_the_rule() -> None:
    full = play(CONNECT_FOUR, "1 " * 6)
    for state, place, why in (
        (full, 1, "column is full"), (full, 8, "no such column"), (full, True, "no such column"),
        (full, Point(1, 2), "no such column"),
        (play(TIC_TAC_TOE, "B2"), Point(2, 2), "cell is taken"),
        (play(TIC_TAC_TOE, "B2"), Point(4, 1), "off the 3x3 board"),
        (play(TIC_TAC_TOE, "B2"), 1, "off the 3x3 board"),
    ):
        with pytest.raises(IllegalMoveError, match=why):
            state.apply_move(Move.play(place))
    with pytest.raises(IllegalMoveError, match="no pass"):
        full.apply_move(Move.pass_turn())


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"n": 8}, "n=8 in a row do not fit on 7x6"),
        ({"cols": 1, "rows": 1, "n": 2}, "do not fit"),
        ({"cols": 20}, "cols=20 is out of range"),
        ({"n": 1}, "n=1 is out of range"),
        ({"gravity": "down"}, "not yes or no"),
    ],
)
def test_boards_that_do_not_exist(settings: dict[str, object], why: str) -> None:
    with pytest.raises(SpecError, match=why):
        ConnectN(**settings)
