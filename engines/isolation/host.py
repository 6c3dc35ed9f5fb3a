"""The code inside the process of one external engine.

    python -P -m engines.isolation.host [SETUP]
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import pkgutil
import sys
import time
from io import TextIOWrapper
from pathlib import Path
from typing import Any, cast

from dlgo.api import GameState, Move
from dlgo.errors import DlgoError, LoadError
from dlgo.games import get_game
from dlgo.jit import count_compiling, cpu_time, watch_clocks
from dlgo.plugins import file_stamp
from dlgo.records.failures import Failure
from dlgo.system import pipes, processes
from dlgo.text import error_text
from dlgo.tracebacks import describe
from engines.base import Decision
from engines.clock import stopped_by
from engines.isolation.imports import refuse_imports
from engines.isolation.server import Server
from engines.programs.program import ProgramError
from engines.programs.sandbox import ENGINES
from engines.registry import EngineSpec
from engines.watching.recording import transcript

# Requests that may have to compile.
_LONG = ("open", "build", "warm_up")
# Folders whose frames of a traceback do not interest the author of an engine.
_OURS = tuple(str(Path(__file__).resolve().parents[2] / name) for name in ("dlgo", "engines"))
_INSTALLED = (str(Path(os.__file__).parent), "site-packages")


def main() -> None:
    """Answer requests until there are no more."""
    server = Server(printed=2)
    cast(TextIOWrapper, sys.stdout).reconfigure(line_buffering=True, errors="backslashreplace")
    if ENGINES in os.environ:
        refuse_imports(_is_own)
    for text in sys.argv[1:]:
        pkgutil.resolve_name(text)()
    server.run(_Host(server).answer)


class _Host:
    """The engine, and the game as reported so far. `_NAME` answers the request `NAME`."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._engine: Any = None  # the engine, once it has been built
        self._state: GameState | None = None
        self._compiled = 0.0  # CPU seconds, as told last

    def answer(self, request: str, *arguments: Any) -> dict[str, Any]:
        telling: contextlib.AbstractContextManager[None] = contextlib.nullcontext()
        if request in _LONG:
            telling = count_compiling(lambda count: self._server.tell({"compiling": count}))
        try:
            with telling, watch_clocks(self._tell_of_clocks):
                return getattr(self, f"_{request}")(*arguments) or {}
        except BaseException as error:  # what goes wrong is an answer, too
            if isinstance(error, MemoryError) or isinstance(error.__cause__, MemoryError):
                return {"failure": Failure.OVER_MEMORY, "text": "out of memory: MemoryError"}
            clear = isinstance(error, DlgoError)
            text = str(error) if clear else _described(error)
            causes = [cause for cause in (error, error.__cause__)
                      if isinstance(cause, ProgramError)]
            return {"failure": causes[0].failure if causes else Failure.CRASH, "text": text}
        finally:
            with contextlib.suppress(Exception):  # it may have put anything in its place
                sys.stdout.flush()

    def _tell_of_clocks(self, is_stopped: bool) -> None:
        compiling = time.process_time() - cpu_time()
        spent = 0.0 if is_stopped else compiling - self._compiled
        self._compiled = compiling
        self._server.tell({"clocks": "stopped" if is_stopped else "running", "cpu": spent})

    def _open(self, game: str) -> None:
        self._began = time.time_ns()
        self._game = get_game(game)
        # Compiled before any clock runs: the rules are ours, and not the engine's to pay for.
        state = GameState.new_game(self._game)
        state.apply_move(state.legal_moves()[0]).is_over()

    def _build(self, text: str, seed: int) -> dict[str, Any]:
        spec = EngineSpec.parse(text)
        engine = self._engine = spec.build(self._game, seed)
        self._files = _own_files(self._began)
        return {
            "digest": spec.digest, "budget": engine.budget.given(), "budgets": engine.budgets,
            "network_id": engine.network_id,
            "training_cpu_seconds": engine.training_cpu_seconds, "runtime": engine.runtime,
        }

    def _is_current(self) -> dict[str, Any]:
        return {"current": all(file_stamp(file) == s for file, s in self._files.items())}

    def _warm_up(self) -> None:
        self._engine.warm_up()

    def _limit_memory(self, megabytes: int) -> None:
        processes.limit_growth(megabytes)

    def _new_game(self, seed: int) -> None:
        self._engine.new_game(seed)

    def _move(
        self, start: GameState | None, moves: list[Move], budget: Any, method: str = ""
    ) -> dict[str, Any]:
        """Ask for a move. With `method`, `select_move` or `analyse`, all that is known of it."""
        state = self._go_to(start, moves)
        with stopped_by(self._is_asked) if method == "analyse" else contextlib.nullcontext():
            decision = getattr(self._engine, method or "select_move")(state, budget)
        return self._answer_of(decision, bool(method))

    def _watch(self, start: GameState | None, moves: list[Move], budget: Any) -> dict[str, Any]:
        """Ask for a move, and for all events of its search, in parts."""
        state = self._go_to(start, moves)
        with stopped_by(self._is_asked):
            record = transcript(self._engine, state, budget, stop=self._is_asked)
        answer = {"parts": record.parts, "steps": record.steps, "limit": record.limit}
        if record.decision is None:
            return answer
        return answer | self._answer_of(record.decision, True)

    def _go_to(self, start: GameState | None, moves: list[Move]) -> GameState:
        """The position that is asked about, from `start`, or from the last one."""
        state = self._state if start is None else start
        if state is None:
            raise ValueError("no position to go on from")
        for move in moves:
            state = state.apply_move(move)
        self._state = state
        return state

    def _answer_of(self, decision: Any, details: bool) -> dict[str, Any]:
        if not isinstance(decision, Decision):
            name = type(self._engine).__name__
            raise TypeError(f"{name}.select_move returned {str(decision)[:80]}, not a move")
        cost, code = decision.cost, self._code
        answer: dict[str, Any] = {
            "move": code(decision.move), "value": decision.value,
            "counts": [cost.simulations, cost.nodes, cost.evaluations],
        }
        if not details:
            return answer
        for name in ("policy", "values", "visits", "priors"):
            table = getattr(decision, name)
            answer[name] = [[code(move), float(number)] for move, number in table.items()]
        for name in ("proven", "plies_to_end", "depth"):
            number = getattr(decision, name)
            answer[name] = None if number is None else int(number)
        return answer | {
            "score": None if decision.score is None else float(decision.score),
            "pv": list(map(code, decision.pv)),
            "lines": [list(map(code, line)) for line in decision.lines],
        }

    def _is_asked(self) -> bool:
        """Whether the next request has come: `stop`, which ends an analysis."""
        return pipes.has_input(self._server.requests)

    def _stop(self) -> None:
        pass

    def _code(self, move: Move) -> int | list[Any]:
        """A move's number; one without is described, and the referee says what is wrong."""
        action = None if move.is_resign else self._game.action_of(move)
        return [str(move.kind), _plain(move.place)] if action is None else action

    def _describe(self, text: str) -> dict[str, Any]:
        try:
            spec = EngineSpec.parse(text)
        except DlgoError as error:
            return {"problem" if _is_in_file(text, error) else "wrong": str(error)}
        except BaseException as error:
            return {"problem": f"cannot load {text}: {error_text(error)}"}
        return {"spec": {**dataclasses.asdict(spec), "budget": spec.budget.given()}}

    def _close(self) -> None:
        if self._engine is not None:
            self._engine.close()


