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
import inspect
from collections.abc import Callable
from typing import Any, ParamSpec, Protocol, TypeVar, cast

import numba
from numba import types
from numba.extending import lower_builtin, type_callable

NAMED_TUPLES = (types.NamedTuple, types.NamedUniTuple)


P = ParamSpec("P")
R_co = TypeVar("R_co", covariant=True)


class ByClass(Protocol[P, R_co]):
    """A function that calls the one registered for the class of its first argument."""

    table: dict[type, Callable[..., Any]]

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co: ...

    def register(self, cls: type, function: Callable[..., Any]) -> None:
        """Call `function`, a kernel, for arguments of this class."""


def by_class(stub: Callable[P, R_co]) -> ByClass[P, R_co]:
    """A function with the stub's signature that calls what is registered for its first argument."""
    table: dict[type, Any] = {}
    parameters = inspect.signature(stub)

    @functools.wraps(stub)
    def dispatch(first: Any, *args: Any) -> Any:
        return table[type(first)](first, *args)

    def chosen(arguments: tuple[Any, ...]) -> Any:
        """Numba's type of the function that is registered for arguments of these types, or None."""
        cls = arguments[0].instance_class if isinstance(arguments[0], NAMED_TUPLES) else None
        return numba.typeof(table[cls]) if cls in table else None

    @type_callable(dispatch)
    def typing(context: Any) -> Callable[..., Any]:
        @functools.wraps(stub)
        def signature(*positional: Any, **keywords: Any) -> Any:
            arguments = parameters.bind(*positional, **keywords).args
            function = chosen(arguments)
            return function and context.resolve_function_type(function, arguments, {})

        return signature

    @lower_builtin(dispatch, types.VarArg(types.Any))
    def call(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        function = chosen(signature.args)
        return context.get_function(function, signature)(builder, arguments)

    attributes = vars(dispatch)
    attributes["table"], attributes["register"] = table, table.__setitem__
    return cast(ByClass[P, R_co], dispatch)
