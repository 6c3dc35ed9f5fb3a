"""Compiled functions chosen by the class of their first argument.

Numba compiles one version of a caller for every combination of argument types. So where the
first argument is a `NamedTuple` (a game's state, a selection rule, an evaluator), its class
can say which function is meant, and the choice is made while compiling: a call costs nothing
and is inlined. From Python the same call looks the function up in a table.

    @by_class
    def area(shape): ...

    area.register(Square, square_area)      # square_area is a kernel
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from numba import types
from numba.extending import overload

NAMED_TUPLES = (types.NamedTuple, types.NamedUniTuple)


def by_class(stub: Callable[..., Any]) -> Any:
    """A function with the stub's signature that calls what is registered for its first argument.

    Returns:
        The function, with two attributes: `register(cls, function)` and the dictionary `table`.
    """
    table: dict[type, Any] = {}

    @functools.wraps(stub)
    def dispatch(first: Any, *rest: Any) -> Any:
        return table[type(first)](first, *rest)

    def find(first: Any) -> Any:
        return table.get(first.instance_class) if isinstance(first, NAMED_TUPLES) else None

    # Numba wants the same parameters, by name, in the function that looks at the types and in
    # the one that is compiled, so both are generated from the stub's.
    names = list(inspect.signature(stub).parameters)
    scope: dict[str, Any] = {"find": find}
    exec(
        f"def typer({', '.join(names)}):\n"
        f"    function = find({names[0]})\n"
        f"    return function and (lambda {', '.join(names)}: function({', '.join(names)}))",
        scope,
    )
    overload(dispatch)(scope["typer"])
    dispatch.table = table  # type: ignore[attr-defined]
    dispatch.register = table.__setitem__  # type: ignore[attr-defined]
    return dispatch
