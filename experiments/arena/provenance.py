"""Where and when a game was played: machine, version of the code, time."""

from __future__ import annotations

import functools
from datetime import UTC, datetime

from dlgo.fingerprint import source_digest
from dlgo.system.machine import processor
from dlgo.system.processes import core_count
from dlgo.text import number_of
from dlgo.version import __version__


@functools.cache
def machine_text() -> str:
    """The computer in a few words: `AMD EPYC, 2 cores`."""
    return f"{processor()}, {number_of(core_count(), 'core')}"


@functools.cache
def version_text() -> str:
    """The version of the code: its number, and a digest of the sources of games and engines."""
    return f"{__version__}+{source_digest()[:8]}"


def time_text(seconds: float) -> str:
    """A time (as of `time.time`) as the ledger writes it: UTC, ISO 8601, milliseconds."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
