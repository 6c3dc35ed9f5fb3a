"""A watchdog for code that may never end: it is interrupted in the line that is running."""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

# Seconds between two looks at the CPU time.
_LOOK = 0.1


class TooSlow(BaseException):
    """The code under the watchdog has used too much CPU time."""


@contextmanager
def watchdog(seconds: float) -> Iterator[None]:
    """Raise TooSlow in the block once this process has used some CPU seconds in it.

    Like a signal, it reaches Python code, and compiled code when that returns to Python.
    """
    class Late(TooSlow):
        def __str__(self) -> str:
            return f"no answer within {seconds:g} s of CPU time"

    Late.__name__ = TooSlow.__name__
    ended = threading.Event()
    lock = threading.Lock()  # nothing is raised after the block
    thread, limit = threading.get_ident(), time.process_time() + seconds

    def watch() -> None:
        while not ended.wait(_LOOK):
            if time.process_time() > limit:
                with lock:
                    if not ended.is_set():
                        _raise(thread, Late)
                return

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        with lock:
            ended.set()
            _raise(thread, None)  # take back what has not been raised yet


def _raise(thread: int, error: type[BaseException] | None) -> None:
    given = None if error is None else ctypes.py_object(error)  # None: a null pointer
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), given)
