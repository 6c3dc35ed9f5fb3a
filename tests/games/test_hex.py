"""Hex against rules written from the geometry of the board, OpenSpiel, and known values."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dlgo import GameState, Move, Player, Point, get_game, kernels
from dlgo.errors import DlgoError, IllegalMoveError, NotationError
from dlgo.games.hex.state import SWAP, Hex
from dlgo.rng import make_rng
from engines.registry import build_engine
from engines.solver.outcomes import outcomes_of
from experiments.measures.hex import draw_classes
from tests.conftest import random_game

Cells = frozenset[tuple[int, int]]


# Slow rules: hexagons are neighbours if their middles are one apart. A row is half a cell to the
# left of the row below.


@functools.cache
def neighbours(size: int) -> dict[tuple[int, int], list[tuple[int, int]]]:
    cells = [(row, col) for row in range(size) for col in range(size)]

    def middle(cell: tuple[int, int]) -> tuple[float, float]:
        return cell[1] - cell[0] / 2, cell[0] * math.sqrt(3) / 2

    return {
        one: [other for other in cells if 0 < math.dist(middle(one), middle(other)) < 1.1]
        for one in cells
    }


def joined(stones: Iterable[tuple[int, int]], player: int, size: int) -> bool:
    """Whether stones join bottom and top (player 0), or left and right (player 1)."""
    own = set(stones)
    waiting = [cell for cell in own if cell[player] == 0]
    reached = set(waiting)
    while waiting:
        cell = waiting.pop()
        if cell[player] == size - 1:
            return True
        fresh = [other for other in neighbours(size)[cell] if other in own - reached]
        reached.update(fresh)
        waiting += fresh
    return False


def count(size: int, plies: int, stones: tuple[Cells, Cells] = (frozenset(), frozenset())) -> int:
    """Sequences of moves by the slow rules."""
    if plies == 0:
        return 1
    player = len(stones[0]) - len(stones[1])
    if joined(stones[1 - player], 1 - player, size):
        return 0
    free = neighbours(size).keys() - stones[0] - stones[1]
    total = 0
    for cell in free:
        after = stones[player] | {cell}
        total += count(size, plies - 1, (after, stones[1]) if player == 0 else (stones[0], after))
    return total


@functools.cache
def mover_wins(size: int, own: Cells, other: Cells, player: int) -> bool:
    """Full search by the slow rules, with results kept."""
    for cell in neighbours(size).keys() - own - other:
        after = own | {cell}
        if joined(after, player, size) or not mover_wins(size, other, after, 1 - player):
            return True
    return False


def stones_of(state: GameState, player: int) -> list[tuple[int, int]]:
    return [(point.row - 1, point.col - 1) for point, owner in state.game.stones(state).items()
            if owner.index == player]


@pytest.mark.parametrize(("size", "depth"), [(2, 4), (3, 7), (4, 4)])
def test_sequences_of_moves_are_as_many_as_by_the_slow_rules(size: int, depth: int) -> None:
    game = Hex(size=size)
    for plies in range(1, depth + 1):
        assert game.perft(game.new_kernel_state(), plies) == count(size, plies)


@pytest.mark.parametrize("size", [2, 3, 5, 8, 11])
def test_random_games_end_with_the_first_chain(size: int) -> None:
    for seed in range(10 if size < 11 else 2):
        for state in random_game(Hex(size=size), seed):
            chains = [joined(stones_of(state, player), player, size) for player in (0, 1)]
            assert state.is_over() == any(chains)
        assert state.result() == chains[0] - chains[1]
        won = [(point.row - 1, point.col - 1) for point in state.game.winning_cells(state)]
        winner = 0 if chains[0] else 1
        assert set(won) <= set(stones_of(state, winner)) and joined(won, winner, size)
        assert not any(joined(set(won) - {cell}, winner, size) for cell in won)


@pytest.mark.parametrize("size", [3, 11])
def test_random_games_agree_with_openspiel(size: int) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    game = Hex(size=size)

    def flipped(action: int) -> int:  # its row 0 is at the top
        return (size - 1 - action // size) * size + action % size

    for seed in range(10):
        theirs = pyspiel.load_game(f"hex(board_size={size})").new_initial_state()
        for ours in random_game(game, seed):
            if ours.last_move:
                theirs.apply_action(flipped(game.action_of(ours.last_move)))
            assert ours.is_over() == theirs.is_terminal()
            if not ours.is_over():
                assert sorted(map(flipped, ours.legal_actions())) == theirs.legal_actions()
        assert ours.result() == theirs.returns()[0]


@settings(max_examples=60)
@given(st.integers(2, 7), st.integers(0, 2**32), st.floats(0, 1))
def test_a_full_board_has_exactly_one_winner(size: int, seed: int, share: float) -> None:
    """Gale 1979, by the slow rules. A rollout knows the winner before the board is full."""
    generator = np.random.default_rng(seed)
    red = {cell for cell in neighbours(size) if generator.random() < share}
    assert joined(red, 0, size) != joined(neighbours(size).keys() - red, 1, size)
    game, state = Hex(size=size), GameState.new_game(Hex(size=size))
    for action in generator.permutation(size**2)[: int(share * size)]:
        state = state.apply_move(game.move_of(action))
    work, played = game.scratch_state(state.kernel_state), np.full(size**2, -1, np.int8)
    result = kernels.heavy_rollout(work, make_rng(seed), np.empty(size**2, np.int64), played)
    cells = np.array([kernels.piece(work, cell) for cell in range(size**2)])
    before = np.array([kernels.piece(state.kernel_state, cell) for cell in range(size**2)])
    assert np.array_equal(np.where(before < 0, cells, -1), played)
    assert all((cells == player).sum() <= (size**2 + 1 - player) // 2 for player in (0, 1))
    for rest in (0, 1):  # whoever gets the cells that were left out
        full = np.where(cells < 0, rest, cells)
        red = {divmod(int(cell), size) for cell in np.flatnonzero(full == 0)}
        assert (result == 1) == joined(red, 0, size)


# Known values ------------------------------------------------------------------------------


def first_player_wins(spec: str, *moves: str) -> bool:
    state = get_game(spec).start().play(*moves)
    decision = build_engine("alphabeta:depth=20,solve=yes", state.game, 1).select_move(state)
    assert decision.proven is not None
    return decision.proven == (1 if state.next_player is Player.black else -1)


@pytest.mark.parametrize("size", [2, 3, 4])
def test_the_first_player_wins_and_with_a_swap_the_second(size: int) -> None:
    """Nash's argument: a stone more never hurts, so the second player cannot be winning."""
    assert first_player_wins(f"hex:size={size}")
    assert not first_player_wins(f"hex:size={size},swap=yes")


