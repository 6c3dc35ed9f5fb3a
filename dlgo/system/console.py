"""Ctrl-C, and command lines as people type them."""

from __future__ import annotations

import _thread
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager


def interrupt_main_thread() -> None:
    """As Ctrl-C does it, also if the main thread waits for something."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:
        _thread.interrupt_main()


@contextmanager
def without_ctrl_c() -> Iterator[None]:
    """A process that is started in here does not hear Ctrl-C until it asks for it.

    It needs a second before it can ignore the signal itself. On POSIX, the signal is blocked rather
    than ignored, so that this process still receives it, a little later.
    """
    if sys.platform != "win32":
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    else:
        from dlgo.system.windows import ignore_ctrl_c

        ignore_ctrl_c(True)
        try:
            yield
        finally:
            ignore_ctrl_c(False)


def command_line(words: Sequence[str]) -> str:
    """Words as a line for the shells of this system: sh; or cmd and PowerShell."""
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)


def split_command_line(text: str) -> list[str]:
    """The words of a line. On Windows a backslash is part of a path, and only double quotes count.
    Raises ValueError for a quote that is open."""
    if sys.platform != "win32":
        return shlex.split(text)
    lexer = shlex.shlex(text, posix=True, punctuation_chars=False)
    lexer.whitespace_split, lexer.escape, lexer.quotes, lexer.commenters = True, "", '"', ""
    return list(lexer)
