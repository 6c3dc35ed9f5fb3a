"""Where and when a game was played: machine, version of the code, time."""

from __future__ import annotations

import functools
import platform
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from dlgo import __version__
from dlgo.fingerprint import source_digest
from dlgo.text import number_of
from engines.programs.processes import core_count


@functools.cache
def machine_text() -> str:
    """The computer in a few words: `AMD EPYC, 2 cores`."""
    model = platform.processor() or platform.machine()
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    return f"{model}, {number_of(core_count(), 'core')}"


@functools.cache
def version_text() -> str:
    """The version of the code: its number, and a digest of the sources of games and engines."""
    return f"{__version__}+{source_digest()[:8]}"


def time_text(seconds: float) -> str:
    """A time (as of `time.time`) as the ledger writes it: UTC, ISO 8601, milliseconds."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
