"""Messages through a pipe into which other code may write.

An engine plays in the process that reports to us, so whatever it writes into an open file may
come between our messages. Each message therefore begins with a word of ours and its length, and
reading never waits for the rest of one.
"""

from __future__ import annotations

import os
import struct

_HEAD = struct.Struct("!4sI")
_WORD = b"dlgo"
# Bytes of a message; the records of any batch of games are far shorter.
LONGEST = 1 << 28


class BrokenFrame(ValueError):
    """Something other than a message has come."""


def frame(message: bytes) -> bytes:
    """The message as it goes through a pipe."""
    return _HEAD.pack(_WORD, len(message)) + message


def write_frame(descriptor: int, message: bytes) -> None:
    """Write a message, waiting while the pipe is full. Raises OSError if there is no reader."""
    data = memoryview(frame(message))
    while data:
        data = data[os.write(descriptor, data) :]


def read_frame(descriptor: int) -> bytes | None:
    """Wait for a message of a trusted writer; None if the pipe has closed."""
    buffer = bytearray()
    while (message := take_frame(buffer)) is None:
        # No more than belongs to this message.
        n_bytes = _HEAD.size - len(buffer)
        if n_bytes <= 0:
            n_bytes = _HEAD.size + _HEAD.unpack_from(buffer)[1] - len(buffer)
        data = os.read(descriptor, n_bytes)
        if not data:
            return None
        buffer += data
    return message


def take_frame(buffer: bytearray, longest: int = LONGEST) -> bytes | None:
    """Take the first message, of `longest` bytes at most, out of what has come; None if it is not
    complete yet. Raises BrokenFrame if something else has come."""
    if len(buffer) < _HEAD.size:
        return None
    word, size = _HEAD.unpack_from(buffer)
    if word != _WORD or size > longest:
        raise BrokenFrame
    if len(buffer) < _HEAD.size + size:
        return None
    message = bytes(buffer[_HEAD.size : _HEAD.size + size])
    del buffer[: _HEAD.size + size]
    return message
