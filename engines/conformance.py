"""The conformance kit for engines: rules that every engine must keep, checked in play.

    from engines.conformance import check_engine
    check_engine("my_bot.py")

builds the engine for some games, among them one whose turns do not alternate, plays, and raises
`RuleBroken` with the first rule that does not hold, in words, and the moves that lead there:

    legal moves: Greedy plays C3, which is taken (tictactoe, after A1 C3)

A rule is a function of a `Subject`; it yields what is wrong, with the state in which that shows.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import Any, cast

import psutil

from dlgo.api import GameSpec, GameState
from dlgo.conformance import SECONDS, Kind, RuleBroken, checking, kit
from dlgo.conformance.broken import broken
from dlgo.errors import SpecError
from dlgo.games import get_game
from dlgo.rng import below, make_rng
from dlgo.system import processes
from engines.base import Budget, Engine
from engines.registry import EngineSpec, build_engine

# In draughts a turn can be several jumps; with the pie rule the second player may swap.
GAMES = ("tictactoe", "connect4", "go:size=5", "draughts", "connectn:cols=4,rows=4,n=3,pie=yes")
_LONGEST_GAME = 300
# By how much a counted budget may be passed: an engine may finish the batch it is in.
_MARGIN = 1.1, 100
# By how much a time may be passed, in seconds and as a factor: the machine may be busy.
_LATE = 0.3, 3.0


@dataclass(frozen=True)
class Subject:
    """The engine that is examined, for one game, and how it is built."""

    spec: EngineSpec
    game: GameSpec
    seed: int

    def build(self, seed: int = 1) -> Engine:
        """A new engine."""
        return build_engine(self.spec, self.game, seed)

    def positions(self, limit: int = 6) -> list[GameState]:
        """Positions of a random game, the start among them, spread evenly."""
        states = [GameState.new_game(self.game)]
        rng = make_rng(self.seed)
        while len(states) < _LONGEST_GAME and not states[-1].is_over():
            moves = states[-1].legal_moves()
            states.append(states[-1].apply_move(moves[below(rng, len(moves))]))
        open_states = [state for state in states if not state.is_over()]
        return open_states[:: max(1, -(-len(open_states) // limit))]


def legal_moves(subject: Subject) -> kit.Findings:
    """Against random moves, as either player, it plays legal moves until the game is over."""
    rng = make_rng(subject.seed)
    with closing(subject.build()) as engine:
        for side in (0, 1):
            engine.new_game(side + 1)
            state = GameState.new_game(subject.game)
            for _ in range(_LONGEST_GAME):
                if state.is_over():
                    break
                if state.next_player.index == side:
                    move = engine.select_move(state).move
                    yield from _must_be_legal(engine, state, move)
                else:
                    moves = state.legal_moves()
                    move = moves[below(rng, len(moves))]
                state = state.apply_move(move)


def _must_be_legal(engine: Engine, state: GameState, move: Any) -> kit.Findings:
    if not state.is_valid_move(move):
        yield f"{engine.name} plays {_text(state, move)}, which is illegal", state


def positions(subject: Subject) -> kit.Findings:
    """It plays from any position, in any order, and leaves the arrays of the position alone."""
    with closing(subject.build()) as engine:
        for state in reversed(subject.positions()):
            alone = GameState(state.game, kit.clone(state))  # no moves lead there
            yield from _must_be_legal(engine, alone, engine.select_move(alone).move)
            if not subject.game.same_position(alone.kernel_state, state.kernel_state):
                text = f"{engine.name} changes the arrays of the position"
                raise broken("positions", text, state, Kind.CHANGED_STATE)


def decisions(subject: Subject) -> kit.Findings:
    """Values are -1 to 1, policies sum to 1, and all moves that are named are legal."""
    with closing(subject.build()) as engine:
        for state in subject.positions():
            decision = engine.select_move(state)
            values = [decision.value, decision.proven, *decision.values.values()]
            if not all(value is None or -1.000001 <= value <= 1.000001 for value in values):
                yield f"{engine.name} gives a value that is not -1 to 1", state
            total = sum(decision.policy.values())
            if decision.policy and abs(total - 1) > 1e-3:
                yield f"the policy of {engine.name} sums to {total:g}", state
            for move in (*decision.policy, *decision.values):
                if not state.is_valid_move(move):
                    text = _text(state, move)
                    yield f"{engine.name} gives {text} a share, which is illegal", state
            if decision.pv and decision.pv[0] != decision.move:
                yield f"the line of {engine.name} does not begin with the move it plays", state


def seeds(subject: Subject) -> kit.Findings:
    """The same seed gives the same game: after `new_game`, and in an engine that is built anew."""
    if {"cpu", "wall"} & subject.spec.budget.given().keys():
        return  # where time is the limit, the speed of the machine decides
    with closing(subject.build(seed=7)) as engine:
        first = _game(engine)
        engine.new_game(8)
        _game(engine)
        engine.new_game(7)
        if _game(engine) != first:
            yield f"{engine.name} plays differently in a second game with the same seed " \
                f"({subject.game}); it must forget everything in new_game", None
    with closing(subject.build(seed=7)) as engine:
        if _game(engine) != first:
            yield f"{engine.name}, built again with the same seed, plays differently " \
                f"({subject.game}); draw from random.Random(seed), or from dlgo.rng", None


def _game(engine: Engine) -> list[Any]:
    state = GameState.new_game(engine.game)
    while not state.is_over() and len(state.moves()) < 40:
        state = state.apply_move(engine.select_move(state).move)
    return state.moves()


def budgets(subject: Subject) -> kit.Findings:
    """It obeys the kinds of budget that it names, and one that is given with a move."""
    with closing(subject.build()) as engine:
        engine.warm_up()
        run_delay = getattr(engine, "run_delay", processes.run_delay)
        for kind, number, spent in (
            ("sims", 50, "simulations"), ("nodes", 500, "nodes"), ("evals", 20, "evaluations"),
            ("cpu", 0.05, "cpu_seconds"), ("wall", 0.05, "wall_seconds"),
        ):
            limits: dict[str, Any] = {kind: number}
            factor, more = _MARGIN if isinstance(number, int) else _LATE[::-1]
            for state in subject.positions(2) if kind in engine.budgets else ():
                held_up, limits = run_delay(), cast("dict[str, Any]", {kind: number})
                try:
                    cost = engine.select_move(state, Budget(**limits)).cost
                except SpecError:  # some settings need a budget of their own
                    continue
                amount = getattr(cost, spent)
                if kind == "wall":  # other programs may have had the cores
                    amount -= run_delay() - held_up
                if amount > max(number * factor, number + more):
                    yield f"with {kind}={number:g}, {engine.name} spends {amount:g}", state


def close(subject: Subject) -> kit.Findings:
    """`close` may be called twice, and leaves no thread and no process."""
    n_before = threading.active_count() + _children()
    with closing(subject.build()) as engine:
        engine.select_move(GameState.new_game(subject.game))
        engine.close()
    deadline = time.monotonic() + 10.0
    while (n_left := threading.active_count() + _children() - n_before) > 0:
        if time.monotonic() > deadline:
            yield f"{engine.name} leaves {n_left} threads or processes ({subject.game})", None
        time.sleep(0.05)


def _children() -> int:
    """Living processes below this one, without those of Python's own that end with it."""
    count = 0
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            own = "multiprocessing.resource_tracker" in " ".join(process.cmdline())
            count += not own and process.status() != psutil.STATUS_ZOMBIE
    return count


