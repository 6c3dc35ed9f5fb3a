"""An engine in a process of its own, as its referee sees it.

It is asked like any engine. What it costs is measured here, from outside, children included; a
hang, a crash or nonsense raises a `ProgramError` that says which, and ends its process alone.
"""

from __future__ import annotations

import json
import math
import os
import pickle
import sys
import time
from collections.abc import Callable
from typing import Any

from dlgo.api import GameSpec, GameState, Move, Point
from dlgo.records.failures import Failure
from engines.base import Budget, Cost, Decision
from engines.programs import processes
from engines.programs.framing import BrokenFrame, frame, take_frame
from engines.programs.program import Program, ProgramError

# Wall seconds for Python and dlgo to load, and for the rules of a game to be compiled.
_START_TIMEOUT = 600.0
# Seconds for an engine to close itself.
_SHUTDOWN_TIMEOUT = 2.0
# Nothing of an error's text beyond this is kept.
_LONGEST_TEXT = 300
_MEGABYTE = 2**20


class Host:
    """The process of an engine.

    Args:
        game, spec: what is played and by whom, specifications.
        setup: "module:function", called there before anything else.

    Attributes:
        pid: the root of its processes.
        process: the one in which the engine is.

    Raises:
        ProgramError: if it cannot be started.
    """

    def __init__(self, game: str, spec: str, setup: str | None = None) -> None:
        command = [sys.executable, "-P", "-m", "engines.isolation.host", game, spec]
        self._program = Program(
            command + ([setup] if setup else []), {"PYTHONPATH": os.pathsep.join(sys.path)}
        )
        self._kills = processes.oom_kills()
        self.pid = self._program.pid
        self.process = int(self._receive(b"", _START_TIMEOUT)["pid"])

    def ask(
        self, *request: Any, timeout: float, check: Callable[[], None] | None = None
    ) -> dict[str, Any]:
        """The answer to a request of `host.py`.

        Raises:
            ProgramError: if something else comes, or nothing in time, and the process is ended;
                or if the engine has failed, and the process lives on.
        """
        return self._receive(frame(pickle.dumps(request)), timeout, check)

    def _receive(
        self, request: bytes, timeout: float, check: Callable[[], None] | None = None
    ) -> dict[str, Any]:
        try:
            answer = json.loads(self._program.exchange(request, take_frame, timeout, check))
            if not isinstance(answer, dict):
                raise ValueError
        except ProgramError as error:
            self.kill()
            text = str(error)
            if error.failure is Failure.DIED:
                text = text.replace("it ", "process ", 1)
                if processes.oom_kills() > self._kills:
                    text = "out of memory: process killed by the system"
                    raise ProgramError(Failure.OVER_MEMORY, text) from None
            raise ProgramError(error.failure, text) from None
        except (BrokenFrame, ValueError, RecursionError):
            self.kill()
            raise nonsense() from None
        except BaseException:  # the answer would come to the next question
            self.kill()
            raise
        if "failure" in answer:
            raise _failure(answer)
        return answer

    def cpu_seconds(self) -> float:
        """CPU time of all its processes so far."""
        return self._program.cpu_seconds()

    def close(self) -> None:
        """Let the engine close itself, and make sure that nothing is left."""
        if self._program.alive:
            self._program.write_last(frame(pickle.dumps(("close",))), _SHUTDOWN_TIMEOUT)
        self.kill()

    def kill(self) -> None:
        """End all its processes, now."""
        self._program.kill()


def nonsense() -> ProgramError:
    """The error for an answer that is none."""
    return ProgramError(Failure.NONSENSE, "process sent nonsense")


