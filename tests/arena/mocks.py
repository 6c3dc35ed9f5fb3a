"""Engines that cheat, crash, die and sleep, and what the arena's tests do with them.

`register_mocks` enters them into the engine registry: in the tests' own process by the
fixture of `conftest.py`, in worker processes because the tests name it as their `setup`.
"""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import io
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dlgo import GameState, Move
from dlgo.records.ledger import GameRecord, Ledger
from dlgo.specs import Option
from dlgo.system.processes import MARK
from engines import registry
from engines.base import Budget, Cost, Decision, Engine
from engines.jobs import Processes
from engines.random_bot.engine import RandomEngine
from experiments.arena.games import GameTable
from experiments.arena.plan_keys import DEFAULT_LIMITS, Limits
from experiments.arena.referee import GameTask
from experiments.arena.reporter import Reporter
from experiments.arena.schedule import Plan
from experiments.arena.tournament import Summary, run_tournament


def nap_of(pid: int) -> str:
    """Seconds; so odd that the tests can tell whose sleepers they are, the tournament's."""
    return f"3600.{pid}"


# A worker's mark begins with the process of the tournament.
NAP = nap_of(int(os.environ.get(MARK, f"{os.getpid()}-").partition("-")[0]))
GARBAGE = "no move at all "

SETUP = f"{__name__}:register_mocks"
BAD_SETUP = f"{__name__}:bad_setup"


class Dawdler(RandomEngine):
    """Random, but takes its time: so that a tournament can be killed in the middle."""

    name = "dawdler"
    options = (Option("ms", 0, "milliseconds a move", low=0, high=1000),)

    def _decide(self, state: GameState, budget: Budget) -> Decision:
        time.sleep(self.settings["ms"] / 1000)
        return super()._decide(state, budget)


def at_move(action: Callable[[RandomEngine, GameState], Decision | None]) -> type[RandomEngine]:
    """An engine that does something and then, unless that was its move, plays at random."""

    class Bot(RandomEngine):
        def warm_up(self) -> None:
            pass  # nothing in advance, so that what breaks breaks in a game

        def _decide(self, state: GameState, budget: Budget) -> Decision:
            decision = action(self, state)
            return super()._decide(state, budget) if decision is None else decision

    return Bot


def fail(*_: object) -> None:
    raise ZeroDivisionError("one\nover nothing")


def sleep(*_: object) -> None:
    subprocess.run(["sleep", NAP])  # a process of its own, to be ended with the worker


def hang(*_: object) -> None:
    """With the interpreter locked, so that no thread of its process can do anything."""
    ctypes.PyDLL(None).sleep(3600)


def print_garbage(*_: object) -> None:
    """In every way there is."""
    print(GARBAGE * 1000)
    os.write(1, b"\xff\x00" * 5000)
    subprocess.run(["echo", GARBAGE])


def scribble(*_: object) -> None:
    """Write garbage into every pipe that is open, ours among them."""
    for descriptor in range(3, 256):
        with contextlib.suppress(OSError):
            if stat.S_ISFIFO(os.fstat(descriptor).st_mode):
                os.write(descriptor, b"\x00\x00\x00\x0f" + GARBAGE.encode())
    time.sleep(3600)


def leave_children(*_: object) -> None:
    """One in its group, one in a session of its own, one that has lost its parent too, one that
    has thrown its environment away."""
    subprocess.Popen(["sleep", NAP])
    subprocess.Popen(["sleep", NAP], start_new_session=True)
    subprocess.run(["sh", "-c", f"setsid sleep {NAP} &"])
    subprocess.run(["sh", "-c", f"setsid env -i sleep {NAP} &"])


def eat(*_: object) -> None:
    """Fill the memory in steps of 8 MB, until told off."""
    eaten = []
    while True:
        eaten.append(bytearray(b"x" * (8 << 20)))


def eat_together(*_: object) -> None:
    """Have children fill the memory."""
    code = f"import time; eaten = b'x' * (120 << 20); time.sleep({NAP})"
    for _ in range(4):
        subprocess.Popen([sys.executable, "-S", "-c", code])
    time.sleep(3600)


