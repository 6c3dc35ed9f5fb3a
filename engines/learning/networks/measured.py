"""What was measured on this machine, once: small JSON files in the folder of caches.

A file that is damaged, of another version or about something else counts as none, and where none
can be written it is measured again next time.
"""

from __future__ import annotations

import functools
import hashlib
import json
import platform
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any, TypeVar

from dlgo.errors import DlgoError
from dlgo.files import make_folder, write_file
from dlgo.jit import base_folder

T = TypeVar("T")

_FORMAT, _VERSION = "dlgo-measured", 1


def remembered(
    kind: str, key: str, measure: Callable[[], T], write: Callable[[T], dict[str, Any]],
    read: Callable[[dict[str, Any]], T], again: bool = False,
) -> T:
    """What was measured before, or else is measured now.

    Args:
        kind: folder of the files. key: what it depends on; see `key_of`.
        write, read: to JSON and back. Whatever `read` raises of ValueError, KeyError, TypeError
            or AttributeError means that the file is not as it was written.
        again: measure even if that has been done.
    """
    path = base_folder() / kind / f"{key}.json"

    def kept() -> T | None:
        with suppress(OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            data = json.loads(path.read_text(encoding="utf-8"))
            if (data["format"], data["version"], data["key"]) == (_FORMAT, _VERSION, key):
                return read(data)
        return None

    if not again and (before := kept()) is not None:
        return before
    now = measure()
    # Another process may have measured at the same time; all shall choose alike from now on.
    if not again and (before := kept()) is not None:
        return before
    data = {"format": _FORMAT, "version": _VERSION, "key": key, "machine": processor()[0],
            **write(now)}
    with suppress(DlgoError):  # a folder that cannot be written: measured again next time
        make_folder(path.parent)
        write_file(path, json.dumps(data, indent=2) + "\n", sync=False)
    return now


def key_of(packages: Sequence[str], *parts: Any) -> str:
    """A digest of the machine, the versions of packages, and what else it depends on."""
    everything = [processor(), {name: _installed(name) for name in packages}, *parts]
    return hashlib.sha256(json.dumps(everything).encode()).hexdigest()[:32]


def _installed(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


@functools.cache
def processor() -> tuple[str, str]:
    """What the processor is called, and what it can do, as far as the system says so.

    Machines may share a home folder, and a container may move to another one.
    """
    about = {"model name": platform.processor() or platform.machine(), "flags": ""}
    with suppress(OSError):
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
        for line in reversed(text.splitlines()):  # so that the first core's count
            name, _, value = line.partition(":")
            if name.strip() in about:
                about[name.strip()] = value.strip()
    return about["model name"], about["flags"]
