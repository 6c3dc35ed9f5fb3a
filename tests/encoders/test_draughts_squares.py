"""The packed board of draughts: `turned` without the light squares, and what the rules say next."""

from __future__ import annotations

import numpy as np

from dlgo import GameState, get_game
from dlgo.encoders import get_encoder
from dlgo.games.draughts.board import BLACK, JUMPER, KINGS, TURN, WHITE, bit_of
from dlgo.games.draughts.kernel import JUMP
from dlgo.symmetry import exchange
from tests.conftest import random_game

GAME = get_game("draughts")
SQUARES, CAPTURES = get_encoder("squares", GAME), get_encoder("captures", GAME)
# Places of the pairs of planes, one for the lower and one for the upper square of each block.
JUMPER_PAIR, JUMPS, SAFE, EXPOSED, VICTIMS, THREATENING, THREATENED = 4, 6, 10, 14, 18, 19, 20
STEPS = ((-1, -1), (-1, 1), (1, -1), (1, 1))  # rows and columns, by direction


def games(count: int) -> list[GameState]:
    return [state for seed in range(count) for state in random_game(GAME, seed, 200)
            if not state.is_over()]


def unpacked(planes: np.ndarray, pair: int) -> np.ndarray:
    """Two planes on the whole board; its left corner at the bottom is dark."""
    board = np.zeros((8, 8), np.float32)
    board[0::2, 0::2] = planes[..., 2 * pair]
    board[1::2, 1::2] = planes[..., 2 * pair + 1]
    return board


def on_board(*numbers: int) -> np.ndarray:
    """A plane with 1 on some squares, by their standard numbers, as Black sees them."""
    board = np.zeros((8, 8), np.float32)
    for number in numbers:
        down, place = divmod(number - 1, 4)
        board[7 - down, 2 * place + (down + 1) % 2] = 1
    return board


def test_squares_are_the_turned_board_without_its_light_squares() -> None:
    turned = get_encoder("turned", GAME)
    assert SQUARES.shape == (4, 4, 12) and CAPTURES.shape == (4, 4, 42)
    jumping = 0
    for state in games(12):
        planes, whole = SQUARES.encode(state), turned.encode(state)
        for pair in range(5):
            assert np.array_equal(unpacked(planes, pair), whole[..., pair])
        assert (planes[..., 10:] == whole[:4, :4, 5:]).all()  # the same number everywhere
        assert np.array_equal(CAPTURES.encode(state)[..., :12], planes)
        jumping += int(unpacked(planes, JUMPER_PAIR).sum())
    assert jumping > 10


def seen_actions(state: GameState) -> list[int]:
    """The legal actions as the player to move sees them: square, direction, jump."""
    actions = state.legal_actions()
    if state.next_player.index == 0:
        return [int(action) for action in actions]
    return [int(action) for action in exchange(GAME).images(1, np.asarray(actions))]


def test_captures_foresee_what_the_rules_say_after_the_move() -> None:
    counts = np.zeros(3, int)
    for state in games(20):
        planes = CAPTURES.encode(state)
        found = {pair: set(zip(*np.nonzero(unpacked(planes, pair)), strict=True))
                 for pair in range(JUMPS, VICTIMS + 1)}
        wanted: dict[int, set] = {pair: set() for pair in found}
        for action, seen in zip(state.legal_actions(), seen_actions(state), strict=True):
            row, col = (int(side[0]) for side in np.nonzero(on_board((seen % JUMP) // 4 + 1)))
            direction = seen % 4
            if seen >= JUMP:
                pair = JUMPS
                down, right = STEPS[direction]
                wanted[VICTIMS].add((row + down, col + right))
            else:
                after = state.apply_move(GAME.move_of(int(action)))
                answers = [] if after.is_over() else after.legal_actions()
                pair = EXPOSED if any(answer >= JUMP for answer in answers) else SAFE
            wanted[pair + direction].add((row, col))
            counts[(pair - JUMPS) // 4] += 1
        assert found == wanted
    assert counts.min() > 300


def test_threats_are_the_captures_the_other_would_have_with_the_turn() -> None:
    """The same pieces with the other to move; nothing is in the middle of a jump."""
    threats = 0
    for state in games(20):
        words = state.kernel_state.words
        if words[JUMPER]:
            continue
        planes = CAPTURES.encode(state)
        pieces = [[f"{'K' * bool(words[KINGS] & bit_of(n))}{n}" for n in range(1, 33)
                   if words[player] & bit_of(n)] for player in (BLACK, WHITE)]
        other = GAME.from_fen(f"{'WB'[words[TURN]]}:B{','.join(pieces[0])}:W{','.join(pieces[1])}")
        if not other.is_over():
            theirs = CAPTURES.encode(other)
            jumpers = sum(unpacked(theirs, pair) for pair in range(JUMPS, JUMPS + 4)) > 0
            for pair, seen in ((THREATENING, jumpers), (THREATENED, unpacked(theirs, VICTIMS))):
                assert np.array_equal(unpacked(planes, pair)[::-1, ::-1], seen)  # half a turn
            threats += int(jumpers.any())
    assert threats > 100


def test_a_position_by_hand() -> None:
    """White's man on 18 can be jumped by the man on 14 or 15, and threatens nobody."""
    planes = CAPTURES.encode(GAME.from_fen("B:W18,K32:B14,15,2"))
    assert np.array_equal(unpacked(planes, JUMPS + 1), on_board(14))
    assert np.array_equal(unpacked(planes, JUMPS), on_board(15))
    assert np.array_equal(unpacked(planes, VICTIMS), on_board(18))
    assert np.array_equal(unpacked(planes, THREATENING), on_board(18))
    assert not planes[..., 2 * SAFE : 2 * VICTIMS].any()  # who can capture must
