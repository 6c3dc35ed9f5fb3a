"""What a compiled function is made of, as a digest: equal digests, equal machine code.

Numba compiles into a function all that the function uses: the kernels it calls, the values of
the constants it reads, and, where a call is chosen by class (`dlgo.dispatch`), what is
registered for the classes of its arguments. `fingerprint` follows the same paths through the
live objects. So an edited rule changes the digest of every search that plays by it and of
nothing else; comments, docstrings and other functions in the same file change no digest.
"""

from __future__ import annotations

import dis
import enum
import functools
import hashlib
import inspect
import platform
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types
from numba.core.dispatcher import Dispatcher
from numba.extending import _Intrinsic

_PACKAGES = ("dlgo", "engines")
# Part of every key by their versions; not followed.
_LIBRARIES = ("numpy", "numba", "math", "builtins", "operator")
_COMPILER = f"{numba.__version__} {np.__version__} {platform.python_version()}"


class UnknownIngredient(Exception):
    """A compiled function uses something whose value has no digest: it must not be cached."""


class _Parts(NamedTuple):
    """One ingredient: its own text, and the other ingredients that it leads to."""

    text: str
    leads_to: tuple[Any, ...]


def fingerprint(function: Callable[..., Any], argument_types: tuple[Any, ...]) -> str:
    """Digest of all that machine code of `function` for these argument types is made of.

    Args:
        function: a compiled function (Numba's dispatcher).
        argument_types: Numba's types of its arguments.

    Raises:
        UnknownIngredient: if that cannot be told.
    """
    classes = set(_classes_of(argument_types))
    stubs: list[Any] = []
    seen: dict[int, Any] = {}  # by id; keeps the values alive, so that an id stays its own
    texts = {f"signature {argument_types}"}
    waiting: list[Any] = [function, *classes]
    while waiting:
        value = waiting.pop()
        if id(value) not in seen:
            seen[id(value)] = value
            parts = _parts(value)
            texts.add(parts.text)
            waiting.extend(parts.leads_to)
            if isinstance(value, FunctionType) and hasattr(value, "table"):
                stubs.append(value)
            if _is_named_tuple(value):
                classes.add(value)
        if not waiting:  # only now are all classes known that a choice may depend on
            for stub in stubs:
                for cls in classes & stub.table.keys():
                    chosen = stub.table[cls]
                    texts.add(f"{stub.__name__} {_name(cls)} {_name(chosen)}")
                    if id(chosen) not in seen:
                        waiting.append(chosen)
    digest = hashlib.sha256(_COMPILER.encode())
    for text in sorted(texts):
        digest.update(text.encode() + b"\0")
    return digest.hexdigest()[:32]


