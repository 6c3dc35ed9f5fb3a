"""Mistakes are counted by exact results: the perfect make none, the blind make many."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from dlgo import DlgoError, GameState, get_game
from engines.jobs import Processes
from engines.registry import build_engine
from experiments.measures import connect4, tictactoe
from experiments.measures.solved import exact_outcomes, solved_positions


@pytest.mark.slow
def test_a_perfect_player_never_loses_and_never_errs() -> None:
    engine = build_engine("alphabeta:depth=9", tictactoe.GAME, 1)
    for side in (0, 1):
        lines = tictactoe.every_line(engine, side)
        assert lines.lost == 0 and lines.won > 0 and lines.drawn > 0
    positions = tictactoe.all_positions()
    assert len(positions) == 4520  # 5,478 reachable positions, of which 958 are finished
    late = [position for position in positions if len(position.state.moves()) == 4]
    found = tictactoe.every_position(engine, late)
    assert found.positions == len(late) > 500
    assert found.mistakes == found.losing == 0
    assert positions[0].state == GameState.new_game(tictactoe.GAME)


def test_a_player_without_a_thought_loses_and_errs() -> None:
    """The lowest free cell: beaten by whoever sees a row coming."""

    class First:
        def new_game(self, seed):
            pass

        def select_move(self, state):
            from engines.base import Decision

            return Decision(state.legal_moves()[0])

    lines = tictactoe.every_line(First(), 1)
    assert lines.lost > 0 and lines.example
    found = tictactoe.every_position(First())
    assert 0.1 < found.losing / found.positions < found.share < 0.6


@pytest.fixture(scope="module")
def sets(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("sets") / "sets.json"
    path.write_text('{"portions": {}, "positions": {}}')  # not those that come with the project
    with Processes(1) as jobs:
        connect4.position_sets(path, ["L3_R1"], 12, jobs)
    return path


@pytest.mark.slow
def test_the_solver_makes_no_mistake_and_chance_does(sets: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(connect4.main, [
        "--engine", "solver", "--engine", "random", "--classes", "L3_R1", "--count", "12",
        "--sets", str(sets), "--workers", "1", "--csv", str(tmp_path / "table.csv"),
    ])
    assert result.exit_code == 0, result.output
    rows = [row.split(",") for row in (tmp_path / "table.csv").read_text().splitlines()]
    assert [row[0] for row in rows] == ["engine", "solver", "random"]
    assert rows[1][2] == rows[2][2] == "12"
    assert 0 < int(rows[1][3]) <= 12  # positions that ask something
    assert int(rows[1][4]) == 0 < int(rows[2][4]) <= int(rows[2][3])


def test_positions_are_unfinished_and_kept(sets: Path) -> None:
    game = get_game("connect4")
    rows = json.loads(sets.read_text())["positions"]["L3_R1"]
    before = sets.read_bytes()
    with Processes(1) as jobs:  # nothing is solved again
        kept = connect4.position_sets(sets, ["L3_R1"], 12, jobs)["L3_R1"]
    assert sets.read_bytes() == before
    assert [one.name for one in kept] == [row[0] for row in rows[:12]]
    for one in kept:
        assert [str(game.action_of(move) + 1) for move in one.state.moves()] == [*one.name]
        assert not one.state.is_over() and len(one.name) > 28
        assert {game.action_of(move) for move in one.state.legal_moves()} == set(one.outcomes)
    assert 0 < sum(one.asks for one in kept) < 12


def test_positions_that_come_with_the_project_are_solved_right(tmp_path: Path) -> None:
    with Processes(1) as jobs:
        found = connect4.position_sets(tmp_path / "none.json", connect4.CLASSES, 100, jobs)
    assert not (tmp_path / "none.json").exists()  # there were enough
    for name, rows in found.items():
        assert len({connect4.key_of(one) for one in rows}) == len(rows) == 100, name
    begins = {len(one.name) for name, rows in found.items() if name[:2] == "L1" for one in rows}
    assert begins <= set(range(2, 14)) and min(begins) < 5
    late = found["L3_R1"][:20] + found["L2_R1"][:5]
    again = [one for one, _ in connect4.solved([one.name for one in late], connect4.Solver())]
    assert again == late


def test_games_have_solved_positions_of_several_classes_or_say_that_they_have_none() -> None:
    sets = solved_positions(get_game("hex:size=3"), 3, None)
    assert {name: len(rows) for name, rows in sets.items()} == {"early": 3, "late": 3}
    assert solved_positions(get_game("draughts"), 2, None).keys() >= {"2 won", "4 drawn"}
    for game in ("go:size=5", "hex:size=5"):
        with pytest.raises(DlgoError, match=f"{game} has no solved positions"):
            solved_positions(get_game(game), 3, None)


def test_in_draughts_outcomes_are_exact_from_four_pieces_on() -> None:
    game = get_game("draughts")
    solve, rng, known = exact_outcomes(game), np.random.default_rng(1), 0
    while known < 5:
        state, line = GameState.new_game(game), []
        while not state.is_over():
            pieces = len(game.stones(state))
            if pieces < 6:
                (outcomes,) = solve([line])
                legal = set(state.legal_actions().tolist())
                assert set(outcomes) == (legal if pieces <= 4 else set())
                known += pieces <= 4
            line.append(int(rng.choice(state.legal_actions())))
            state = state.apply_move(game.move_of(line[-1]))
