"""Players by their moves in real games: exact questions, planted faults, no false alarm."""

from __future__ import annotations

import pytest

from dlgo.errors import DlgoError
from dlgo.games import get_game
from experiments.museum.audit import audit
from experiments.museum.real_games import questions
from tests.command import ROOT, dlgo_here
from tests.gtp.programs import needs_gnugo

# The first legal move; in Go, the last one, which is a pass.
FIRST = """
def select_move(state):
    return state.legal_moves()[-1 if state.game.name == "go" else 0]
"""
# It wins where it can, and sees no threat.
ATTACKER = """
import random
def select_move(state):
    for move in state.legal_moves():
        after = state.apply_move(move)
        if after.is_over() and after.winner() is state.next_player:
            return move
    return random.choice(state.legal_moves())
"""


@pytest.mark.slow
@pytest.mark.parametrize(("game", "code", "broken"), [
    ("tictactoe", FIRST, {"win in one", "loss in one", "draw beats loss"}),
    pytest.param("connect4", ATTACKER, {"loss in one", "draw beats loss"},
                 marks=pytest.mark.slow),
    pytest.param("go:size=5", FIRST, {"loss in one"}, marks=pytest.mark.slow),
])
def test_a_planted_fault_is_found(tmp_path, game: str, code: str, broken: set[str]) -> None:
    (tmp_path / "bad.py").write_text(code)
    report = audit(tmp_path / "bad.py", game=game)
    assert {finding.name for finding in report.findings} == broken
    assert " errs in " in str(report) and "Look at:" in str(report)


@pytest.mark.slow
@pytest.mark.parametrize("game", ["tictactoe", "connect4"])
@pytest.mark.parametrize("engine", ["alphabeta", "mcts:sims=2000"])
def test_right_players_make_no_mistake(engine: str, game: str) -> None:
    report = audit(engine, game=game)
    assert not report.findings, report
    assert ("moves", "win in one") in report.examined


@pytest.mark.slow
@needs_gnugo
def test_gnu_go_makes_no_mistake() -> None:
    report = audit(ROOT / "tests/museum/right/gnu_go.py")
    assert not report.findings, report


@pytest.mark.slow
def test_an_agent_of_pettingzoo_makes_no_mistake() -> None:
    pytest.importorskip("pettingzoo")
    report = audit(ROOT / "tests/museum/right/pettingzoo_agent.py")
    assert not report.findings, report


@pytest.mark.slow
def test_questions_are_exact() -> None:
    """By the solver: the best move keeps the value, and each wrong move loses some of it."""
    from engines.solver.solver import Solver

    solver = Solver()
    for (_, player), asked in questions(get_game("connect4")).items():
        for state, results in asked:
            assert state.next_player is player
            scores = solver.move_scores(state)
            assert results == {move: (scores[move.place] > 0) - (scores[move.place] < 0)
                               for move in results}
            best, *wrong = results.values()
            assert wrong and max(wrong) < best


@pytest.mark.slow
def test_at_the_command_line(tmp_path, capsys) -> None:
    done = dlgo_here(capsys, "audit", "random", "--game", "tictactoe", cwd=tmp_path)
    assert done.returncode == 1 and "win in one: black errs in" in done.stdout + done.stderr


@pytest.mark.slow
def test_nothing_is_known_where_nothing_was_asked(tmp_path, capsys) -> None:
    """The first line counts what was examined, and says in how many positions."""
    done = dlgo_here(capsys, "audit", "random", "--game", "go:size=2", cwd=tmp_path)
    text = done.stdout + done.stderr
    assert done.returncode == 1 and "random: nothing was examined" in text
    assert "properties hold" not in text and "end in no such position" in text
    report = audit("alphabeta", game="tictactoe")
    assert len(report.examined) == 3 and "Positions asked about: win in one 16," in str(report)
    assert "these are few" not in str(report)


def test_a_program_that_does_not_play_the_game_is_one_line() -> None:
    with pytest.raises(DlgoError, match="engine solver plays connect4 and draughts only"):
        audit("solver", game="tictactoe")
