"""One rated game between two engines, from its opening to the record in the ledger.

Called by the arena's workers (`executor.py`); calls engines and the shared game-state API.
A game cannot fail: an engine that plays an illegal move or raises an exception loses, and
the record says why. What no code here can catch, a killed or hanging process, is seen by
the executor, which holds a copy of the `GameLog` and ends the game the same way.
"""

from __future__ import annotations

import functools
import os
import platform
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from dlgo import __version__
from dlgo.api import GameSpec, GameState
from dlgo.errors import IllegalMoveError
from dlgo.games import get_game
from dlgo.rng import derive_seed
from engines.base import Decision, Engine
from engines.registry import build_engine
from experiments.arena.ledger import GameRecord, MoveCost

# The players as reasons and seeds call them; player 0 (black) is first.
SIDES = ("first", "second")

# What an engine is doing when `watch` is called.
PREPARING, THINKING = "preparing", "thinking"

# Built engines that a worker keeps. Building is cheap once the kernels are loaded, but a
# network is not; but each may hold a tree of 200 MB, and every worker keeps its own.
_KEPT_ENGINES = 8

# Nothing of an exception's text beyond this reaches the ledger.
_LONGEST_REASON = 300


@dataclass(frozen=True)
class GameTask:
    """A game to be played.

    Attributes:
        slot: its identity in the plan and the ledger.
        game: canonical game specification.
        first, second: canonical engine specifications; `first` is player 0.
        pair: number of the opening pair.
        opening: the actions played before the engines take over.
        seed: of this game; each engine gets its own, derived from it.
    """

    slot: str
    game: str
    first: str
    second: str
    pair: int
    opening: tuple[int, ...]
    seed: int


class GameLog:
    """A game so far; ends as a `GameRecord`.

    Attributes:
        task: what is played.
        moves: all moves, the opening included, in the game's notation.
        costs: one for each move an engine chose.
    """

    def __init__(self, task: GameTask) -> None:
        self.task = task
        self.moves: list[str] = []
        self.costs: list[MoveCost] = []
        self._started = _now()

    def end(self, result: float, reason: str) -> GameRecord:
        """The record of the finished game; `result` is 1, 0.5 or 0 as `first` sees it."""
        task = self.task
        return GameRecord(
            slot=task.slot, game=task.game, first=task.first, second=task.second,
            pair=task.pair, opening=" ".join(self.moves[: len(task.opening)]), seed=task.seed,
            result=result, reason=reason, moves=" ".join(self.moves),
            started=self._started, finished=_now(),
            machine=machine_text(), version=__version__, costs=tuple(self.costs),
        )

    def end_lost_by(self, player: int, reason: str) -> GameRecord:
        """The record of a game that `player` (0 or 1) lost for `reason`."""
        return self.end(float(player), reason)


class EngineCache:
    """Engines that are built and warmed up, kept from game to game; the idlest goes first.

    An engine is kept per game, specification and side: one that plays itself is two engines,
    which share neither a tree nor a generator.
    """

    def __init__(self, capacity: int = _KEPT_ENGINES) -> None:
        self._capacity = max(capacity, 2)
        self._engines: OrderedDict[tuple[str, str, int], Engine] = OrderedDict()

    def get(self, game: str, spec: str, player: int) -> Engine:
        """The engine of `player`, compiled and loaded. Raises whatever the engine raises."""
        key = (game, spec, player)
        if key not in self._engines:
            while len(self._engines) >= self._capacity:
                self._close(self._engines.popitem(last=False)[1])
            engine = build_engine(spec, get_game(game))
            engine.warm_up()
            self._engines[key] = engine
        self._engines.move_to_end(key)
        return self._engines[key]

    def drop(self, game: str, spec: str, player: int) -> None:
        """Forget an engine, whose inner state is in doubt after an exception."""
        engine = self._engines.pop((game, spec, player), None)
        if engine is not None:
            self._close(engine)

    def close(self) -> None:
        """Close all engines."""
        while self._engines:
            self._close(self._engines.popitem()[1])

    @staticmethod
    def _close(engine: Engine) -> None:
        with suppress(Exception):  # a fault while cleaning up is no lost game
            engine.close()


Watch = Callable[[str, int, GameLog], None]


def _nobody(doing: str, player: int, log: GameLog) -> None:
    """The default `watch`."""


