"""Building blocks of an exercise's checks, which are in the list `CHECKS` of its module.

    CHECKS = [
        agrees("Chains share liberties", liberties, [(board, point)], "Go on from each stone."),
        alone,
    ]

    @check("A lone stone has four liberties", points=2)
    def alone(hand_in):
        hand_in.expect("liberties", board, point, equals=4, hint="Count empty neighbours.")

A check runs in our process; the student's functions run in another one and send plain values.
Students read the feedback: it shows arguments and result and gives a hint, but not the solution.
"""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from dlgo.text import one_line

# Characters of a value that feedback shows, and of all that it says.
_SHOWN, _LONGEST = 160, 4000
_AGAIN = "The same call was right before; keep nothing between calls."
_FROZEN = re.compile(r"frozenset\((\{[^{}]*\})?\)")
_SETS = set | frozenset
_MANY = list | tuple | _SETS


class Wrong(Exception):
    """A check failed; the message is for the student. `timed_out`: a slow machine may be why."""

    def __init__(self, text: str, timed_out: bool = False) -> None:
        super().__init__(text)
        self.timed_out = timed_out


@dataclass(frozen=True)
class Check:
    """One check of an exercise."""

    title: str  # what is right if it passes, in plain words
    points: int
    run: Callable[[HandIn], None]  # raises Wrong if it does not pass

    def fault(self, hand_in: HandIn) -> Wrong | None:
        """Why a hand-in does not pass; None if it passes."""
        try:
            self.run(hand_in)
        except Wrong as wrong:
            # It may quote anything that a hand-in has returned.
            lines = map(one_line, str(wrong)[:_LONGEST].split("\n"))
            return Wrong("\n".join(lines), wrong.timed_out)
        except (TypeError, ValueError, KeyError, IndexError, AttributeError, RecursionError,
                ArithmeticError, MemoryError):  # the check took it for something else
            return Wrong("The function returned a value of the wrong type; see the task.")
        return None

    def feedback(self, hand_in: HandIn) -> str:
        """Why a hand-in does not pass, in words for the student; "" if it passes."""
        return str(self.fault(hand_in) or "")


def check(title: str, points: int = 1) -> Callable[[Callable[[HandIn], None]], Check]:
    """Make a check of a function."""
    return lambda run: Check(title, points, run)


@dataclass(frozen=True)
class HandIn:
    """A student's functions, as a check sees them: `call(name, *arguments)` asks one of them.

    `renew` starts their process again, where sets of strings have another order.
    """

    call: Callable[..., Any]
    renew: Callable[[], None] = lambda: None

    def expect(
        self, name: str, *arguments: Any, equals: Any, hint: str = "", shown: str = "",
    ) -> None:
        """Require that a function returns `equals`, as `same` compares; feedback gives the hint.

        `shown` are the arguments as feedback shows them; by default all of them.
        """
        value = self.call(name, *arguments)
        arguments_text = shown or ", ".join(map(short, arguments))
        require(same(value, equals),
                f"{name}({arguments_text}) returned {short(value)}. "
                f"{_advice(value, equals) or hint}")


def agrees(
    title: str, solution: Callable[..., Any] | tuple[Callable[..., Any], ...],
    cases: Iterable[Sequence[Any]], hint: str, points: int = 1,
    part: int | None = None, ordered: bool = True,
) -> Check:
    """A check that a function returns the same as the solution, for each row of arguments, and for
    the first row again at the end.

    Args:
        solution: the function, or several that are all called.
        part: the index of the element to compare; by default the whole answer.
        ordered: whether the order of a list counts.
    """
    solutions, rows = solution if isinstance(solution, tuple) else (solution,), list(cases)

    def run(hand_in: HandIn) -> None:
        for number, arguments in enumerate([*rows, *rows[:1]]):
            words = hint if number < len(rows) else _AGAIN
            for function in solutions:
                expected, name = function(*arguments), function.__name__
                if part is None:
                    equals = expected if ordered else set(expected)
                    hand_in.expect(name, *arguments, hint=words, equals=equals)
                    continue
                answer = hand_in.call(name, *arguments)
                require(hasattr(answer, "__len__") and len(answer) == len(expected)
                        and same(answer[part], expected[part]),
                        f"{name}({', '.join(map(short, arguments))}) returned {short(answer)}; "
                        f"value {part + 1} of {len(expected)} is wrong. "
                        f"{_advice(answer, expected) or words}")

    return Check(title, points, run)


def one_replaced(row: Sequence[Any], other: Sequence[Any]) -> list[tuple[Any, ...]]:
    """A row of arguments, and it again with each argument in turn replaced by that of another row:
    a program that keeps answers must not forget an argument."""
    return [tuple(row), *((*row[:n], other[n], *row[n + 1:]) for n in range(len(row)))]


