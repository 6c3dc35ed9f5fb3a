"""The tools of the conformance rules: random games, and views of positions.

This module plays games through the kernels alone, so that no rule depends on the parts (moves,
notation) that another rule checks.
"""

from __future__ import annotations

import functools
import os
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec, GameState
from dlgo.conformance.broken import Kind, RuleBroken
from dlgo.errors import BotError, SpecError
from dlgo.faults import describe_fault, fault_text
from dlgo.jit import wall_time
from dlgo.text import listing

T = TypeVar("T")
P = ParamSpec("P")
R = TypeVar("R")

# Number of entries beyond the end of an array that must not change, and the byte they hold.
FENCE = 64
FENCE_BYTE = 0xA5

# Plies after which a random game counts as one that never ends.
LONGEST_GAME = 5_000
# In games with more actions than this, only some actions are tested.
MOST_ACTIONS_ASKED = 4_096
# Short games are played more often, until there is this number of positions, or of games.
ENOUGH_PLIES, MOST_GAMES = 400, 60

# A fault is shown after fewer moves if these CPU seconds, and this number of random games for each
# move less, are enough to find them.
SHORTENING, SHORT_GAMES = 3.0, 200

# A rule yields faults: a text, and the position in which it appears.
Findings = Iterator[tuple[str, GameState | None]]


def broken(
    rule: str, text: str, state: GameState | None = None, kind: Kind | None = None,
    twin: GameState | None = None,
    again: Callable[[Sequence[GameState]], None] | None = None,
) -> RuleBroken:
    """The error to raise, with the moves to the position in which the rule was broken.

    Args:
        twin: the position that it is compared with, if there is one.
        again: see `RuleBroken`.
    """
    error = RuleBroken(rule, text + (f" ({_way_to(state)})" if state else ""), kind)
    error.states, error.again = tuple(one for one in (state, twin) if one), again
    return error


def rules_by_name(*functions: Callable[P, R]) -> dict[str, Callable[P, R]]:
    """The functions by their names as words."""
    return {function.__name__.replace("_", " "): function for function in functions}


def look_at(name: str, rule: Callable[[Any], Findings], subject: Any) -> None:
    """Check a rule. Raises RuleBroken for the first fault, after as few moves as can be found."""

    def look(subject: Any) -> None:
        for text, state in rule(subject):
            raise broken(name, text, state)

    def again(states: Sequence[GameState]) -> None:
        lines = tuple(map(_line_beyond, states))
        look(Sample(subject.game, lines, subject.seed, subject.symmetric))

    try:
        look(subject)
    except RuleBroken as error:
        if not isinstance(subject, Sample):
            raise
        raise shortest(error, error.again or again) from error.__cause__


def shortest(
    error: RuleBroken, again: Callable[[Sequence[GameState]], None]
) -> RuleBroken:
    """The same fault after fewer moves, found by leaving out moves and by random short games.

    Args:
        again: raises the fault if it also shows in these states, which are like `error.states`.
    """
    until = time.process_time() + SHORTENING
    generator = np.random.default_rng(0)

    def shorter(play: Callable[[], Sequence[GameState]]) -> RuleBroken | None:
        """The fault, if it shows in these states as well, or while they are played."""
        try:
            again(play())
        except RuleBroken as other:
            return other if _sort(other) == _sort(error) else None
        except Exception:  # an action is illegal there, or another fault is in the way
            return None
        return None

    def candidates(paths: list[list[int]]) -> Iterator[Callable[[], Sequence[GameState]]]:
        common = len(os.path.commonprefix(paths))
        for span in (16, 8, 4, 3, 2, 1):
            for first in range(common - span, -1, -1):
                parts = [path[:first] + path[first + span:] for path in paths]
                yield functools.partial(list, map(functools.partial(_replay, game), parts))
        for _ in range(SHORT_GAMES if len(paths) == 1 and paths[0] else 0):
            choices = generator.integers(1 << 30, size=len(paths[0]) - 1).tolist()
            yield functools.partial(_end_of_line, game, choices)

    found = None
    while error.states and time.process_time() < until:
        game = error.states[0].game
        for candidate in candidates([_actions_to(state) for state in error.states]):
            if time.process_time() > until or (found := shorter(candidate)):
                break
        else:
            break
        error = found or error
    return error