def play_game(task: GameTask, engines: EngineCache, watch: Watch = _nobody) -> GameRecord:
    """Play one game and return its record.

    Args:
        task: the game; its opening must be legal.
        engines: where the two players come from. Building and warming up happen before the
            first move, so that no move's cost contains them.
        watch: called before each thing an engine does, with what it does (`PREPARING` or
            `THINKING`), the player (0 or 1) and the log so far.
    """
    log = GameLog(task)
    state = GameState.new_game(get_game(task.game))
    for action in task.opening:
        move = state.game.move_of(action)
        log.moves.append(state.game.move_text(move))
        state = state.apply_move(move)
    try:
        players = [_ready(task, engines, player, watch, log) for player in (0, 1)]
        return _play_on(state, players, watch, log)
    except _Forfeit as forfeit:
        engines.drop(task.game, (task.first, task.second)[forfeit.player], forfeit.player)
        return log.end_lost_by(forfeit.player, forfeit.reason)


def _ready(
    task: GameTask, engines: EngineCache, player: int, watch: Watch, log: GameLog
) -> Engine:
    """The engine of `player`, seeded for this game."""
    watch(PREPARING, player, log)
    with _crashes_lose(player):
        engine = engines.get(task.game, (task.first, task.second)[player], player)
        engine.new_game(derive_seed(task.seed, SIDES[player]))
    return engine


def _play_on(
    state: GameState, players: list[Engine], watch: Watch, log: GameLog
) -> GameRecord:
    """Let the engines play to the end. Raises _Forfeit if one of them breaks down."""
    limit = length_limit(state.game)
    while not state.is_over():
        if len(log.moves) >= limit:
            return log.end(0.5, f"draw: length limit of {limit} plies")
        # Turns need not alternate, so the state says whose it is.
        player = state.next_player.index
        watch(THINKING, player, log)
        with _crashes_lose(player):
            decision = players[player].select_move(state)
            cost = _cost_of(decision, len(log.moves), player)
            state = _after(state, decision, player)
            log.moves.append(state.game.move_text(decision.move))
            log.costs.append(cost)
    return log.end((state.result() + 1) / 2, state.game.result_text(state))


def length_limit(game: GameSpec) -> int:
    """Plies after which a game is drawn: two engines that shuffle about would never stop.

    Far beyond any sensible game: 2,640 plies on a 9x9 board, 8,240 on 19x19.
    """
    return 20 * game.num_actions + 1000


class _Forfeit(Exception):
    """`player` loses here and now."""

    def __init__(self, player: int, reason: str) -> None:
        super().__init__(reason)
        self.player = player
        self.reason = reason


@contextmanager
def _crashes_lose(player: int) -> Iterator[None]:
    """Turn any exception of an engine into the loss of its game."""
    try:
        yield
    except _Forfeit:
        raise
    except Exception as error:
        raise _Forfeit(player, f"crash of {SIDES[player]}: {error_text(error)}") from error


def _after(state: GameState, decision: Decision, player: int) -> GameState:
    try:
        return state.apply_move(decision.move)
    except IllegalMoveError as error:
        reason = f"illegal move by {SIDES[player]}: {one_line(str(error))}"
        raise _Forfeit(player, reason) from error


def _cost_of(decision: Decision, ply: int, player: int) -> MoveCost:
    # Plain Python numbers: SQLite would store NumPy's as raw bytes.
    cost, value = decision.cost, decision.value
    return MoveCost(
        ply=ply, player=player, cpu=float(cost.cpu_seconds), wall=float(cost.wall_seconds),
        nodes=int(cost.nodes), simulations=int(cost.simulations),
        evaluations=int(cost.evaluations), value=None if value is None else float(value),
    )


def error_text(error: BaseException) -> str:
    """An exception in one line: `ZeroDivisionError: division by zero`."""
    text = one_line(str(error))
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def one_line(text: str) -> str:
    """The text without line breaks, and not longer than a table can bear."""
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_REASON else text[: _LONGEST_REASON - 3] + "..."


@functools.cache
def machine_text() -> str:
    """The computer in a few words: `AMD EPYC, 2 cores`."""
    model = platform.processor() or platform.machine()
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    cores = core_count()
    return f"{model}, {cores} core{'' if cores == 1 else 's'}"


def core_count() -> int:
    """The cores this process may use, which in a container are fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
