"""Levels of the built-in games: measured, without gaps, and not blind to what is obvious."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from dlgo import GameState, get_game
from dlgo.games import GAMES
from engines.registry import EngineSpec
from experiments.arena.planfile import read_plan
from experiments.studio.levels import Level, levels
from experiments.tab.programs import entrants
from experiments.tab.site import GAMES as TAB_GAMES
from tests.command import ROOT
from tests.conftest import random_game

PLANS = sorted((ROOT / "experiments" / "plans").glob("levels_*.toml"))
BOARDS = [*levels()]
# From this level on, an engine sees what is obvious.
SEEING = 3
POSITIONS = 3
# Measured before searches could obey rules of thumb: levels 3 and 4 have too few simulations.
BLIND = ("connect4", "connectn", "draughts")
# Boards of a tab without levels.
UNMEASURED = {"connectn:cols=9,rows=9,n=5,gravity=false", "go:size=5,komi=24.5"}
# Engines that capture are so much stronger than random moves that simpler ones stand between.
BLIND_IN_GO = [f"mcts:sims={sims}" for sims in (30, 80, 200)]
# Black to move takes five stones, on 5x5 three.
FIGHT = "C4 D4 C5 D5 D6 E4 E6 E5 F5 E3 F4 C6 D3 B4 F3 D2 G2 F2", "E2"
SMALL_FIGHT = "B4 A3 C4 B3 D3 C3 A2 D2 B2 B1 C2 C1 E2 D1", "A4"


@pytest.mark.parametrize("path", PLANS, ids=[path.stem for path in PLANS])
def test_levels_are_a_plan_s_engines_each_stronger_than_the_one_below(path: object) -> None:
    plan, _ = read_plan(str(path), {})
    for game in plan.games:
        rows = levels()[game]
        assert [row.level for row in rows] == list(range(1, len(rows) + 1))
        assert {row.engine for row in rows} <= {*plan.entrants}
        assert (rows[0].engine, rows[0].elo) == ("random", 0)
        for below, row in itertools.pairwise(rows):
            assert 0 < row.step_low <= row.elo - below.elo and row.low <= row.elo <= row.high
            EngineSpec.parse(row.engine).build(get_game(game), 0).close()


def test_every_level_is_of_a_plan() -> None:
    games = [game for path in PLANS for game in read_plan(path, {})[0].games]
    assert sorted(games) == sorted(BOARDS)


def test_every_game_has_levels_and_every_board_of_a_tab() -> None:
    boards = [str(get_game(name)) for name in (*GAMES.built_in, *TAB_GAMES)]
    assert {*boards} - {*BOARDS} == UNMEASURED
    assert min(map(len, levels().values())) >= 5


@pytest.mark.parametrize("board", BOARDS)
def test_no_step_is_above_400_elo(board: str) -> None:
    steps = {row.engine: row.elo - below.elo for below, row in itertools.pairwise(levels()[board])}
    assert max(steps.values()) <= 400, steps


@pytest.mark.parametrize("name", [
    name for name in TAB_GAMES if str(get_game(name)) not in UNMEASURED])
def test_a_tab_can_have_every_level(name: str) -> None:
    """Only the solver's choice among equal moves needs Python."""
    game = get_game(name)
    specs = [row.engine for row in levels()[str(game)] if row.engine != "solver:vary=true"]
    assert entrants(game, specs)


def games_of(board: str) -> Iterator[list[GameState]]:
    """Random games that the last move has won, from the start to the end."""
    for seed in itertools.count():
        states = random_game(get_game(board), seed)
        if len(states) > 3 and states[-1].winner() is states[-2].next_player:
            yield states


def wins(state: GameState) -> bool:
    """Whether the player to move has a move that wins at once."""
    return any(state.apply_move(move).winner() is state.next_player
               for move in state.legal_moves())


def threatened(board: str) -> Iterator[GameState]:
    """Positions in which some moves lose at once and others do not."""
    for states in games_of(board):
        state = states[-3]
        if states[-2].next_player is not state.next_player and not wins(state) and not all(
                loses(state.apply_move(move), state) for move in state.legal_moves()):
            yield state


def loses(after: GameState, before: GameState) -> bool:
    """Whether a move has given the opponent a win at once, or lost."""
    if after.is_over():
        return after.winner() is before.next_player.other
    return after.next_player is not before.next_player and wins(after)


def seeing(board: str) -> list[Level]:
    return [row for row in levels()[board] if row.level >= SEEING]


@pytest.mark.slow
@pytest.mark.parametrize("board", [
    board for board in BOARDS if not board.startswith(("go:", *BLIND))])
def test_from_level_3_on_a_win_in_one_is_taken_and_a_loss_in_one_is_seen(board: str) -> None:
    winning = [states[-2] for states in itertools.islice(games_of(board), POSITIONS)]
    dangerous = [*itertools.islice(threatened(board), POSITIONS)]
    for row in seeing(board):
        engine = EngineSpec.parse(row.engine).build(get_game(board), 1)
        for state in winning:
            assert state.apply_move(engine.select_move(state).move).winner() is state.next_player
        for state in dangerous:
            assert not loses(state.apply_move(engine.select_move(state).move), state), row
        engine.close()


@pytest.mark.slow
@pytest.mark.parametrize("board", [board for board in BOARDS if board.startswith("go:")])
def test_from_level_3_on_a_capture_is_seen_in_go(board: str) -> None:
    """Black takes the stones that cut its own in two, or loses the fight."""
    moves, capture = SMALL_FIGHT if get_game(board).board_cols == 5 else FIGHT
    state = get_game(board).start().play(*moves.split())
    for row in seeing(board):
        if row.engine in BLIND_IN_GO:
            continue
        engine = EngineSpec.parse(row.engine).build(get_game(board), 1)
        for seed in range(5):
            engine.new_game(seed)
            assert state.game.move_text(engine.select_move(state).move) == capture, row
        engine.close()
