"""The events that a textbook engine sends to its listener, one for each step of its search.

    engine.listener = events.append      # any function of one event; None: no listener

A tree search (UCT, PUCT, Gumbel) repeats `Selected` for each step down the tree, `Expanded`,
`Simulated` or `Evaluated`, `BackedUp`. Their values are those of black: +1 if black has won, -1 if
white has. Alpha-beta sends `Entered`, then `Valued` for each position, and `CutOff` where it cuts.
Its values, alpha and beta are those of the player to move there.

Nodes have numbers; the root is 0. Moves are texts in the game's notation. All fields are plain
values, so `as_json` turns any event into a JSON object. `tree.py` builds the tree from the events.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Child:
    """A new node of the tree."""

    node: int
    move: str
    mover: str  # the player to move there, "black" or "white", also if the game is over
    prior: float | None = None  # the network's probability of the move, if there is a network


@dataclass(frozen=True)
class Selected:
    """One step down: `child` has the best of the scores of the children of `node`, in order."""

    node: int
    child: int
    scores: tuple[float, ...]


@dataclass(frozen=True)
class Expanded:
    """`node` got children: UCT adds one at a time, PUCT all at once."""

    node: int
    children: tuple[Child, ...]


@dataclass(frozen=True)
class Simulated:
    """The game was finished from `node` with random moves; `value` is the result."""

    node: int
    moves: tuple[str, ...]
    value: float


@dataclass(frozen=True)
class Evaluated:
    """The value of `node` by the network or the game's own estimate."""

    node: int
    value: float


@dataclass(frozen=True)
class BackedUp:
    """Each node of `path`, the leaf first, has one more visit, and `value` more in its sum."""

    path: tuple[int, ...]
    value: float


@dataclass(frozen=True)
class Proved:
    """The result of `node` is certain: its game is over, or its children decide it."""

    node: int
    result: int


@dataclass(frozen=True)
class Halved:
    """Gumbel begins a phase: these children of the root get `visits` each."""

    candidates: tuple[int, ...]
    visits: int


@dataclass(frozen=True)
class Entered:
    """Alpha-beta enters a position; `parent` is None where a new search begins."""

    node: int
    parent: int | None
    move: str | None
    mover: str
    depth: float  # plies still to be searched; infinite: to the end of the game
    alpha: float  # values up to alpha or from beta on need not be exact
    beta: float


@dataclass(frozen=True)
class Valued:
    """The value of `node` is known: its "result", an "estimate", or the best of its "moves"."""

    node: int
    value: float
    reason: str


@dataclass(frozen=True)
class CutOff:
    """A move of `node` is worth beta or more, so the `skipped` moves need no search."""

    node: int
    value: float
    alpha: float
    beta: float
    skipped: tuple[str, ...]


Event = (
    Selected | Expanded | Simulated | Evaluated | BackedUp | Proved | Halved
    | Entered | Valued | CutOff
)
Listener = Callable[[Event], object]


def as_json(event: Event) -> dict[str, Any]:
    """The event as a JSON object: its kind under "event", then its fields."""
    fields = asdict(event)
    if fields.get("depth") == math.inf:  # JSON has no infinity
        fields["depth"] = None
    return {"event": type(event).__name__, **fields}