def kill_itself(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class Late(RandomEngine):
    """Answers, but `ms` milliseconds too late from its second move on."""

    name = "late"
    options = (Option("ms", 300, "milliseconds a move", low=0, high=10000),)
    budgets = ("cpu", "wall")
    default_budget = Budget(wall=0.1)

    def new_game(self, seed: int) -> None:
        super().new_game(seed)
        self._moves = 0

    def _decide(self, state: GameState, budget: Budget) -> Decision:
        self._moves += 1
        if self._moves > 1:
            self._spend(self.settings["ms"] / 1000)
        return super()._decide(state, budget)

    def _spend(self, seconds: float) -> None:
        time.sleep(seconds)


class Burner(Late):
    """The same, of CPU time."""

    name = "burner"
    default_budget = Budget(cpu=0.1)

    def _spend(self, seconds: float) -> None:
        until = time.process_time() + seconds
        while time.process_time() < until:
            pass


class Miscounter(RandomEngine):
    """Asked for 50 simulations, it makes 200."""

    name = "miscounter"
    budgets = ("sims",)
    default_budget = Budget(sims=50)

    def _decide(self, state: GameState, budget: Budget) -> Decision:
        decision = super()._decide(state, budget)
        return dataclasses.replace(decision, cost=Cost(simulations=200))


class BadStart(RandomEngine):
    def warm_up(self) -> None:
        raise RuntimeError("cold")


class DeadStart(RandomEngine):
    def warm_up(self) -> None:
        os._exit(5)


class Unbuildable(at_move(fail)):
    def new_game(self, seed: int) -> None:
        raise FileNotFoundError("no such checkpoint")


MOCKS = {
    "dawdler": Dawdler, "late": Late, "burner": Burner, "miscounter": Miscounter,
    "badstart": BadStart, "deadstart": DeadStart, "unbuildable": Unbuildable,
    "cheater": at_move(lambda *_: Decision(Move.pass_turn())),  # tic-tac-toe knows no pass
    "resigner": at_move(lambda *_: Decision(Move.resign())),
    "crasher": at_move(fail), "suicide": at_move(kill_itself),
    "quitter": at_move(lambda *_: sys.exit(3)), "sleeper": at_move(sleep), "hang": at_move(hang),
    "printer": at_move(print_garbage), "scribbler": at_move(scribble),
    "forker": at_move(lambda *_: os.fork() and None),  # both copies go on
    "spawner": at_move(leave_children), "eater": at_move(eat), "family": at_move(eat_together),
}
MOCKS["hang"].budgets = ("wall",)


def name_bots(bots: dict[str, type[Engine]], module: dict[str, Any]) -> None:
    """Let engines be found by their names in a module: `tests.arena.mocks:eater`."""
    for name, bot in bots.items():
        bot.name = bot.__name__ = bot.__qualname__ = name
        bot.__module__ = module["__name__"]
        module[name] = bot


name_bots(MOCKS, globals())


def register_mocks() -> None:
    """Called in worker processes: make the mock engines known there."""
    registry.ENGINES.built_in.update(
        {name: f"tests.arena.mocks:{cls.__name__}" for name, cls in MOCKS.items()}
    )


def bad_setup() -> None:
    """A setup that cannot work."""
    raise OSError("the worker cannot start")


class Said(Reporter):
    """Keeps what is said, and the games in their order."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.games: list[GameRecord] = []

    def log(self, text: str) -> None:
        self.lines.append(text)

    def game(self, record: GameRecord) -> None:
        self.games.append(record)


def make_task(first: str, second: str, game: str = "tictactoe", seed: int = 1) -> GameTask:
    return GameTask(f"{game}|{first}|{second}|0", game, first, second, 0, (4,), seed)


def play_tasks(
    tasks: list[GameTask], limits: Limits = DEFAULT_LIMITS, setup: str = SETUP, workers: int = 2
) -> dict[str, GameRecord]:
    """Games by workers: their records by slot."""
    with Processes(workers, GameTable(limits, setup)) as jobs:
        return {outcome.task.slot: outcome.value for outcome in jobs.run(tasks)}


def run(plan: Plan, ledger: Path, **options: object) -> tuple[Summary, str]:
    """A tournament and what it said."""
    stream = io.StringIO()
    summary = run_tournament(
        plan.canonical(), ledger, workers=2, progress=Reporter(stream), setup=SETUP, **options
    )
    return summary, stream.getvalue()


def read(path: Path) -> str:
    """The text of a file; empty if there is none, for a process may end while we look."""
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


def left_behind(pid: int | None = None) -> list[str]:
    """Command lines of the processes left behind by workers of a tournament in process `pid`
    (by default this one): those whose environment marks them, and the mocks' sleepers."""
    pid, children = pid or os.getpid(), []
    for folder in Path("/proc").glob("[0-9]*"):
        command = read(folder / "cmdline")
        if f"{MARK}={pid}-" in read(folder / "environ") or f"\0{nap_of(pid)}\0" in command:
            children.append(f"{folder.name} {command}")
    return children


def games_of(path: Path) -> dict[str, GameRecord]:
    with Ledger(path, read_only=True) as ledger:
        return {record.slot: record for record in ledger.games()}


def assert_legal(records: dict[str, GameRecord]) -> None:
    """Every game, replayed by the rules, ends with the stored result."""
    for record in records.values():
        state = record.replay()
        assert state.is_over(), record.slot
        assert record.result == (state.result() + 1) / 2, record.slot
        assert record.reason == state.game.result_text(state)
