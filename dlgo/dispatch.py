"""Compiled functions chosen by the class of their first argument.

Numba compiles one version of a caller for every combination of argument types. So where the
first argument is a `NamedTuple` (a game's state, a selection rule, an evaluator), its class
can say which function is meant, and the choice is made while compiling: a call costs nothing
and is inlined. From Python the same call looks the function up in a table.

Numba's own `overload` does the same through one small function more for each call, which is
compiled anew in every process: that took a fifth of all the compiler's time.

    @by_class
    def area(shape): ...

    area.register(Square, square_area)      # square_area is a kernel
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ClassVar

from numba import types
from numba.core.dispatcher import Dispatcher
from numba.core.typing.templates import AbstractTemplate, infer_global

NAMED_TUPLES = (types.NamedTuple, types.NamedUniTuple)


def by_class(stub: Callable[..., Any]) -> Any:
    """A function with the stub's signature that calls what is registered for its first argument.

    It has two attributes: `register(cls, function)` and the dictionary `table`.
    """
    table: dict[type, Any] = {}

    @functools.wraps(stub)
    def dispatch(first: Any, *rest: Any) -> Any:
        return table[type(first)](first, *rest)

    class Chosen(AbstractTemplate):
        """Tells Numba how to type a call of `dispatch` in compiled code."""

        key = dispatch
        entry_points: ClassVar[dict[Any, Any]] = {}  # by signature

        def generic(self, args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
            """The signature that the registered function has for these types; None without one."""
            function = None
            if args and isinstance(args[0], NAMED_TUPLES):
                function = table.get(args[0].instance_class)
            if not isinstance(function, Dispatcher):
                return None
            chosen = types.Dispatcher(function)
            signature = chosen.get_call_type(self.context, args, kws)
            self.entry_points[signature] = chosen.get_overload(signature)
            return signature

        def get_impl_key(self, sig: Any) -> Any:
            """The machine code that a call of this signature runs."""
            return self.entry_points[sig]

    infer_global(dispatch, types.Function(Chosen))
    dispatch.table = table  # type: ignore[attr-defined]
    dispatch.register = table.__setitem__  # type: ignore[attr-defined]
    return dispatch
