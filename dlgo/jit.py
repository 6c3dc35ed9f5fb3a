"""Compiled functions: `@kernel` compiles with Numba and caches the machine code safely.

Numba's own disk cache looks at one source file only. A search compiles the rules of a game
into itself, so after an edit of the rules the cached search would still play by the old
ones. Here the cache folder is named after a digest of every source file of `dlgo` and
`engines`: any edit starts an empty folder, and going back to the old text finds the old one.

What is compiled for a game outside these two packages is not cached: the digest would not see
its edits, and whoever reads the cache would have to import it.
"""

from __future__ import annotations

import functools
import hashlib
import os
import platform
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba

# Old digests kept for people who switch between branches; the rest is deleted.
_KEPT_FOLDERS = 8
_COMPILED_PACKAGES = ("dlgo", "engines")


def source_digest() -> str:
    """Digest of all sources that compiled code can come from, and of the compiler."""
    digest = hashlib.sha256()
    digest.update(f"{numba.__version__} {platform.python_version()}".encode())
    root = Path(__file__).resolve().parent.parent
    for package in _COMPILED_PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            digest.update(str(path.relative_to(root)).encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _base_folder() -> Path:
    if named := os.environ.get("DLGO_CACHE_DIR"):
        return Path(named)
    if named := os.environ.get("XDG_CACHE_HOME"):
        return Path(named) / "dlgo"
    return Path.home() / ".cache" / "dlgo"


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


@functools.cache
def cache_folder() -> Path:
    """The folder of this version's machine code; in the temporary folder if home is read-only."""
    name = f"kernels-{source_digest()}"
    folder = _base_folder() / name
    if not _writable(folder):
        folder = Path(tempfile.gettempdir()) / f"dlgo-{os.getuid()}" / name
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.utime(folder)
    _forget_old(folder)
    return folder


def _forget_old(current: Path) -> None:
    def age(folder: Path) -> float:
        try:
            return -folder.stat().st_mtime
        except OSError:  # another process has just deleted it
            return 0.0

    siblings = sorted(current.parent.glob("kernels-*"), key=age)
    for folder in siblings[_KEPT_FOLDERS:]:
        if folder != current:
            shutil.rmtree(folder, ignore_errors=True)


def _compiled(function: Callable[..., Any], **flags: Any) -> Callable[..., Any]:
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(cache_folder())  # read by njit, below, and by nothing later
    try:
        compiled = numba.njit(
            cache=True, nogil=True, error_model="numpy", _nrt=False, **flags
        )(function)
    finally:
        numba.config.CACHE_DIR = before
    if not numba.config.DISABLE_JIT:
        cache = compiled._cache
        save = cache.save_overload
        cache.save_overload = lambda sig, data: save(sig, data) if _is_ours(sig) else None
    return compiled


def _is_ours(signature: tuple[Any, ...]) -> bool:
    """Whether all state classes among the argument types belong to the digested packages."""
    classes = (getattr(kind, "instance_class", None) for kind in signature)
    return all(c is None or c.__module__.split(".")[0] in _COMPILED_PACKAGES for c in classes)


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `function` on its first call and cache it: no Python objects, GIL released.

    Kernels allocate nothing: scratch arrays are passed in. So Numba's reference counts are
    switched off (`_nrt=False`); otherwise every use of a state counts each of its arrays up
    and down again, atomically, which made rollouts on 9x9 take twice as long.

    A kernel must not call itself, directly or through others: Numba compiles that, but the
    machine code crashes when it is loaded from the cache (numba issue 6061). Write the
    recursion as a loop over an explicit stack; `kernels.row` is made for that.

    Division by zero gives inf or nan, as in C: the checks that Python asks for cost a branch
    in the innermost loops.
    """
    return _compiled(function)


def inline_kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """A `kernel` that is always pasted into its callers.

    For what runs in innermost loops: a call passes every array of a state as seven words, so
    calling a function on a Go state can cost more than the function.
    """
    return _compiled(function, forceinline=True)
