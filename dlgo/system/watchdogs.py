"""A watchdog for code that may never end: it is interrupted in the line that is running."""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

# Seconds between two looks at the CPU time.
_LOOK = 0.1


class TooSlow(BaseException):
    """The code under the watchdog has used too much CPU time."""

    # Of the latest watchdog that barked: a thread raises a class in another one, without arguments.
    seconds: ClassVar[float] = 0.0

    def __init__(self) -> None:
        super().__init__(f"no answer within {self.seconds:g} s of CPU time")


@contextmanager
def watchdog(seconds: float) -> Iterator[None]:
    """Raise TooSlow in the block once this process has used some CPU seconds in it.

    Like a signal, it reaches Python code, and compiled code when that returns to Python.
    """
    ended = threading.Event()
    lock = threading.Lock()  # nothing is raised after the block
    thread, limit = threading.get_ident(), time.process_time() + seconds

    def watch() -> None:
        while not ended.wait(_LOOK):
            if time.process_time() > limit:
                with lock:
                    if not ended.is_set():
                        TooSlow.seconds = seconds
                        _raise(thread, TooSlow)
                return

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        with lock:
            ended.set()
            _raise(thread, None)  # take back what has not been raised yet


def interrupt(thread: threading.Thread) -> None:
    """Raise TooSlow in a thread, as a watchdog does."""
    _raise(thread.ident or 0, TooSlow)


def _raise(thread: int, error: type[BaseException] | None) -> None:
    pointer = None if error is None else ctypes.py_object(error)  # None: a null pointer
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), pointer)
