"""The conformance kit for engines: what every engine must keep to, seen in play.

    from engines.conformance import check_engine
    check_engine("my_bot.py")

builds the engine for some games, among them one whose turns do not alternate, plays, and raises
`RuleBroken` with the first rule that does not hold, in words, and the moves that lead there:

    legal moves: Greedy plays C3, which is taken (tictactoe, after A1 C3)
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import psutil

from dlgo.api import GameSpec, GameState
from dlgo.conformance import in_time
from dlgo.conformance.sample import RuleBroken, broken, clone
from dlgo.errors import SpecError
from dlgo.games import get_game
from dlgo.rng import below, make_rng
from engines.base import Budget, Engine
from engines.registry import EngineSpec, build_engine

# In draughts a turn can be several jumps; with the pie rule the second player may swap.
GAMES = ("tictactoe", "connect4", "go:size=5", "draughts", "connectn:cols=4,rows=4,n=3,pie=yes")
# Positions of a game in which an engine is asked, for rules that ask it often.
_POSITIONS = 6
_LONGEST_GAME = 300
# By how much a counted budget may be passed: an engine may finish the batch it is in.
_MARGIN = 1.1, 100
# By how much a time may be passed, in seconds and as a factor: the machine may be busy.
_LATE = 0.3, 3.0
_SECONDS = 120.0


@dataclass(frozen=True)
class Subject:
    """The engine that is examined, for one game, and how it is built."""

    spec: EngineSpec
    game: GameSpec
    seed: int

    def build(self, seed: int = 1) -> Engine:
        """A new engine."""
        return build_engine(self.spec, self.game, seed)

    def positions(self, limit: int = _POSITIONS) -> Iterator[GameState]:
        """Positions of a random game, the start among them, spread evenly."""
        states = [GameState.new_game(self.game)]
        rng = make_rng(self.seed)
        while len(states) < _LONGEST_GAME and not states[-1].is_over():
            moves = states[-1].legal_moves()
            states.append(states[-1].apply_move(moves[below(rng, len(moves))]))
        open_states = [state for state in states if not state.is_over()]
        yield from open_states[:: max(1, -(-len(open_states) // limit))]


def check_legal_moves(subject: Subject) -> None:
    """Against random moves, as either player, it plays legal moves until the game is over."""
    engine, rng = subject.build(), make_rng(subject.seed)
    for side in (0, 1):
        engine.new_game(side + 1)
        state = GameState.new_game(subject.game)
        for _ in range(_LONGEST_GAME):
            if state.is_over():
                break
            if state.next_player.index == side:
                move = engine.select_move(state).move
                if not state.is_valid_move(move):
                    reason = f"{engine.name} plays {_text(state, move)}, which is illegal"
                    raise broken("legal moves", reason, state)
            else:
                moves = state.legal_moves()
                move = moves[below(rng, len(moves))]
            state = state.apply_move(move)
    engine.close()


def check_positions(subject: Subject) -> None:
    """It plays from any position, without having seen how the game came there, in any order."""
    engine = subject.build()
    for state in reversed([*subject.positions()]):
        alone = GameState(state.game, state.kernel_state)
        move = engine.select_move(alone).move
        if not alone.is_valid_move(move):
            reason = f"{engine.name} plays {_text(alone, move)}, which is illegal"
            raise broken("positions", reason, state)
    engine.close()


def check_states(subject: Subject) -> None:
    """It leaves the position that it is shown, and those before it, as they are."""
    engine = subject.build()
    for state in subject.positions():
        before = clone(state)
        engine.select_move(state)
        if not subject.game.same_position(state.kernel_state, before):
            raise broken("states", f"{engine.name} changes the arrays of the position", state)
    engine.close()


def check_seeds(subject: Subject) -> None:
    """The same seed gives the same game: after `new_game`, and in an engine that is built anew."""
    if {"cpu", "wall"} & subject.spec.budget.given().keys():
        return  # where time is the limit, the speed of the machine decides
    engine = subject.build(seed=7)
    first = _game(engine)
    engine.new_game(8)
    _game(engine)
    engine.new_game(7)
    if _game(engine) != first:
        raise RuleBroken(
            f"seeds: {engine.name} plays otherwise in a second game with the same seed "
            f"({subject.game}); it must forget everything in new_game"
        )
    if _game(subject.build(seed=7)) != first:
        raise RuleBroken(
            f"seeds: {engine.name}, built again with the same seed, plays otherwise "
            f"({subject.game}); draw from random.Random(seed), or from dlgo.rng"
        )
    engine.close()


def check_decisions(subject: Subject) -> None:
    """Values are -1 to 1, policies sum to 1, and all moves that are named are legal."""
    engine = subject.build()
    for state in subject.positions():
        decision = engine.select_move(state)
        values = [decision.value, decision.proven, *decision.values.values()]
        if not all(value is None or -1.000001 <= value <= 1.000001 for value in values):
            raise broken("decisions", f"{engine.name} gives a value that is not -1 to 1", state)
        if decision.policy and abs(sum(decision.policy.values()) - 1) > 1e-3:
            total = sum(decision.policy.values())
            raise broken("decisions", f"the policy of {engine.name} sums to {total:g}", state)
        for move in (*decision.policy, *decision.values):
            if not state.is_valid_move(move):
                reason = f"{engine.name} gives {_text(state, move)} a share, which is illegal"
                raise broken("decisions", reason, state)
        if decision.pv and decision.pv[0] != decision.move:
            reason = f"the line of {engine.name} does not begin with the move it plays"
            raise broken("decisions", reason, state)
    engine.close()


def check_budgets(subject: Subject) -> None:
    """It obeys the kinds of budget that it names, and one that is given with a move."""
    engine = subject.build()
    engine.warm_up()
    states = [*subject.positions(2)]
    for kind, number, spent in (
        ("sims", 50, "simulations"), ("nodes", 500, "nodes"), ("evals", 20, "evaluations"),
        ("cpu", 0.05, "cpu_seconds"), ("wall", 0.05, "wall_seconds"),
    ):
        if kind not in engine.budgets:
            continue
        for state in states:
            try:
                cost = engine.select_move(state, Budget(**{kind: number})).cost
            except SpecError:  # some settings need a budget of their own
                continue
            counted = isinstance(number, int)
            limit = max(number * _MARGIN[0], number + _MARGIN[1]) if counted else max(
                number * _LATE[1], number + _LATE[0]
            )
            if getattr(cost, spent) > limit:
                reason = f"with {kind}={number:g}, {engine.name} spends {getattr(cost, spent):g}"
                raise broken("budgets", reason, state)
    engine.close()


def check_close(subject: Subject) -> None:
    """`close` may be called twice, and leaves no thread and no process."""
    threads, children = threading.active_count(), _children()
    engine = subject.build()
    engine.select_move(GameState.new_game(subject.game))
    engine.close()
    engine.close()
    deadline = time.monotonic() + 2.0
    while time.monotonic() < deadline:
        left = threading.active_count() - threads
        left += _children() - children
        if left <= 0:
            return
        time.sleep(0.05)
    raise RuleBroken(f"close: {engine.name} leaves {left} threads or processes ({subject.game})")


def _children() -> int:
    """Living processes below this one, without those of Python's own that end with it."""
    count = 0
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            own = "multiprocessing.resource_tracker" in " ".join(process.cmdline())
            count += not own and process.status() != psutil.STATUS_ZOMBIE
    return count


