"""What was measured on this machine, once: small JSON files in the folder of caches.

A file that is damaged or was changed counts as none, and where none can be written it is measured
again next time.
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
from typing import Any

from dlgo.errors import DlgoError
from dlgo.files import make_folder, write_file
from dlgo.jit import base_folder

_VERSION = 2  # of the files


def remembered(
    kind: str, key: str, measure: Callable[[], dict[str, Any]], again: bool = False, **about: Any
) -> dict[str, Any]:
    """What was measured before, or else is measured now.

    Args:
        kind: folder of the files. key: what it depends on; see `key_of`.
        measure: measures; its result is JSON.
        again: measure even if that has been done.
        about: what else the file says, for people.
    """
    path = base_folder() / kind / f"{key}.json"

    def kept() -> dict[str, Any] | None:
        with suppress(OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            data = json.loads(path.read_text(encoding="utf-8"))
            if data.pop("checksum") == _checksum(data) and data["key"] == key:
                return data["measured"]
        return None

    if not again and (before := kept()) is not None:
        return before
    now = measure()
    # Another process may have measured at the same time; all shall choose alike from now on.
    if not again and (before := kept()) is not None:
        return before
    data = {"key": key, "machine": processor()[0], **about, "measured": now}
    with suppress(DlgoError):  # a folder that cannot be written: measured again next time
        make_folder(path.parent)
        text = json.dumps({**data, "checksum": _checksum(data)}, indent=2) + "\n"
        write_file(path, text, sync=False)
    return now


def key_of(packages: Sequence[str], *parts: Any) -> str:
    """A digest of the machine, the versions of packages, and what else it depends on."""
    return _checksum([_VERSION, processor(), {name: _installed(name) for name in packages}, *parts])


def _checksum(data: Any) -> str:
    return hashlib.sha256(json.dumps(data).encode()).hexdigest()[:32]


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
