"""Facts about the referee: whatever an engine does, its game ends in time, with a result and a
reason, the tournament goes on, and no process is left behind. The engines are in `mocks.py`. In
processes of their own only those that overrun play; with `--run-all` all of them.
"""

from __future__ import annotations

import dataclasses
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dlgo.records.failures import Failure
from dlgo.records.ledger import GameRecord
from engines.base import Budget, Cost
from engines.isolation.channel import MOST_TIMES
from experiments.arena import limits as limits_module
from experiments.arena.entrants import Entrant
from experiments.arena.inspect_ledger import problem_of
from experiments.arena.limits import Account, silence_limit
from experiments.arena.plan_keys import Limits
from experiments.arena.referee import EngineCache, play_game
from experiments.arena.schedule import Plan
from tests.arena.mocks import GARBAGE, MOCKS, games_of, left_behind, make_task, play_tasks, run
from tests.conftest import RUN_ALL

needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")

LIMITS = Limits(move_timeout=2, memory_mb=400)


def play(*names: str, limits: Limits = LIMITS) -> list[list[GameRecord]]:
    """Of each engine a game as first, one as second, and one of others; two workers play all."""
    wanted = [
        dataclasses.replace(
            make_task(*players), pair=number, slot="|".join(("tictactoe", *players, str(number)))
        )
        for number, name in enumerate(names)
        for players in ((name, "random"), ("random", name), ("random", "dawdler"))
    ]
    records = play_tasks(wanted, limits)
    assert len(records) == len(wanted)
    played = [records[task.slot] for task in wanted]
    return [played[k : k + 3] for k in range(0, len(played), 3)]


# What each does, the kind of its failure, and the reason for which it loses.
CULPRITS = {
    "hang": (Failure.TIMEOUT, "no move from {} within 2 s"),
    "sleeper": (Failure.TIMEOUT, "no move from {} within 2 s"),
    "late:wall=0.1": (
        Failure.OVER_WALL,
        r"overrun by {}: [\d.]+ s of wall time for a move, 0\.1 s asked \(wall\)",
    ),
    "burner:cpu=0.1": (
        Failure.OVER_CPU,
        r"overrun by {}: [\d.]+ s of CPU time for a move, 0\.1 s asked \(cpu\)",
    ),
    "miscounter": (
        Failure.OVER_COUNT, "overrun by {}: 200 simulations for a move, 50 asked",
    ),
    "scribbler": (Failure.NONSENSE, "process sent nonsense while {} was thinking"),
    "eater": (Failure.OVER_MEMORY, "out of memory: MemoryError while {} was thinking"),
    "family": (
        Failure.OVER_MEMORY,
        r"out of memory: \d+ MB in use, 400 MB allowed, while {} was thinking",
    ),
}


@pytest.mark.slow
@needs_proc
# Engines from outside: ten by default in test_outside.py.
@pytest.mark.parametrize("outside", [False, *([True] if RUN_ALL else [])])
def test_who_misbehaves_loses_in_time_and_the_others_play_on(
    outside: bool, capfd
) -> None:
    began = time.monotonic()
    players = {}
    # The other ways are in `outside.py`, in processes of their own as well.
    culprits, limits = CULPRITS, LIMITS
    for spec in culprits:
        name, colon, settings = spec.partition(":")
        player = f"{MOCKS[name].__module__}:{MOCKS[name].__name__}{colon}{settings}"
        players[player if outside else spec] = name
    # On a busy machine it takes long to fill the memory or to use CPU time. And one writes into
    # every pipe there is, so that no worker after it could be forked.
    patient = dataclasses.replace(limits, move_timeout=60)
    hungry = [p for p, name in players.items() if name in ("eater", "family", "burner")]
    wild = [player for player, name in players.items() if name == "scribbler"]
    others = [player for player in players if player not in hungry + wild]
    games = dict(zip(others, play(*others, limits=limits), strict=True))
    games |= zip(hungry, play(*hungry, limits=patient), strict=True)
    games |= zip(wild, play(*wild, limits=patient), strict=True)
    for player, (failure, reason) in zip(players, culprits.values(), strict=True):
        first, second, innocent = games[player]
        for record, side, result in ((first, "first", 0.0), (second, "second", 1.0)):
            assert re.fullmatch(reason.format(side), record.reason), record.reason
            assert record.result == result
            assert record.failure is failure
            assert problem_of(record) == ""
            assert record.opening == "B2"
        assert not innocent.failed
        assert problem_of(innocent) == ""
    assert time.monotonic() - began < 600
    assert not left_behind()


@pytest.mark.slow
@needs_proc
def test_children_and_chatter_do_no_harm(capfd) -> None:
    """They are ended with the worker or with the game, they play no move of their own, and
    nothing of what is printed reaches our output."""
    for games in play("forker", "spawner", "printer", limits=Limits()):
        for record in games:
            assert not record.failed, record.reason
            assert problem_of(record) == ""
    assert not left_behind()
    assert GARBAGE not in capfd.readouterr().out


@pytest.mark.slow
@needs_proc
def test_a_hang_is_ended_soon_where_the_budget_is_short() -> None:
    """A budget of 0.1 s is over long before the timeout for moves, which is 10 minutes here."""
    began = time.monotonic()
    ((first, _, _),) = play("hang:wall=0.1", limits=Limits())
    assert first.reason == "no move from first within 1.3 s"
    assert time.monotonic() - began < 60


