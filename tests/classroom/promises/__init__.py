"""What the text of each exercise promises, and whether its hidden inputs ask for it.

A file an exercise, written from the students' text alone, without its solution:

    PROMISES = [
        Promise("None if it is outside the board", lambda call: call.result is None, least=4),
    ]

    def valid(call: Call) -> None:
        assert call.arguments[0] > 0, "the text says: a size of at least 1"

`PROMISES` has an entry for each clause of the text that a wrong program can disregard. `valid`
asserts what the text says of the arguments, so that no hidden input contradicts it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Call:
    """A call that a check makes, with the solution's result."""

    name: str  # of the function
    arguments: tuple[Any, ...]
    result: Any
    constants: Mapping[str, Any] = field(default_factory=dict)  # of the variant, such as C or TREE


@dataclass(frozen=True)
class Promise:
    """A clause of the text, and what asks for it."""

    text: str  # words of the students' text, quoted; blanks and line ends do not matter
    asked: Callable[[Call], bool]  # whether this hidden input asks for it
    least: int = 1  # number of inputs that must ask
