"""Facts about this computer and its user."""

from __future__ import annotations

import os
import platform
import stat
import sys
from contextlib import suppress
from pathlib import Path

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def system() -> str:
    """The operating system and the kind of processor: `Linux x86_64`."""
    return f"{platform.system()} {platform.machine()}"


def processor() -> str:
    """The model of the processor."""
    return _of_linux("model name") or platform.processor() or platform.machine()


def processor_features() -> set[str]:
    """The processor's extensions as Linux names them (`avx512_bf16`), elsewhere empty."""
    return set(_of_linux("flags").split())


def _of_linux(key: str) -> str:
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines():
            if line.startswith(key):
                return line.partition(":")[2].strip()
    return ""


def has_display() -> bool:
    """Whether windows can be opened."""
    named = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return bool(named) or sys.platform in ("win32", "darwin")


def is_open_to_others(status: os.stat_result) -> bool:
    """Whether other users can use a file (POSIX; Windows has no such bits: False)."""
    return sys.platform != "win32" and bool(status.st_mode & _OTHERS)


def is_own(status: os.stat_result) -> bool:
    """Whether a file belongs to this user (Windows does not say: True)."""
    return sys.platform == "win32" or status.st_uid == os.getuid()
