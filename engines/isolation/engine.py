"""An engine in a process of its own, as its referee sees it.

It is asked like any engine. Its cost is measured here, from outside, including child processes; a
hang, a crash or nonsense raises a `ProgramError` that says which, and ends its process alone.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from dlgo.api import GameSpec, GameState, Move, Point
from dlgo.jit import wall_time
from dlgo.records.failures import Failure
from dlgo.system import processes
from engines.base import Budget, Cost, Decision
from engines.isolation.channel import START_TIMEOUT, Host, nonsense
from engines.programs.program import ProgramError
from engines.programs.sandbox import Sandbox
from engines.watching.recording import Transcript

# Wall seconds for a sandboxed engine to load: it may have to compile code, for which no clock
# stops, since untrusted code could claim to compile. The sandbox limits its CPU time.
_LOADING_TIMEOUT = 60.0
# Seconds in which a search must end after a stop request.
_STOP_TIMEOUT = 2.0
# Nodes of a move, at most: more than any computer visits, and few enough to be added up.
_MOST_COUNTED = 2**40
# The description of an untrusted engine: its answers must not limit other engines.
_UNKNOWN: dict[str, Any] = {
    "budget": {}, "budgets": (), "network_id": None, "training_cpu_seconds": None, "runtime": None,
    "digest": "",
}


class IsolatedEngine:
    """An engine in a process of its own. If that had to be ended, the next request starts another.

    Args:
        timeout: wall seconds to build it and, unless changed, for each further answer. A sandboxed
            engine has `_LOADING_TIMEOUT` or more to be built and to warm up.
        memory_mb: megabytes its processes may grow by once it is built; None: no limit.
        setup: "module:function", called in its process before anything else.
        details: whether decisions have more than a move and its value, which costs time, and
            whether messages name the engine.
        host: a process that has no engine yet; by default one is started.

    Its methods raise ProgramError if no answer comes.
    """

    def __init__(
        self, spec: str, game: GameSpec, timeout: float, memory_mb: int | None = None,
        setup: str | None = None, details: bool = False, host: Host | None = None,
        sandbox: Sandbox | None = None,
    ) -> None:
        self.game, self.timeout = game, timeout
        self._spec, self._setup, self._seed = spec, setup, 0
        self._details, self._memory_mb = details, memory_mb
        self._sandbox = sandbox
        self._start(host)

    def _start(self, host: Host | None = None) -> None:
        self._memory, self._cpu = 0, 0.0
        self._state: GameState | None = None  # the position that its process holds
        self._host = host or Host(self._setup, self._sandbox)
        self.pid = self._host.pid  # the root of its processes
        try:
            self._host.show_output(self._spec)
            self._host.ask(
                "open", self.game.versioned, timeout=START_TIMEOUT, check=self._check)
            facts = self._load("build", self._spec, self._seed)
            facts = facts if self._sandbox is None else _UNKNOWN
            self.budget = Budget(**facts["budget"])
            self.budgets = tuple(map(str, facts["budgets"]))
            self.network_id = facts["network_id"]
            self.training_cpu_seconds = facts["training_cpu_seconds"]
            self.runtime = facts["runtime"]
            self.digest = str(facts["digest"])  # of its sources
            if self._memory_mb is not None:
                self._ask("limit_memory", self._memory_mb)
                self._memory = processes.memory(self.pid)
        except (TypeError, KeyError):
            self._host.kill()
            raise nonsense() from None
        except BaseException:
            self._host.kill()
            raise

    def new_game(self, seed: int) -> None:
        """Reset the engine and seed its generator."""
        self._seed = seed
        if self._host.ended:
            self._start()
        self._ask("new_game", seed)
        self._cpu = self._host.thinking_seconds()

    def is_current(self) -> bool:
        """Whether its files, and those of the game, are as they were when it was built."""
        try:
            return self._ask("is_current") == {"current": True}
        except ProgramError:
            return False

    def warm_up(self) -> None:
        """Let it load what it needs."""
        self._load("warm_up")

    def _load(self, *request: Any) -> dict[str, Any]:
        sandboxed = self._sandbox is not None
        return self._ask(
            *request, timeout=max(self.timeout, _LOADING_TIMEOUT) if sandboxed else self.timeout)

    def select_move(self, state: GameState, budget: Budget | None = None) -> Decision:
        """Ask for a move. The CPU seconds include all its processes since the last move."""
        start = self._begin()
        method = "select_move" if self._details else ""
        return self._read(self._ask_at("move", state, budget, method), start, self._details)

    def analyse(
        self, state: GameState, budget: Budget | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> Decision:
        """Ask for a move and all that is known of the others.

        `stop` is asked a few times a second; once it is true, the search must end soon, with the
        best decision so far.
        """
        start = self._begin()
        return self._read(self._ask_at("move", state, budget, "analyse", stop=stop), start, True)

    def watch(
        self, state: GameState, budget: Budget | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> Transcript:
        """Ask for a move and the events of its search; `stop` as of `analyse`. Raises ProgramError
        also if the engine has no search events."""
        start = self._begin()
        answer = self._ask_at("watch", state, budget, stop=stop)
        decision = self._read(answer, start, True) if "move" in answer else None
        parts = answer.get("parts")
        if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
            self._host.kill()
            raise nonsense()
        limit = str(answer.get("limit", ""))
        return Transcript(tuple(parts), int(answer["steps"]), decision, limit)

    def _begin(self) -> float:
        start = wall_time()
        if self._host.ended:
            self._start()
        return start

    def _ask_at(
        self, request: str, state: GameState, budget: Budget | None, *more: str,
        stop: Callable[[], bool] | None = None,
    ) -> dict[str, Any]:
        """The answer about a position; `stop` ends the search."""
        moves = state.moves_since(self._state)
        # From the start and all moves, or from where its process is and the new moves.
        way = (state.history()[0], state.moves()) if moves is None else (None, moves)
        stop_times: list[float] = []

        def check() -> None:
            self._check()
            if stop is not None and not stop_times and stop():
                stop_times.append(time.monotonic())
                self._host.tell("stop")
            elif stop_times and time.monotonic() > stop_times[0] + _STOP_TIMEOUT:
                raise ProgramError(
                    Failure.TIMEOUT, f"the search did not stop within {_STOP_TIMEOUT:g} s"
                )

        try:
            answer = self._ask(request, *way, budget, *more, check=check)
        finally:
            if stop_times and not self._host.ended:
                self._host.ask(timeout=_STOP_TIMEOUT)
        self._state = state
        return answer

    def _read(self, answer: dict[str, Any], start: float, details: bool) -> Decision:
        try:
            move = self._move(answer["move"])
            more = self._read_details(answer) if details else {}
            simulations, nodes, evaluations = (
                min(max(int(count), 0), _MOST_COUNTED) for count in answer["counts"]
            )
            value = answer["value"]
            value = None if value is None or not math.isfinite(value) else float(value)
        except (TypeError, KeyError, ValueError, OverflowError):
            self._host.kill()
            raise nonsense() from None
        old_cpu, self._cpu = self._cpu, self._host.thinking_seconds()
        cost = Cost(simulations, nodes, evaluations, self._cpu - old_cpu, wall_time() - start)
        return Decision(move, value=value, cost=cost, game=self.game, **more)

    def _read_details(self, answer: dict[str, Any]) -> dict[str, Any]:
        tables = {
            name: {self._move(code): float(number) for code, number in answer[name]}
            for name in ("policy", "values", "visits", "priors")
        }
        tables["visits"] = {move: int(visits) for move, visits in tables["visits"].items()}
        counts = {name: answer[name] for name in ("proven", "plies_to_end", "depth")}
        if any(count is not None and type(count) is not int for count in counts.values()):
            raise TypeError
        score = answer["score"]
        if score is not None and not (type(score) is float and math.isfinite(score)):
            raise TypeError
        pv, *lines = (tuple(map(self._move, line)) for line in (answer["pv"], *answer["lines"]))
        return {**tables, **counts, "score": score, "pv": pv, "lines": tuple(lines)}

    def _move(self, code: Any) -> Move:
        if type(code) is int and 0 <= code < self.game.num_actions:
            return self.game.moves_by_action[code]
        kind, place = code
        return Move(kind, _place(place))

    def __repr__(self) -> str:
        return f"<engine {self._spec} for {self.game}, in process {self.pid}>"

    def _ask(
        self, *request: Any, check: Callable[[], None] | None = None, timeout: float | None = None,
    ) -> dict[str, Any]:
        seconds = self.timeout if timeout is None else timeout
        try:
            return self._host.ask(*request, timeout=seconds, check=check or self._check)
        except ProgramError as error:
            if not self._details:
                raise
            text = f"{self._spec}: {error.text}"
            raise ProgramError(error.failure, text, printed=error.printed) from None

    def _check(self) -> None:
        limit = self._memory_mb
        if self._memory and limit and (text := processes.excess(self.pid, self._memory, limit)):
            raise ProgramError(Failure.OVER_MEMORY, text)

    def last_words(self) -> str:
        """The last lines that it has printed, as the end of a message."""
        return self._host.last_words()

    def run_delay(self) -> float:
        """Seconds for which it was ready to think but had no core."""
        if self._sandbox is not None:
            return self._host.core_delay()
        return processes.run_delay(self._host.process)

    def close(self) -> None:
        """Let it close itself, and make sure that nothing is left."""
        self._host.close()


def _place(value: Any) -> Any:
    if isinstance(value, list):
        parts = tuple(map(_place, value))
        return Point(*parts) if len(parts) == 2 and all(type(p) is int for p in parts) else parts
    return value
