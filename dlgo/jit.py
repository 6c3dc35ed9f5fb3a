"""Compiled functions: `@kernel` compiles with Numba and caches the machine code safely.

Numba's own disk cache looks at one source file only. A search compiles the rules of a game
into itself, so after an edit of the rules the cached search would still play by the old
ones. Here a file of machine code is named after a digest of all that it was made of
(`fingerprint.py`): nothing stale is ever loaded.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import shutil
import stat
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numba
import platformdirs

from dlgo import numba_internals
from dlgo.digests import hex_digest
from dlgo.errors import DlgoError
from dlgo.files import write_file
from dlgo.fingerprint import UnknownIngredient, fingerprint
from dlgo.numba_internals import event
from dlgo.system.machine import is_open_to_others, is_own

P = ParamSpec("P")
R = TypeVar("R")
_DAY = 86400.0
# Machine code that no process has loaded for this long is deleted.
_KEPT_DAYS = 30


def base_folder() -> Path:
    """The folder of files that this project can make again: the one that the system has for such
    files (on Linux `~/.cache/dlgo`), or set by a variable."""
    if named := os.environ.get("DLGO_CACHE_DIR"):
        return Path(named)
    with contextlib.suppress(RuntimeError):
        folder = platformdirs.user_cache_path("dlgo", appauthor=False)
        if folder.is_absolute():
            return folder
    return _folder_without_home()


@functools.cache
def _folder_without_home() -> Path:
    """For users who have neither a home nor a name, as in some containers."""
    folder = Path(tempfile.gettempdir(), "dlgo-cache")
    return folder if is_private(folder) else Path(tempfile.mkdtemp(prefix="dlgo-cache-"))


def is_private(folder: Path) -> bool:
    """Whether only this user can use a folder, which is made if need be."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        status = folder.lstat()
        if not stat.S_ISDIR(status.st_mode) or not is_own(status):
            return False
        if is_open_to_others(status):
            folder.chmod(0o700)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


@functools.cache
def cache_folder() -> Path:
    """The folder of machine code; one for this process alone if no lasting one is safe."""
    # A sandbox may only read; what it wrote would end with it.
    if readable := os.environ.get("DLGO_READ_CACHE"):
        return Path(readable)
    folder = base_folder() / "kernels"
    if is_private(folder):
        _forget_old(folder)
        return folder
    folder = Path(tempfile.mkdtemp(prefix="dlgo-kernels-"))  # mode 0700
    owner = os.getpid()  # a fork of this process must not delete it

    def clean_up() -> None:
        if os.getpid() == owner:
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(clean_up)
    return folder


def shared_cache() -> Path:
    """A folder with the machine code made so far, for processes that may only read it.

    A process whose `DLGO_READ_CACHE` names it has no other, and writes none. The files are links to
    those of the cache; only this user can write to either folder.
    """
    folder = cache_folder() / "readable"
    folder.mkdir(mode=0o755, exist_ok=True)
    folder.chmod(0o755)
    names = {path.name for path in folder.iterdir()}
    for path in cache_folder().glob("*.code"):
        if path.name not in names:
            path.chmod(0o644)
            with contextlib.suppress(FileExistsError):
                os.link(path, folder / path.name)
    for name in names:
        if not (cache_folder() / name).exists():
            (folder / name).unlink(missing_ok=True)
    return folder


def _forget_old(folder: Path) -> None:
    """Once a day, delete what has not been loaded for a long time."""
    stamp = folder / "cleaned"
    now = time.time()
    with contextlib.suppress(OSError):  # another process may be doing the same
        if stamp.exists() and now - stamp.stat().st_mtime < _DAY:
            return
        stamp.touch()
        for path in folder.glob("*.*"):
            if now - path.stat().st_mtime > _KEPT_DAYS * _DAY:
                path.unlink()


class _Clocks:
    """Clocks that can be stopped, also several times at once."""

    def __init__(self, *clocks: Callable[[], float]) -> None:
        self._clocks, self._depth = clocks, 0
        # For each clock: when it stopped, and the time that it has left out so far.
        self._stopped = self._excluded = (0.0,) * len(clocks)

    def stop(self) -> None:
        if not self._depth:
            self._stopped = tuple(clock() for clock in self._clocks)
        self._depth += 1

    def start(self) -> None:
        self._depth -= 1
        if not self._depth:
            times = zip(self._excluded, self._clocks, self._stopped, strict=True)
            self._excluded = tuple(excluded + clock() - start for excluded, clock, start in times)

    def time(self, which: int) -> float:
        now = self._stopped[which] if self._depth else self._clocks[which]()
        return now - self._excluded[which]


