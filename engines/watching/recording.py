"""A search from its first event to its decision: `watch(engine, state)`.

    recording = watch(build_engine("textbook-mcts:sims=30", "tictactoe"), state)
    recording                        # in a notebook: a picture of the tree
    recording.tree(40).root.visits   # after 40 events
    recording.to_json()              # for a web page

Use `transcript` for searches that may be long: it has limits.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from dlgo.api import GameState
from dlgo.errors import SpecError
from engines.base import Budget, Decision, Engine
from engines.watching.events import Event, as_json
from engines.watching.picture import tree_svg
from engines.watching.tree import SearchTree


@dataclass(frozen=True)
class Recording:
    """The events and the decision of a search."""

    engine: str  # its name
    state: GameState  # the position that was searched
    events: tuple[Event, ...]
    decision: Decision

    def tree(self, steps: int | None = None) -> SearchTree:
        """The tree after the first `steps` events; by default after all of them."""
        tree = SearchTree(self.state)
        for event in self.events[:steps]:
            tree.apply(event)
        return tree

    def line(self) -> list[str]:
        """The principal variation, as text."""
        return [self.state.game.move_text(move) for move in self.decision.pv]

    def svg(self, steps: int | None = None, **options: Any) -> str:
        """A picture of the tree after the first `steps` events; options as in `tree_svg`."""
        done = steps is None or steps >= len(self.events)
        return tree_svg(self.tree(steps), line=self.line() if done else (), **options)

    def _repr_svg_(self) -> str:
        return self.svg()

    def to_json(self) -> dict[str, Any]:
        """Game, position, events and choice as a JSON object."""
        text = self.state.game.move_text
        _, moves = self.state.history()
        return {
            "game": str(self.state.game),
            "moves": [text(move) for _, move in moves],
            "mover": self.state.next_player.name,
            "engine": self.engine,
            "events": [as_json(event) for event in self.events],
            "choice": text(self.decision.move),
            "line": self.line(),
        }


def watch(engine: Engine, state: GameState, budget: Budget | None = None) -> Recording:
    """Let an engine choose a move, and record its search.

    Raises SpecError if the engine cannot be watched.
    """
    events: list[Event] = []
    decision = _listen(engine, state, budget, events.append)
    return Recording(engine.name, state, tuple(events), decision)


@dataclass(frozen=True)
class Transcript:
    """The events of a search as JSON, in parts that are sent one by one."""

    parts: tuple[str, ...]  # each a list of events as `as_json` writes them
    steps: int  # number of events in all parts
    decision: Decision | None  # None if a limit ended the search


class _Enough(Exception):
    """A limit is reached."""


def transcript(
    engine: Engine, state: GameState, budget: Budget | None = None, most_steps: int = 20_000,
    most_bytes: int = 4_000_000, part_bytes: int = 60_000,
    stop: Callable[[], bool] = lambda: False,
) -> Transcript:
    """Let an engine choose a move, and write its search as JSON, up to a limit.

    Args:
        most_steps, most_bytes: end the search when its events exceed one of these.
        part_bytes: size at which a part is closed.
        stop: called from time to time; the search ends when it returns True.

    Raises SpecError if the engine cannot be watched.
    """
    parts: list[list[str]] = [[]]
    steps = written = size = 0

    def write(event: Event) -> None:
        nonlocal steps, written, size
        line = json.dumps(as_json(event), allow_nan=False, separators=(",", ":"))
        written += len(line)
        if steps >= most_steps or written > most_bytes or (steps % 64 == 0 and stop()):
            raise _Enough
        if size >= part_bytes:
            parts.append([])
            size = 0
        steps, size = steps + 1, size + len(line)
        parts[-1].append(line)

    decision = None
    with suppress(_Enough):
        decision = _listen(engine, state, budget, write)
    return Transcript(tuple(f"[{','.join(part)}]" for part in parts if part), steps, decision)


def _listen(
    engine: Engine, state: GameState, budget: Budget | None, listener: Callable[[Event], object]
) -> Decision:
    if not hasattr(engine, "listener"):
        raise SpecError(
            f"engine {engine.name} cannot be watched; use a textbook engine, such as "
            "textbook-mcts, textbook-alphabeta or textbook-puct"
        )
    before, engine.listener = engine.listener, listener
    try:
        return engine.select_move(state, budget)
    finally:
        engine.listener = before
