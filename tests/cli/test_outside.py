"""A bot and a game from outside, wherever a command takes an engine or a game."""

from __future__ import annotations

import dataclasses
import json
import textwrap
from pathlib import Path

import pytest

from dlgo.records.ledger import Ledger
from experiments.arena.referee import EngineCache, play_game
from experiments.arena.schedule import Plan, tasks
from experiments.play.game_file import read_game_file
from tests.command import assert_one_line, dlgo, dlgo_here

BOT = '''
    """A bot of one's own."""


    class Greedy:
        """Wins at once where it can, else plays the last legal move."""

        def __init__(self, game, depth=2):
            self.depth = depth

        def select_move(self, state):
            moves = state.legal_moves()
            for move in moves:
                after = state.apply_move(move)
                if after.is_over() and after.winner() is state.next_player:
                    return move
            return moves[-1]

'''
GAME = '''
    from dlgo.games.tictactoe.state import TicTacToe


    class Tiny(TicTacToe):
        """Tic-tac-toe under another name."""
'''


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, which holds the bots and the game."""
    (tmp_path / "my_bot.py").write_text(textwrap.dedent(BOT))
    (tmp_path / "my_game.py").write_text(textwrap.dedent(GAME))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_play_resume_and_perft(capsys: pytest.CaptureFixture[str]) -> None:
    done = dlgo_here(capsys, "play", "my_game.py", "--first", "my_bot.py:Greedy:depth=3",
                     "--second", "random", "--hint", "my_bot.py:Greedy", "--delay", "0",
                     "--save", "game.txt")
    assert done.returncode == 0, done.stderr
    assert "Game over: " in done.stdout
    saved = read_game_file(Path("game.txt"))
    assert (str(saved.state.game), saved.black) == ("my_game.py:Tiny", "my_bot.py:Greedy:depth=3")
    done = dlgo_here(capsys, "play", "my_game.py:Tiny", "--resume", "game.txt", "--first",
                     "my_bot.py:Greedy", "--delay", "0")
    assert "X: my_bot.py:Greedy" in done.stdout
    assert "            9 " in dlgo_here(capsys, "perft", "my_game.py", "--depth", "1").stdout


@pytest.mark.slow
def test_analyze_and_gtp(folder: Path) -> None:
    done = dlgo("analyze", "connect4", "--engine", "my_bot.py:Greedy", "--stdin", "--json",
                stdin="414141\n", cwd=folder)
    assert json.loads(done.stdout)["best_move"] == "4", done.stderr
    done = dlgo("gtp", "--engine", "my_bot.py:Greedy", "--game", "my_game.py:Tiny",
                stdin="play b A1\ngenmove w\nboardsize 9\nquit\n", cwd=folder)
    assert done.stdout == "=\n\n= C3\n\n? unknown command\n\n=\n\n", done.stderr


@pytest.mark.slow
def test_tournament_by_options_and_by_plan_and_report(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "plan.toml").write_text('games = ["my_game.py"]\nengines = ["my_bot.py:Greedy"]\n')
    done = dlgo_here(capsys, "tournament", "plan.toml", "--ledger", "l.sqlite", "--engine",
                     "random", "--engine", "my_bot.py:Greedy", "--game", "my_game.py:Tiny",
                     "--pairs", "2", "--workers", "1")
    assert done.returncode == 0 and "4 played" in done.stdout + done.stderr, done.stderr
    assert "0 lost by failures" in done.stdout + done.stderr
    (folder / "plan.toml").write_text(
        'games = ["my_game.py"]\nengines = ["my_bot.py:Greedy", "random"]\npairs = 2\n'
    )
    again = dlgo_here(capsys, "tournament", "plan.toml", "--ledger", "l.sqlite", "--workers", "1")
    assert "4 found, 0 played" in again.stdout + again.stderr, "the plan names the same games"
    assert "4 games, 0 of them invalid" in dlgo_here(capsys, "ledger", "l.sqlite", "check").stdout
    done = dlgo_here(capsys, "report", "l.sqlite", "--out", "report", "--bootstrap", "0")
    assert done.returncode == 0, done.stderr
    assert "greedy" in (folder / "report/report.html").read_text().lower()


@pytest.mark.slow
def test_generate_and_train(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("keras")
    done = dlgo_here(capfd, "generate", "my_game.py", "--engine", "my_bot.py:Greedy", "--against",
                     "random", "--games", "8", "--workers", "1", "--out", "data")
    assert done.returncode == 0, done.stderr
    assert "my_game.py:Tiny: 8 games" in dlgo_here(capfd, "data", "show", "data").stdout
    done = dlgo_here(capfd, "train", "supervised", "--data", "data", "--out", "model", "--net",
                     "mlp:hidden=4,layers=1", "--epochs", "1", "--test", "0.3")
    assert done.returncode == 0, done.stderr
    done = dlgo_here(capfd, "play", "my_game.py", "--first", "supervised:model=model",
                     "--second", "my_bot.py:Greedy", "--delay", "0")
    assert "Game over: " in done.stdout, done.stderr


def test_no_code_runs_because_a_record_says_so(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = "from pathlib import Path\nPath('ran').touch()\n"
    for name, text in (("evil.py", GAME), ("go_evil.py", GAME), ("bot.py", BOT)):
        (folder / name).write_text(ran + textwrap.dedent(text))
    (folder / "a.txt").write_text("game: evil.py\n")
    (folder / "a.sgf").write_text("(;GM[1]SZ[5]GC[dlgo go_evil.py:Tiny];B[aa])")
    (folder / "b.txt").write_text("game: tictactoe\nblack: bot.py:Greedy\nwhite: bot.py:Greedy\n")
    plan = Plan(("tictactoe",), ("random", "heuristic"), pairs=1)
    with Ledger(folder / "l.sqlite") as ledger:
        record = play_game(tasks(plan)[0], EngineCache())
        ledger.add(dataclasses.replace(record, game="evil.py:Tiny"))
    for arguments in (
        ("play", "--resume", "a.txt"), ("play", "connect4", "--resume", "a.txt"),
        ("show", "a.txt", "--out", "a.png"), ("show", "l.sqlite", "--slot", 1, "--out", "a.png"),
        ("show", "a.txt", "--game", "my_game.py", "--out", "a.png"),
    ):
        assert_one_line(dlgo_here(capsys, *arguments), "its code runs only if you name it, too")
    done = dlgo_here(capsys, "show", "a.sgf", "--out", "a.png")
    assert done.returncode == 0  # Go, under the rules that the file spells out
    done = dlgo_here(capsys, "play", "--resume", "b.txt", stdin="quit\n")
    assert "X: human" in done.stdout
    assert not (folder / "ran").exists()
    done = dlgo_here(capsys, "show", "a.txt", "--game", "./evil.py", "--out", "a.png")
    assert done.returncode == 0 and (folder / "ran").exists(), done.stderr


@pytest.mark.slow
def test_what_is_not_there_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, part in (
        (("play", "connect4", "--second", "my_bot.py:Gready"), "did you mean Greedy?"),
        (("play", "my_bot.py"), "my_bot.py holds no game"),
        (("play", "connect4", "--second", "nothing.py"), "there is no such file"),
        (("gtp", "--engine", "my_game.py"), "my_game.py"),
        (("generate", "nothing.py", "--engine", "random", "--games", "1"), "no such file"),
        (("bench", "--game", "my_bot.py:Greedy"), "my_bot.py"),
    ):
        assert_one_line(dlgo_here(capsys, *arguments), part)