class _Compiler(event.Listener):
    """Tracks when machine code is made or loaded, which may take seconds the first time.

    The clocks of budgets (`wall_time`, `cpu_time`) stop meanwhile: those of all threads if this
    process compiles, since they may work for each other.
    """

    def __init__(self) -> None:
        self.waiting: list[Callable[[], None]] = []  # called when it begins to compile
        self.counters: list[Callable[[int], None]] = []  # called with the number of functions
        self.compiled = 0
        self.watchers: list[Callable[[bool], None]] = []  # called when the clocks stop and continue
        self._lock = threading.RLock()
        # A function compiles those that it calls; threads wait for each other.
        self._clocks = _Clocks(time.perf_counter, time.process_time)
        self._busy = 0  # how often somebody compiles

    def on_start(self, event: event.Event) -> None:
        if event.kind == "numba:compile":
            self.tell()
            self.compiled += 1
            for counter in tuple(self.counters):
                counter(self.compiled)
        else:
            with self._lock:
                self._clocks.stop()
                self.count(1)

    def on_end(self, event: event.Event) -> None:
        if event.kind != "numba:compile":
            with self._lock:
                self._clocks.start()
                self.count(-1)

    def tell(self) -> None:
        while self.waiting:
            self.waiting.pop()()

    def count(self, more: int) -> None:
        """Count who compiles; inform watchers when the first one begins and the last one ends."""
        with self._lock:
            n_before, self._busy = self._busy, self._busy + more
            if not n_before or not self._busy:
                for watcher in tuple(self.watchers):
                    watcher(not n_before)

    def time(self, which: int) -> float:
        """Wall (0) or CPU (1) seconds by the clocks of budgets."""
        with self._lock:
            return self._clocks.time(which)


_compiler = _Compiler()
event.register("numba:compile", _compiler)
# Held while machine code is made, and while it is loaded.
event.register("numba:compiler_lock", _compiler)


class _OfThread(_Clocks, threading.local):
    """The clocks of a thread, which stop while another process compiles for it."""


_of_thread = _OfThread(lambda: _compiler.time(0), lambda: _compiler.time(1))


def wall_time() -> float:
    """Wall seconds, as `time.perf_counter`, without those in which machine code was made or loaded.

    Compiling is never part of a budget: every limit on thinking time is checked by this clock.
    """
    return _of_thread.time(0)


def cpu_time() -> float:
    """CPU seconds of this process, without those in which machine code was made or loaded."""
    return _of_thread.time(1)


@contextlib.contextmanager
def _registered(callback: Any, callbacks: list[Any]) -> Iterator[None]:
    callbacks.append(callback)
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):  # it is called once only, and has been
            callbacks.remove(callback)


def watch_clocks(watcher: Callable[[bool], None]) -> AbstractContextManager[None]:
    """Within the block, call `watcher(True)` when the clocks stop and `watcher(False)` after it."""
    return _registered(watcher, _compiler.watchers)


@contextlib.contextmanager
def clocks_stopped() -> Iterator[None]:
    """Within the block, the clocks of this thread stop: another process compiles for it."""
    _compiler.count(1)
    _of_thread.stop()
    try:
        yield
    finally:
        _of_thread.start()
        _compiler.count(-1)


def tell_of_compiling(tell: Callable[[str], None]) -> AbstractContextManager[None]:
    """Within the block, `tell` is called with one line as soon as something must be compiled.

    At most once; not at all if the cache has everything.
    """
    line = "compiling this engine for this game (only the first time, a few seconds) ..."
    return _registered(functools.partial(tell, line), _compiler.waiting)


def count_compiling(counter: Callable[[int], None]) -> AbstractContextManager[None]:
    """Within the block, call `counter` whenever a function must be compiled, with the number of
    functions that this process has compiled."""
    return _registered(counter, _compiler.counters)


