"""The inside of the process in which one engine from outside lives.

    python -P -m engines.isolation.host [SETUP]
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import json
import os
import select
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from dlgo.api import GameState, Move
from dlgo.errors import DlgoError, PluginError
from dlgo.games import get_game
from dlgo.jit import cpu_time, tell_of_compiling, watch_clocks
from dlgo.records.failures import Failure
from engines.base import Decision, Engine
from engines.clock import stopped_by
from engines.isolation import copies
from engines.isolation.server import Server
from engines.programs import processes
from engines.programs.framing import BrokenFrame, take_frame, write_frame
from engines.registry import EngineSpec
from engines.watching.recording import transcript

# Requests that may have to compile.
_LONG = ("open", "build", "warm_up")
# Folders whose frames of a traceback do not interest the author of an engine.
_OURS = tuple(str(Path(__file__).resolve().parents[2] / name) for name in ("dlgo", "engines"))


def main() -> None:
    """Answer requests until there are no more."""
    server = Server(printed=2)
    sys.stdout.reconfigure(line_buffering=True, errors="backslashreplace")
    for text in sys.argv[1:]:
        module, _, function = text.partition(":")
        getattr(importlib.import_module(module), function)()
    server.run(_Host(server).answer)


class _Host:
    """The engine, and the game as far as it has been told."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._engine: Engine | None = None
        self._state: GameState | None = None
        self._compiled = 0.0  # CPU seconds, as told last

    def answer(self, request: str, *arguments: Any) -> dict[str, Any]:
        """Do what is asked; what goes wrong is an answer, too."""
        telling = contextlib.nullcontext()
        if request in _LONG:
            telling = tell_of_compiling(lambda text: self._server.tell({"compiling": text}))
        try:
            with telling, watch_clocks(self._tell_of_clocks):
                return getattr(self, f"_{request}")(*arguments)
        except BaseException as error:
            if isinstance(error, MemoryError) or isinstance(error.__cause__, MemoryError):
                return {"failure": Failure.OVER_MEMORY, "text": "out of memory: MemoryError"}
            return {"failure": Failure.CRASH, "text": place_of(error) + error_text(error)}
        finally:
            with contextlib.suppress(Exception):  # it may have put anything in its place
                sys.stdout.flush()

    def _tell_of_clocks(self, stopped: bool) -> None:
        compiling = time.process_time() - cpu_time()
        spent = 0.0 if stopped else compiling - self._compiled
        self._compiled = compiling
        self._server.tell({"clocks": "stopped" if stopped else "running", "cpu": spent})

    def _open(self, game: str) -> dict[str, Any]:
        self._game = get_game(game)
        # Compiled before any clock runs: the rules are ours, and not the engine's to pay for.
        state = GameState.new_game(self._game)
        state.apply_move(state.legal_moves()[0]).is_over()
        return {}

    def _build(self, text: str, seed: int) -> dict[str, Any]:
        spec = EngineSpec.parse(text)
        engine = self._engine = spec.build(self._game, seed)
        return {
            "digest": spec.digest, "budget": engine.budget.given(), "budgets": engine.budgets,
            "network_id": engine.network_id,
            "training_cpu_seconds": engine.training_cpu_seconds, "runtime": engine.runtime,
        }

    def _enter_copy(self, folders: list[str]) -> dict[str, Any]:
        answer = copies.enter_copy(folders)
        self._server.pid = os.getpid()
        return answer

    def _leave_copy(self) -> dict[str, Any]:
        os._exit(copies.TOLD)

    def _warm_up(self) -> dict[str, Any]:
        self._engine.warm_up()
        return {}

    def _limit_memory(self, megabytes: int) -> dict[str, Any]:
        processes.limit_growth(megabytes)
        return {}

    def _new_game(self, seed: int) -> dict[str, Any]:
        self._engine.new_game(seed)
        return {}

    def _move(
        self, start: GameState | None, moves: list[Move], budget: Any, method: str = ""
    ) -> dict[str, Any]:
        """Ask for a move. With `method`, `select_move` or `analyse`, all that is known of it."""
        state = self._go_to(start, moves)
        with stopped_by(self._is_asked) if method == "analyse" else contextlib.nullcontext():
            decision = getattr(self._engine, method or "select_move")(state, budget)
        return self._answer_of(decision, bool(method))

    def _watch(
        self, start: GameState | None, moves: list[Move], budget: Any
    ) -> dict[str, Any]:
        """Ask for a move, and for all events of its search, in parts."""
        state = self._go_to(start, moves)
        with stopped_by(self._is_asked):
            record = transcript(self._engine, state, budget, stop=self._is_asked)
        answer = {"parts": record.parts, "steps": record.steps}
        if record.decision is None:
            return answer
        return answer | self._answer_of(record.decision, True)

    def _go_to(self, start: GameState | None, moves: list[Move]) -> GameState:
        """The position that is asked about, from `start`, or from the last one."""
        state = self._state if start is None else start
        for move in moves:
            state = state.apply_move(move)
        self._state = state
        return state

    def _answer_of(self, decision: Any, details: bool) -> dict[str, Any]:
        if not isinstance(decision, Decision):
            name = type(self._engine).__name__
            raise TypeError(f"{name}.select_move returned {str(decision)[:80]}, not a move")
        cost = decision.cost
        answer = {
            "move": self._code(decision.move), "value": decision.value,
            "counts": [cost.simulations, cost.nodes, cost.evaluations],
        }
        return answer | self._details(decision) if details else answer

    def _is_asked(self) -> bool:
        """Whether the next request has come: `stop`, which ends an analysis."""
        return bool(select.select([self._server.requests], [], [], 0.0)[0])

    def _stop(self) -> dict[str, Any]:
        return {}

    def _details(self, decision: Decision) -> dict[str, Any]:
        code = self._code
        tables: dict[str, Any] = {
            name: [[code(move), float(number)] for move, number in getattr(decision, name).items()]
            for name in ("policy", "values", "visits", "priors")
        }
        for name in ("proven", "plies_to_end", "depth"):
            number = getattr(decision, name)
            tables[name] = None if number is None else int(number)
        return {**tables, "pv": list(map(code, decision.pv))}

    def _code(self, move: Move) -> int | list[Any]:
        """A move's number. One that the game cannot number is described instead; the referee
        says what is wrong with it."""
        action = None if move.is_resign else self._game.action_of(move)
        return [str(move.kind), _plain(move.place)] if action is None else action

    def _describe(self, spec: str, timeout: float) -> dict[str, Any]:
        """Load an engine's file in a copy of this process, which ends with that."""
        ours, theirs = os.pipe()
        copy = os.fork()
        if copy == 0:
            os.closerange(3, theirs)  # the pipes of this process, above all
            for standard in (1, 2):  # what it prints is shown when it is built
                os.dup2(0, standard)
            try:
                write_frame(theirs, json.dumps(_facts_of(spec)).encode())
            finally:
                os._exit(0)
        os.close(theirs)
        buffer, answer, deadline = bytearray(), None, time.monotonic() + timeout
        with contextlib.suppress(BrokenFrame):
            while (answer := take_frame(buffer)) is None:
                left = max(deadline - time.monotonic(), 0.0)
                data = os.read(ours, 1 << 16) if select.select([ours], [], [], left)[0] else b""
                if not data:
                    break
                buffer += data
        os.kill(copy, signal.SIGKILL)
        os.waitpid(copy, 0)
        os.close(ours)
        return {} if answer is None else json.loads(answer)

    def _close(self) -> dict[str, Any]:
        if self._engine is not None:
            self._engine.close()
        return {}


