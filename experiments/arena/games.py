"""The games of a tournament as tasks: how a worker plays them, and how it is watched from outside.

An engine that takes its worker down, or hangs, loses that one game with the reason stored.
`SharedGame` shows the entrant at work, since when, and the moves so far.
"""

from __future__ import annotations

import dataclasses
import pkgutil
import time
from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import Any, NamedTuple

from dlgo.errors import DlgoError, SpecError
from dlgo.games import get_game
from dlgo.jit import watch_clocks
from dlgo.records.costs import last_value
from dlgo.records.failures import Failure
from dlgo.records.game_record import GameRecord
from dlgo.system.processes import in_copies
from dlgo.text import error_text, number_of
from engines.jobs import Amount, Processes
from engines.jobs.protocol import Watch, WorkerExit, Workplace
from engines.programs.program import ProgramError
from experiments.arena import limits as limits_
from experiments.arena.engine_cache import EngineCache, prepared_engine
from experiments.arena.entrants import Entrant, Launches
from experiments.arena.limits import silence_limit
from experiments.arena.plan_keys import DEFAULT_LIMITS, Limits
from experiments.arena.referee import GameTask, play_game, record_of_lost_game
from experiments.arena.running import RunningGame
from experiments.arena.schedule import CanonicalPlan
from experiments.arena.shared_game import BYTES, DOING, PREPARING, THINKING, SharedGame

# Libraries read these when they load. A rated engine thinks on one thread, and two workers
# with a thread pool each would fight for the cores.
_ONE_THREAD = dict.fromkeys((
    "NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS",
), "1")


class WarmUp(NamedTuple):
    """The task to build an engine for a game and to compile what it needs."""

    game: str
    spec: str

    @property
    def key(self) -> str:
        """Its name."""
        return f"warming up {self.spec} for {self.game}"


class WarmedUp(NamedTuple):
    """The value of a `WarmUp`: what went wrong, if anything, and whether while building."""

    seconds: float
    built: bool
    error: str | None


@dataclass
class GameTable(Workplace):
    """Where games are played."""

    limits: Limits = DEFAULT_LIMITS  # for every game
    setup: str | None = None  # "module:function", called in each worker before anything else
    plan: CanonicalPlan | None = None  # whose games they are
    warm_ups: Sequence[WarmUp] = ()  # what is compiled before the first game

    bundles = True
    shared_bytes = BYTES
    environment = _ONE_THREAD

    @property
    def launches(self) -> Launches:
        """How untrusted entrants are started."""
        return {} if self.plan is None else self.plan.launches

    @property
    def memory_mb(self) -> int | None:  # type: ignore[override]  # read only, by the pool
        return self.limits.memory_mb

    def prepare(self, log: Callable[[str], None]) -> None:
        """Compile and load, in one process, all that the games need.

        The machine code lands in Numba's disk cache, where the workers find it; several workers
        that met an empty cache would all compile the same. An engine that fails here is reported
        and loses its games; one that cannot be built (SpecError) stops everything, since that is
        rather a missing file or package. Raises WorkerError if workers die and no engine is to
        blame.
        """
        warm_ups = [task for task in self.warm_ups if task.spec not in self.launches]
        if not warm_ups:
            return
        log(f"warming up {number_of(len(warm_ups), 'engine')}; the first time, compiling takes a "
            "few seconds")
        table = GameTable(dataclasses.replace(self.limits, memory_mb=None), self.setup)
        table.bundles = False  # so that the working entrant is known without `SharedGame`
        with Processes(1, table) as jobs, closing(jobs.run(warm_ups)) as outcomes:
            for outcome in outcomes:
                (game, spec), (seconds, is_built, error) = outcome.task, outcome.value
                if error is not None and not is_built:
                    raise SpecError(f"{spec} cannot play {game}: {error}")
                if error is not None:
                    log(f"{spec} on {game} failed to warm up and may lose its games: {error}")
                elif seconds >= 1:
                    log(f"{spec} is ready for {game} after {seconds:.1f} s")

    # --- in a worker ------------------------------------------------------------------------

    def open(self, memory: Any) -> None:
        self._closing = ExitStack()
        self._shared, hosts_changed = None, lambda pids: None
        if memory is not None:
            if self.setup is not None:
                pkgutil.resolve_name(self.setup)()
            self._shared = SharedGame(memory)
            in_copies(self._shared.detach)
            self._closing.enter_context(watch_clocks(self._shared.stop_clock))
            hosts_changed = self._shared.show_hosts
        engines = EngineCache(self.limits, self.setup, hosts_changed, launches=self.launches)
        self._engines = self._closing.enter_context(closing(engines))

    def do(self, task: GameTask | WarmUp) -> Generator[Amount, None, GameRecord | WarmedUp]:
        value: GameRecord | WarmedUp
        if isinstance(task, WarmUp):
            value = self._warm_up(task)
        else:
            value = play_game(task, self._engines, self._shared, self.limits)
        yield Amount(1)
        return value

    def _warm_up(self, task: WarmUp) -> WarmedUp:
        start, is_built, error = time.perf_counter(), False, None
        try:
            engine = prepared_engine(
                get_game(task.game), Entrant.of(task.spec), self.limits, self.setup)
            is_built = True
            engine.warm_up()
            engine.close()
        except ProgramError as caught:  # an external engine; its games show whether it can play
            error, is_built = str(caught), True
        except DlgoError as caught:  # its text is written for people
            error = str(caught)
        except (Exception, SystemExit) as caught:
            error = error_text(caught)
        return WarmedUp(time.perf_counter() - start, is_built, error)

    def close(self) -> None:
        self._closing.close()

    # --- outside ----------------------------------------------------------------------------

    def watch(self, memory: Any) -> GameWatch:
        return GameWatch(SharedGame(memory), self.limits, self.launches)


