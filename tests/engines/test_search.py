"""Search against exact values: tic-tac-toe in full, Connect Four and Go where they are known."""

from __future__ import annotations

import functools

import pytest

from dlgo import GameState, Move, get_game
from engines.base import Engine
from engines.registry import build_engine
from tests.conftest import RUN_ALL, random_game

TIC_TAC_TOE = get_game("tictactoe")


@functools.cache
def minimax(state: GameState) -> int:
    """Exact value for the player to move, by full search through the public API."""
    if state.is_over():
        winner = state.winner()
        return 0 if winner is None else (1 if winner is state.next_player else -1)
    return max(-minimax(state.apply_move(move)) for move in state.legal_moves())


def all_positions() -> list[GameState]:
    """The 4,520 positions of tic-tac-toe in which there is a move to make."""
    positions = {}
    frontier = [GameState.new_game(TIC_TAC_TOE)]
    while frontier:
        state = frontier.pop()
        if state.key() in positions or state.is_over():
            continue
        positions[state.key()] = state
        frontier += [state.apply_move(move) for move in state.legal_moves()]
    return list(positions.values())


def test_alphabeta_solves_every_position_of_tic_tac_toe() -> None:
    engine = build_engine("alphabeta:depth=9", TIC_TAC_TOE)
    positions = all_positions()
    assert len(positions) == 4520
    for state in positions[::3]:
        decision = engine.select_move(state)
        assert decision.proven == minimax(state)
        assert -minimax(state.apply_move(decision.move)) == minimax(state)


def never_loses(engine: Engine, side: int, starts: list[GameState]) -> None:
    """Play all replies to what the engine does; it must hold every draw and win some games.

    Against random replies every engine that sees wins must win; and the opponent's replies alone
    make more positions than the least that is asked here.
    """
    frontier = list(starts)
    answers: dict[GameState, Move] = {}
    wins = 0
    while frontier:
        state = frontier.pop()
        if state.is_over():
            assert state.winner() is None or state.winner().index == side, f"it lost:\n{state}"
            wins += state.winner() is not None
        elif state.next_player.index != side:
            frontier += [state.apply_move(move) for move in state.legal_moves()]
        elif state not in answers:
            answers[state] = engine.select_move(state).move
            frontier.append(state.apply_move(answers[state]))
            assert minimax(frontier[-1]) <= 0, f"{answers[state]} gives the draw away:\n{state}"
    assert wins > 10
    # As first player: 8 replies to the first move, and (it cannot have won yet) 6 to the second.
    assert len(answers) > 8 + 8 * 6 / 2


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("spec", ["alphabeta:depth=9", "mcts:sims=2000"])
def test_it_never_loses_tic_tac_toe_whatever_the_replies(spec: str, side: int) -> None:
    never_loses(build_engine(spec, TIC_TAC_TOE, seed=3), side, [GameState.new_game(TIC_TAC_TOE)])


def connect4(columns: str) -> GameState:
    state = GameState.new_game(get_game("connect4"))
    for column in columns:
        state = state.apply_move(Move.play(int(column)))
    return state


def test_short_tactics_in_connect_four() -> None:
    for columns, best in (
        ("121212", {1}),  # complete four
        ("12121", {1}),  # stop four
        ("4433", {2, 5}),  # three in a row, open on both sides, cannot be stopped
    ):
        for spec in ("alphabeta:depth=3", "mcts:sims=400"):
            state = connect4(columns)
            decision = build_engine(spec, state.game, seed=1).select_move(state)
            assert decision.move.place in best, (columns, spec)


def test_proven_wins_are_told_from_estimates() -> None:
    state = connect4("121212")
    for spec in ("alphabeta:depth=1", "mcts:sims=100"):
        decision = build_engine(spec, state.game, seed=1).select_move(state)
        assert decision.proven == 1
        assert decision.value == 1.0
    start = connect4("")
    for spec in ("alphabeta:depth=4", "mcts:sims=100"):
        decision = build_engine(spec, start.game, seed=1).select_move(start)
        assert decision.proven is None
        assert abs(decision.value) < 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["connect4", "connectn:cols=5,rows=5", "connectn:cols=4,rows=4,gravity=no"]
)
@pytest.mark.parametrize("options", ["", ",solve=yes"] if RUN_ALL else [",solve=yes"])
def test_forced_moves_do_not_change_the_result(name: str, options: str) -> None:
    """The search, which follows forced moves only, against minimax over all legal moves."""
    game = get_game(name)
    engine = build_engine(f"alphabeta:depth=42{options}", game)
    cells = game.board_rows * game.board_cols
    checked = 0
    for seed in range(150):
        states = random_game(game, seed)
        if len(states) > cells - 9 and checked < (25 if RUN_ALL else 4):
            state = states[cells - 9]
            if not state.is_over():
                assert engine.select_move(state).proven == minimax(state)
                checked += 1
    assert checked > 3


def test_more_simulations_and_more_depth_are_stronger() -> None:
    """By a wide margin, so that the test does not depend on luck."""
    from experiments.arena.series import play_series

    game = get_game("connect4")
    for strong, weak, least in (
        ("mcts:sims=1000", "mcts:sims=30", 0.75),
        ("alphabeta:depth=6", "alphabeta:depth=1", 0.75),
        ("mcts:sims=30", "random", 0.75),
    ):
        series = play_series(game, strong, weak, pairs=15, seed=1)
        assert series.points / series.games >= least, str(series)
