"""Digest of everything that goes into a compiled function: equal digests mean equal machine code.

Numba compiles into a function all that the function uses: the kernels it calls, the values of
the constants it reads, and, where a call is chosen by class (`dlgo.dispatch`), the functions
registered for the classes of its arguments. All of this is in modules. So `fingerprint` takes the
module of the function and those of the classes, follows the modules whose kernels, stubs and
classes these hold, and digests the contents of all of them: the code of functions, the fields of
classes, plain values. It reads the live objects, because a file may have been edited since it was
loaded. An edited rule changes the digest of every search that plays by it, and of no other game's;
comments and docstrings change none.

Modules of other installed packages are left out: their constants count, their functions do not.
`code_digest.py` takes less, only what a class uses by name: functions chosen by class have no name
there.
"""

from __future__ import annotations

import enum
import functools
import hashlib
import platform
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numba
import numpy as np

_PACKAGES = ("dlgo", "engines")
_COMPILER = f"{numba.__version__} {np.__version__} {platform.python_version()}"
_PLAIN = (bool, int, float, complex, str, bytes, type(None), np.generic)


class UnknownIngredient(Exception):
    """A compiled function uses a value that has no digest, so it must not be cached."""


def fingerprint(function: Callable[..., Any], argument_types: tuple[Any, ...]) -> str:
    """Digest of everything that goes into the machine code of `function` for these argument types.

    Args:
        function: a compiled function (Numba's dispatcher).
        argument_types: Numba's types of its arguments.

    Raises:
        UnknownIngredient: if this cannot be determined.
    """
    waiting = [cls.__module__ for cls in _classes_of(argument_types)]
    texts = {_COMPILER, repr(argument_types), _text(function, waiting)}
    own = {*_PACKAGES, *(name.partition(".")[0] for name in waiting)}
    modules: set[str] = set()
    stubs: set[Any] = set()
    while waiting:
        name = waiting.pop()
        if name not in modules and _counts(name, own):
            modules.add(name)
            texts.update(_contents(name, waiting, stubs))
        if not waiting:  # only now are all classes known that a choice may depend on
            for stub in stubs:
                for cls, body in stub.table.items():
                    if cls.__module__ in modules:
                        called_in: list[str] = []
                        texts.add(f"{stub.__name__} {cls.__name__} {_text(body, called_in)}")
                        waiting += [name for name in called_in if name not in modules]
            waiting = [name for name in waiting if _counts(name, own)]
    return hashlib.sha256("\0".join(sorted(texts)).encode()).hexdigest()[:32]


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


def _counts(name: str, own: set[str]) -> bool:
    """Whether a module is followed: modules of Python and of other installed packages are not."""
    package = name.partition(".")[0]
    if package in sys.stdlib_module_names and name != "__main__":
        return False
    file = getattr(sys.modules.get(name), "__file__", None)
    return package in own or file is not None and "-packages" not in file


def _contents(name: str, modules: list[str], stubs: set[Any]) -> Iterator[str]:
    """The contents of a module as texts; adds the modules that it uses, and stubs of
    `dlgo.dispatch`."""
    for key, value in list(vars(sys.modules[name]).items()):
        function = _python_function(value)
        if isinstance(value, ModuleType):
            modules.append(value.__name__)
        elif isinstance(function, FunctionType):
            if hasattr(value, "table"):
                stubs.add(value)
            if value is not function:
                yield f"{name}.{key} {_text(function, modules)}"
            elif hasattr(value, "table"):
                modules.append(function.__module__)
            elif function.__module__ == name:  # it may say what is compiled in place of another
                yield f"{name}.{key} {_code_text(function.__code__, function.__doc__)}"
        elif isinstance(value, type) and hasattr(value, "_fields"):
            modules.append(value.__module__)
            yield f"{name}.{key} {value._fields} {getattr(value, 'shared_fields', '')}"
        elif isinstance(value, type) and issubclass(value, enum.Enum):
            yield f"{name}.{key} {[(member.name, member.value) for member in value]}"
        elif not key.startswith("__") and (text := _plain(value)):
            yield f"{name}.{key} {text}"


def _python_function(value: Any) -> Any:
    """The Python function behind a Numba function or intrinsic; any other value itself."""
    if type(value).__module__.startswith("numba."):
        return getattr(value, "__wrapped__", value)
    return value


@functools.cache
def _code_text(code: CodeType, doc: str | None = None) -> str:
    """The code of a function and of those inside it, without what says where it stands."""
    constants = [
        _code_text(constant) if isinstance(constant, CodeType) else repr(constant)
        for constant in code.co_consts if constant is not doc
    ]
    return f"{code.co_code.hex()} {code.co_names} {code.co_varnames} {constants}"


def _plain(value: Any) -> str:
    """A constant as text; "" for anything else."""
    if isinstance(value, np.ndarray):
        content = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
        return f"{value.dtype} {value.shape} {content}"
    if isinstance(value, _PLAIN):
        return f"{type(value).__name__} {value!r}"
    texts = list(map(_plain, value)) if isinstance(value, tuple | list) else []
    return f"({', '.join(texts)})" if all(texts) and texts else ""


def _text(value: Any, modules: list[str]) -> str:
    """A function with defaults and closure, or such a value; adds to `modules` where it stands."""
    value = getattr(value, "py_func", value)
    if isinstance(value, FunctionType):
        modules.append(value.__module__)
        held = [*(cell.cell_contents for cell in value.__closure__ or ()),
                *(value.__defaults__ or ())]
        texts = [_text(item, modules) for item in held]
        code = _code_text(value.__code__, value.__doc__)
        return f"{value.__module__}.{value.__qualname__} {code} {texts}"
    if text := _plain(value):
        return text
    raise UnknownIngredient(f"{type(value).__name__} {value!r:.80}")
