"""Engines that cheat, crash, die and sleep, and what the arena's tests do with them.

`register_mocks` enters them into the engine registry: in the tests' own process by the
fixture of `conftest.py`, in worker processes because the tests name it as their `setup`.
"""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from dlgo import GameState, Move
from dlgo.specs import Option
from engines import registry
from engines.base import Budget, Decision, Engine
from engines.random_bot.engine import RandomEngine
from experiments.arena.ledger import GameRecord, Ledger
from experiments.arena.match import GameTask
from experiments.arena.schedule import Plan
from experiments.arena.tournament import PlainReporter, Summary, run_tournament

# Seconds; so odd that the tests can find the process by it.
NAP = "3600.125"

SETUP = f"{__name__}:register_mocks"
BAD_SETUP = f"{__name__}:bad_setup"



class Dawdler(RandomEngine):
    """Random, but takes its time: so that a tournament can be killed in the middle."""

    name = "dawdler"
    options = (Option("ms", 0, "milliseconds a move", low=0, high=1000),)

    def _decide(self, state: GameState, budget: Budget) -> Decision:
        time.sleep(self.settings["ms"] / 1000)
        return super()._decide(state, budget)


class Mock(Engine):
    """Does nothing in advance, so that what breaks breaks in a game."""

    name = "mock"

    def new_game(self, seed: int) -> None:
        pass

    def warm_up(self) -> None:
        pass


class Cheater(Mock):
    def _decide(self, state: GameState, budget: Budget) -> Decision:
        return Decision(Move.pass_turn())  # tic-tac-toe knows no pass


class Crasher(Mock):
    def _decide(self, state: GameState, budget: Budget) -> Decision:
        raise ZeroDivisionError("one\nover nothing")


class Suicide(Mock):
    def _decide(self, state: GameState, budget: Budget) -> Decision:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError("unreachable")


class Quitter(Mock):
    def _decide(self, state: GameState, budget: Budget) -> Decision:
        sys.exit(3)


class Sleeper(Mock):
    def _decide(self, state: GameState, budget: Budget) -> Decision:
        subprocess.run(["sleep", NAP])  # a process of its own, to be ended with the worker
        raise AssertionError("unreachable")


class Resigner(Mock):
    def _decide(self, state: GameState, budget: Budget) -> Decision:
        return Decision(Move.resign())


class BadStart(Crasher):
    def warm_up(self) -> None:
        raise RuntimeError("cold")


class Unbuildable(Crasher):
    def new_game(self, seed: int) -> None:
        raise FileNotFoundError("no such checkpoint")


MOCKS = {
    "dawdler": Dawdler, "cheater": Cheater, "crasher": Crasher, "suicide": Suicide,
    "quitter": Quitter, "sleeper": Sleeper, "resigner": Resigner, "badstart": BadStart,
    "unbuildable": Unbuildable,
}


def register_mocks() -> None:
    """Called in worker processes: make the mock engines known there."""
    registry._ENGINES.update(
        {name: f"tests.experiments.mocks:{cls.__name__}" for name, cls in MOCKS.items()}
    )


def bad_setup() -> None:
    """A setup that cannot work."""
    raise OSError("the worker cannot start")


def make_task(first: str, second: str, game: str = "tictactoe", seed: int = 1) -> GameTask:
    return GameTask(f"{game}|{first}|{second}|0", game, first, second, 0, (4,), seed)


def run(plan: Plan, ledger: Path, **options: object) -> tuple[Summary, str]:
    """A tournament and what it said."""
    stream = io.StringIO()
    summary = run_tournament(
        plan, ledger, workers=2, progress=PlainReporter(stream), setup=SETUP, **options
    )
    return summary, stream.getvalue()


def games_of(path: Path) -> dict[str, GameRecord]:
    with Ledger(path, read_only=True) as ledger:
        return {record.slot: record for record in ledger.games(with_costs=True)}


def assert_legal(records: dict[str, GameRecord]) -> None:
    """Every game, replayed by the rules, ends with the stored result."""
    for record in records.values():
        state = record.replay()
        assert state.is_over(), record.slot
        assert record.result == (state.result() + 1) / 2, record.slot
        assert record.reason == state.game.result_text(state)