def test_the_grace_is_a_tenth_or_50_ms_whichever_is_more(monkeypatch) -> None:
    monkeypatch.setattr(limits_module, "run_delay", lambda: 0.0)
    for budget, spent, over in (
        (0.1, 0.149, False), (0.1, 0.151, True), (2.0, 2.19, False), (2.0, 2.21, True),
    ):
        wall = Account(Budget(wall=budget), Limits()).charge(Cost(), spent)
        cpu = Account(Budget(cpu=budget), Limits()).charge(Cost(cpu_seconds=spent), 0.0)
        assert [wall is not None, cpu is not None] == [over, over]
    for budget, spent, over in (
        (50, 150, False), (50, 151, True), (5000, 5500, False), (5000, 5501, True),
    ):
        for kind, field in (("sims", "simulations"), ("nodes", "nodes"), ("evals", "evaluations")):
            account = Account(Budget(**{kind: budget}), Limits())
            assert (account.charge(Cost(**{field: spent}), 0.0) is not None) is over


def test_who_waits_for_a_core_has_time_and_who_sleeps_has_not() -> None:
    """A move of 10 s, and a sandboxed bot, whose worker may be silent for longer."""
    limits, delays = Limits(move_timeout=10.0, game_wall=20.0), iter([0.0, 50.0, 50.0, 52.0])
    account = Account(Budget(), limits, lambda: next(delays))
    for wall, over in ((55.0, False), (13.0, True)):
        account.begin()
        assert (account.charge(Cost(), wall) is not None) is over
    entrant = Entrant.of("student:ann@3f9a1c22")
    assert silence_limit(entrant, limits, True) == 15.0
    assert silence_limit(entrant, limits, True, sandboxed=True) > 10 * MOST_TIMES


@needs_proc
def test_nobody_loses_for_a_busy_machine() -> None:
    """Two processes share one core: the move takes twice as long, and is in time all the same."""
    core = min(os.sched_getaffinity(0))
    burn = f"import os\nos.sched_setaffinity(0, {{{core}}})\nwhile True: pass"
    before = os.sched_getaffinity(0)
    others = [subprocess.Popen([sys.executable, "-S", "-c", burn]) for _ in range(2)]
    try:
        os.sched_setaffinity(0, {core})
        time.sleep(0.3)
        account = Account(Budget(wall=0.3), Limits())
        account.begin()
        began, until = time.monotonic(), time.process_time() + 0.25
        while time.process_time() < until:
            pass
        wall = time.monotonic() - began
        assert wall > 0.35, "the machine has more cores than it says"
        assert account.charge(Cost(), wall) is None
        assert account.charge(Cost(), wall + 0.3) is not None
    finally:
        os.sched_setaffinity(0, before)
        for other in others:
            other.kill()
            other.wait()


def test_the_budget_of_a_game_is_spent_move_by_move() -> None:
    account = Account(Budget(), Limits(game_cpu=1.0))
    assert [account.charge(Cost(cpu_seconds=0.3), 0.0) is None for _ in range(4)] == [
        True, True, True, False,
    ]
    record = play_game(
        make_task("late:wall=1,ms=90", "random"), EngineCache(), limits=Limits(game_wall=0.05)
    )
    assert re.match(r"overrun by first: .* \(game_wall\)", record.reason)
    assert record.result == 0.0
    # What was spent stays on record: the late move, too.
    assert max(cost.wall for cost in record.costs) > 0.09


# --- repeated failures ---------------------------------------------------------------------


@pytest.mark.slow
def test_who_fails_again_and_again_is_stopped(tmp_path, capfd) -> None:
    path = tmp_path / "l.sqlite"
    plan = Plan(("tictactoe", "connect4"), ("random", "dawdler", "crasher"), pairs=8, seed=1)
    summary, said = run(plan, path, limits=Limits(max_failures=4))
    games = games_of(path)
    # Those under way when the fourth failed are played too: at most what two workers hold.
    failed = [record for record in games.values() if record.failed]
    assert 8 <= len(failed) < 64
    assert all("crasher" in (record.first, record.second) for record in failed)
    assert sum("crasher" not in slot for slot in games) == 32  # the others' games are all there
    assert summary.left_out == 96 - len(games) > 0
    assert {text.split(" failed")[0] for text in summary.stopped} == {
        "crasher on tictactoe", "crasher on connect4",
    }
    assert "stopped: crasher on tictactoe failed 4 games in a row" in said
    assert f"left out: {summary.left_out} games of stopped entrants" in said

    from dlgo.records.ledger import Ledger

    with Ledger(path) as ledger:
        assert len(ledger.get_meta("plan")["stopped"]) == 2

    again, said = run(plan, path)  # it stays stopped,
    assert (again.played, again.left_out) == (0, summary.left_out)
    assert "stopped earlier: crasher on tictactoe" in said
    third, _ = run(plan, path, retry=True, limits=Limits(max_failures=0))  # until it is let in
    assert third.left_out == 0
    assert len(games_of(path)) == 96


def test_a_win_between_failures_counts(tmp_path) -> None:
    """It fails as often, but never twice in a row."""
    from experiments.arena.agenda import Agenda

    plan = Plan(("tictactoe",), ("crasher", "random"), pairs=10).canonical()
    agenda = Agenda(plan, {}, Limits(max_failures=2))
    good = play_game(make_task("random", "dawdler"), EngineCache())
    crash = play_game(make_task("crasher", "random"), EngineCache())
    for _ in range(5):
        agenda.finished([crash])
        agenda.finished([dataclasses.replace(good, first="crasher")])
    assert not agenda.stopped
    agenda.finished([crash, crash])
    assert list(agenda.stopped) == [("tictactoe", "crasher")]