# The rules by name, in the order in which they are looked at.
RULES: dict[str, Callable[[Subject], None]] = {
    "legal moves": check_legal_moves,
    "positions": check_positions,
    "states": check_states,
    "decisions": check_decisions,
    "seeds": check_seeds,
    "budgets": check_budgets,
    "close": check_close,
}


def check_engine(
    engine: Any, games: Sequence[str | GameSpec] = GAMES, seed: int = 0,
    skip: Collection[str] = (),
) -> list[GameSpec]:
    """Check an engine against every rule, on each of the games that it plays.

    Args:
        engine: whatever `EngineSpec.of` takes: `my_bot.py`, a class, an engine.
        games: games or their specifications.
        seed: of the random games.
        skip: names of `RULES` to leave out.

    Returns:
        The games that it plays.

    Raises:
        RuleBroken: for the first rule that the engine breaks; also if it plays none of the games.
        SpecError: if there is no such engine.
        ValueError: if `skip` names no rule.
    """
    if unknown := set(skip) - set(RULES):
        raise ValueError(f"no such rules: {sorted(unknown)}; rules are {', '.join(RULES)}")
    spec = EngineSpec.of(engine)
    played, reasons = [], []
    for game in map(get_game, games):
        subject = Subject(spec, game, seed)
        try:
            in_time("build", f"building {spec.label}", subject.build, _SECONDS).close()
        except SpecError as error:
            reasons.append(str(error))
            continue
        played.append(game)
        for name, check in RULES.items():
            if name not in skip:
                what = f"{spec.label} on {game}"
                in_time(name, what, lambda check=check, subject=subject: check(subject), _SECONDS)
    if not played:
        raise RuleBroken(f"build: {spec.label} plays none of the games: {reasons[0]}")
    return played


def _game(engine: Engine) -> list[Any]:
    """The moves of a game of the engine against itself."""
    state = GameState.new_game(engine.game)
    while not state.is_over() and len(state.moves()) < 40:
        state = state.apply_move(engine.select_move(state).move)
    return state.moves()


def _text(state: GameState, move: Any) -> str:
    try:
        return state.game.move_text(move)
    except Exception:  # it is not a move of this game
        return repr(move)
