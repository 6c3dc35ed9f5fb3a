"""The tools of the conformance rules: random games, and views of positions.

This module plays games through the kernels alone, so that no rule depends on the parts (moves,
notation) that another rule checks.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec, GameState
from dlgo.conformance.broken import Kind, broken
from dlgo.faults import describe_fault, fault_text
from dlgo.text import listing, number_of

P = ParamSpec("P")
R = TypeVar("R")

# Number of entries beyond the end of an array that must not change, and the byte they hold.
FENCE = 64
FENCE_BYTE = 0xA5

# Plies after which a random game counts as one that never ends.
LONGEST_GAME = 5_000
# In games with more actions than this, only some actions are tested.
MOST_ACTIONS_ASKED = 4_096
# Number of plies that a copy is played on beside its original.
FOLLOWED = 40

# A rule yields faults: a text, and the position in which it appears.
Findings = Iterator[tuple[str, GameState | None]]


def rules_by_name(*functions: Callable[P, R]) -> dict[str, Callable[P, R]]:
    """The functions by their names as words."""
    return {function.__name__.replace("_", " "): function for function in functions}


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


def play_line(
    game: GameSpec, choices: Iterable[int], sensible: bool = False, start: GameState | None = None
) -> Line:
    """Play from the start, each choice picking one of the listed actions (modulo their number).

    Args:
        choices: nonnegative ints; the line ends with them or with the game.
        sensible: choose among `search_actions` instead of `legal_actions`.
        start: the position to begin with, if not that of the game.

    Raises:
        RuleBroken: if the kernels list actions that they do not allow.
    """
    kernel = "search_actions" if sensible else "legal_actions"
    states, actions = [start or GameState.new_game(game)], []
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


def step(state: GameState, action: int) -> GameState:
    """The state after a legal action. Raises RuleBroken if it cannot be played."""
    game = state.game
    target, fences = fenced(game.scratch_state(state.kernel_state))
    overwrite(target, state.kernel_state)  # so that a wrong copy_into has no effect here
    kernels.copy_into(target, state.kernel_state)
    try:
        kernels.play(target, action)
    except Exception as error:
        text = f"{_call(game, action)} raises {describe_fault(error)}"
        raise broken("play", text, state) from error
    for text, _ in overwritten(fences, f"play({action})", state):
        raise broken("bounds", text, state)
    try:
        move = game.move_of(action)
    except LookupError:
        text = f"move_of has no move for action {action}, which is legal"
        raise broken("moves", text, state) from None
    return GameState(game, target, state, move)


def _call(game: GameSpec, action: int) -> str:
    """The call of `play`, with the move that the action is, if the game can say that."""
    try:
        return f"play({action}), which is {game.move_text(game.move_of(action))},"
    except Exception:  # moves are a check of their own
        return f"play({action})"


def step_if_legal(state: GameState, action: int) -> GameState | None:
    """The state after an action, or None if that is illegal."""
    arrays = state.kernel_state
    if kernels.terminal(arrays) or not kernels.is_legal(arrays, action):
        return None
    return step(state, action)


def follow(
    line: Line, ply: int, position: Any, plies: int = FOLLOWED, ignoring: Collection[str] = ()
) -> str:
    """Play the rest of the line in `position`; return the first difference from the line's views.

    Args:
        ignoring: fields of `View` that may differ.
    """
    same: dict[str, Any] = dict.fromkeys(ignoring, 0)
    for i in range(ply, min(ply + plies, len(line.actions)) + 1):
        view, expected = look(line.states[i], position), line.views[i]
        if wrong := difference(view._replace(**same), expected._replace(**same)):
            return f"{number_of(i - ply, 'ply', 'plies')} later {wrong}" if i > ply else wrong
        if i < len(line.actions):
            kernels.play(position, line.actions[i])
    return ""


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
