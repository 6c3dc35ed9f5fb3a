"""Puzzles: only one turn is right, by exact values; the same seed makes the same puzzles."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

from dlgo import DlgoError, GameSpec, GameState, get_game
from dlgo.display import position_info
from dlgo.games.draughts.endgames import EndgameTables
from engines.base import Decision
from engines.solver.outcomes import outcomes_of
from engines.solver.solver import Solver
from experiments.cli.puzzles import puzzles as command
from experiments.measures.connect4 import plies_left
from experiments.measures.puzzles import (
    HARDEST,
    LEVELS,
    Puzzle,
    PuzzleSet,
    exact_result,
    read_puzzles,
    shipped_sets,
)
from experiments.studio.train import Puzzles
from tests.conftest import RUN_ALL
from tests.measures.proofs import gets
from tests.review.test_facts import replies

SETS = {str(one.game): one for one in shipped_sets()}
SOLVED = {"connect4": 60, "draughts": 40, "tictactoe": 20}
ENDINGS = {"breakthrough": 24, "hex:size=6": 24, "othello": 36, "othello:size=6": 30}
# All of them with `--run-all`, else every fourth.
STEP = 1 if RUN_ALL else 4


@cache
def solver() -> Solver:
    return Solver()


def worth(state: GameState) -> int:
    """The exact result for the player to move, by what did not make the puzzles."""
    if state.is_over():
        winner = state.winner()
        return 0 if winner is None else 1 if winner is state.next_player else -1
    if state.game.name == "draughts":
        return EndgameTables.get(4).score(state).result
    actions = [state.game.action_of(move) for move in state.moves()]
    return max(solve(state.game)([actions])[0].values())


@cache
def solve(game: GameSpec):
    return outcomes_of(game)


def assert_is_puzzle(game: GameSpec, puzzle: Puzzle) -> None:
    state = puzzle.state(game)
    after = replies(state)
    mover, is_ending = state.next_player.index, solve(game) is None and game.name != "draughts"
    if is_ending:
        assert after.keys() == puzzle.outcomes.keys()
        for text, value in puzzle.outcomes.items():
            assert gets(after[text], mover, value) and gets(after[text], 1 - mover, -value)
    else:
        assert {text: -worth(reached) for text, reached in after.items()} == puzzle.outcomes
    best = max(puzzle.outcomes.values())
    assert best == puzzle.value >= 0
    assert [text for text, value in puzzle.outcomes.items() if value == best] == [puzzle.solution]
    assert not after[puzzle.solution].is_over()
    if puzzle.value == 1 and game.name == "connect4":
        assert puzzle.plies == plies_left(len(state.moves()), solver().score(state))
    if puzzle.value == 1 and game.name == "draughts":
        assert puzzle.plies == EndgameTables.get(4).score(state).turns
    if is_ending and puzzle.plies:
        assert gets(state, mover, 1, puzzle.plies) and not gets(state, mover, 1, puzzle.plies - 1)


def test_a_draw_by_an_estimate_is_no_result() -> None:
    """An ending counts as solved by a proof only, whatever value the search expects."""
    game = get_game("othello")
    for value in (-1.0, 0.0, 1.0):
        with pytest.raises(DlgoError, match="did not solve"):
            exact_result(game, Decision(game.move_of(0), value))
    assert exact_result(game, Decision(game.move_of(0), 0.3, proven=1, depth=5)) == (1, 5)


def test_all_sets_are_tested() -> None:
    assert {game: len(one.puzzles) for game, one in SETS.items()} == {**SOLVED, **ENDINGS}


@pytest.mark.parametrize("game", [*SOLVED, *ENDINGS])
def test_shipped_puzzles_have_one_solution(game: str) -> None:
    one = SETS[game]
    assert one.command.startswith(f"dlgo puzzles {game} ")
    for puzzle in one.puzzles[::STEP]:
        assert_is_puzzle(one.game, puzzle)
    levels = [*dict(LEVELS), HARDEST]
    order = [levels.index(puzzle.level) for puzzle in one.puzzles]
    assert order == sorted(order) and len(set(order)) >= 3


def test_no_puzzle_is_another_ones_mirror_image() -> None:
    for name, width in (("connect4", 7), ("tictactoe", 3)):
        boards = set()
        for puzzle in SETS[name].puzzles:
            cells = position_info(puzzle.state(SETS[name].game))["cells"]
            rows = [tuple(cells[i : i + width]) for i in range(0, len(cells), width)]
            boards.add(min(tuple(rows), tuple(row[::-1] for row in rows)))
        assert len(boards) == len(SETS[name].puzzles)


@pytest.mark.slow
def test_the_command_makes_the_same_puzzles_again(tmp_path: Path) -> None:
    made = []
    for name in ("a.json", "b.json"):
        path = tmp_path / name
        options = ["tictactoe", "--count", "2", "--seed", "3", "--out", str(path)]
        result = CliRunner().invoke(command, options, catch_exceptions=False)
        assert result.exit_code == 0 and "2 puzzles of tictactoe" in result.output
        made.append(path.read_text())
    assert made[0] == made[1]
    found: PuzzleSet = read_puzzles(tmp_path / "a.json")
    assert found.command == "dlgo puzzles tictactoe --count 2 --seed 3"
    for puzzle in found.puzzles:
        assert_is_puzzle(found.game, puzzle)
    server = Puzzles([tmp_path / "a.json", tmp_path / "b.json"])  # as by `dlgo web --puzzles`
    assert [*server.sets] == [*SETS, "a", "b"]
    assert server.find("a", 1) == (found, found.puzzles[0])


def test_what_is_no_puzzle_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DlgoError, match="go:size=5 has no exact values.*choose another game"):
        CliRunner().invoke(command, ["go:size=5", "--out", str(tmp_path / "go")],
                           catch_exceptions=False)
    path = tmp_path / "puzzles.json"
    for text in ("", "[]", "{}", '{"game": "chess", "puzzles": []}', '{"game": "go", "puzzles": 1}',
                 json.dumps({"game": "tictactoe", "command": "", "puzzles": [
                     {"position": "A1 A1", "solution": "B2", "value": 0, "plies": None,
                      "sims": None, "outcomes": {"B2": 0}}]})):
        path.write_text(text)
        with pytest.raises(DlgoError, match=r"puzzles\.json(:| is (not )?a) "):
            read_puzzles(path)
