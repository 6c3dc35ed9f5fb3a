"""Go's rules against diagrams, counts, OpenSpiel and sgfmill."""

from __future__ import annotations

import numpy as np
import pytest

from dlgo import GameSpec, GameState, IllegalMoveError, Move, Player, get_game, kernels
from dlgo.games.go import board, kernel
from dlgo.games.go.scoring import score
from dlgo.moves import parse_point
from tests.conftest import RUN_ALL, random_game


def play(game: str | GameSpec, moves: str) -> GameState:
    """Play moves such as `C3 pass`, black first."""
    state = GameState.new_game(get_game(game))
    for text in moves.split():
        state = state.apply_move(state.game.parse_move(state, text))
    return state


def picture(state: GameState) -> list[str]:
    """The stones, top row first, as x, o and dots."""
    return [
        "".join(
            "." if (player := state.game.cell(state, row, col)) is None
            else state.game.symbols[player.index]
            for col in range(1, state.game.size + 1)
        )
        for row in range(state.game.size, 0, -1)
    ]


@pytest.mark.slow
def test_legal_positions_of_three_by_three() -> None:
    """12,675 positions can be reached on 3x3 (OEIS A094777), found by playing all moves.

    Every legal position can be: put its stones down in any order, the opponent passing.
    """
    game = get_game("go:size=3")
    start = GameState.new_game(game)
    seen = {tuple(start.kernel_state.color)}
    frontier = [start]
    while frontier:
        state = frontier.pop()
        for ready in (state, state.apply_move(Move.pass_turn())):
            for action in ready.legal_actions():
                if action == game.pass_action:
                    continue
                # Positions count, whatever came before: forget the history of each.
                after = ready.apply_move(game.move_of(action)).kernel_state
                stones = tuple(after.color)
                if stones not in seen:
                    seen.add(stones)
                    after.info[board.N_HISTORY] = after.info[board.PASSES] = 0
                    after.info[board.KO] = board.NOWHERE
                    after.history_filter[:] = 0
                    frontier.append(GameState(game, after))
    assert len(seen) == 12_675


# Random games by board size, about 100,000 moves in all; by default a third of them.
OPENSPIEL_GAMES = {3: 200, 5: 200, 9: 400 if RUN_ALL else 100, 13: 50 if RUN_ALL else 15,
                   19: 25 if RUN_ALL else 8}


@pytest.mark.parametrize("size", OPENSPIEL_GAMES)
def test_random_games_agree_with_openspiel(size: int) -> None:
    """Move by move: the same legal moves, turns and results, the same stones now and then.

    The rules differ in three ways, left out by name:

    * superko: OpenSpiel forbids the simple ko only. A move that is legal there alone must be
      refused here for superko;
    * repetition: OpenSpiel ends a game when a position repeats;
    * length: OpenSpiel ends a game after a set number of moves. Games are compared up to there.
    """
    pyspiel = pytest.importorskip("pyspiel")
    game = get_game("go", size=size, komi=7.5)
    theirs = pyspiel.load_game(f"go(board_size={size},komi=7.5)")
    superko_only = moves = 0
    for seed in range(OPENSPIEL_GAMES[size]):
        generator = np.random.default_rng(seed)
        ours, other = GameState.new_game(game), theirs.new_initial_state()
        while not ours.is_over() and not other.is_terminal():
            mine, legal = ours.legal_actions().tolist(), other.legal_actions()
            if mine != legal:
                assert set(mine) < set(legal)
                for action in set(legal) - set(mine):
                    with pytest.raises(IllegalMoveError, match="superko"):
                        ours.apply_move(game.move_of(action))
                    superko_only += 1
            # Nobody passes who can play, or games would be short.
            action = mine[generator.integers(max(len(mine) - 1, 1))]
            ours = ours.apply_move(game.move_of(action))
            other.apply_action(action)
            moves += 1
            if not other.is_terminal():
                assert ours.next_player.index == other.current_player()
                if moves % 16 == 0:
                    assert picture(ours) == _their_picture(other, size)
        if ours.is_over() and other.is_terminal():
            assert ours.result() == other.returns()[0]
    if size == 3:
        assert superko_only > 0  # the difference was met, so it was tested


def _their_picture(state: object, size: int) -> list[str]:
    symbols = str.maketrans("+XO", ".xo")
    rows = state.to_string().splitlines()[2 : 2 + size]
    return [row.split()[-1].translate(symbols) for row in rows]


