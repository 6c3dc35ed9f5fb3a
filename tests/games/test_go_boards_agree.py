"""The textbook boards and the fast one agree, in random games and in those of people."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from dlgo import GameState, Move, kernels
from dlgo.games.go.textbook import TextbookState, is_point_an_eye
from dlgo.games.go.textbook_zobrist import ZobristState
from dlgo.records.sgf import read_sgf, replay
from tests.conftest import RUN_ALL
from tests.games.test_go_textbook import NEW_GAME, stones


def agree(fast: GameState, books: list[TextbookState], legal: bool) -> None:
    """Compare all that can be seen of a position; the legal moves only if `legal`."""
    there, moves = stones(fast), fast.legal_moves()
    actions = np.empty(fast.game.num_actions, np.int64)
    for book in books:
        assert stones(book) == there
        assert book.next_player is fast.next_player
        assert book.is_over() == fast.is_over()
        assert book.winner() is fast.winner()
        assert book.margin() == fast.game.margin(fast)
        if not legal:
            continue
        assert book.legal_moves() == moves
        if not fast.is_over():
            n = kernels.search_actions(fast.kernel_state, actions)
            assert [fast.game.move_of(action) for action in actions[:n]] == [
                move for move in moves
                if move.is_pass or not is_point_an_eye(book.board, move.point, book.next_player)
            ]


# Games for each size. On 19x19 the slow comparison of legal moves is made at every 8th ply.
LOCKSTEP = (
    {2: 150, 3: 250, 4: 30, 5: 15, 6: 8, 7: 5, 8: 3, 9: 3, 13: 1, 19: 1} if RUN_ALL
    else {2: 60, 3: 60, 5: 5, 9: 1, 19: 1}
)


@pytest.mark.parametrize("size", LOCKSTEP)
def test_boards_agree_on_random_games(size: int) -> None:
    """Random legal moves, own eyes filled too: strings of all shapes live and die."""
    superko = 0
    for seed in range(LOCKSTEP[size]):
        rng = random.Random(f"{size} {seed}")
        komi = rng.choice([0.0, 0.5, 7.5])
        fast, *books = (NEW_GAME[board](size, komi) for board in ("fast", "zobrist", "sets"))
        for ply in range(3 * size * size if RUN_ALL else min(3 * size * size, 200)):
            agree(fast, books, legal=size < 19 or ply % 8 == 0 or RUN_ALL)
            if fast.is_over():
                break
            moves = fast.legal_moves()
            superko += size < 5 and any(
                fast.game.why_illegal(fast, Move.play(point)).startswith("superko")
                for point in books[0].board.points() if Move.play(point) not in moves
            )
            # Mostly plays: passes come by chance only, and the game goes on after one.
            move = rng.choice(moves[:-1] if len(moves) > 1 and rng.random() < 0.9 else moves)
            fast, *books = (state.apply_move(move) for state in (fast, *books))
    if size in (2, 3):
        assert superko > (10 if RUN_ALL else 1)  # the rule was met, so it was compared


def test_human_games(oracles: Path) -> None:
    """250 games of strong players: every move is legal, and the boards show the same stones."""
    paths = sorted((oracles / "sgf" / "human_19x19").glob("*.sgf"))
    if not paths:
        pytest.skip("needs the games in shared/oracles/sgf/human_19x19")
    played = paths if RUN_ALL else paths[::5]
    compared = set(paths if RUN_ALL else random.Random(3).sample(played, 6))
    moves = 0
    for path in played:
        record = read_sgf(path)
        book = ZobristState.new_game(record.size, record.komi) if path in compared else None
        states = replay(record)
        next(states)
        for state in states:
            moves += 1
            if book:
                book = book.apply_move(state.last_move)
                assert stones(book) == stones(state)
                assert book.next_player is state.next_player
    assert len(paths) == 250 and (moves == 48_469 if RUN_ALL else 9_000 < moves < 11_000)