RULES: dict[str, Callable[[Subject], kit.Findings]] = kit.rules_by_name(
    legal_moves, positions, decisions, seeds, budgets, close,
)


def check_engine(
    engine: Any, games: Sequence[str | GameSpec] = GAMES, seed: int = 0,
    skip: Collection[str] = (),
) -> list[GameSpec]:
    """Check an engine against every rule, on each of the games that it plays; return these games.

    Args:
        engine: whatever `EngineSpec.of` takes: `my_bot.py`, a class, an engine.
        seed: of the random games.
        skip: names of `RULES` to leave out.

    Raises:
        RuleBroken: for the first rule that the engine breaks; also if it plays none of the games.
        SpecError: if there is no such engine.
    """
    spec = EngineSpec.of(engine)
    playable, reasons = [], []
    for game in map(get_game, games):
        subject = Subject(spec, game, seed)
        try:
            checking.in_time("build", f"building {spec.label}", subject.build, SECONDS).close()
        except SpecError as error:
            reasons.append(str(error))
            continue
        playable.append(game)
        for name, rule in RULES.items():
            if name not in skip:
                checking.check_rule(name, rule, subject, f"{spec.label} on {game}", SECONDS)
    if not playable:
        raise RuleBroken("build", f"{spec.label} plays none of the games: {reasons[0]}")
    return playable


def _text(state: GameState, move: Any) -> str:
    try:
        return state.game.move_text(move)
    except Exception:  # it is not a move of this game
        return repr(move)
