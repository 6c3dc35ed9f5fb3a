"""Kernels to WebAssembly: Numba's code of each, linked into one module.

Numba compiles a kernel, with all that it calls, to code of LLVM for this machine. The same code
serves WebAssembly, except that pointers are half as long there (`_widen`) and that functions of C's
library are missing, which `runtime.mjs` offers.

Results are those of this machine, to the bit, as far as numbers are integers or sums in a fixed
order. Two things change last digits of others: in a `sum_kernel` a processor multiplies and adds in
one step, without rounding between; and each browser has its own `exp`, `log`, `tanh`, ...
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import llvmlite.binding as llvm
import numba
from numba import types

from dlgo.errors import DlgoError
from dlgo.extras import require_extra
from dlgo.numba_internals import OPTIONS
from dlgo.text import excerpt
from dlgo.tracebacks import describe as describe_error
from dlgo.webassembly.memory import BASE, Image, scalar_type

# The JavaScript that loads a module, and what it offers to it: functions of C's library, in float64
# and float32, and Numba's function behind `reshape`.
RUNTIME = Path(__file__).with_name("runtime.mjs")
_MATH = ("acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cos", "cosh", "exp", "expm1",
         "fmod", "hypot", "log", "log10", "log1p", "log2", "pow", "sin", "sinh", "sqrt", "tan",
         "tanh")
RUNTIME_FUNCTIONS = (*_MATH, *(f"{name}f" for name in _MATH), "__multi3", "bcmp", "memcmp",
                     "strlen", "numba_attempt_nocopy_reshape")

_TRIPLE = "wasm32-unknown-unknown"
# What all browsers have had since 2021 or 2023 (vectors).
_FEATURES = "+bulk-memory,+sign-ext,+nontrapping-fptoint,+simd128"
_STACK_BYTES = 1 << 19

Export = tuple[Callable[..., Any], tuple[Any, ...]]


class Module(NamedTuple):
    """A WebAssembly module, and for each export the types of the numbers that it returns."""

    code: bytes
    returns: dict[str, list[str]]


def compile_kernels(exports: Mapping[str, Export]) -> Module:
    """One module of several kernels, which imports its memory and functions of `runtime.mjs`.

    Args:
        exports: name in the module -> (kernel, Numba's types of its arguments).

    Raises:
        DlgoError: for a kernel that WebAssembly cannot run; it names the kernel and the reason.
    """
    require_extra("web", "compiling to WebAssembly", "ziglang")
    compiled = {name: _compile(name, *export) for name, export in exports.items()}
    module, *others = [part for part, _ in compiled.values()]
    for part in others:
        module.link_in(part)
    for symbol in (*module.functions, *module.global_variables):
        if not (symbol.is_declaration or symbol.name in exports):
            symbol.linkage = "internal"
    returns = {name: kinds for name, (_, kinds) in compiled.items()}
    return Module(_link(_translate(module), exports), returns)


def describe(module: Module, image: Image) -> str:
    """What `runtime.mjs` must know of a module and its memory, as JSON.

    Values of parameters are texts, since numbers of JavaScript lose digits above 2**53.
    """
    parts = [(begin, len(part)) for begin, part in image.parts()]
    return json.dumps({"base": BASE, "size": len(image.content), "parts": parts, "exports": {name: {
        "parameters": [(parameter.name, parameter.type, json.dumps(parameter.value))
                       for parameter in image.parameters[name]],
        "views": {argument: view._asdict() for argument, view in image.views[name].items()},
        "returns": returns,
    } for name, returns in module.returns.items()}})


def _compile(name: str, kernel: Any, arguments: tuple[Any, ...]) -> tuple[Any, list[str]]:
    """The code of LLVM of a kernel, exported as `name`, and the types that it returns."""
    # Compiled anew: code from the cache is machine code.
    function = numba.njit(error_model="numpy", no_cfunc_wrapper=True, no_cpython_wrapper=True,
                          **OPTIONS)(kernel.py_func)
    try:
        function.compile(arguments)
    except numba.NumbaError as error:
        description = describe_error(error, lambda file: "-packages" not in file)
        place = f"{description.file}:{description.line}" if description.file else ""
        raise _refused(str(description), kernel, place=place) from None
    module = llvm.parse_assembly(_widen(kernel, function.inspect_llvm(arguments)))
    # Functions that it calls are defined for it alone.
    (entry,) = [symbol for symbol in module.functions
                if not symbol.is_declaration and symbol.linkage == llvm.Linkage.external]
    entry.name = name
    missing = [symbol.name for symbol in module.functions if symbol.is_declaration
               and not symbol.name.startswith("llvm.") and symbol.name not in RUNTIME_FUNCTIONS]
    if missing:
        raise _refused(f"it calls {', '.join(missing)}, which runtime.mjs does not offer", kernel)
    result = function.nopython_signatures[0].return_type
    kinds = [] if isinstance(result, types.NoneType) else [result]
    if isinstance(result, types.BaseTuple):
        kinds = list(result)
    for kind in kinds:
        scalar_type(kind, f"the result of {kernel.py_func.__name__}")
    return module, [str(types.unliteral(kind)) for kind in kinds]


def _widen(kernel: Any, code: str) -> str:
    """The same code, with room on the stack for pointers of 64 bits.

    The optimizer writes places in memory as numbers of bytes. A function that returns arrays writes
    them at the places that they have on this machine, where a pointer takes 8 bytes; in WebAssembly
    it takes 4. Pointers in tables, or several that one instruction moves, would need other places.
    """
    table = r"^@(?!\.const\.picklebuf).* (?:constant|global) [\[{<].*\bptr\b.*"
    moved = r"^ .*\b(?:load|store|getelementptr)\b[^,(]*? [\[{<][^%@]*\bptr\b[^%@]*[\]}>],? .*"
    if re.search(f"(?m){table}|{moved}", code):
        raise _refused("pointers in memory; let functions return numbers, not arrays", kernel)
    return re.sub(r"(?m)(?<== alloca ).*", lambda line: re.sub(r"\bptr\b", "i64", line[0]), code)


def _translate(module: Any) -> bytes:
    """An object file of WebAssembly. The code is optimized: a second time made it slower."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(_TRIPLE).create_target_machine(opt=3, features=_FEATURES)
    module.triple, module.data_layout = _TRIPLE, str(machine.target_data)
    module.verify()
    return bytes(machine.emit_object(module))


def _link(code: bytes, exports: Mapping[str, Export]) -> bytes:
    """A module of an object file."""
    with tempfile.TemporaryDirectory() as folder:
        source, target, offered = (Path(folder, name) for name in ("in.o", "out.wasm", "offered"))
        source.write_bytes(code)
        offered.write_text("\n".join(RUNTIME_FUNCTIONS), "utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "ziglang", "wasm-ld", "--no-entry", "--import-memory",
             "--stack-first", "-z", f"stack-size={_STACK_BYTES}", f"--initial-memory={BASE}",
             f"--allow-undefined-file={offered}", "--gc-sections", "--strip-all",
             *(f"--export={name}" for name in exports), str(source), "-o", str(target)],
            capture_output=True, text=True, encoding="utf-8",
        )
        if done.returncode:
            raise _refused(excerpt(done.stderr), *(kernel for kernel, _ in exports.values()))
        return target.read_bytes()


def _refused(reason: str, *kernels: Any, place: str = "") -> DlgoError:
    """An error that names kernels, the line of each or `place`, and a reason."""
    codes = [kernel.py_func.__code__ for kernel in kernels]
    names = [f"{code.co_name} ({place or f'{code.co_filename}:{code.co_firstlineno}'})"
             for code in codes]
    return DlgoError(f"cannot compile {', '.join(names)} to WebAssembly: {reason}")