@pytest.mark.parametrize("size", [2, 5, 9, 19])
def test_area_score_agrees_with_sgfmill(size: int) -> None:
    boards = pytest.importorskip("sgfmill.boards")
    game = get_game("go", size=size, komi=0)
    for seed in range(30):
        states = random_game(game, seed, max_plies=3 * size * size)
        for state in states[len(states) // 3 :: 1 + len(states) // 6]:
            other = boards.Board(size)
            for row in range(size):
                for col in range(size):
                    if (player := game.cell(state, row + 1, col + 1)) is not None:
                        other.board[row][col] = "b" if player is Player.black else "w"
            assert game.margin(state) == other.area_score() == owners(state).sum()


def owners(state: GameState) -> np.ndarray:
    """The kernel's `ownership`, over a buffer that held something else."""
    out = np.full((state.game.size, state.game.size), 7, np.int8)
    kernels.ownership(state.kernel_state, out)
    return out


@pytest.mark.parametrize("size", [2, 5, 9])
def test_ownership_is_the_count_with_sets_of_points(size: int) -> None:
    game = get_game("go", size=size)
    held = {Player.black: 1, Player.white: -1, None: 0}
    for seed in range(10):
        states = random_game(game, seed, max_plies=3 * size * size)
        for state in states[:: 1 + len(states) // 10]:
            found = owners(state)
            for point, owner in score(state).owner.items():
                assert found[point.row - 1, point.col - 1] == held[owner], picture(state)


def test_ownership_of_a_diagram() -> None:
    """A stone taken for alive in the opponent's area, an empty point between both, an eye."""
    game = get_game("go:size=5,komi=0.5")
    black = "B1 B2 B3 B4 B5 A4"
    white = "D1 D2 D3 D4 C5 A1"
    stones = [[parse_point(text, 5, 5) for text in side.split()] for side in (black, white)]
    state = game.position(*stones)
    assert picture(state) == [".xo..", "xx.o.", ".x.o.", ".x.o.", "ox.o."]
    assert owners(state)[::-1].tolist() == [  # the top row first
        [1, 1, -1, -1, -1],
        [1, 1, 0, -1, -1],
        [0, 1, 0, -1, -1],
        [0, 1, 0, -1, -1],
        [-1, 1, 0, -1, -1],
    ]
    assert kernels.margin(state.kernel_state) == 7 - 12 - 0.5


def test_capture_comes_before_the_test_for_self_capture() -> None:
    # White's last stone has no liberty until it captures the two black ones.
    state = play("go:size=5", "A1 A2 B1 B2 E5 C1")
    assert picture(state)[-2:] == ["oo...", "..o.."]


def test_snapback_is_legal() -> None:
    # White takes the stone thrown in at B1; Black plays there again and takes five.
    state = play("go:size=5", "A3 A2 B3 B2 C3 C2 D2 C1 D1 E5 B1 A1")
    assert picture(state)[-3:] == ["xxx..", "ooox.", "o.ox."]
    state = state.apply_move(state.game.parse_move(state, "B1"))
    assert picture(state)[-3:] == ["xxx..", "...x.", ".x.x."]


def test_ko_is_forbidden_until_something_else_happened() -> None:
    #  . x o .      Black takes at C2's left; White may not take back at once.
    state = play("go:size=5", "B3 C3 A2 D2 B1 C1 C2 B2")
    assert picture(state)[-3:] == [".xo..", "xo.o.", ".xo.."]
    take_back = state.game.parse_move(state, "C2")
    with pytest.raises(IllegalMoveError, match="ko"):
        state.apply_move(take_back)
    for text in ("E5", "E4"):
        state = state.apply_move(state.game.parse_move(state, text))
    assert picture(state.apply_move(take_back))[-2] == "x.xo."


def test_situational_superko_beyond_the_simple_ko() -> None:
    """A play is legal exactly if no earlier state had the stones and the mover it leads to."""
    game = get_game("go:size=3")
    met = 0
    for seed in range(400 if RUN_ALL else 40):
        for state in random_game(game, seed, max_plies=60, passes=False)[:-1]:
            if state.is_over():
                continue
            seen = _situations(state)
            for action in range(game.num_actions - 1):
                move = game.move_of(action)
                point = kernel.point_of(game.size, action)
                turn = state.next_player.index
                if not board.is_playable(state.kernel_state, point, turn):
                    continue
                target = game.scratch_state(state.kernel_state)
                kernels.copy_into(target, state.kernel_state)
                kernels.play(target, action)
                repeats = (tuple(target.color), int(kernels.to_move(target))) in seen
                assert state.is_valid_move(move) == (not repeats)
                met += repeats
    assert met > 10


def _situations(state: GameState | None) -> set:
    """Every (stones, side to move) from the start of the game to `state`."""
    seen = set()
    while state is not None:
        seen.add((tuple(state.kernel_state.color), state.next_player.index))
        state = state.previous_state
    return seen


def test_passes_are_exempt_from_superko_and_two_end_the_game() -> None:
    state = play("go:size=3", "B2 pass pass")
    assert state.is_over()
    assert state.winner() is Player.black
    assert state.game.margin(state) == 9 - 7.5


@pytest.mark.parametrize(
    ("moves", "point", "eye"),
    [
        ("A2 E5 B1 E4 B2", "A1", True),  # corner: both sides and the diagonal
        ("A2 E5 B1 E4", "A1", False),  # the diagonal is open
        ("A1 E5 A3 E4 B2 E3 B1 E2 B3", "A2", True),  # edge: needs both diagonals
        ("A1 B3 A3 E4 B2 E3 B1", "A2", False),
        ("B2 E5 C1 E4 D2 E3 C3 A5 B1 A4 D1 A3 B3", "C2", True),  # middle: three of four
        ("B2 E5 C1 D3 D2 B3 C3 A5 B1 A4 D1", "C2", False),
    ],
)
def test_eyes(moves: str, point: str, eye: bool) -> None:
    state = play("go:size=5", moves)
    action = state.game.action_of(state.game.parse_move(state, point))
    index = kernel.point_of(5, action)
    assert board.is_eye(state.kernel_state, index, Player.black.index) == eye
    assert not board.is_eye(state.kernel_state, index, Player.white.index)


@pytest.mark.parametrize("size", [2, 3, 5, 9, 19, 25])
def test_incremental_board_equals_one_built_from_the_stones(size: int) -> None:
    """Keys, chains, liberties and the list of empty points, after every move."""
    game = get_game("go", size=size)
    for seed in range(3 if size < 19 or RUN_ALL else 1):
        for state in random_game(game, seed, max_plies=3 * size * size, passes=False)[::7]:
            _check_board(state)


def _check_board(state: GameState) -> None:
    position = state.kernel_state
    size = state.game.size
    color = position.color
    points = [kernel.point_of(size, action) for action in range(size * size)]
    stones_key = 0
    for point in points:
        if color[point] <= board.WHITE:
            stones_key ^= int(board.STONES[color[point], point])
    assert position.info[board.STONES_KEY] == stones_key
    empties = position.empties[: position.info[board.N_EMPTY]].tolist()
    assert sorted(empties) == [point for point in points if color[point] == board.EMPTY]
    assert all(position.slot[point] == i for i, point in enumerate(empties))
    steps = (1, -1, size + 2, -size - 2)
    done = set()
    for start in points:
        if color[start] > board.WHITE or start in done:
            continue
        chain, frontier, pairs = {start}, [start], []
        while frontier:
            stone = frontier.pop()
            for step in steps:
                near = stone + step
                if color[near] == color[start] and near not in chain:
                    chain.add(near)
                    frontier.append(near)
                if color[near] == board.EMPTY:
                    pairs.append(near)
        done |= chain
        names = {int(position.chain[stone]) for stone in chain}
        assert len(names) == 1
        name = names.pop()
        assert position.n_stones[name] == len(chain)
        assert pairs, "a chain without liberties is on the board"
        assert position.liberties[name] == sum(int(board.liberty_word(p)) for p in pairs)
        assert board.in_atari(position, name) == (len(set(pairs)) == 1)


def test_history_grows_with_long_games() -> None:
    """More positions than the first history holds, and superko still sees the first ones."""
    states = random_game(get_game("go:size=5"), seed=11, max_plies=300, passes=False)
    last = states[-1]
    remembered = last.kernel_state.history[: last.kernel_state.info[board.N_HISTORY]]
    assert len(remembered) == len(states)
    assert len(last.kernel_state.history) >= len(states) > 64
