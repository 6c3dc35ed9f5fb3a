"""What may stand in the columns of a ledger: a file changed by hand or by a fault says so at once.

SQLite stores any value in any column. Here each value is looked at when it is read, so that the
rest of the project can rely on it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from dlgo.errors import LedgerError
from dlgo.records.failures import Failure
from dlgo.text import excerpt


class _Kind(NamedTuple):
    wanted: str
    fits: Callable[[Any], bool]


def _finite(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


_TEXT = _Kind("a text", lambda value: type(value) is str)
_TEXT_OR_NULL = _Kind("a text", lambda value: value is None or type(value) is str)
_WHOLE = _Kind("a whole number", lambda value: type(value) is int)
_NUMBER = _Kind("a finite number", _finite)
_FAILURES = tuple(Failure)

_KINDS = {
    **dict.fromkeys(
        ("slot", "game", "first", "second", "entrant", "opening", "reason", "moves", "started",
         "finished", "machine", "version", "other"), _TEXT,
    ),
    **dict.fromkeys(("networks", "limits", "worker", "difference"), _TEXT_OR_NULL),
    **dict.fromkeys(
        ("pair", "seed", "ply", "player", "nodes", "simulations", "evaluations", "max_nodes",
         "max_simulations", "max_evaluations", "count", "id"), _WHOLE,
    ),
    **dict.fromkeys(("cpu", "wall", "max_cpu", "max_wall"), _NUMBER),
    "result": _Kind("1, 0.5 or 0", lambda value: value in (0.0, 0.5, 1.0)),
    "value": _Kind("a finite number", lambda value: value is None or _finite(value)),
    "failure": _Kind("a kind of failure", lambda value: value is None or value in _FAILURES),
}


def check_row(path: object, columns: Sequence[str], row: Sequence[Any]) -> None:
    """See that every value is what its column is for.

    Args:
        path: of the ledger, for the message.
        columns: their names; see `_KINDS`.
        row: their values.

    Raises:
        LedgerError: naming the game, the column and the value of the first that is not.
    """
    for column, value in zip(columns, row, strict=True):
        kind = _KINDS[column]
        if not kind.fits(value):
            game = next((f", game {text!r}" for name, text in zip(columns, row, strict=True)
                         if name == "slot" and text is not value), "")
            raise LedgerError(
                f"ledger {path} is damaged{game}: {column} is {excerpt(repr(value), 60)}, "
                f"not {kind.wanted}; delete the row, and the tournament plays the game again"
            )
