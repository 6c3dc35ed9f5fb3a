"""Questions to pipes that every system answers in its own way."""

from __future__ import annotations

import os
import select
import stat
import sys
import time

from dlgo.system.processes import Parent


def has_input(descriptor: int) -> bool:
    """Whether a pipe can be read without waiting: data has arrived, or its writer has ended."""
    if sys.platform != "win32":
        return bool(select.select([descriptor], [], [], 0.0)[0])
    from dlgo.system.windows import bytes_in_pipe

    try:
        return bytes_in_pipe(descriptor) > 0
    except OSError:
        return True


class Controller:
    """The process that has started this one, and reads what it writes to `output`."""

    def __init__(self, process: Parent, output: int) -> None:
        self._parent, self._output = process, output

    def leaves(self, seconds: float) -> bool:
        """Whether, after `seconds` at most, nobody is left who reads the output: its pipe has no
        reader (which only POSIX tells), or this process has ended and no file keeps it."""
        if sys.platform == "win32":
            time.sleep(seconds)
        else:
            output = select.poll()
            output.register(self._output, 0)  # reported in any case: that nobody reads
            if output.poll(1000 * seconds):
                return True
        return self._parent.has_ended() and not stat.S_ISREG(os.fstat(self._output).st_mode)
