"""`dlgo analyze FILE`: what it prints and writes, and how it refuses."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from dlgo import DlgoError
from experiments.cli.play import review_file
from experiments.play.game_file import write_game_file
from experiments.review.console import review_game
from tests.command import dlgo
from tests.review.test_game_review import played


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A game of tic-tac-toe in which white's first move loses."""
    path = tmp_path / "game.txt"
    write_game_file(path, played("tictactoe", "B2 A2 A1 C3 C1"), "A</script><b>", "B")
    return path


def test_a_recorded_game_is_reviewed(saved: Path) -> None:
    page = saved.with_name("out.html")
    done = dlgo("analyze", str(saved), "--html", str(page))
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("tictactoe: 5 moves; in per cent, what X can expect")
    blunder = next(i for i, line in enumerate(lines) if line.endswith("??"))
    assert re.fullmatch(r" +2\. O A2 +win \?\?", lines[blunder])
    assert "For O: draw becomes loss. Better: " in lines[blunder + 1]
    assert not any("no single move" in line or "fell from" in line for line in lines)
    assert lines[-1].startswith("O, B: 1 blunder in 2 moves; 0.50 points lost")
    text = page.read_text()
    assert "A&lt;/script&gt;&lt;b&gt;" in text and text.count("</script>") == 3
    data = json.loads(re.search(r'id="review">(.*?)</script>', text)[1])
    assert data["names"] == ["A</script><b>", "B"] and data["verdicts"][0]["turn"] == 2


def test_as_json_and_without_proofs(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    review_file(str(saved), None, "mcts:sims=400", False, True, None, None, move_timeout=60.0)
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["text"] for row in rows] == ["B2", "A2", "A1", "C3", "C1"]
    assert rows[1]["kind"] == "blunder" and rows[1]["better"] in ("A1", "A3", "C1", "C3")
    assert rows[1]["black_after"] > rows[1]["black_before"]
    assert [row["better"] for row in rows if not row["kind"]] == [None] * 4


def test_what_is_known_when_it_is_stopped_is_kept() -> None:
    calls = []

    def stop(done: int, of: int) -> None:
        calls.append(done)
        if done == 3:
            calls.append(-1)
            if calls.count(-1) == 1:
                raise KeyboardInterrupt

    review, finished = review_game(
        played("tictactoe", "B2 A2 A1 C3 C1"), "mcts:sims=10", progress=stop
    )
    assert not finished and review.done == 3


@pytest.mark.parametrize(("options", "words"), [
    ({"sgf": Path("x.sgf")}, "only games of Go are written as SGF; use --html"),
    ({"html": Path("no/such/x.html")}, "there is no folder"),
    ({"engine": "random", "exact": False}, "does not evaluate positions"),
    ({"engine": "nope"}, "nope"), ({"slot": "x"}, "is not a ledger"), ({"slot": "2"}, "no game 2"),
])
def test_what_cannot_be_done_is_said(saved: Path, options: dict, words: str) -> None:
    given = {"slot": None, "engine": None, "exact": True, "as_json": False,
             "html": None, "sgf": None, "move_timeout": 60.0}
    with pytest.raises(DlgoError, match=re.escape(words)):
        review_file(str(saved), **(given | options))


@pytest.mark.parametrize(("words", "message"), [
    (("tictactoe",), "file tictactoe does not exist; to analyse positions of a game, add --stdin"),
    (("tictactoe", "--stdin", "--html", "x.html"), "--html needs a recorded game"),
    (("setup.py", "--all-moves"), "--all-moves needs positions of a game; add --stdin"),
])
def test_options_that_do_not_go_together(words: tuple[str, ...], message: str) -> None:
    from click.testing import CliRunner

    from experiments.cli.play import analyze

    done = CliRunner().invoke(analyze, words)
    assert done.exit_code == 2 and message in done.output
