"""`dlgo analyze --stdin`: lines of positions in, an answer for each one out."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from dlgo import DlgoError, get_game
from experiments.play.analyze import analyze
from tests.engines.test_solver import GAME

ROOT = Path(__file__).resolve().parents[2]
COMMAND = [
    sys.executable, "-m", "experiments.cli", "analyze", "connect4", "--engine", "solver",
    "--stdin", "--json",
]


def run_analyze(*lines: str, engine: str = "solver:tt=18", **options) -> tuple[list[str], str]:
    """Lines of output, and the message that ends a run with errors."""
    options = {"game": GAME, "all_moves": False, "as_json": True, **options}
    output: list[str] = []
    try:
        for several in analyze(engine_spec=engine, lines=[list(lines)], **options):
            output += several
    except DlgoError as error:
        return output, str(error)
    return output, ""


def test_analyze_gives_an_object_a_position() -> None:
    lines, trouble = run_analyze("243335424257\n", "", "112233\r\n", all_moves=True)
    assert not trouble
    first, second = (json.loads(line) for line in lines)
    assert (first["position"], first["score"], second["score"]) == ("243335424257", 12, 18)
    assert first["scores"][int(first["best_move"]) - 1] == 12 == max(first["scores"])
    assert first["nodes"] > 0
    assert first["cpu_ms"] >= 0
    full_column = json.loads(run_analyze("111111223355", all_moves=True)[0][0])
    assert full_column["scores"][0] is None
    assert "scores" not in json.loads(run_analyze("6146")[0][0])


def test_analyze_answers_bad_lines_and_goes_on() -> None:
    bad = {
        "4444444": "move 7: .*full",
        "1122334": "the game is over",
        "11223344": "move 8: the game is already over",
        "48": "move 2: .*not a column",
        "hello": "move 1: .*not a column",
        "32164625 11": "move 9: ",
    }
    lines, trouble = run_analyze("6146", *bad, "6146")
    assert trouble == "6 of 8 positions could not be analysed"
    answers = [json.loads(line) for line in lines]
    assert [answers[0]["score"], answers[-1]["score"]] == [18, 18]
    for number, (answer, (text, reason)) in enumerate(
        zip(answers[1:-1], bad.items(), strict=True), start=2
    ):
        assert (answer["line"], answer["position"]) == (number, text)
        pytest.raises(DlgoError, _raise, answer["error"]).match(reason)
    texts, _ = run_analyze("x", "6146", as_json=False)
    assert texts[0].startswith("line 1: 'x': move 1: ")
    assert texts[1].startswith("6146  best ")
    assert "score +18" in texts[1]


def _raise(message: str) -> None:
    raise DlgoError(message)


def test_the_command_answers_a_line_before_the_next_one_comes() -> None:
    with subprocess.Popen(
        COMMAND, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        for columns in ("112233", "6146", "hello", "243335424257"):
            process.stdin.write(columns + "\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())  # hangs if it waits for more
            assert answer["position"] == columns
        process.stdin.close()
        assert process.wait() == 2


def test_analyze_takes_other_engines_and_games() -> None:
    lines, _ = run_analyze("6146", engine="alphabeta:depth=3")
    answer = json.loads(lines[0])
    assert answer["score"] is None
    assert -1 <= answer["value"] <= 1
    assert answer["nodes"] > 0
    lines, trouble = run_analyze("start", game=get_game("tictactoe"), engine="mcts:sims=50")
    assert not trouble
    assert json.loads(lines[0])["nodes"] >= 50