def _is_in_file(spec: str, error: DlgoError) -> bool:
    """Whether an engine's file is wrong, which its games show, rather than its specification."""
    missing = error.__cause__
    if isinstance(missing, ModuleNotFoundError) and missing.name:
        return not spec.startswith(missing.name)
    file = Path(f"{spec.partition('.py')[0]}.py")
    return isinstance(error, LoadError) and (".py" not in spec or file.is_file())


def _plain(place: Any) -> Any:
    if isinstance(place, tuple):
        return [_plain(part) for part in place]
    return place if isinstance(place, int | str | None) else str(place)


def _is_own(file: Any) -> bool:
    """Whether a file is neither ours nor installed."""
    return isinstance(file, str) and _is_foreign(file) and not any(
        part in file for part in _INSTALLED
    )


def _own_files(began: int) -> dict[str, tuple[int, int] | None]:
    """The files of the engine's author that this process has loaded since `began`, and what they
    were like; None for one that has been edited meanwhile."""
    files = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
    stamps = {file: file_stamp(file) for file in files if file and _is_own(file)}
    return {file: stamp if stamp and stamp[0] < began else None for file, stamp in stamps.items()}


def _described(error: BaseException) -> str:
    """An exception, and where it happened: `my_bot.py, line 12: KeyError: 3`. The standard library
    and installed packages are only named where the engine's own files have no part in it."""
    for counts in (_is_own, _is_foreign):
        fault = describe(error, counts)
        if fault.file:
            return f"{Path(fault.file).name}{fault.where}: {fault}"
    return str(fault)


def _is_foreign(file: str) -> bool:
    return not file.startswith((*_OURS, "<"))


if __name__ == "__main__":
    main()
