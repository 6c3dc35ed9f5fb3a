"""What an engine may spend on a move, and what it answers: `Budget`, `Cost`, `Decision`."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, Self

from dlgo.api import Move

if TYPE_CHECKING:
    import pandas as pd

_FORMATS = ("", ",d", "+z.3f", ".1%", ".1%")  # of move, visits, value, prior and share
_SHOWN_MOVES = 12  # of a decision in a notebook; `Decision.table` has all


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

    def __repr__(self) -> str:
        limits = ", ".join(f"{name}={limit:g}" for name, limit in self.given().items())
        return f"Budget({limits})"

    def given(self) -> dict[str, int | float]:
        """The limits that are set."""
        return {name: value for name, value in vars(self).items() if value is not None}


@dataclass(frozen=True)
class Cost:
    """What a decision has spent. CPU seconds are summed over all threads of the process."""

    simulations: int = 0
    nodes: int = 0
    evaluations: int = 0
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0

    def __str__(self) -> str:
        counts = (f"{getattr(self, name):,} {name}"
                  for name in ("simulations", "nodes", "evaluations") if getattr(self, name))
        return ", ".join([*counts, f"{self.cpu_seconds:.3g} CPU s"])


@dataclass(frozen=True, repr=False)
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
        visits: simulations that began with each move; filled in by `Engine.analyse`.
        priors: what the search thought of each move before it began; so, too.
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
    visits: dict[Move, int] = field(default_factory=dict)
    priors: dict[Move, float] = field(default_factory=dict)

    def with_cost(self, cost: Cost) -> Self:
        """The same with another cost: `dataclasses.replace` without its price, for every move."""
        copy = object.__new__(type(self))
        vars(copy).update(vars(self), cost=cost)
        return copy

    def _rows(self) -> list[dict[str, Any]]:
        """A row for each move that was looked at, the favourite first; None where unknown."""
        moves = list(dict.fromkeys((self.move, *self.policy, *self.values, *self.visits)))
        moves.sort(key=lambda move: (
            move != self.move, -self.policy.get(move, -1.0), -self.priors.get(move, 0.0)
        ))
        columns = {"visits": self.visits, "value": self.values, "prior": self.priors,
                   "share": self.policy}
        return [
            {"move": str(move), **{name: known.get(move) for name, known in columns.items()}}
            for move in moves
        ]

    def table(self) -> list[dict[str, str]]:
        """The moves as texts by column; without the columns of which nothing is known."""
        rows = self._rows()
        known = {name for row in rows for name, value in row.items() if value is not None}
        return [
            {name: value if name == "move" else "" if value is None else format(value, form)
             for (name, value), form in zip(row.items(), _FORMATS, strict=True) if name in known}
            for row in rows
        ]

    def to_frame(self) -> pd.DataFrame:
        """The moves as a pandas DataFrame, the favourite first.

        Columns: `move`, its text; `visits`, simulations that began with it; `value`, the expected
        result for the player to move (-1 to 1); `prior`, its probability before the search;
        `share`, its probability after it. NaN: the engine does not say. `Engine.analyse` says
        more than `select_move`.
        """
        import pandas as pd

        kinds = {"visits": "Int64", "value": float, "prior": float, "share": float}
        return pd.DataFrame(self._rows()).astype(kinds)

    def __repr__(self) -> str:
        return f"<Decision {self}; {self.cost}>"

    def __str__(self) -> str:
        parts = [str(self.move)]
        if self.value is not None:
            parts.append(f"value {self.value:+z.3f} for the player to move")
        if self.proven is not None:
            parts.append(("proven loss", "proven draw", "proven win")[self.proven + 1])
        if len(self.pv) > 1:
            parts.append("line " + " ".join(map(str, self.pv)))
        return ", ".join(parts)

    def _repr_html_(self) -> str:
        rows = self.table()
        cells = "".join(
            f"<tr>{''.join(f'<td>{escape(text)}</td>' for text in row.values())}</tr>"
            for row in rows[:_SHOWN_MOVES]
        )
        head = "".join(f"<th>{name}</th>" for name in rows[0])
        table = f"<table><tr>{head}</tr>{cells}</table>" if len(rows[0]) > 1 else ""
        more = f"{len(rows) - _SHOWN_MOVES} more moves; " if len(rows) > _SHOWN_MOVES else ""
        return f"<p>{escape(str(self))}</p>{table}<p><small>{more}{self.cost}</small></p>"

