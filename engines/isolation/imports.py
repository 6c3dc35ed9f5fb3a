"""Says what an engine may import, in the line that refuses another module.

In a sandbox, the files of such modules are hidden, but for the few that dlgo needs itself. Without
one, an engine that wants to can load anything.
"""

from __future__ import annotations

import builtins
import importlib
import importlib.machinery
import os
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from engines.programs import needed
from engines.programs.sandbox import ENGINES, PACKAGES


def refuse_imports(is_own: Callable[[Any], bool]) -> None:
    """From now on, files for which `is_own` is true can import the standard library, NumPy, dlgo,
    engines and packages that the sandbox's variables name, and each other."""
    engines, packages = (tuple(filter(None, os.environ.get(name, "").split(",")))
                         for name in (ENGINES, PACKAGES))
    free = {*sys.stdlib_module_names, "dlgo", "numpy", *packages}
    rights = ", ".join(["the standard library", "NumPy", "dlgo", *packages,
                        *(f"the engine {name}" for name in engines)])

    def check(name: str) -> None:
        top = name.partition(".")[0]
        if top in free or top == "engines" and (
                name in sys.modules or name in needed.engine_modules(engines)):
            return
        spec = None if top == "engines" else importlib.machinery.PathFinder.find_spec(top)
        if spec is None or not any(map(is_own, [spec.origin, *(
                spec.submodule_search_locations or ())])):
            raise ModuleNotFoundError(
                f"{name} is not available to your bot, which may import {rights} and "
                "engines.base", name=name)

    class Refusing:
        """Finds nothing: it is asked before the finders of Python."""

        def find_spec(self, name: str, *_: Any) -> None:
            """What Python asks of a finder."""
            hidden = name.startswith("engines.") and not needed.is_module(name)
            if hidden or is_own(_importer()):
                check(name)

    find = builtins.__import__

    def checked_import(
        name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
    ) -> Any:
        if level == 0 and is_own((globals or {}).get("__file__")):
            check(name)  # also if we have loaded it ourselves
        return find(name, globals, locals, fromlist, level)

    sys.meta_path.insert(0, Refusing())
    builtins.__import__ = checked_import


def _importer() -> str:
    """The file whose code imports something now."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and (frame.f_code.co_filename in (importlib.__file__, __file__)
                                 or frame.f_code.co_filename.startswith("<frozen importlib")):
        frame = frame.f_back
    return "" if frame is None else frame.f_code.co_filename