def _facts_of(spec: str) -> dict[str, Any]:
    try:
        parsed = EngineSpec.parse(spec)
    except DlgoError as error:
        return {"problem" if _is_in_file(spec, error) else "wrong": str(error)}
    except BaseException as error:
        return {"problem": f"cannot load {spec}: {error_text(error)}"}
    return {"spec": {**dataclasses.asdict(parsed), "budget": parsed.budget.given()}}


def _is_in_file(spec: str, error: DlgoError) -> bool:
    """Whether an engine's file is wrong, which its games show, rather than its specification."""
    missing = error.__cause__
    if isinstance(missing, ModuleNotFoundError) and missing.name:
        return not spec.startswith(missing.name)
    loading = isinstance(error, PluginError) and str(error).startswith("cannot load")
    return loading and (".py" not in spec or Path(f"{spec.partition('.py')[0]}.py").is_file())


def _plain(place: Any) -> Any:
    if isinstance(place, tuple):
        return [_plain(part) for part in place]
    return place if isinstance(place, int | str | None) else str(place)


def error_text(error: BaseException) -> str:
    """An exception in one line: `ZeroDivisionError: division by zero`."""
    text = " ".join(str(error).split())
    if isinstance(error, DlgoError) and text:  # a sentence that names file and line where it can
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def place_of(error: BaseException) -> str:
    """Where in the engine's own files it happened: `my_bot.py, line 12: `; "" if nowhere."""
    if isinstance(error, DlgoError):
        return ""
    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith((*_OURS, "<"))
    ]
    # The standard library and installed packages only where there is nothing else.
    installed = (str(Path(os.__file__).parent), "site-packages")
    own = [frame for frame in frames if not any(part in frame.filename for part in installed)]
    for frame in reversed(own or frames):
        return f"{Path(frame.filename).name}, line {frame.lineno}: "
    return ""


if __name__ == "__main__":
    main()
