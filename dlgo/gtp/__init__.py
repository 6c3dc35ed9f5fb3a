"""The Go Text Protocol, version 2: its texts, for whoever speaks it from either side.

`protocol.py` reads and writes commands, responses and their arguments. Nothing here starts a
process.
"""

from dlgo.gtp.protocol import (
    Command,
    GtpError,
    clean,
    format_command,
    format_response,
    parse_command,
    parse_response,
)

__all__ = [
    "Command", "GtpError", "clean", "format_command", "format_response", "parse_command",
    "parse_response",
]
