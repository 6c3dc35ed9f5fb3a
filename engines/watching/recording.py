"""A search from its first event to its decision: `watch(engine, state)`.

    recording = watch(build_engine("textbook-mcts:sims=30", "tictactoe"), state)
    recording                        # in a notebook: a picture of the tree
    recording.tree(40).root.visits   # as it was after 40 events
    recording.to_json()              # for a web page
"""

from __future__ import annotations

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
    """All that a search has told of itself.

    Attributes:
        engine: its name. state: the position it was shown.
        events: in order. decision: what it chose.
    """

    engine: str
    state: GameState
    events: tuple[Event, ...]
    decision: Decision

    def tree(self, steps: int | None = None) -> SearchTree:
        """The tree after so many events; by default after all of them."""
        tree = SearchTree(self.state)
        for event in self.events[:steps]:
            tree.apply(event)
        return tree

    def line(self) -> list[str]:
        """The principal variation, as texts."""
        return [self.state.game.move_text(move) for move in self.decision.pv]

    def svg(self, steps: int | None = None, **options: Any) -> str:
        """A picture of the tree after so many events; options as of `tree_svg`."""
        done = steps is None or steps >= len(self.events)
        return tree_svg(self.tree(steps), line=self.line() if done else (), **options)

    def _repr_svg_(self) -> str:
        return self.svg()

    def to_json(self) -> dict[str, Any]:
        """Game, position, events and choice as an object of JSON."""
        text = self.state.game.move_text
        start, moves = self.state.history()
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
    """Let an engine choose a move, and record how it came to it.

    Raises:
        SpecError: if the engine does not tell of its search.
    """
    if not hasattr(engine, "listener"):
        raise SpecError(
            f"engine {engine.name} cannot be watched; the textbook engines can, such as "
            "textbook-mcts, textbook-alphabeta or textbook-puct"
        )
    events: list[Event] = []
    before, engine.listener = engine.listener, events.append
    try:
        decision = engine.select_move(state, budget)
    finally:
        engine.listener = before
    return Recording(engine.name, state, tuple(events), decision)
