"""The limits of a move and its result: `Budget`, `Cost`, `Decision`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Self

from dlgo.api import GameSpec, Move
from dlgo.text import number_of

if TYPE_CHECKING:
    import pandas as pd

_FORMATS = {"visits": ",d", "value": "+z.3f", "prior": ".1%", "share": ".1%"}
_SHOWN_MOVES = 12  # of a decision in a notebook; `Decision.to_frame` has all


@dataclass(frozen=True)
class Budget:
    """Limits for one move; None means no such limit. The first limit reached ends the search."""

    sims: int | None = None  # simulations
    depth: int | None = None  # plies
    nodes: int | None = None  # positions
    evals: int | None = None  # evaluations
    cpu: float | None = None  # seconds, as `wall`
    wall: float | None = None

    def __repr__(self) -> str:
        limits = ", ".join(f"{name}={limit:g}" for name, limit in self.given().items())
        return f"Budget({limits})"

    def given(self) -> dict[str, int | float]:
        """The limits that are set."""
        return {name: value for name, value in vars(self).items() if value is not None}


@dataclass(frozen=True)
class Cost:
    """The cost of a decision. CPU seconds are summed over all threads of the process."""

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
    """An engine's choice. Fields that the engine does not fill are None or empty."""

    move: Move
    value: float | None = None  # expected result for the player to move, -1 (loss) to +1 (win)
    score: float | None = None  # points by which the player to move leads, in Go
    policy: dict[Move, float] = field(default_factory=dict)  # how much it favours each; sums to 1
    pv: tuple[Move, ...] = ()  # principal variation, the line it expects, beginning with `move`
    values: dict[Move, float] = field(default_factory=dict)  # of each move looked at, as `value`
    proven: int | None = None  # the exact result for the player to move (+1, 0, -1)
    # How soon a proven win can be forced, or a proven loss put off to, in actions of either player.
    # At a `depth` below it, a win may come sooner than that.
    plies_to_end: int | None = None
    depth: int | None = None  # plies looked ahead
    cost: Cost = Cost()  # `Engine.select_move` fills in the times
    # Filled in by `Engine.analyse`: simulations that began with each move, and what the search
    # thought of it before it began.
    visits: dict[Move, int] = field(default_factory=dict)
    priors: dict[Move, float] = field(default_factory=dict)
    # The lines that it expects after the most visited moves; each begins with its move.
    lines: tuple[tuple[Move, ...], ...] = ()
    # Filled in by `Engine.select_move`: the game, in whose notation moves are shown.
    game: GameSpec | None = field(default=None, compare=False)

    def with_cost(self, cost: Cost, game: GameSpec | None = None) -> Self:
        """The same with another cost: `dataclasses.replace` without its price, for every move."""
        copy = object.__new__(type(self))
        vars(copy).update(vars(self), cost=cost, game=game or self.game)
        return copy

    def _text(self, move: Move) -> str:
        return self.game.move_text(move) if self.game else str(move)

    def to_frame(self) -> pd.DataFrame:
        """The moves as a pandas DataFrame, the favourite first.

        Columns: `move`, its text; `visits`, simulations that began with it; `value`, the expected
        result for the player to move (-1 to 1); `prior`, its probability before the search;
        `share`, its probability after it. NaN: the engine does not say. `Engine.analyse` says
        more than `select_move`.
        """
        import pandas as pd

        moves = list(dict.fromkeys((self.move, *self.policy, *self.values, *self.visits)))
        moves.sort(key=lambda move: (
            move != self.move, -self.policy.get(move, -1.0), -self.priors.get(move, 0.0)
        ))
        tables: dict[str, Mapping[Move, float]] = {
            "visits": self.visits, "value": self.values, "prior": self.priors,
            "share": self.policy}
        columns = {name: [table.get(move) for move in moves] for name, table in tables.items()}
        kinds = {"visits": "Int64", "value": float, "prior": float, "share": float}
        return pd.DataFrame({"move": list(map(self._text, moves)), **columns}).astype(kinds)

    def __repr__(self) -> str:
        return f"<Decision {self}; {self.cost}>"

    def __str__(self) -> str:
        parts = [self._text(self.move)]
        if self.value is not None:
            parts.append(f"value {self.value:+z.3f} for the player to move")
        if self.proven is not None:
            parts.append(("proven loss", "proven draw", "proven win")[self.proven + 1])
        if len(self.pv) > 1:
            parts.append("line " + " ".join(map(self._text, self.pv)))
        return ", ".join(parts)

    def _repr_html_(self) -> str:
        frame = self.to_frame().dropna(axis=1, how="all")
        hidden = len(frame) - _SHOWN_MOVES
        more = f"{number_of(hidden, 'more move')}; " if hidden > 0 else ""
        rows = frame.head(_SHOWN_MOVES).astype(object)
        for name, form in _FORMATS.items():
            if name in frame:
                rows[name] = rows[name].map(f"{{:{form}}}".format, na_action="ignore").fillna("")
        table = rows.to_html(index=False) if len(frame.columns) > 1 else ""
        return f"<p>{escape(str(self))}</p>{table}<p><small>{more}{self.cost}</small></p>"
