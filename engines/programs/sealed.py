"""The files that a sealed sandbox shows: Python, its standard library, NumPy, the libraries that
these load, and a few files of ours. Nothing else of the machine is visible there.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
# The parts of our packages that the process needs; see `engines/isolation/start.py`.
START = str(_ROOT / "engines/isolation/start.py")
_OURS = (
    "dlgo/text.py", "dlgo/tracebacks.py", "engines/isolation/answer.py",
    "engines/isolation/cells.py", "engines/isolation/plain.py", "engines/isolation/server.py",
    "engines/isolation/start.py", "engines/programs/confine.py", "engines/programs/framing.py",
)
# Folders of installed packages within the standard library.
_INSTALLED = ("site-packages", "dist-packages")


@functools.cache
def python() -> list[str]:
    """The words that run a script: the interpreter itself, not that of a virtual environment, and
    without variables, installed packages, and the script's folder."""
    interpreter = os.path.realpath(getattr(sys, "_base_executable", sys.executable))
    return [interpreter, "-I", "-S", "-B"]


@functools.cache
def standard_library() -> list[Path]:
    """The files and folders from which that interpreter imports."""
    done = subprocess.run(
        [*python(), "-c", "import sys; print(*sys.path, sep=chr(10))"], capture_output=True,
        text=True, timeout=60, check=True,
    )
    return [Path(line) for line in done.stdout.splitlines() if Path(line).exists()]


@functools.cache
def numpy_folders() -> list[Path]:
    """NumPy, and the libraries that come with it; [] without NumPy."""
    spec = importlib.util.find_spec("numpy")
    if spec is None or not spec.submodule_search_locations:
        return []
    folder = Path(spec.submodule_search_locations[0]).resolve()
    return [path for path in (folder, folder.with_name("numpy.libs")) if path.is_dir()]


def hidden() -> list[Path]:
    """Folders of other installed packages within the standard library."""
    return [folder / name for folder in standard_library() for name in _INSTALLED]


@functools.cache
def places() -> tuple[Path, ...]:
    """All files and folders that can be seen, but for those of NumPy."""
    code = [path for folder in standard_library() for path in folder.rglob("*.so")
            if not any(map(path.is_relative_to, hidden())) and "tkinter" not in path.name]
    code += [path for folder in numpy_folders() for path in folder.rglob("*.so*")]
    programs = [python()[0], *map(str, code)]
    done = subprocess.run(["ldd", *programs], capture_output=True, text=True, timeout=60,
                          check=False)
    # `libm.so.6 => /lib/libm.so.6 (0x7f)`, and `/lib64/ld-linux-x86-64.so.2 (0x7f)`
    words = [line.rpartition("=>")[2].split() for line in done.stdout.splitlines()]
    libraries = [Path(os.path.normpath(word[0])) for word in words
                 if len(word) == 2 and word[0].startswith("/")]
    ours = [_ROOT / name for name in _OURS]
    folders: list[Path] = numpy_folders().copy()
    for place in sorted({Path(programs[0]), *standard_library(), *libraries, *ours}):
        if not any(map(place.is_relative_to, folders)):
            folders.append(place)
    return tuple(place for place in folders if place not in numpy_folders())