def _sort(error: RuleBroken) -> tuple[Any, ...]:
    """What two faults have in common that differ in the position alone."""
    words = re.findall(r"\b[a-z_]{2,}\b", error.text)[:2]
    return error.rule, error.kind, len(error.states), words


def _end_of_line(game: GameSpec, choices: list[int]) -> tuple[GameState, ...]:
    return play_line(game, choices).states[-1:]


def _actions_to(state: GameState) -> list[int]:
    """The actions that lead to a state; [] if its game does not know them."""
    try:
        actions = state.actions()
    except Exception:  # the numbers of moves are a check of their own
        return []
    return actions if len(actions) == len(state.moves()) else []


def _replay(game: GameSpec, actions: Iterable[int]) -> GameState:
    """The state after some actions from the start; ValueError if one is illegal."""
    state = GameState.new_game(game)
    for action in actions:
        if kernels.terminal(state.kernel_state) or not kernels.is_legal(
            state.kernel_state, action
        ):
            raise ValueError(f"action {action} is illegal")
        state = step(state, action)
    return state


def _line_beyond(state: GameState) -> Line:
    """The game that led to a state, with one more action if it goes on."""
    states, actions = [state], _actions_to(state)
    while (earlier := states[0].previous_state) is not None:
        states.insert(0, earlier)
    if not kernels.terminal(state.kernel_state):
        actions.append(listed(state, "legal_actions")[0])
        states.append(step(state, actions[-1]))
    return Line(tuple(states), tuple(actions))


def look_in_time(
    name: str, rule: Callable[[Any], Findings], subject: Any, label: str, seconds: float
) -> None:
    """Like `look_at`, but a rule that crashes or does not end is also broken; see `in_time`."""
    in_time(name, label, functools.partial(look_at, name, rule, subject), seconds)