def tell_now() -> None:
    """Notify the blocks of `tell_of_compiling`: another process compiles for this one."""
    _compiler.tell()


def _file_of(function: Any, form: str, arguments: tuple[Any, ...], processor: str) -> Path | None:
    """The file of machine code of a function for types of arguments, in a form that differs from
    others of this function; None if it cannot be cached."""
    try:
        digest = fingerprint(function, arguments)
    except UnknownIngredient:
        return None
    name = function.py_func.__name__.strip("<>")
    target = uuid.uuid5(uuid.NAMESPACE_OID, processor).hex[:8]
    return cache_folder() / f"{name}-{digest}-{target}{form}.code"


def cached_build(
    form: str, parts: Sequence[tuple[Any, tuple[Any, ...]]], build: Callable[[], bytes],
) -> bytes:
    """What `build` makes of kernels, from the cache until one of them changes.

    Args:
        form: what it is made into, a word.
        parts: kernels, and Numba's types of their arguments.
    """
    files = [_file_of(function, form, arguments, form) for function, arguments in parts]
    names = [file.name for file in files if file is not None]
    path = None
    if len(names) == len(files):
        path = cache_folder() / f"{hex_digest(' '.join(names).encode())}-{form}.code"
    content = _read(path)
    if content is None:
        content = build()
        _write(path, content)
    return content


def _read(path: Path | None) -> bytes | None:
    """The machine code in a file."""
    if path is None:
        return None
    with contextlib.suppress(OSError):
        content = path.read_bytes()
        if time.time() - path.stat().st_mtime > _DAY:
            with contextlib.suppress(OSError):  # it may belong to another user
                os.utime(path)  # in use: not to be forgotten
        return content
    return None


def _write(path: Path | None, content: bytes) -> None:
    """Keep machine code if possible; a full disk does not stop the work."""
    if path is not None:
        with contextlib.suppress(DlgoError):
            write_file(path, content, sync=False)


def _compiled(function: Callable[P, R], **flags: Any) -> Callable[P, R]:
    """Two forms of the function, each compiled at its first use.

    A function that Python calls needs code that unpacks Python's objects, which for a game's state
    is longer than most rules; nearly all kernels are only called by other kernels. That code, and
    Numba's entry for C, took a quarter of the compiler's time.
    """
    flags |= {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}

    def form(name: str, **more: Any) -> Any:
        dispatcher = numba.njit(**flags, **more, **numba_internals.OPTIONS)(function)
        if not numba.config.DISABLE_JIT:
            file = functools.partial(_file_of, dispatcher, name)
            numba_internals.set_cache(
                dispatcher,
                lambda arguments, processor: _read(file(arguments, processor)),
                lambda arguments, processor, content: _write(file(arguments, processor), content),
            )
        return dispatcher

    compiled: Callable[P, R] = form("")
    if not numba.config.DISABLE_JIT:
        # Made when a caller is compiled, which is seldom.
        inner = functools.cache(lambda: form("-inner", no_cpython_wrapper=True))
        numba_internals.set_inner_form(compiled, inner)
    return compiled


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile `function` on its first call and cache it: no Python objects, GIL released.

    Kernels allocate nothing: scratch arrays are passed in. So Numba's reference counts are
    switched off (`numba_internals`); otherwise every use of a state counts each of its arrays up
    and down again, atomically, which made rollouts on 9x9 take twice as long.

    A kernel must not call itself, directly or through others: Numba compiles that, but the
    machine code crashes when it is loaded from the cache (numba issue 6061). Write the
    recursion as a loop over an explicit stack; `kernels.row` is made for that.

    Division by zero gives inf or nan, as in C: the checks that Python asks for cost a branch
    in the innermost loops.
    """
    return _compiled(function)


def inline_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """A `kernel` that is always pasted into its callers.

    For code in innermost loops: a call passes every array of a state as seven words, so calling a
    function on a Go state can cost more than the function.
    """
    return _compiled(function, forceinline=True)


def sum_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """An `inline_kernel` whose sums may be taken in any order, for long sums of float32.

    That lets the processor add many numbers at once, in one place ten times as fast; the last
    digits then depend on how many it adds, so they may differ from one kind of processor to
    another. Numbers must be finite.
    """
    return _compiled(function, fastmath=True, forceinline=True)
