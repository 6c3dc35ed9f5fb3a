"""Mistakes are counted by exact results: the perfect make none, the blind make many.

With `DLGO_FULL=1` Pons' early positions are solved again, too.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from dlgo import DlgoError, GameState, get_game
from engines.learning.data import GameBuilder, ShardWriter
from engines.registry import build_engine
from experiments.bench import connect4_mistakes as bench
from experiments.bench import tictactoe_mistakes as small
from tests.learning.data.games import write_unlabelled


def test_a_perfect_player_never_loses_and_never_errs() -> None:
    engine = build_engine("alphabeta:depth=9", small.GAME, 1)
    for side in (0, 1):
        lines = small.every_line(engine, side)
        assert lines.lost == 0 and lines.won > 0 and lines.drawn > 0
    states = small.all_positions()
    assert len(states) == 4520  # 5,478 reachable positions, of which 958 are finished
    late = [state for state in states if len(state.moves()) == 4]
    found = small.every_position(lambda state: small.move_of(engine, state), late)
    assert found.positions == len(late) > 500
    assert found.mistakes == found.losing == 0
    assert states[0] == GameState.new_game(small.GAME)


def test_a_player_without_a_thought_loses_and_errs() -> None:
    """The lowest free cell: beaten by whoever sees a row coming."""

    class First:
        def new_game(self, seed):
            pass

        def select_move(self, state):
            from engines.base import Decision

            return Decision(state.legal_moves()[0])

    lines = small.every_line(First(), 1)
    assert lines.lost > 0 and lines.example
    found = small.every_position(lambda state: state.legal_moves()[0])
    assert 0.1 < found.losing < found.mistakes < 0.6


@pytest.mark.parametrize("line, score, name", [
    # From the solver tests: the score, and by it how long the game lasts.
    ("2252576253462244111563365343671351441", -1, "L3_R1"),
    ("5554224333234511764415115", 4, "L2_R1"),
    ("", 1, "L1_R3"),
])
def test_classes_follow_from_stones_and_score(line: str, score: int, name: str) -> None:
    assert bench.class_of(len(line), score) == name


def test_the_length_of_a_game_follows_from_the_score() -> None:
    """From the empty board the first player wins with the 21st stone, the 41st of all."""
    assert bench.plies_left(0, 1) == 41
    assert bench.plies_left(0, -2) == 40  # the other's 20th stone
    assert bench.plies_left(0, 0) == 42
    assert bench.plies_left(41, 0) == 1
    # After 1 2 1 2 1 2 the first player wins with the next stone, his 4th.
    assert bench.plies_left(6, 18) == 1


@pytest.fixture(scope="module")
def sets(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("sets") / "sets.json"
    path.write_text('{"portions": {}, "positions": {}}')  # not those that come with the project
    with bench.new_pool(1) as pool:
        bench.position_sets(path, ["L3_R1"], 12, pool, 1)
    return path


def test_the_solver_makes_no_mistake_and_chance_does(sets: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(bench.main, [
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
    with bench.new_pool(1) as pool:  # nothing is solved again
        kept = bench.position_sets(sets, ["L3_R1"], 12, pool, 1)["L3_R1"]
    assert sets.read_bytes() == before
    assert [one.line for one in kept] == [row[0] for row in rows[:12]]
    for one in kept:
        state = GameState.new_game(game)
        for column in one.line:
            state = state.apply_move(game.parse_move(state, column))
        assert not state.is_over() and len(one.line) > 28
        assert {game.action_of(move) for move in state.legal_moves()} == set(one.outcomes)
    assert 0 < sum(one.asks for one in kept) < 12


def test_positions_that_come_with_the_project_are_solved_right(tmp_path: Path) -> None:
    with bench.new_pool(1) as pool:
        found = bench.position_sets(tmp_path / "none.json", bench.CLASSES, 100, pool, 1)
    assert not (tmp_path / "none.json").exists()  # there were enough
    for name, rows in found.items():
        assert len({one.key for one in rows}) == len(rows) == 100, name
    begins = {len(one.line) for name, rows in found.items() if name[:2] == "L1" for one in rows}
    assert begins <= set(range(2, 14)) and min(begins) < 5
    late = found["L3_R1"][:20] + found["L2_R1"][:5]
    again = [one for one, _ in bench.solved([one.line for one in late], bench.Solver())]
    assert again == late


def test_positions_drawn_with_other_numbers_of_stones_are_made_anew(tmp_path: Path) -> None:
    """A file of before says nothing of how many stones it began with, or another number."""
    path = tmp_path / "sets.json"
    rows = [["112233", [1] * 7]]
    for stones, kept in (({}, 0), ({"L1": [6, 13]}, 0), ({"L1": [2, 13]}, 1)):
        path.write_text(json.dumps({
            "stones": stones, "portions": {"L1": 38}, "positions": {"L1_R1": rows},
        }))
        read = bench._read(path)
        assert len(read["positions"].get("L1_R1", [])) == kept
        assert read["portions"].get("L1", 0) == 38 * kept


def test_a_position_counts_once_however_it_was_reached() -> None:
    keys = {line: bench.Position(line, {}).key for line in ("1234", "3412", "7654", "4321", "12")}
    assert keys["1234"] == keys["3412"] == keys["7654"]
    assert len(set(keys.values())) == 3


def test_positions_of_a_folder_of_games_can_be_left_out(tmp_path: Path) -> None:
    """Also their mirror images, and those that the games reach in another order."""
    game = get_game("connect4")
    with ShardWriter(tmp_path / "games", game, {}) as writer:
        for line in ("765412", "4445"):
            builder = GameBuilder(game)
            for column in line:
                builder.skip(int(column) - 1)
            writer.add(builder.finish(0))
    lines = {"seen": ["7654", "1234", "3412", "", "44", "444"],
             # The last position of a game has no move of its own; the stones' owners count.
             "new": ["4445", "4321765", "2143", "445"]}
    sets = {"L1_R3": [bench.Position(line, {}) for some in lines.values() for line in some]}
    left = bench.unseen(sets, tmp_path / "games")["L1_R3"]
    assert [one.line for one in left] == lines["new"]
    result = CliRunner().invoke(bench.main, [
        "--engine", "random", "--classes", "L3_R1", "--count", "20", "--workers", "1",
        "--unseen", str(tmp_path / "games"),
    ])
    assert result.exit_code == 0 and " of 20 " in result.output
    with pytest.raises(DlgoError, match="holds games of tictactoe, not of connect4"):
        bench.unseen(sets, write_unlabelled(tmp_path / "other"))


def test_pons_scores_are_ours(oracles: Path, tmp_path: Path) -> None:
    folder = oracles / "connect4"
    if not os.environ.get("DLGO_FULL"):  # the late ones, which are soon solved, in all files
        late = (folder / "Test_L3_R1").read_text()
        for name in ("L1_R1", "L2_R1", "L3_R1"):
            (tmp_path / f"Test_{name}").write_text(late)
        folder = tmp_path
    found = bench.pons_sets(folder, 20)
    assert all(len(rows) == 20 for rows in found.values())
