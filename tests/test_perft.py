"""Perft: counts that others have published, or that OpenSpiel reproduces."""

from __future__ import annotations

import pytest

from dlgo import GameSpec, GameState, get_game

DRAUGHTS = [7, 49, 302, 1469, 7361, 36768, 179740, 845931, 3963680]  # whole moves, not jumps
TIC_TAC_TOE = [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]
CONNECT_FOUR = [7, 49, 343, 2401, 16807, 117649, 823536, 5673234]
# Passes are moves. The next count published is 24571284, with a pass after each of the 228 games
# that are over.
OTHELLO = [4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288, 24571284 - 228]


def counts_of(game: GameSpec, depth: int) -> list[int]:
    """The sequences of 1 to `depth` moves."""
    start = GameState.new_game(game).kernel_state
    return [game.perft(start, plies) for plies in range(1, depth + 1)]


@pytest.mark.parametrize(
    ("game", "counts"),
    [("tictactoe", TIC_TAC_TOE), ("connect4", CONNECT_FOUR), ("draughts", DRAUGHTS),
     ("othello", OTHELLO), ("breakthrough:rows=6,cols=6", [16, 256, 4308, 71478])],
)
def test_published_counts(game: str, counts: list[int]) -> None:
    assert counts_of(get_game(game), len(counts)) == counts


def test_complete_games_of_tic_tac_toe() -> None:
    """255,168 games (OEIS A061526): sequences that end at each length."""
    game = get_game("tictactoe")
    counts = [1, *counts_of(game, 9)]
    # A sequence of length n is extended in 9 - n ways, unless the game is over.
    over = [counts[n] - counts[n + 1] // (9 - n) for n in range(9)] + [counts[9]]
    assert sum(over) == 255168


def test_two_by_two_go_with_positional_counts_by_hand() -> None:
    """The first plies of 2x2 Go: 5 moves, then 4 (three points, pass), 5 after a pass."""
    counts = counts_of(get_game("go:size=2"), 2)
    assert counts == [5, 4 * 4 + 5]
