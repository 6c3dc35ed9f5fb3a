"""One rated game between two engines, from its opening to the record in the ledger.

A game cannot fail: an engine that plays an illegal move, raises an exception
or spends more than it may loses, and the record says why. What no code here can catch, a
killed or hanging process, is seen by the executor, which reads the game in the memory that it
shares with the worker (`SharedGame`) and ends it the same way.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import math
import time
from dataclasses import dataclass
from typing import Any

from dlgo import kernels
from dlgo.api import GameSpec, GameState, Move
from dlgo.errors import IllegalMoveError
from dlgo.games import get_game
from dlgo.jit import wall_time
from dlgo.records.costs import PackedCosts
from dlgo.records.failures import Failure
from dlgo.records.game_record import GameRecord
from dlgo.rng import derive_seed
from dlgo.text import error_text, excerpt
from engines.base import Engine
from engines.isolation.engine import IsolatedEngine
from engines.programs.program import NoAnswer, ProgramError
from experiments.arena.engine_cache import EngineCache
from experiments.arena.entrants import Entrant
from experiments.arena.limits import Account
from experiments.arena.plan_keys import DEFAULT_LIMITS, Limits
from experiments.arena.provenance import machine_text, time_text, version_text
from experiments.arena.shared_game import CAPACITY, DOING, PREPARING, THINKING, SharedGame

# The players as reasons and seeds call them; player 0 (black) is first.
SIDES = ("first", "second")

# How a reason begins, where words of others follow.
_OF_SIDE = {
    Failure.CRASH: "crash of {}", Failure.ILLEGAL_MOVE: "illegal move by {}",
    Failure.MALFORMED: "malformed answer of {}", Failure.UNREACHABLE: "server of {} unreachable",
}

# How a resignation is written in a row of `SharedGame`.
_RESIGNS = -1


@dataclass(frozen=True)
class GameTask:
    """A game to be played. It travels as text; its values are made where it is played, once."""

    slot: str  # its identity in the plan and the ledger
    game: str  # canonical specifications; `first` is player 0
    first: str
    second: str
    pair: int
    opening: tuple[int, ...]  # the actions played before the engines take over
    seed: int  # of this game; each engine gets its own, derived from it

    @property
    def key(self) -> str:
        """Its name among tasks."""
        return self.slot

    @property
    def players(self) -> tuple[str, str]:
        """`first` and `second`."""
        return self.first, self.second

    def __reduce__(self) -> tuple[Any, ...]:
        return GameTask, dataclasses.astuple(self)

    @functools.cached_property
    def spec(self) -> GameSpec:
        """The game. Raises SpecError if this machine has another version of it."""
        return get_game(self.game)

    @functools.cached_property
    def entrants(self) -> tuple[Entrant, Entrant]:
        """The players."""
        return Entrant.of(self.first), Entrant.of(self.second)


class GameLog:
    """A game in words; ends as a `GameRecord`.

    Attributes:
        moves: all moves, the opening included, in the game's notation.
        networks: which network each side plays with, what its training took, and what its answers
            cost (JSON), or None.
    """

    def __init__(self, task: GameTask, limits: Limits) -> None:
        self.task = task
        self.limits = limits
        self.moves: list[str] = []
        self.networks: str | None = None
        self.started = time_text(time.time())

    def open(self) -> GameState:
        """Play the opening."""
        state = GameState.new_game(self.task.spec)
        for action in self.task.opening:
            state = self.add(state, state.game.move_of(action))
        return state

    def add(self, state: GameState, move: Move) -> GameState:
        """Play a move. Raises IllegalMoveError."""
        next_state = state.apply_move(move)
        self.moves.append(state.game.move_text(move))
        return next_state

    def end(
        self, result: float, reason: str, rows: bytes, failure: Failure | None = None
    ) -> GameRecord:
        """The record of the finished game: `result` is 1, 0.5 or 0 as `first` sees it; `rows`, of
        the engines' moves, come from `SharedGame`; `failure` is the loser's, if they failed."""
        task = self.task
        return GameRecord(
            slot=task.slot, game=task.game, first=task.first, second=task.second,
            pair=task.pair, opening=" ".join(self.moves[: len(task.opening)]), seed=task.seed,
            result=result, reason=reason, moves=" ".join(self.moves),
            started=self.started, finished=time_text(time.time()), machine=machine_text(),
            version=version_text(), networks=self.networks, limits=self.limits.text,
            failure=failure, costs=PackedCosts(rows, len(task.opening)),
        )


def record_of_lost_game(
    task: GameTask, limits: Limits, shared: SharedGame, failure: Failure, reason: str
) -> GameRecord:
    """The record of a game whose process is gone: the entrant at work in `shared` has lost it.
    `reason` has {} for the side that lost."""
    log = GameLog(task, limits)
    head = shared.head()
    log.started = time_text(head.began)
    state = log.open()
    data, moves = shared.rows()
    for action, _ in moves:
        state = log.add(state, Move.resign() if action == _RESIGNS else state.game.move_of(action))
    return log.end(float(head.player), reason.format(SIDES[head.player]), data, failure)


def play_game(
    task: GameTask, engines: EngineCache, shared: SharedGame | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> GameRecord:
    """Play one game, with a legal opening, and return its record; `shared` follows it as it goes.

    Engines are built and warmed up before the first move, so that no move's cost contains that.
    """
    log = GameLog(task, limits)
    state = log.open()
    shared = shared or SharedGame.local(length_limit(state.game))
    shared.begin()
    failure = None
    players: list[Engine] = []
    try:
        players += [_ready(task, engines, player, shared) for player in (0, 1)]
        result, reason = _play_on(state, players, shared, log)
    except _Forfeit as forfeit:
        engines.drop(task.spec, task.entrants[forfeit.player], forfeit.player)
        result, reason, failure = float(forfeit.player), forfeit.reason, forfeit.failure
    log.networks = _networks(players) if players else None
    record = log.end(result, reason, shared.end(), failure)
    engines.end_game(task.spec, task.entrants)
    return record


def _ready(task: GameTask, engines: EngineCache, player: int, shared: SharedGame) -> Any:
    """The engine of `player`, seeded for this game."""
    shared.show(PREPARING, player)
    try:
        engine = engines.get(task.spec, task.entrants[player], player)
        engine.new_game(derive_seed(task.seed, SIDES[player]))
    except (Exception, SystemExit) as error:
        raise _crash(player, PREPARING, error) from error
    return engine


def _networks(players: list[Engine]) -> str | None:
    networks = {
        side: {"id": engine.network_id, "training_cpu_seconds": engine.training_cpu_seconds,
               "runtime": engine.runtime}
        for side, engine in zip(SIDES, players, strict=True)
        if engine.network_id is not None
    }
    for side, engine in zip(SIDES, players, strict=True):
        if usage := getattr(engine, "usage", None):
            networks[side] = {**networks.get(side, {}), "usage": usage}
    return json.dumps(networks) if networks else None


def _play_on(
    state: GameState, players: list[Engine], shared: SharedGame, log: GameLog
) -> tuple[float, str]:
    """Let the engines play to the end: the result and the reason. Raises _Forfeit."""
    game = state.game
    limit = length_limit(game)
    accounts = [
        Account(engine.budget, log.limits, getattr(engine, "run_delay", None)) for engine in players
    ]
    while not state.is_over():
        if len(log.moves) >= limit:
            return 0.5, f"draw: length limit of {limit} plies"
        # Turns need not alternate, so the state says whose it is.
        player = int(kernels.to_move(state.kernel_state))
        account = accounts[player]
        account.begin()
        began = shared.show(THINKING, player)
        answered = False
        try:
            decision = players[player].select_move(state)
            wall = wall_time() - began
            answered = True
            move, cost, value = decision.move, decision.cost, decision.value
            state = log.add(state, move)
            shared.add(
                _RESIGNS if move.is_resign else game.action_of(move) or 0, player, cost.cpu_seconds,
                cost.wall_seconds, cost.nodes, cost.simulations, cost.evaluations,
                math.nan if value is None else value,
            )
            overrun = account.charge(cost, wall)
        except (Exception, SystemExit) as error:
            if answered and isinstance(error, IllegalMoveError):
                reason = f"illegal move by {SIDES[player]}: {excerpt(str(error))}"
                mover: Any = players[player]
                if isinstance(mover, IsolatedEngine):
                    reason += mover.last_words()
                raise _Forfeit(player, Failure.ILLEGAL_MOVE, reason) from error
            raise _crash(player, THINKING, error) from error
        if overrun is not None:
            reason = f"overrun by {SIDES[player]}: {overrun.text}"
            raise _Forfeit(player, overrun.failure, reason)
    return (state.result() + 1) / 2, game.result_text(state)


def length_limit(game: GameSpec) -> int:
    """Plies after which a game is drawn: two engines that shuffle about would never stop.

    Far beyond any sensible game: 2,640 plies on a 9x9 board, 8,240 on 19x19.
    """
    return min(20 * game.num_actions + 1000, CAPACITY)


class _Forfeit(Exception):
    """`player` loses here and now."""

    def __init__(self, player: int, failure: Failure, reason: str) -> None:
        super().__init__(reason)
        self.player, self.failure, self.reason = player, failure, reason


def _crash(player: int, doing: int, error: BaseException) -> _Forfeit:
    side, text = SIDES[player], error_text(error)
    if isinstance(error, ProgramError):  # of an external engine
        text = excerpt(error.text)
        reason = f"{text} while {side} was {DOING[doing]}"
        if error.failure in _OF_SIDE:
            reason = f"{_OF_SIDE[error.failure].format(side)}: {text}"
        elif isinstance(error, NoAnswer):
            activity = " of preparation" if doing == PREPARING else ""
            reason = f"no move from {side} within {error.seconds:g} s{activity}"
        return _Forfeit(player, error.failure, reason + error.printed)
    if isinstance(error, MemoryError):
        reason = f"out of memory: {text} while {side} was {DOING[doing]}"
        return _Forfeit(player, Failure.OVER_MEMORY, reason)
    return _Forfeit(player, Failure.CRASH, f"crash of {side}: {text}")
