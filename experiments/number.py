"""Numbers on the command line, checked as those of specifications and plans are."""

from __future__ import annotations

import math
from typing import Any

import click


class Number(click.ParamType):
    """A finite number within its range: `type=Number(int, 1, 1000)`.

    Args:
        kind: int or float.
        low, high: inclusive bounds.
    """

    def __init__(self, kind: type = float, low: float = -math.inf, high: float = math.inf) -> None:
        self.kind, self.low, self.high = kind, low, high
        self.name = "integer" if kind is int else "float"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | float:
        # Late: they take Numba along, which --help does without.
        from dlgo.errors import SpecError
        from dlgo.specs import check_number

        what = param.opts[-1] if param is not None else "value"
        try:
            return check_number(value, what, self.kind, self.low, self.high)
        except SpecError as error:
            raise click.UsageError(str(error), ctx) from None

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """The kind and the range, for the help: `FLOAT 0..60`, `INTEGER 1..`."""
        low, high = (str(b) if math.isfinite(b) else "" for b in (self.low, self.high))
        return self.name.upper() + (f" {low}..{high}" if low or high else "")

    def __repr__(self) -> str:
        return self.get_metavar(None, None)


move_timeout = click.option(
    "--move-timeout", type=Number(float, 0.001, 1e7), default=600.0, show_default=True,
    help="Wall seconds for a move of an engine from outside: it ends a hang.",
)
