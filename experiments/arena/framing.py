"""Messages through a pipe that somebody else may write into.

An engine plays in the process that reports to us, so whatever it writes into an open file may
come between our messages. Each message therefore begins with a word of ours and its length, and
reading never waits for the rest of one.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator

_HEAD = struct.Struct("!4sI")
_WORD = b"dlgo"
# Bytes of a message; the records of any batch of games are far shorter.
_LONGEST = 1 << 28


def write_frame(descriptor: int, message: bytes) -> None:
    """Write a message, waiting while the pipe is full. Raises OSError if nobody reads."""
    data = memoryview(_HEAD.pack(_WORD, len(message)) + message)
    while data:
        data = data[os.write(descriptor, data) :]


class FrameReader:
    """The messages that have come through a pipe.

    Args:
        descriptor: of the pipe's reading end; it is made non-blocking.

    Attributes:
        closed: whether nobody can write into it any more.
        broken: whether something other than a message has come; nothing more is read then.
    """

    def __init__(self, descriptor: int) -> None:
        os.set_blocking(descriptor, False)
        self.closed = self.broken = False
        self._descriptor = descriptor
        self._data = bytearray()

    def messages(self) -> Iterator[bytes]:
        """The complete messages that are there now."""
        self._read()
        while not self.broken and len(self._data) >= _HEAD.size:
            word, size = _HEAD.unpack_from(self._data)
            if word != _WORD or size > _LONGEST:
                self.broken = True
            elif len(self._data) < _HEAD.size + size:
                break
            else:
                message = bytes(self._data[_HEAD.size : _HEAD.size + size])
                del self._data[: _HEAD.size + size]
                yield message

    def _read(self) -> None:
        try:
            while not self.closed and len(self._data) <= _LONGEST:
                data = os.read(self._descriptor, 1 << 18)
                self._data += data
                self.closed = not data
        except BlockingIOError:
            pass  # nothing more has come
        except OSError:
            self.closed = True
