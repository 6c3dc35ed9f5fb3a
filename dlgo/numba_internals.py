"""All that this project uses of Numba that has no public name, and why.

tests/test_numba_internals.py tries each part with the installed release.
"""

from __future__ import annotations

import contextlib
import pickle
from collections.abc import Callable
from typing import Any

from numba import types
from numba.core import event as event  # nothing else says that Numba compiles or loads code
from numba.core.compiler import CompileResult

# Options of every kernel: no reference counts, with which rollouts on 9x9 take twice as long.
OPTIONS = {"_nrt": False}

# Both are given the types of the arguments and the processor's description.
Reader = Callable[[tuple[Any, ...], str], bytes | None]
Writer = Callable[[tuple[Any, ...], str, bytes], None]


class _Cache:
    """`cache=True` has one index of all signatures of a function, which imports the modules of all
    their classes, and in which two processes can mistake each other's machine code. It also
    prepares the compiler before it loads code, a quarter of the CPU time of a start."""

    cache_path = None

    def __init__(self, read: Reader, write: Writer) -> None:
        self._read, self._write = read, write

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled function for a signature; None if it must be compiled."""
        arguments = tuple(getattr(sig, "args", sig))
        content = self._read(arguments, repr(target_context.codegen().magic_tuple()))
        with contextlib.suppress(Exception):  # cut short: compiled and written again
            if content is not None:
                result = CompileResult._rebuild(target_context, *pickle.loads(content))
                return result if result.signature.args == arguments else None
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Write a compiled function, unless it holds addresses or classes of this process."""
        if not (data.lifted or data.library.has_dynamic_globals):
            with contextlib.suppress(pickle.PicklingError, AttributeError, TypeError):
                content = pickle.dumps(data._reduce())
                self._write(data.signature.args, repr(data.codegen.magic_tuple()), content)


def set_cache(dispatcher: Any, read: Reader, write: Writer) -> None:
    """Load machine code of a function by `read` and keep it by `write`."""
    dispatcher._cache = _Cache(read, write)


def set_inner_form(dispatcher: Any, inner: Callable[[], Any]) -> None:
    """Let compiled code call another form of a function. Numba has a type for each constant, and
    would compile `f(x, 1)` and `f(x, n)` apart: here they are the same."""
    dispatcher.get_call_template = lambda args, kws: inner().get_call_template(
        tuple(map(types.unliteral, args)), {key: types.unliteral(kws[key]) for key in kws}
    )
    dispatcher.get_overload = lambda signature: inner().get_overload(signature)
