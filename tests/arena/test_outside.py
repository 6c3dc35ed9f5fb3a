"""Facts about engines from outside: whatever one does, only its own games suffer.

The bots are in `outside.py`. Each is in a process of its own; what misbehaves loses with a reason,
what merely behaves oddly plays on. Ten of them play; with `--run-all` all thirty.
"""

from __future__ import annotations

import dataclasses
import re
import time
from pathlib import Path

import pytest

from dlgo import SpecError, get_game
from dlgo.records.ledger import Ledger
from engines.isolation.describe import describe
from engines.isolation.engine import IsolatedEngine
from experiments.arena.entrants import entrants_of
from experiments.arena.inspect_ledger import list_lines, problem_of
from experiments.arena.plan_keys import Limits
from experiments.arena.referee import EngineCache, play_game
from experiments.arena.schedule import Plan
from tests.arena.mocks import games_of, left_behind, make_task, play_tasks, run
from tests.arena.outside import BOTS, spec_of
from tests.conftest import RUN_ALL

BURNER = "tests.arena.mocks:Burner:cpu=1,ms=200"
# Two that play on, and one of each kind of failure; each starts a process of its own.
TEN = ("floods", "leaves_children", "raises", "exits_in_constructor", "kills_its_parent", "hangs",
       "eats", "scribbles", "returns_nothing", "passes")
PLAYING = BOTS if RUN_ALL else {name: BOTS[name] for name in TEN}

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")


@pytest.mark.slow
def test_whatever_bots_do_every_game_ends_with_its_reason(capfd) -> None:
    """Each plays one game, of alternating colours, against the random bot."""
    folder = Path.cwd()
    tasks = []
    for number, bot in enumerate(PLAYING):
        players = ("random", spec_of(bot))[:: 1 if number % 2 else -1]
        task = make_task(*players, seed=number)
        tasks.append(dataclasses.replace(task, slot=f"tictactoe|{players[0]}|{players[1]}|0"))
    limits = Limits(move_timeout=3, memory_mb=300)
    games = play_tasks(tasks, limits)
    assert games.keys() == {task.slot for task in tasks}
    for task, (bot, (_, wanted)) in zip(tasks, PLAYING.items(), strict=True):
        record = games[task.slot]
        assert problem_of(record) == "", record
        failure, reason = wanted or (None, "")
        assert (record.failure, reason in record.reason) == (failure, True), (bot, record.reason)
        if failure is not None:
            assert record.result == float(record.first == "random")
    assert not left_behind()
    assert Path.cwd() == folder
    assert "hello" not in capfd.readouterr().out


@pytest.mark.slow
def test_a_bot_finds_no_opponent_among_the_objects_of_its_process() -> None:
    """The attack wins nothing: the same games as without it."""
    engines = EngineCache()
    for seed in range(5 if RUN_ALL else 1):
        attack, honest = (
            play_game(make_task(spec_of(name), "dawdler", "connect4", seed), engines)
            for name in ("attacks", "good")
        )
        assert (attack.moves, attack.result) == (honest.moves, honest.result)
        assert "resign" not in attack.moves
    engines.close()


@pytest.mark.slow
def test_cpu_time_of_children_counts() -> None:
    """It reports nothing itself: what it burns is measured from outside."""
    engine = IsolatedEngine(BURNER, get_game("tictactoe"), 10)
    engine.new_game(1)
    record = play_game(make_task(BURNER, "random"), EngineCache())
    burnt = [cost.cpu for cost in record.costs if cost.player == 0]
    assert all(0.15 < cpu < 0.6 for cpu in burnt[1:])
    engine.close()
    assert not Path(f"/proc/{engine.pid}").exists()


GREEDY = """
class Greedy:
    def __init__(self, which=0):
        self.which = which

    def select_move(self, state):
        return state.legal_moves()[self.which]
"""


@pytest.mark.slow
def test_an_edited_bot_is_another_entrant_and_its_games_are_played_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    bot, path = tmp_path / "bot.py", tmp_path / "games.sqlite"
    bot.write_text(GREEDY)
    plan = Plan(("tictactoe",), ("random", "bot.py:Greedy:which=1,name=Mine"), 1, seed=2)
    for edit, played in ((GREEDY, 2), (GREEDY, 0), (GREEDY.replace("=0", "=2"), 2)):
        bot.write_text(edit)
        assert run(plan, path)[0].played == played
    games = games_of(path)
    entrants = {name for game in games.values() for name in (game.first, game.second)} - {"random"}
    assert len(entrants) == 2
    assert all(re.fullmatch(r"bot\.py:Greedy:which=1@[0-9a-f]{8}", name) for name in entrants)
    lines = [*list_lines(str(path), engine="bot.py:Greedy:which=1")]
    assert lines[-1] == "4 of 4 games"
    with Ledger(path, read_only=True) as ledger:
        ledger.show_names(latest=True)
        assert {game.first for game in ledger.games()} == {"random", "Mine"}


@pytest.mark.slow
def test_what_is_wrong_with_a_file_loses_games_and_what_is_wrong_with_a_name_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("good.py").write_text(GREEDY)
    Path("broken.py").write_text("class Broken:\n    def select_move(self, state)\n")
    Path("hangs.py").write_text("import time\ntime.sleep(3600)\n")
    Path("exits.py").write_text("import os\nos._exit(5)\n")
    described = entrants_of(["broken.py", "exits.py", "good.py:Greedy"])
    assert re.fullmatch(r"broken\.py@[0-9a-f]{8}", described["broken.py"].text)
    assert described["good.py:Greedy"].label.startswith("greedy@")
    began = time.monotonic()
    assert describe(["hangs.py", "good.py"], timeout=2)["good.py"].digest
    assert time.monotonic() - began < 60
    for spec, message in (
        ("none.py", "no such file"), ("good.py:Greed", "did you mean Greedy"),
        ("good.py:Greedy:witch=1", "did you mean which"), ("no.module:X", "No module named"),
    ):
        with pytest.raises(SpecError, match=message) as caught:
            entrants_of(["random", spec])
        assert "\n" not in str(caught.value)
    record = play_game(make_task("broken.py", "random"), EngineCache())
    assert record.reason == "crash of first: cannot load broken.py, line 2: expected ':'"