@functools.cache
def source_digest() -> str:
    """Digest of all sources of this project's games and engines: which version has played."""
    digest = hashlib.sha256()
    digest.update(f"{numba.__version__} {platform.python_version()}".encode())
    root = Path(__file__).resolve().parent.parent
    for package in _PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            digest.update(str(path.relative_to(root)).encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _classes_of(argument_types: tuple[Any, ...]) -> Iterator[type]:
    """The NamedTuple classes among types, and among those of their fields."""
    for kind in argument_types:
        if cls := getattr(kind, "instance_class", None):
            yield cls
        yield from _classes_of(getattr(kind, "types", ()))


def _is_named_tuple(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields")


def _name(value: Any) -> str:
    value = getattr(value, "py_func", value)
    return f"{value.__module__}.{value.__qualname__}"


def _of_a_library(value: Any) -> bool:
    name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", "")
    return (name or "builtins").partition(".")[0] in _LIBRARIES


def _parts(value: Any) -> _Parts:
    """An ingredient taken apart. Raises UnknownIngredient if it is of no known kind."""
    if isinstance(value, Dispatcher):
        options = sorted((key, repr(option)) for key, option in value.targetoptions.items())
        return _Parts(f"kernel {_name(value)} {options}", (value.py_func,))
    if isinstance(value, _Intrinsic):
        return _parts(value._defn)
    if value is None or isinstance(value, bool | int | float | complex | str | bytes | slice):
        return _Parts(f"{type(value).__name__} {value!r}", ())
    if isinstance(value, np.ndarray | np.generic):
        content = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
        return _Parts(f"array {value.dtype} {np.shape(value)} {content}", ())
    if isinstance(value, tuple | frozenset):
        items = tuple(value)
        texts = [_parts(item).text for item in items]
        order = texts if isinstance(value, tuple) else sorted(texts)
        return _Parts(f"{_name(type(value))} {order}", (*items, type(value)))
    if isinstance(value, enum.Enum):
        return _Parts(f"enum {_name(type(value))} {value.name} {value.value!r}", ())
    if isinstance(value, types.Type):
        return _Parts(f"type {value}", ())
    if isinstance(value, BuiltinFunctionType | type(np.add)) or _of_a_library(value):
        return _Parts(f"library {getattr(value, '__name__', value)}", ())
    if isinstance(value, type):
        shared = getattr(value, "shared_fields", "")
        return _Parts(f"class {_name(value)} {getattr(value, '_fields', '')}{shared}", ())
    if isinstance(value, FunctionType):
        return _function_parts(value)
    raise UnknownIngredient(f"{type(value).__name__} {value!r:.80}")


def _function_parts(function: FunctionType) -> _Parts:
    if hasattr(function, "table"):  # chosen by class: what it leads to depends on the classes
        return _Parts(f"chosen by class {_name(function)}", ())
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    text = f"function {_name(function)} "
    leads_to: list[Any] = [*cells, *(function.__defaults__ or ())]
    for code in _codes(function.__code__):
        constants = [_text_of_constant(constant) for constant in code.co_consts
                     if constant is not function.__doc__]
        used = list(_globals_used(code, function.__globals__))
        text += f"{code.co_code.hex()} {code.co_varnames} {constants} "
        # The name stands beside its value: two constants that change places are a change.
        text += " ".join(f"{name}={_short(value)}" for name, value in used)
        leads_to += [value for _, value in used]
    text += " ".join(_short(value) for value in (*cells, *(function.__defaults__ or ())))
    if not _is_compiled(function):
        # A plain function stands for an overload, which may be anywhere in its module.
        source = inspect.getsourcefile(function)
        if source is None:
            raise UnknownIngredient(f"{_name(function)} has no source")
        text += hashlib.sha256(Path(source).read_bytes()).hexdigest()
    return _Parts(text, tuple(leads_to))


def _short(value: Any) -> str:
    """How an ingredient is told from others of its kind; its parts are told on their own."""
    if isinstance(value, Dispatcher | FunctionType | type | ModuleType):
        return getattr(value, "__name__", "")
    return _parts(value).text


_compiled_functions: set[int] = set()


def is_compiled(function: Callable[..., Any]) -> None:
    """Remember that `function` is compiled as it stands, and stands for no overload."""
    _compiled_functions.add(id(function))


def _is_compiled(function: FunctionType) -> bool:
    module = sys.modules.get(function.__module__)
    named = getattr(module, function.__name__, None)
    return id(function) in _compiled_functions or isinstance(named, _Intrinsic)


def _codes(code: CodeType) -> Iterator[CodeType]:
    """A function's code and that of the functions written inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _text_of_constant(constant: Any) -> str:
    return "code" if isinstance(constant, CodeType) else _parts(constant).text


def _globals_used(code: CodeType, names: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The global values that code reads, modules followed to what is read of them."""
    module, path = None, ""
    for instruction in dis.get_instructions(code):
        if module is not None:
            if instruction.opname in ("LOAD_ATTR", "LOAD_METHOD"):
                path += f".{instruction.argval}"
                value = getattr(module, instruction.argval)
                module = value if isinstance(value, ModuleType) else None
                if module is None or _of_a_library(module):
                    yield path, value
                    module = None
            elif instruction.opname not in ("CACHE", "PUSH_NULL", "EXTENDED_ARG"):
                raise UnknownIngredient(f"the module {module.__name__} is used as a value")
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            if instruction.argval not in names:  # a builtin
                continue
            value = names[instruction.argval]
            if isinstance(value, ModuleType):
                if not _of_a_library(value):
                    module, path = value, instruction.argval
            else:
                yield instruction.argval, value
