"""Facts about engines from outside: whatever one does, only its own games suffer.

The bots are in `outside.py`. Each is in a process of its own; what misbehaves loses with a reason,
what merely behaves oddly plays on.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from dlgo import get_game
from engines.isolation.engine import IsolatedEngine
from experiments.arena.executor import play_tasks
from experiments.arena.inspect_ledger import problem_of
from experiments.arena.limits import Limits
from experiments.arena.match import EngineCache, play_game
from tests.arena.mocks import left_behind, make_task
from tests.arena.outside import BOTS, spec_of

BURNER = "tests.arena.mocks:Burner:cpu=1,ms=200"

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")


def test_whatever_thirty_bots_do_every_game_ends_with_its_reason(capfd) -> None:
    """Each plays one game, of alternating colours, against the random bot."""
    folder = Path.cwd()
    tasks = []
    for number, bot in enumerate(BOTS):
        players = ("random", spec_of(bot))[:: 1 if number % 2 else -1]
        task = make_task(*players, seed=number)
        tasks.append(dataclasses.replace(task, slot=f"tictactoe|{players[0]}|{players[1]}|0"))
    limits = Limits(move_timeout=5, memory_mb=300)
    batches = play_tasks(tasks, 2, limits)
    games = {record.slot: record for batch in batches for record in batch}
    assert games.keys() == {task.slot for task in tasks}
    for task, (bot, (_, wanted)) in zip(tasks, BOTS.items(), strict=True):
        record = games[task.slot]
        assert problem_of(record) == "", record
        failure, reason = wanted or (None, "")
        assert (record.failure, reason in record.reason) == (failure, True), (bot, record.reason)
        if failure is not None:
            assert record.result == float(record.first == "random")
    assert not left_behind()
    assert Path.cwd() == folder
    assert "hello" not in capfd.readouterr().out


def test_a_bot_finds_no_opponent_among_the_objects_of_its_process() -> None:
    """The attack wins nothing: the same games as without it."""
    engines = EngineCache()
    for seed in range(5):
        attack, honest = (
            play_game(make_task(spec_of(name), "dawdler", "connect4", seed), engines)
            for name in ("attacks", "good")
        )
        assert (attack.moves, attack.result) == (honest.moves, honest.result)
        assert "resign" not in attack.moves
    engines.close()


def test_an_isolated_engine_plays_as_it_does_at_home() -> None:
    cache = EngineCache()
    for game in ("tictactoe", "go:size=5", "draughts", "connect4"):
        inside, outside = (
            play_game(dataclasses.replace(make_task(name, "random", game), opening=()), cache)
            for name in ("dawdler", "tests.arena.mocks:Dawdler")
        )
        assert outside.moves == inside.moves
        assert all(cost.wall > 0 and cost.nodes == 1 for cost in outside.costs)
    cache.close()


def test_cpu_time_of_children_counts() -> None:
    """It reports nothing itself: what it burns is measured from outside."""
    engine = IsolatedEngine(BURNER, get_game("tictactoe"), 10)
    engine.new_game(1)
    record = play_game(make_task(BURNER, "random"), EngineCache())
    burnt = [cost.cpu for cost in record.costs if cost.player == 0]
    assert all(0.15 < cpu < 0.6 for cpu in burnt[1:])
    engine.close()
    assert not Path(f"/proc/{engine.pid}").exists()
