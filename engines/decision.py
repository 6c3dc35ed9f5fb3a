"""What an engine may spend on a move, and what it answers: `Budget`, `Cost`, `Decision`."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field

from dlgo.api import Move


@dataclass(frozen=True)
class Budget:
    """Limits for one move; None means no such limit. The first limit reached ends the search.

    Attributes:
        sims: simulations. depth: plies. nodes: positions. evals: evaluations. cpu, wall: seconds.
    """

    sims: int | None = None
    depth: int | None = None
    nodes: int | None = None
    evals: int | None = None
    cpu: float | None = None
    wall: float | None = None

    def given(self) -> dict[str, int | float]:
        """The limits that are set."""
        values = dataclasses.asdict(self)
        return {name: value for name, value in values.items() if value is not None}


@dataclass(frozen=True)
class Cost:
    """What a decision has spent. CPU seconds are summed over all threads of the process."""

    simulations: int = 0
    nodes: int = 0
    evaluations: int = 0
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0


@dataclass(frozen=True)
class Decision:
    """An engine's choice.

    Attributes:
        move: what it plays.
        value: expected result for the player to move, -1 (loss) to +1 (win), or None if the
            engine does not estimate one.
        policy: how much it favours each move (sums to 1), or empty.
        values: expected result of each move it has looked at, as `value`, or empty.
        pv: principal variation, the line it expects, beginning with `move`.
        proven: the exact result for the player to move (+1, 0, -1) if the search proved it.
        plies_to_end: how soon a proven win can be forced, or a proven loss put off to, in
            actions of either player; None if the engine does not tell. At a `depth` below
            it, a win may come sooner than that.
        depth: plies looked ahead, where that means something.
        cost: what was spent; `Engine.select_move` fills in the times.
    """

    move: Move
    value: float | None = None
    policy: dict[Move, float] = field(default_factory=dict)
    pv: tuple[Move, ...] = ()
    values: dict[Move, float] = field(default_factory=dict)
    proven: int | None = None
    plies_to_end: int | None = None
    depth: int | None = None
    cost: Cost = Cost()
