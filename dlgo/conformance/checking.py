"""The check of a rule: in limited time, and its first fault after as few moves as can be found."""

from __future__ import annotations

import functools
import itertools
import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np

from dlgo import kernels
from dlgo.api import GameState
from dlgo.conformance import kit
from dlgo.conformance.broken import Kind, RuleBroken, broken
from dlgo.errors import BotError, SpecError
from dlgo.jit import cpu_time, wall_time
from dlgo.system.processes import run_delay
from dlgo.system.watchdogs import interrupt

T = TypeVar("T")
Play = Callable[[], Sequence[GameState]]

# A fault is shown after fewer moves if these CPU seconds, and this number of random games for each
# move less, are enough to find them.
SHORTENING, SHORT_GAMES = 3.0, 200


# A check that waits, for example a bot for an answer, ends after its CPU seconds times this number.
WAITING = 5.0
# Seconds within which Python code stops when it is interrupted.
STOPPING = 10.0


def check_rule(
    name: str, rule: Callable[[Any], kit.Findings], subject: Any, label: str, seconds: float
) -> None:
    """Like `look_at`, but a rule that crashes or does not end is also broken; see `in_time`."""
    in_time(name, label, functools.partial(look_at, name, rule, subject), seconds)


def in_time(rule: str, label: str, work: Callable[[], T], seconds: float) -> T:
    """The result of `work`, which breaks the rule if it crashes or does not end.

    A SpecError or BotError of `work` is raised unchanged.

    Args:
        label: the name of the check in messages.
        seconds: how much CPU time of this process it may take, not counting the compiler.
    """
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:  # a file may call sys.exit
            errors.append(error)

    # Compiled code cannot be interrupted; with a daemon thread, the message still appears.
    thread = threading.Thread(target=run, daemon=True)
    cpu, wall = cpu_time(), wall_time()
    thread.start()
    while thread.is_alive():
        thread.join(0.1)
        waited = wall_time() - wall - run_delay(f"self/task/{thread.native_id}")
        if thread.is_alive() and (cpu_time() - cpu > seconds or waited > WAITING * seconds):
            interrupt(thread)
            thread.join(STOPPING)
            text = f"{label} has not ended after {seconds:g} s of CPU time"
            raise RuleBroken(rule, text, Kind.ENDLESS) from next(iter(errors), None)
    if not errors:
        return results[0]
    if isinstance(errors[0], RuleBroken | SpecError | BotError):
        raise errors[0]
    text = f"{type(errors[0]).__name__}: {str(errors[0])[:200]}"
    raise RuleBroken(rule, f"{label} raised an exception, {text}") from errors[0]


def look_at(name: str, rule: Callable[[Any], kit.Findings], subject: Any) -> None:
    """Check a rule. Raises RuleBroken for the first fault, after as few moves as can be found."""

    def look(subject: Any) -> None:
        for text, state in rule(subject):
            raise broken(name, text, state)

    def again(states: Sequence[GameState]) -> None:
        lines = tuple(map(_line_beyond, states))
        look(kit.Sample(subject.game, lines, subject.seed, subject.symmetric))

    try:
        look(subject)
    except RuleBroken as error:
        if not isinstance(subject, kit.Sample):
            raise
        raise shortest(error, error.again or again) from error.__cause__


def shortest(error: RuleBroken, again: Callable[[Sequence[GameState]], None]) -> RuleBroken:
    """The same fault after fewer moves, found by leaving out moves and by random short games.

    Args:
        again: raises the fault if it also shows in these states, which are like `error.states`.
    """
    until = time.process_time() + SHORTENING
    shorter: RuleBroken | None = error
    while shorter:
        error = shorter
        plays = itertools.takewhile(lambda _: time.process_time() < until, _shorter_games(error))
        faults = (_fault_of(again, play) for play in plays)
        shorter = next((fault for fault in faults if fault and _sort(fault) == _sort(error)), None)
    return error


def _fault_of(again: Callable[[Sequence[GameState]], None], play: Play) -> RuleBroken | None:
    """The fault that shows in the states of some games, or while they are played."""
    try:
        again(play())
    except RuleBroken as error:
        return error
    except Exception:  # an action is illegal there, or another fault is in the way
        return None
    return None


def _sort(error: RuleBroken) -> tuple[Any, ...]:
    """What two faults have in common that differ in the position alone."""
    words = re.findall(r"\b[a-z_]{2,}\b", error.text)[:2]
    return error.rule, error.kind or words, len(error.states)


def _shorter_games(error: RuleBroken) -> Iterator[Play]:
    """Games with fewer moves than lead to the states of an error; some are illegal."""
    paths = [_actions_to(state) for state in error.states]
    common, generator = len(os.path.commonprefix(paths)), np.random.default_rng(0)
    for span in (16, 8, 4, 3, 2, 1):
        for first in range(common - span, -1, -1):
            parts = [path[:first] + path[first + span:] for path in paths]
            yield functools.partial(_replayed, error, parts)
    for _ in range(SHORT_GAMES if len(paths) == 1 and paths[0] else 0):
        choices = generator.integers(1 << 30, size=len(paths[0]) - 1).tolist()
        yield lambda: kit.play_line(error.states[0].game, choices).states[-1:]  # noqa: B023


def _actions_to(state: GameState) -> list[int]:
    """The actions that lead to a state; [] if its game does not know them."""
    try:
        actions = state.actions()
    except Exception:  # the numbers of moves are a check of their own
        return []
    return actions if len(actions) == len(state.moves()) else []


def _replayed(error: RuleBroken, paths: list[list[int]]) -> list[GameState]:
    """The states after some actions from the start; ValueError if one is illegal."""
    ends = []
    for path in paths:
        ends.append(GameState.new_game(error.states[0].game))
        for action in path:
            if (successor := kit.step_if_legal(ends[-1], action)) is None:
                raise ValueError(f"action {action} is illegal")
            ends[-1] = successor
    return ends


def _line_beyond(state: GameState) -> kit.Line:
    """The game that led to a state, with one more action if it goes on."""
    states, actions = [state], _actions_to(state)
    while (earlier := states[0].previous_state) is not None:
        states.insert(0, earlier)
    if not kernels.terminal(state.kernel_state):
        actions.append(kit.listed(state, "legal_actions")[0])
        states.append(kit.step(state, actions[-1]))
    return kit.Line(tuple(states), tuple(actions))
