"""The steps of a search: events that a textbook engine passes to its listener.

    engine.listener = events.append      # any function of one event; None: no listener

A tree search (UCT, PUCT, Gumbel) repeats `Selected` for each step down the tree, `Expanded`,
`Simulated` or `Evaluated`, `BackedUp`. Their values are as black sees them: +1 black has won, -1
white has. Alpha-beta tells `Entered`, then `Valued` for each position, and `CutOff` where it stops
looking. Its values, alpha and beta are as the player to move there sees them.

Nodes have numbers, the root is 0. Moves are texts in the game's notation. All fields are plain, so
`as_json` makes an object of JSON of any event. Played back from the first, events give the tree as
the engine has it after each of them (`tree.py`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Child:
    """A node that has come into the tree."""

    node: int
    move: str
    mover: str  # who moves there, "black" or "white"; after the end, who would
    prior: float | None = None  # the network's chance of the move, if there is a network


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
    """The network, or the game's own estimate, says what the position of `node` is worth."""

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
    """Gumbel begins a phase: each of these children of the root gets `visits` visits."""

    candidates: tuple[int, ...]
    visits: int


@dataclass(frozen=True)
class Entered:
    """Alpha-beta begins to look at a position; `parent` is None where a new search begins."""

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
    """A move of `node` is worth beta or more: the `skipped` ones need not be looked at."""

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
    """The event as an object of JSON: its kind under "event", then its fields."""
    fields = asdict(event)
    if fields.get("depth") == math.inf:  # JSON has no infinity
        fields["depth"] = None
    return {"event": type(event).__name__, **fields}