def in_time(rule: str, label: str, work: Callable[[], T], seconds: float) -> T:
    """The result of `work`, which breaks the rule if it crashes or does not end.

    A SpecError or BotError of `work` is raised unchanged.

    Args:
        label: the name of the check in messages.
        seconds: how long it may take, not counting the compiler.
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
    began = wall_time()
    thread.start()
    while thread.is_alive():
        thread.join(0.1)
        if wall_time() - began > seconds:
            text = f"{label} has not ended after {seconds:g} s"
            raise RuleBroken(rule, text, Kind.ENDLESS)
    if not errors:
        return results[0]
    if isinstance(errors[0], RuleBroken | SpecError | BotError):
        raise errors[0]
    text = f"{type(errors[0]).__name__}: {str(errors[0])[:200]}"
    raise RuleBroken(rule, f"{label} raised an exception, {text}") from errors[0]


def _way_to(state: GameState) -> str:
    game, moves = state.game, state.moves()
    try:
        texts = [game.move_text(move) for move in moves]
    except Exception:  # the notation is a check of its own
        texts = [str(move.place) for move in moves]
    return f"{game}, " + (f"after {' '.join(texts)}" if texts else "at the start")


class View(NamedTuple):
    """Everything that the protocol tells about a position. Two views of one position are equal."""

    to_move: int
    terminal: bool
    key: int
    legal_actions: tuple[int, ...]
    search_actions: tuple[int, ...]
    result: int | None
    evaluate: int | None


def look(state: GameState, arrays: Any = None) -> View:
    """Ask the kernels everything about a position.

    `arrays` is the kernel state to ask about, if not the state's own.
    """
    position = state.kernel_state if arrays is None else arrays
    over = bool(_ask("terminal", state, position))
    return View(
        to_move=int(_ask("to_move", state, position)),
        terminal=over,
        key=int(_ask("key", state, position)),
        legal_actions=() if over else tuple(sorted(listed(state, "legal_actions", position))),
        search_actions=() if over else tuple(sorted(listed(state, "search_actions", position))),
        result=int(_ask("result", state, position)) if over else None,
        evaluate=None if over else int(_ask("evaluate", state, position)),
    )


def _ask(kernel: str, state: GameState, *arguments: Any) -> Any:
    try:
        answer = getattr(kernels, kernel)(*arguments)
    except Exception as error:
        raise broken(kernel, f"the kernel raises {fault_text(error)}", state) from error
    if answer is None:
        raise broken(kernel, f"`{kernel}` returns nothing", state, Kind.NO_VALUE)
    return answer


def difference(view: View, expected: View) -> str:
    """Where two views differ, in words: `to_move is 0 and should be 1`. Empty if nowhere."""
    parts = []
    for name, value, right in zip(View._fields, view, expected, strict=True):
        if value != right and isinstance(value, tuple) and isinstance(right, tuple):
            lacking, extra = {*right} - {*value}, {*value} - {*right}
            parts.append(f"{name} lacks {few(lacking)} and adds {few(extra)}")
        elif value != right:
            parts.append(f"{name} is {value} and should be {right}")
    return "; ".join(parts)


def few(actions: Iterable[int]) -> str:
    """Some actions as text, at most three: `4, 7, 9 and 20 more`."""
    return listing([str(action) for action in sorted(actions)]) or "none"


def listed(state: GameState, kernel: str, arrays: Any = None) -> list[int]:
    """The actions of `legal_actions` or `search_actions`, checked: in range, no duplicates."""
    position = state.kernel_state if arrays is None else arrays
    size = state.game.num_actions
    buffer = np.full(size + FENCE, -1, np.int64)
    n = int(_ask(kernel, state, position, buffer[:size]))
    if (buffer[size:] != -1).any() or n > size:
        text = f"{kernel} lists more than num_actions = {size} actions"
        raise broken("bounds", text, state, Kind.ACTION_RANGE)
    if n < 1:
        text = f"{kernel} lists nothing, but the game is not over"
        raise broken("legality", text, state, Kind.NO_ACTION)
    actions = [int(action) for action in buffer[:n]]
    if outside := [action for action in actions if not 0 <= action < size]:
        text = f"{kernel} lists {few(outside)}, but num_actions is {size}"
        text += f": actions are 0 to {size - 1}"
        raise broken("legality", text, state, Kind.ACTION_RANGE)
    if len(set(actions)) < n:
        twice = {action for action, times in Counter(actions).items() if times > 1}
        raise broken("legality", f"{kernel} lists more than once: {few(twice)}", state)
    return actions


@dataclass(frozen=True)
class Line:
    """A game or its beginning: `actions[i]` leads from `states[i]` to `states[i + 1]`."""

    states: tuple[GameState, ...]
    actions: tuple[int, ...]

    @functools.cached_property
    def views(self) -> list[View]:
        """The view of each state."""
        return [look(state) for state in self.states]

    @property
    def over(self) -> bool:
        """Whether the game has been played to its end."""
        return bool(kernels.terminal(self.states[-1].kernel_state))


def play_line(game: GameSpec, choices: Iterable[int], sensible: bool = False) -> Line:
    """Play from the start, each choice picking one of the listed actions (modulo their number).

    Args:
        choices: nonnegative ints; the line ends with them or with the game.
        sensible: choose among `search_actions` instead of `legal_actions`.

    Raises:
        RuleBroken: if the kernels list actions that they do not allow.
    """
    kernel = "search_actions" if sensible else "legal_actions"
    states, actions = [GameState.new_game(game)], []
    for choice in choices:
        state = states[-1]
        if kernels.terminal(state.kernel_state):
            break
        options = listed(state, kernel)
        action = options[choice % len(options)]
        if not kernels.is_legal(state.kernel_state, action):
            raise broken("legality", f"{kernel} lists action {action}, is_legal forbids it", state)
        states.append(step(state, action))
        actions.append(action)
    return Line(tuple(states), tuple(actions))


def sound_line(game: GameSpec, choices: Iterable[int], sensible: bool) -> Line:
    """`play_line`, with a look at the end. Raises RuleBroken after as few moves as can be found."""
    try:
        line = play_line(game, choices, sensible)
        look(line.states[-1])  # a game without a result breaks many rules
    except RuleBroken as error:
        raise shortest(error, _try_all) from error.__cause__
    return line


def _try_all(states: Sequence[GameState]) -> None:
    """Raise RuleBroken if a position cannot be asked about, or one of its actions not played."""
    for action in look(states[0]).legal_actions:
        if not kernels.is_legal(states[0].kernel_state, action):
            text = f"legal_actions lists action {action}, is_legal forbids it"
            raise broken("legality", text, states[0])
        look(step(states[0], action))


def step(state: GameState, action: int) -> GameState:
    """The state after a legal action. Raises RuleBroken if it cannot be played."""
    game = state.game
    target, fences = fenced(game.scratch_state(state.kernel_state))
    overwrite(target, state.kernel_state)  # so that a wrong copy_into has no effect here
    kernels.copy_into(target, state.kernel_state)
    try:
        kernels.play(target, action)
    except Exception as error:
        text = f"play({action}) raises {describe_fault(error)}"
        raise broken("play", text, state) from error
    for text, _ in overwritten(fences, f"play({action})", state):
        raise broken("bounds", text, state)
    try:
        move = game.move_of(action)
    except LookupError:
        text = f"move_of has no move for action {action}, which is legal"
        raise broken("moves", text, state) from None
    return GameState(game, target, state, move)


@dataclass(frozen=True)
class Sample:
    """The data of a check: a game and some lines of it."""

    game: GameSpec
    lines: tuple[Line, ...]
    seed: int = 0
    symmetric: bool = False  # see `check_game`
    against_plain: bool = False  # the fresh process runs plain Python

    def places(self, limit: int, finished: bool = False) -> list[tuple[Line, int]]:
        """At most `limit` positions, spread evenly: line and ply.

        `finished`: ends of games instead of positions from which the line continues.
        """
        places = [
            (line, ply)
            for line in self.lines
            for ply in ([len(line.actions)] if finished else range(len(line.actions)))
            if line.over or not finished
        ]
        places.sort(key=lambda place: place[1])  # the first fault has a short way to it
        return places[:: max(1, -(-len(places) // limit))] if limit else []

    def states(self, limit: int, finished: bool = False) -> Iterator[GameState]:
        """The states of `places`."""
        for line, ply in self.places(limit, finished):
            yield line.states[ply]


Rule = Callable[[Sample], Findings]


def at(positions: int, finished: int = 0) -> Callable[[Callable[..., Iterator[str]]], Rule]:
    """Make a rule from a function of one state, which yields texts and must not change the state.

    It is called with up to `positions` unfinished states and `finished` finished ones.
    """
    def of_sample(function: Callable[[GameState], Iterator[str]]) -> Rule:
        @functools.wraps(function)
        def rule(sample: Sample) -> Findings:
            for state in (*sample.states(positions), *sample.states(finished, finished=True)):
                copy = snapshot(state.kernel_state)
                for text in function(state):
                    yield text, state
                if not sample.game.same_position(state.kernel_state, copy):
                    yield "a read-only kernel changes the position", state

        return rule

    return of_sample


def draw_sample(
    game: GameSpec, seed: int = 0, games: int = 6, symmetric: bool = False
) -> Sample:
    """Play random games: half of them with all legal actions, half with sensible actions.

    Args:
        seed: of the random games.
        games: the minimum number of games; short games are played more often.
        symmetric: see `check_game`.

    Raises:
        RuleBroken: if `new_kernel_state` and `reset` differ, no game ends, a new game is already
            over, or a legal action cannot be played.
    """
    _must_be_reset(game)
    generator = np.random.default_rng(seed)
    plies = min(LONGEST_GAME, max(600, 4 * game.num_actions))
    lines: list[Line] = []
    while len(lines) < games or (
        len(lines) < MOST_GAMES and sum(len(line.actions) for line in lines) < ENOUGH_PLIES
    ):
        choices = generator.integers(1 << 30, size=plies).tolist()
        line = sound_line(game, choices, sensible=len(lines) % 2 == 0)
        lines.append(line)
        if line.over and not line.actions:
            raise broken("reset", "a new game is over before the first move", line.states[0])
    if not any(line.over for line in lines):
        n = len(lines)
        text = f"none of {n} random games of {game} ended within {plies} plies"
        raise broken("end", text, kind=Kind.LENGTH)
    return Sample(game, tuple(lines), seed, symmetric)


def _must_be_reset(game: GameSpec) -> None:
    """Raise RuleBroken if `new_kernel_state` does not return what `reset` sets up."""
    new = game.new_kernel_state()
    start = snapshot(new)
    kernels.reset(start)
    if not game.same_position(start, new):
        pairs = zip(new._fields, new, start, strict=True)
        fields = [f"`{name}`" for name, a, b in pairs if not np.array_equal(a, b)]
        text = "new_kernel_state does not return the start position, as reset sets it up"
        text += f": {', '.join(fields)} differ in {game}"
        raise broken("reset", text, kind=Kind.NEW_STATE)


def some_actions(game: GameSpec) -> range:
    """All actions; if that would take minutes, some of them, spread evenly."""
    return range(0, game.num_actions, -(-game.num_actions // MOST_ACTIONS_ASKED))


def clone(state: GameState, room: int = 1) -> Any:
    """A copy of the state's arrays, made as engines make it."""
    target = state.game.scratch_state(state.kernel_state, room)
    kernels.copy_into(target, state.kernel_state)
    return target


