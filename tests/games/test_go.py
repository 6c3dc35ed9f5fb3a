"""Go's rules against OpenSpiel and sgfmill."""

from __future__ import annotations

import numpy as np
import pytest

from dlgo import GameSpec, GameState, IllegalMoveError, Player, get_game, kernels
from dlgo.games.go import board
from dlgo.games.go.scoring import score
from tests.conftest import RUN_ALL, random_game


def play(game: str | GameSpec, moves: str) -> GameState:
    """Play moves such as `C3 pass`, black first."""
    return get_game(game).start().play(*moves.split())


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


# Random games by board size, about 100,000 moves in all; by default a third of them.
OPENSPIEL_GAMES = {3: 200, 5: 200, 9: 200 if RUN_ALL else 100, 13: 30 if RUN_ALL else 15,
                   19: 12 if RUN_ALL else 8}


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


def test_history_grows_with_long_games() -> None:
    """More positions than the first history holds, and superko still sees the first ones."""
    states = random_game(get_game("go:size=5"), seed=11, max_plies=300, passes=False)
    last = states[-1]
    remembered = last.kernel_state.history[: last.kernel_state.info[board.N_HISTORY]]
    assert len(remembered) == len(states)
    assert len(last.kernel_state.history) >= len(states) > 64
