"""No code runs because data names it: a game that is a file runs only if the user names it, too."""

from __future__ import annotations

import dataclasses
import json
import shutil
from pathlib import Path

import pytest

from dlgo.errors import UnnamedGameError
from dlgo.games import get_game, recorded_game
from dlgo.games.tictactoe.state import TicTacToe
from dlgo.records.game_record import slot_of
from dlgo.records.ledger import Ledger
from engines.learners import learner_class
from engines.learning.data import GameBuilder
from experiments.arena.referee import EngineCache, play_game
from experiments.arena.schedule import Plan, tasks
from reports.plots import game_title
from reports.replays import replay
from tests.command import assert_one_line, dlgo_here
from tests.conftest import RUN_ALL
from tests.learning.data.games import ShardWriter

SAMPLES = Path(__file__).parents[1] / "samples"
# It says so if it runs.
RULES = """
from pathlib import Path
from dlgo.games.tictactoe.state import TicTacToe
from tests.learning.data.games import ShardWriter

(Path(__file__).parent / "ran").touch()


class Tiny(TicTacToe):
    pass
"""
PLAN = Plan(("tictactoe",), ("random", "heuristic"), pairs=1)


class Elsewhere(TicTacToe):
    """Writes files as if the rules were in `evil.py`."""

    spec_name = "evil.py:Tiny"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder: a ledger, data, runs and a model of a game in `evil.py`."""
    (tmp_path / "evil.py").write_text(RULES)
    monkeypatch.chdir(tmp_path)
    game = Elsewhere()
    with Ledger(tmp_path / "l.sqlite") as ledger:
        ours = [play_game(task, EngineCache()) for task in tasks(PLAN)]
        slots = [slot_of(str(game), one.first, one.second, one.pair) for one in ours]
        theirs = [dataclasses.replace(one, game=str(game), slot=slot)
                  for one, slot in zip(ours, slots, strict=True)]
        ledger.add(*ours, *theirs)
        ledger.set_meta("plan", {**PLAN.canonical().to_json(), "games": ["tictactoe", str(game)]})
    with ShardWriter(tmp_path / "data", game, {}) as writer:
        builder = GameBuilder(game)
        builder.skip(0)
        writer.add(builder.finish(0))
    for name, sample in (("run", "alphazero"), ("model", "supervised")):
        shutil.copytree(SAMPLES / sample, tmp_path / name)
    (tmp_path / "run/checkpoint.npz").unlink()  # its settings would be read, not those of plan.json
    for file in ("run/plan.json", "model/card.json"):
        content = json.loads(Path(file).read_text()) | {"game": str(game)}
        Path(file).write_text(json.dumps(content))
    config = learner_class("policy_gradient").config(game=str(game))
    (tmp_path / "other").mkdir()
    (tmp_path / "other/plan.json").write_text(json.dumps(config.to_json()))
    (tmp_path / "other/history.csv").write_text("iteration,games,decisions,loss\n1,2,9,0.5\n")
    return tmp_path


READERS = (
    ("ledger", "l.sqlite", "check"),
    ("ledger", "l.sqlite", "export", "--sgf", "sgf"),
    ("data", "show", "data"),
    ("train", "supervised", "--data", "data", "--out", "m"),
    ("doctor", "run"),
    ("doctor", "other"),
    ("connectx", "export", "--model", "model", "--out", "agent.py"),
    ("analyze", "l.sqlite", "--slot", "evil.py:Tiny|random|heuristic|0"),
)


def test_what_reads_data_does_not_run_code_that_the_data_names(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    refusal = "its code runs only if you name it, too: add --game evil.py "
    for arguments in READERS:
        assert_one_line(dlgo_here(capsys, *arguments), refusal)
    again = ("tournament", "--ledger", "l.sqlite", "--game", "tictactoe", "--engine", "random",
             "--engine", "heuristic", "--pairs", "1", "--seed", "0", "--workers", "1")
    assert "nothing left to play" in dlgo_here(capsys, *again).stderr
    with Ledger("l.sqlite", read_only=True) as ledger:
        shown = {one.game: replay(one, "first") for one in ledger.games()}
    assert shown["tictactoe"] and shown["evil.py:Tiny"] is None
    assert game_title("evil.py:Tiny") == "evil.py:Tiny"
    if RUN_ALL:
        done = dlgo_here(capsys, "report", "l.sqlite", "--out", "report", "--bootstrap", "0")
        assert done.returncode == 0 and "without replays: game 'evil.py:Tiny' " in done.stderr
    with pytest.raises(UnnamedGameError, match=refusal):
        recorded_game("evil.py")
    assert not (folder / "ran").exists()

    done = dlgo_here(capsys, "ledger", "l.sqlite", "check", "--game", "evil.py")
    assert "4 games, 0 of them invalid" in done.stdout and (folder / "ran").exists()
    assert game_title("evil.py:Tiny") == "Tic-tac-toe (evil.py:Tiny)"
    for arguments, part in zip(READERS[1:], (
        "no games of Go to export", "evil.py:Tiny: 1 game", "", "", "", "ConnectX is connect4", "",
    ), strict=True):
        if part:
            done = dlgo_here(capsys, *arguments, "--game", "evil.py")
            assert part in done.stdout + done.stderr
    assert recorded_game("evil.py:Tiny") == get_game("evil.py")