def require(right: bool, text: str) -> None:
    """Raise Wrong with the text unless it is right."""
    if not right:
        raise Wrong(text.strip())


def same(value: Any, expected: Any) -> bool:
    """Whether two plain values are equal.

    A bool is not a number, a list may be a tuple or an array, and a set may be a list in which
    nothing stands twice. Numbers with a fraction, and arrays, agree up to rounding.
    """
    if isinstance(expected, float) and isinstance(value, bool):
        return False
    if isinstance(expected, float | np.ndarray):
        try:
            numbers = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            return False
        return (numbers.shape == np.shape(expected)
                and bool(np.allclose(numbers, expected, 1e-6, 1e-9)))
    values = value.tolist() if isinstance(value, np.ndarray) else value
    if isinstance(expected, _SETS):
        return (isinstance(values, _MANY)
                and len(values) == len(expected) and set(map(hashable, values)) == expected)
    if isinstance(expected, list | tuple):
        return (isinstance(values, list | tuple) and len(values) == len(expected)
                and all(map(same, values, expected)))
    if isinstance(expected, bool) or isinstance(value, bool):
        return value is expected
    return bool(value == expected)


def hashable(value: Any) -> Any:
    """A value for a set: lists and arrays become tuples."""
    many = isinstance(value, list | tuple | np.ndarray)
    return tuple(map(hashable, value)) if many else value


def asked(value: Any, expected: Any) -> str:
    """What kind of value to return, if `value` is of another kind; "" if it is of the right one."""
    if value is None or expected is None or _alike(value, expected):
        return ""
    return f"Return {_kind(expected)}; you returned {_kind(value)}."


def _advice(value: Any, expected: Any) -> str:
    """What to do about a wrong value, if it is of another kind or rounded; "" otherwise."""
    return asked(value, expected) or (
        "Do not round numbers." if _is_rounded(value, expected) else "")


def _alike(value: Any, expected: Any) -> bool:
    value, expected = (
        getattr(item, "tolist", lambda item=item: item)() for item in (value, expected))
    if isinstance(expected, _MANY):
        # A set has no order, so it cannot be a list.
        return (isinstance(value, _MANY if isinstance(expected, _SETS) else list | tuple)
                and all(item is None or expected_item is None or _alike(item, expected_item)
                        for item, expected_item in zip(value, expected, strict=False)))
    if isinstance(expected, bool) or isinstance(value, bool):
        return type(value) is type(expected)
    return isinstance(value, int | float if isinstance(expected, int | float) else type(expected))


def _is_rounded(value: Any, expected: Any) -> bool:
    try:
        numbers, right = (np.asarray(item, dtype=np.float64) for item in (value, expected))
    except (TypeError, ValueError, OverflowError):
        return False
    return numbers.shape == right.shape and any(
        np.allclose(numbers, np.round(right, digits), 0, 1e-12) for digits in range(2, 7))


def _kind(value: Any) -> str:
    """The kind of a value in words, such as "a list of texts"."""
    for kind, text in ((bool, "True or False"), (str, "a text"), (int, "a whole number"),
                       (float, "a number"), (type(None), "None")):
        if isinstance(value, kind):
            return text
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    if isinstance(value, dict):
        return "a dict"
    if not isinstance(value, _MANY):
        return "an object"
    name = "set" if isinstance(value, _SETS) else type(value).__name__
    parts = {_kind(part).partition(" of ")[0] for part in value}
    if len(parts) != 1:
        return f"a {name}"
    [part] = parts
    return f"a {name} of {part.partition(' ')[2]}s" if part.startswith("a ") else f"a {name}"


def even(counts: Sequence[int], error: float = 1e-5) -> bool:
    """Whether counts of equally likely outcomes, about ten or more each, differ only by chance.

    A chi-squared test (limit by Wilson and Hilferty, 1931) that a correct solution fails with
    the probability `error`.
    """
    expected, freedom = sum(counts) / len(counts), len(counts) - 1
    spread = 2 / (9 * freedom)
    limit = freedom * (1 - spread + NormalDist().inv_cdf(1 - error) * spread**0.5) ** 3
    return sum((count - expected) ** 2 for count in counts) <= limit * expected


def short(value: Any) -> str:
    """A value as feedback shows it."""
    if isinstance(value, float) and math.isfinite(value):
        return f"{value:.6g}"
    text = _FROZEN.sub(lambda match: match[1] or "set()", " ".join(repr(value).split()))
    if isinstance(value, _SETS) and value:
        with contextlib.suppress(TypeError):  # elements without an order
            text = f"{{{repr(sorted(value))[1:-1]}}}"
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