class GameWatch(Watch):
    """A playing worker as seen from outside."""

    def __init__(
        self, shared: SharedGame, limits: Limits, sandboxed: Collection[str] = ()
    ) -> None:
        self._shared, self._limits, self._sandboxed = shared, limits, sandboxed
        self._number = 0  # of the game that `current` has found

    def current(
        self, tasks: Sequence[GameTask | WarmUp], answered: int
    ) -> GameTask | WarmUp | None:
        if tasks and isinstance(tasks[0], WarmUp):
            return tasks[0]
        head = self._shared.head()
        index, self._number = head.game - 1 - answered, head.game
        at_work = head.doing in (PREPARING, THINKING) and 0 <= index < len(tasks)
        return tasks[index] if at_work else None

    def deadline(self, task: GameTask | WarmUp | None, since: float) -> tuple[float, float]:
        if isinstance(task, WarmUp):  # the rules may have to be compiled as well
            limit = silence_limit(
                Entrant.of(task.spec), self._limits, thinking=False) + limits_.START_TIMEOUT
            return since + limit, limit
        head = self._shared.head()
        if task is None:
            return max(since, head.since) + limits_.PREPARE_TIMEOUT, limits_.PREPARE_TIMEOUT
        entrant = task.entrants[head.player]
        limit = silence_limit(
            entrant, self._limits, head.doing == THINKING, entrant.text in self._sandboxed)
        return head.since + limit, limit

    def value_of_lost(
        self, task: GameTask | WarmUp, worker_exit: WorkerExit, times: int
    ) -> GameRecord | WarmedUp | None:
        """A process may be killed from outside, mainly when memory runs out. So a game in which
        that happens is played once more, and only then is the engine to blame that was at work."""
        if isinstance(task, WarmUp):
            return WarmedUp(0.0, True, worker_exit.text)
        if worker_exit.was_killed and times == 1:
            return None
        head = self._shared.head()
        if worker_exit.failure is Failure.TIMEOUT:
            limit = self.deadline(task, 0.0)[1]
            phase = " of preparation" if head.doing == PREPARING else ""
            reason = f"no move from {{}} within {limit:g} s{phase}"
        else:
            reason = f"{worker_exit.text} while {{}} was {DOING[head.doing]}"
        return record_of_lost_game(task, self._limits, self._shared, worker_exit.failure, reason)

    def others(self) -> set[int]:
        return self._shared.hosts()

    def glance(self, task: GameTask | WarmUp | None) -> RunningGame | None:
        data, moves = self._shared.rows()
        head = self._shared.head()
        if not isinstance(task, GameTask) or head.game != self._number:  # it has gone on meanwhile
            return None
        player, value = last_value(data)
        return RunningGame(
            task.slot, task.game, task.first, task.second,
            (*task.opening, *(action for action, _ in moves)), head.began, player, value,
        )