class IsolatedEngine:
    """An engine in a process of its own.

    Args:
        spec: its specification.
        game: what it plays.
        timeout: wall seconds to build it and, unless changed, for each further answer.
        memory_mb: megabytes its processes may grow by once it is built; None: no limit.
        setup: "module:function", called in its process before anything else.

    Attributes:
        timeout: wall seconds for each answer.
        budget: of each move.
        network_id, training_cpu_seconds: as of any engine.
        pid: the root of its processes.
        digest: of its sources.

    Raises:
        ProgramError: if it cannot be built.
    """

    def __init__(
        self, spec: str, game: GameSpec, timeout: float, memory_mb: int | None = None,
        setup: str | None = None,
    ) -> None:
        self.game = game
        self.timeout = timeout
        self._memory_mb = memory_mb
        self._memory = 0
        self._state: GameState | None = None  # the position that its process holds
        self._host = Host(str(game), spec, setup)
        self.pid = self._host.pid
        try:
            facts = self._ask("build")
            self.budget = Budget(**facts["budget"])
            self.network_id = facts["network_id"]
            self.training_cpu_seconds = facts["training_cpu_seconds"]
            self.digest = str(facts["digest"])
            if memory_mb is not None:
                self._ask("limit_memory", memory_mb)
                self._memory = processes.memory(self.pid)
        except (TypeError, KeyError):
            self._host.kill()
            raise nonsense() from None
        except BaseException:
            self._host.kill()
            raise

    def new_game(self, seed: int) -> None:
        """Forget everything and seed the generator."""
        self._ask("new_game", seed)
        self._cpu = self._host.cpu_seconds()

    def warm_up(self) -> None:
        """Let it load what it needs."""
        self._ask("warm_up")

    def select_move(self, state: GameState, budget: Budget | None = None) -> Decision:
        """Ask for a move. The CPU seconds are those of all its processes since the last move.

        Raises:
            ProgramError: if none comes.
        """
        wall = time.perf_counter()
        answer = self._ask("move", *self._way_to(state), budget)
        self._state = state
        try:
            move = self._move(answer)
            simulations, nodes, evaluations = (
                min(max(int(count), 0), 2**62) for count in answer["counts"]
            )
            value = answer["value"]
            value = None if value is None or not math.isfinite(value) else float(value)
        except (TypeError, KeyError, ValueError, OverflowError):
            self._host.kill()
            raise nonsense() from None
        before, self._cpu = self._cpu, self._host.cpu_seconds()
        cost = Cost(
            simulations, nodes, evaluations, cpu_seconds=self._cpu - before,
            wall_seconds=time.perf_counter() - wall,
        )
        return Decision(move, value=value, cost=cost)

    def _way_to(self, state: GameState) -> tuple[GameState | None, list[Move]]:
        """From where and by which moves its process gets to `state`; None: from where it is."""
        moves, before = [], state
        while before is not self._state and before.previous_state is not None:
            moves.append(before.last_move)
            before = before.previous_state
        return None if before is self._state else before, moves[::-1]

    def _move(self, answer: dict[str, Any]) -> Move:
        action = answer["action"]
        if action is not None:
            if type(action) is not int or not 0 <= action < self.game.num_actions:
                raise ValueError(action)
            return self.game.move_of(action)
        return Move(answer["kind"], _place(answer["place"]))

    def _ask(self, *request: Any) -> dict[str, Any]:
        return self._host.ask(*request, timeout=self.timeout, check=self._check)

    def _check(self) -> None:
        """Whether its processes have grown too large."""
        if self._memory_mb is None or not self._memory:
            return
        limit = self._memory + self._memory_mb * _MEGABYTE
        if processes.memory(self.pid) > limit and processes.exact_memory(self.pid) > limit:
            grown = (processes.exact_memory(self.pid) - self._memory) / _MEGABYTE
            raise ProgramError(
                Failure.OVER_MEMORY,
                f"out of memory: {grown:.0f} MB in use, {self._memory_mb} MB allowed,",
            )

    def run_delay(self) -> float:
        """Seconds for which it was ready to think but had no core."""
        return processes.run_delay(self._host.process)

    def close(self) -> None:
        """Let it close itself, and make sure that nothing is left."""
        self._host.close()


def _place(value: Any) -> Any:
    if isinstance(value, list):
        parts = tuple(map(_place, value))
        return Point(*parts) if len(parts) == 2 and all(type(p) is int for p in parts) else parts
    return value


def _failure(answer: dict[str, Any]) -> ProgramError:
    text = " ".join(str(answer.get("text", "")).split())
    text = text if len(text) <= _LONGEST_TEXT else text[: _LONGEST_TEXT - 3] + "..."
    kind = answer["failure"]
    return ProgramError(Failure(kind) if kind == Failure.OVER_MEMORY else Failure.CRASH, text)