@pytest.mark.parametrize(("size", "openings"), [
    (2, "a2 b1"), (3, "a2 a3 b2 c1 c2"), (4, "a4 b3 c2 d1"),
])
def test_openings_win_as_by_the_slow_rules(size: int, openings: str) -> None:
    game, winning = Hex(size=size), set()
    for row, col in neighbours(size):
        text = game.move_text(Move.play(Point(row + 1, col + 1)))
        wins = first_player_wins(str(game), text)
        if size < 4:  # two minutes for the largest
            assert wins != mover_wins(size, frozenset(), frozenset({(row, col)}), 1)
        winning |= {text} if wins else set()
    assert sorted(winning) == openings.split()


def test_exact_results_of_moves_are_those_of_the_slow_rules() -> None:
    game, positions = Hex(size=3), draw_classes(3, 20, 1)
    for position in (*positions["early"], *positions["late"]):
        player = position.state.next_player.index
        own, other = (frozenset(stones_of(position.state, side)) for side in (player, 1 - player))
        for action, result in position.outcomes.items():
            after = own | {divmod(action, 3)}
            wins = joined(after, player, 3) or not mover_wins(3, other, after, 1 - player)
            assert result == (1 if wins else -1)
        assert set(position.outcomes) == set(position.state.legal_actions().tolist())
        assert position.asks and position.value == 1
    assert sum(positions.values(), []) == sum(draw_classes(3, 20, 1).values(), [])
    assert outcomes_of(game) and outcomes_of(Hex(size=5)) is None
    with pytest.raises(DlgoError, match="hex:size=5 has no solved positions; use a size of up to"):
        draw_classes(5, 20, 1)
    with pytest.raises(DlgoError, match="too few positions of hex:size=2; ask for fewer"):
        draw_classes(2, 20, 1)


# The swap, notation, symmetry --------------------------------------------------------------


def test_a_swap_takes_the_stone_over_to_its_mirror_image() -> None:
    state = get_game("hex:size=5,swap=yes").start()
    with pytest.raises(IllegalMoveError, match="only the first reply may be a swap"):
        state.play("swap")
    state = state.play("a2", "Swap")
    assert state.game.stones(state) == {Point(5, 2): Player.white}  # b1
    assert (state.next_player, state.last_move) == (Player.black, SWAP)
    assert state.game.last_cell(state) == Point(5, 2)
    for later in (state, state.play("c3"), state.game.start().play("a2", "b2")):
        assert SWAP not in later.legal_moves()
    with pytest.raises(NotationError, match="'swap' is not a cell: write a1 to e5$"):
        get_game("hex:size=5").start().play("a2", "swap")


def test_cells_are_written_as_hex_players_do() -> None:
    """Rows from the top, and the letter I is used."""
    game = get_game("hex")
    state = game.start().play("a1", "I11")
    assert game.stones(state) == {Point(11, 1): Player.black, Point(1, 9): Player.white}
    for text in ("a0", "a12", "l1", "1a", "a", "", "a1b"):
        with pytest.raises(NotationError, match="is not a cell: write a1 to k11"):
            game.parse_move(state, text)
    with pytest.raises(IllegalMoveError, match="a1 is illegal.*: the cell is taken"):
        state.play("a1")