def overwrite(target: Any, source: Any = None) -> None:
    """Fill arrays with those of another state as far as shapes allow, the rest with zeros."""
    for i, array in enumerate(target):
        array[...] = 0
        if source is not None and source[i].ndim == array.ndim:
            sizes = zip(array.shape, source[i].shape, strict=True)
            shared = tuple(slice(min(pair)) for pair in sizes)
            array[shared] = source[i][shared]


def snapshot(arrays: Any) -> Any:
    """A copy of some arrays, made without the game's code."""
    return type(arrays)(*(array.copy() for array in arrays))


def fenced(like: Any) -> tuple[Any, list[np.ndarray]]:
    """Arrays with the shapes and contents of `like`, and the memory around each of them.

    Compiled code does not check indices: it silently overwrites memory beyond an array.
    """
    inside, around = [], []
    for array in like:
        whole = np.empty(array.size + 2 * FENCE, array.dtype)
        whole.view(np.uint8)[:] = FENCE_BYTE
        inside.append(whole[FENCE:-FENCE].reshape(array.shape).view(type(array)))
        inside[-1][...] = array
        around += [whole[:FENCE].view(np.uint8), whole[-FENCE:].view(np.uint8)]
    return type(like)(*inside), around


def overwritten(fences: list[np.ndarray], name: str, state: GameState) -> Findings:
    """Whether `name`, called in `state`, has written beyond an array of `fenced`."""
    for i, fence in enumerate(fences):
        if (fence != FENCE_BYTE).any():
            where = "after the end" if i % 2 else "before the beginning"
            field = state.kernel_state._fields[i // 2]
            yield f"{name} writes {where} of the array `{field}`", state


def bytes_of(arrays: Any) -> list[bytes]:
    """The memory of a kernel state, to check later whether it has changed."""
    return [array.tobytes() for array in arrays]
