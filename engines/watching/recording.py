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
from dataclasses import dataclass
from typing import Any

from dlgo.api import GameState
from dlgo.errors import SpecError
from dlgo.jit import wall_time
from engines.base import Budget, Decision, Engine
from engines.watching.events import Event, as_json
from engines.watching.picture import tree_svg
from engines.watching.tree import SearchTree

# Limits of a transcript: a person looks at it, and waits for it.
MOST_STEPS, MOST_BYTES, MOST_SECONDS = 20_000, 12_000_000, 15.0


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

    parts: tuple[str, ...]  # each a list of events as `as_json` writes them, without scores
    steps: int  # number of events in all parts
    decision: Decision | None  # None if a limit ended the search
    limit: str = ""  # what ended the search: "steps", "bytes", "seconds", or "stop"


class _Enough(Exception):
    """The limit named by its argument is reached."""


def transcript(
    engine: Engine, state: GameState, budget: Budget | None = None, most_steps: int = MOST_STEPS,
    most_bytes: int = MOST_BYTES, most_seconds: float = MOST_SECONDS, part_bytes: int = 60_000,
    stop: Callable[[], bool] = lambda: False,
) -> Transcript:
    """Let an engine choose a move, and write its search as JSON, up to a limit.

    The scores of `Selected` are left out: they follow from the tree, and in Go they are half of
    the text.

    Args:
        most_steps, most_bytes, most_seconds: end the search when it exceeds one of these.
        part_bytes: size at which a part is closed.
        stop: called from time to time; the search ends when it returns True.

    Raises SpecError if the engine cannot be watched.
    """
    parts: list[list[str]] = [[]]
    steps = n_bytes = size = 0
    start = wall_time()

    def write(event: Event) -> None:
        nonlocal steps, n_bytes, size
        fields = as_json(event)
        fields.pop("scores", None)
        line = json.dumps(fields, allow_nan=False, separators=(",", ":"))
        n_bytes += len(line)
        reached = {
            "steps": steps >= most_steps, "bytes": n_bytes > most_bytes,
            "seconds": wall_time() - start > most_seconds, "stop": steps % 64 == 0 and stop(),
        }
        if any(reached.values()):
            raise _Enough(next(name for name, over in reached.items() if over))
        if size >= part_bytes:
            parts.append([])
            size = 0
        steps, size = steps + 1, size + len(line)
        parts[-1].append(line)

    decision, limit = None, ""
    try:
        decision = _listen(engine, state, budget, write)
    except _Enough as reached:
        limit = str(reached)
    texts = tuple(f"[{','.join(part)}]" for part in parts if part)
    return Transcript(texts, steps, decision, limit)


def _listen(
    engine: Engine, state: GameState, budget: Budget | None, listener: Callable[[Event], object]
) -> Decision:
    if not hasattr(engine, "listener"):
        raise SpecError(
            f"engine {engine.name} cannot be watched; use a textbook engine, such as "
            "textbook-mcts, textbook-alphabeta or textbook-puct"
        )
    old_listener, engine.listener = engine.listener, listener
    try:
        return engine.select_move(state, budget)
    finally:
        engine.listener = old_listener
