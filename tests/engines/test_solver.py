"""The Connect Four solver against published scores, another solver, and itself."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dlgo import GameState, SpecError, get_game
from dlgo.games.connect4.board import playable, winning_cells
from engines.registry import build_engine
from engines.solver import search
from engines.solver.solver import Solver, pack, words_of
from engines.solver.zugzwang import UNKNOWN, zugzwang_verdict
from tests.conftest import RUN_ALL, random_game

GAME = get_game("connect4")
NO_BOOK = search.ALL_FEATURES & ~search.BOOK  # these tests are of the search
# Positions of the published sets (Pons), a few of each.
PUBLISHED = {
    "4455": 18, "44455554221": -15,
    "32164625": 11, "6146": 18, "243335424257": 12,
    "5554224333234511764415115": 4, "52753311433677442422121": 8,
    "1233722555341451114725221333": -1,
    "2252576253462244111563365343671351441": -1, "7422341735647741166133573473242566": 1,
    "23163416124767223154467471272416755633": 0,
    # Three in the bottom row: the fourth stone wins, 22 - 4.
    "112233": 18, "44332": -18, "443322": 18,
}


def position(columns: str) -> GameState:
    return GAME.start().play(*columns)


def random_positions(n: int, plies: range, seed: int = 0) -> list[GameState]:
    """Unfinished positions after a random number of random moves."""
    generator = np.random.default_rng(seed)
    positions: list[GameState] = []
    while len(positions) < n:
        game = random_game(GAME, seed=int(generator.integers(1 << 30)))
        ply = int(generator.choice(plies))
        if ply < len(game) and not game[ply].is_over():
            positions.append(game[ply])
    return positions


def columns_of(state: GameState) -> list[int]:
    return [move.place for move in state.moves()]


@pytest.fixture(scope="module")
def solver() -> Solver:
    return Solver(20, NO_BOOK)


def test_published_scores(solver: Solver) -> None:
    assert {columns: solver.score(position(columns)) for columns in PUBLISHED} == PUBLISHED


@pytest.mark.parametrize("name", ["Test_L3_R1", "Test_L2_R1", "Test_L1_R1"])
def test_every_position_of_the_published_sets(
    name: str, oracles: Path, solver: Solver
) -> None:
    rows = [line.split() for line in (oracles / "connect4" / name).read_text().splitlines()]
    scores = solver.solve_many(pack(position(columns) for columns, _ in rows))
    assert len(rows) == 1000
    assert scores.tolist() == [int(score) for _, score in rows]


def test_another_solver_agrees(solver: Solver) -> None:
    core = pytest.importorskip("bitbully.bitbully_core", reason="needs bitbully")
    other = core.BitBullyCore()
    states = random_positions(80, range(12, 36), seed=3)
    expected = []
    for state in states:
        board = core.BoardCore()
        assert board.setBoard([column - 1 for column in columns_of(state)])
        expected.append(other.nullWindow(board))
    assert solver.solve_many(pack(states)).tolist() == expected
    assert [solver.score(state) for state in states] == expected


def test_no_technique_changes_a_score() -> None:
    states = pack(random_positions(60, range(20, 40), seed=7))
    expected = Solver(table_bits=12, features=0).solve_many(states)
    for bit in range(len(search.FEATURES)):
        assert np.array_equal(Solver(12, 1 << bit).solve_many(states), expected)
        assert np.array_equal(
            Solver(12, search.ALL_FEATURES ^ (1 << bit)).solve_many(states), expected
        )
    assert np.array_equal(Solver(table_bits=4).solve_many(states), expected)


def test_parity_rules_prove_only_what_is_true() -> None:
    """Wherever they give a verdict, a search without them finds the same."""
    plain = Solver(18, search.ALL_FEATURES & ~search.ZUGZWANG)
    verdicts = {0: 0, 1: 0}
    for state in random_positions(1200 if RUN_ALL else 500, range(18, 36), seed=8):
        own, mask = words_of(state)
        stones = mask.bit_count()
        score = plain.score(state)
        if (winning_cells(own, mask) | winning_cells(own ^ mask, mask)) & playable(mask):
            continue  # somebody wins at once, or must be stopped: the rules are not asked
        for target in range(-4, 5):
            verdict = zugzwang_verdict(own, mask, stones, target)
            if verdict != UNKNOWN:
                assert verdict == (score >= target)
                verdicts[verdict] += 1
    assert min(verdicts.values()) > 10


def test_the_engine_never_lets_a_result_slip(solver: Solver) -> None:
    engine = build_engine("solver:tt=18", GAME)
    opponent = build_engine("random", GAME, seed=1)
    for opening in random_positions(12, range(14, 18), seed=10):
        state, player = opening, opening.next_player
        promised = -1
        while not state.is_over():
            if state.next_player == player:
                decision = engine.select_move(state)
                assert decision.proven == decision.value == np.sign(solver.score(state))
                assert decision.proven >= promised
                promised = decision.proven
                state = state.apply_move(decision.move)
            else:
                state = state.apply_move(opponent.select_move(state).move)
        result = 0 if state.winner() is None else 1 if state.winner() == player else -1
        assert result >= promised


def test_the_principal_variation_ends_when_the_score_says(solver: Solver) -> None:
    engine = build_engine("solver:tt=18", GAME)
    for state in random_positions(30, range(14, 41), seed=11):
        score = solver.score(state)
        for move in engine.select_move(state).pv:
            state = state.apply_move(move)
        assert state.is_over()
        if score:
            assert (44 - len(state.moves())) // 2 == abs(score)
        else:
            assert state.winner() is None


def test_other_games_and_finished_ones_are_refused(solver: Solver) -> None:
    for columns in ("1122334", "1212121"):
        with pytest.raises(ValueError, match="over"):
            solver.score(position(columns))
    with pytest.raises(SpecError, match="plays connect4 and draughts only, not tictactoe"):
        build_engine("solver", get_game("tictactoe"))
