"""What an exercise's checks are made of.

    @check("A lone stone has four liberties", points=2)
    def lone_stone(hand_in):
        hand_in.expect("liberties", board, point, equals=4, hint="Count empty neighbours.")

    walls = agrees("Chains share liberties", liberties, [(board, point)], "Go on from each stone.")

A check runs here, with us; the student's functions run apart and send plain values. What a check
says is read by students: it shows what was asked and what came back, and gives a hint, but not the
solution.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

# Characters of a value that feedback shows.
_SHOWN = 160
_NOTHING = object()


class Wrong(Exception):
    """A check found something wrong; the message is for the student."""


class Calls(Protocol):
    """What calls a student's functions: `engines.isolation.calls.Functions`, or a test's own."""

    def call(self, name: str, *arguments: Any) -> Any:
        """What the function returns."""


@dataclass(frozen=True)
class Check:
    """One thing that is looked at.

    Attributes:
        title: what is right if it passes, in plain words.
        points: given if it passes.
        run: raises Wrong if it does not.
    """

    title: str
    points: int
    run: Callable[[HandIn], None]


def check(title: str, points: int = 1) -> Callable[[Callable[[HandIn], None]], Check]:
    """Make a check of a function."""
    def decorate(run: Callable[[HandIn], None]) -> Check:
        return Check(title, points, run)

    return decorate


class HandIn:
    """A student's functions, as a check sees them."""

    def __init__(self, functions: Calls) -> None:
        self._functions = functions

    def call(self, name: str, *arguments: Any) -> Any:
        """What one of the student's functions returns."""
        return self._functions.call(name, *arguments)

    def expect(
        self, name: str, *arguments: Any, equals: Any = _NOTHING, near: float | None = None,
        among: Any = None, hint: str = "", shown: str | None = None,
    ) -> Any:
        """Call a function and compare what it returns.

        Args:
            equals: what it should be; lists and tuples are alike, as are sets and frozensets.
            near: the number (or array) that it should be, up to rounding.
            among: a collection that it should be in.
            hint: what helps, without giving the solution away.
            shown: the arguments as feedback shows them; by default all of them.

        Raises:
            Wrong: if it is something else.
        """
        value = self.call(name, *arguments)
        if near is not None:
            right = _is_near(value, near)
        elif among is not None:
            right = any(same(value, one) for one in among)
        else:
            right = same(value, equals)
        if not right:
            given = short(arguments)[1:-1].rstrip(",") if shown is None else shown
            raise Wrong(f"{name}({given}) returned {short(value)}. {hint}".strip())
        return value


def agrees(
    title: str, solution: Callable[..., Any], cases: Iterable[Sequence[Any]], hint: str,
    points: int = 1,
) -> Check:
    """A check that a function returns what the solution does, for each row of arguments.

    Numbers with a fraction, and arrays, must agree up to rounding.
    """
    def run(hand_in: HandIn) -> None:
        for arguments in cases:
            wanted = solution(*arguments)
            first = wanted[0] if isinstance(wanted, list) and wanted else wanted
            kind = "near" if isinstance(first, float | np.ndarray) else "equals"
            hand_in.expect(solution.__name__, *arguments, hint=hint, **{kind: wanted})

    return Check(title, points, run)


def require(right: bool, text: str) -> None:
    """Raise Wrong with the text unless it is right."""
    if not right:
        raise Wrong(text)


def same(value: Any, wanted: Any) -> bool:
    """Whether two plain values are equal; a bool is not a number, a list may be a tuple."""
    if isinstance(wanted, list | tuple) and isinstance(value, list | tuple):
        return len(value) == len(wanted) and all(map(same, value, wanted))
    if isinstance(wanted, np.ndarray) or isinstance(value, np.ndarray):
        return bool(np.array_equal(np.asarray(value), np.asarray(wanted)))
    if isinstance(wanted, bool) or isinstance(value, bool):
        return value is wanted
    return bool(value == wanted)


def _is_near(value: Any, wanted: Any) -> bool:
    try:
        numbers = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    wanted = np.asarray(wanted, dtype=np.float64)
    return numbers.shape == wanted.shape and bool(np.allclose(numbers, wanted, 1e-6, 1e-9))


def short(value: Any) -> str:
    """A value as feedback shows it."""
    if isinstance(value, float) and math.isfinite(value):
        return f"{value:.6g}"
    text = " ".join(repr(value).split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
