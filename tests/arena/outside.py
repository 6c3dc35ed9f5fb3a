"""Engines from outside that do what they should not; `test_outside.py` lets them play.

Each is a way of misbehaving (a line of its own file, in effect) in an engine that otherwise plays
at random.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
import threading
import time
from collections.abc import Callable

from dlgo import GameState, Move
from engines.base import Budget, Decision, Engine
from engines.random_bot.engine import RandomEngine
from tests.arena.mocks import at_move, eat, eat_together, kill_itself, leave_children, name_bots


def at_start(action: Callable[[], object]) -> type[Engine]:
    """An engine that does something while it is built."""

    class Bot(RandomEngine):
        def _set_up(self) -> None:
            action()

    return Bot


class Returns(RandomEngine):
    """Returns something else than a decision."""

    answer: object = None

    def select_move(self, state: GameState, budget: Budget | None = None) -> object:
        return self.answer

    def warm_up(self) -> None:
        pass


def nothing(*_: object) -> None:
    pass


def spin(*_: object) -> None:
    while True:
        pass


def sleep(*_: object) -> None:
    time.sleep(3600)


def kill_parent(*_: object) -> None:
    """On a busy machine the parent may live on for a move or two: so wait for its end."""
    os.kill(os.getppid(), 9)
    sleep()


def flood(*_: object) -> None:
    for _ in range(100):
        sys.stdout.write("x" * (1 << 20))
        sys.stderr.write("y" * (1 << 20))


def thread(*_: object) -> None:
    threading.Thread(target=spin, daemon=False).start()


def make_opponents_resign(*_: object) -> None:
    """The attack: look for the opponent among all objects, and let it resign."""
    for thing in gc.get_objects():
        if isinstance(thing, Engine) and "dawdler" in getattr(thing, "name", ""):
            thing.select_move = lambda *_: Decision(Move.resign())


def scribble(*_: object) -> None:
    for descriptor in range(3, 64):
        with contextlib.suppress(OSError):
            os.write(descriptor, b"no move at all")


def close_stdout(*_: object) -> None:
    with contextlib.suppress(OSError):
        os.close(1)


def ignore_signals(*_: object) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def fail(*_: object) -> None:
    raise LookupError("no idea\nat all")


# What it does, and how its game ends: the failure and a part of the reason, or None if it plays on.
BOTS: dict[str, tuple[type[Engine], tuple[str, str] | None]] = {
    "good": (at_move(nothing), None),
    "prints": (at_move(lambda *_: print("hello")), None),
    "floods": (at_move(flood), None),
    "forks": (at_move(lambda *_: os.fork() and None), None),
    "leaves_children": (at_move(leave_children), None),
    "leaves_threads": (at_move(thread), None),
    "changes_directory": (at_move(lambda *_: os.chdir("/")), None),
    "closes_stdout": (at_move(close_stdout), None),
    "ignores_signals": (at_move(ignore_signals), None),
    "attacks": (at_move(make_opponents_resign), None),
    "deletes_environment": (at_move(lambda *_: os.environ.clear()), None),
    "lowers_limits": (at_move(lambda *_: sys.setrecursionlimit(200)), None),
    "raises": (at_move(fail), ("crash", "outside.py, line ")),
    "raises_in_constructor": (at_start(fail), ("crash", "LookupError: no idea at all")),
    "recurses": (at_move(lambda bot, state: bot._decide(state, None)),
                 ("crash", "RecursionError")),
    "exits": (at_move(lambda *_: sys.exit(3)), ("crash", "SystemExit: 3")),
    "exits_at_once": (at_move(lambda *_: os._exit(3)), ("process died", "(exit code 3)")),
    "exits_in_constructor": (at_start(lambda: os._exit(4)), ("process died", "(exit code 4)")),
    "kills_itself": (at_move(kill_itself), ("process died", "(signal 9)")),
    "kills_its_parent": (at_move(kill_parent), ("process died", "")),
    "segfaults": (at_move(lambda *_: os.kill(os.getpid(), 11)), ("process died", "(signal 11)")),
    "hangs": (at_move(sleep), ("timeout", "no move from")),
    "spins": (at_move(spin), ("timeout", "no move from")),
    "hangs_in_constructor": (at_start(sleep), ("timeout", "of preparation")),
    "stops_itself": (at_move(lambda *_: os.kill(os.getpid(), signal.SIGSTOP)),
                     ("timeout", "no move from")),
    "eats": (at_move(eat), ("over memory", "out of memory: MemoryError")),
    "has_a_family": (at_move(eat_together), ("over memory", "MB in use")),
    "scribbles": (at_move(scribble), ("nonsense", "process sent nonsense")),
    "returns_nothing": (type("Bot", (Returns,), {}), ("crash", "returned None, not a move")),
    "returns_text": (type("Bot", (Returns,), {"answer": "D3"}), ("crash", "returned D3")),
    "passes": (at_move(lambda *_: Decision(Move.pass_turn())), ("illegal move", "has no pass")),
    "plays_nowhere": (at_move(lambda *_: Decision(Move.play((99, 99)))), ("illegal move", "")),
}


name_bots({name: bot for name, (bot, _) in BOTS.items()}, globals())


def spec_of(name: str) -> str:
    """The specification of a bot."""
    return f"{__name__}:{name}"
