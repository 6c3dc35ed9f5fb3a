"""A fresh sandbox for each copy of a process, at a fraction of the cost of a new one.

The process has loaded what takes a second, and no untrusted code. It runs in a sandbox whose rights
are not given up yet (`Sandbox.command`, with `copies`). Each copy has processes, an empty `/tmp`
and pipes of its own, so that it finds nothing of earlier copies. Then it gives up its rights.

    python -m engines.programs.fresh        exits with 0 if that works here
"""

from __future__ import annotations

import ctypes
import os
import re
import select
import sys
from collections.abc import Sequence
from pathlib import Path

from engines.programs import confine

# Where what runs in it may write.
SCRATCH = ("/dev/shm", "/tmp")
# Terminals of an earlier copy could be seen there.
_HIDDEN = "/dev/pts"
# <sched.h>: CLONE_NEWNS, NEWIPC, NEWPID; and <sys/mount.h>
_NEW_NAMESPACES = 0x00020000 | 0x08000000 | 0x20000000
_READ_ONLY, _NO_SETUID, _NO_DEVICES, _REMOUNT, _BIND, _RECURSIVE = 1, 2, 4, 32, 4096, 16384
_SAFE = _NO_SETUID | _NO_DEVICES
_libc = ctypes.CDLL(None, use_errno=True)


def enter(
    walls: Sequence[int], requests: int, answers: int, shelf: str = "", shown: Sequence[str] = (),
) -> None:
    """Return in a new process with a fresh sandbox; this one relays its messages and ends with it.

    Args:
        walls: megabytes of `/tmp`, and the arguments of `confine.give_up_rights`.
        requests, answers: descriptors of messages, which the new process has, too.
        shelf: a folder of which only the folders `shown` can be seen; "": none.

    Raises OSError if the system refuses that.
    """
    megabytes, *rights = walls
    _call("unshare", _NEW_NAMESPACES)
    if shelf:
        _hide(shelf, shown)
    for folder in SCRATCH:
        _empty(folder, megabytes)
    _mount("tmpfs", _HIDDEN, "tmpfs", _SAFE | _READ_ONLY, "size=4096,mode=755")
    os.chdir("/tmp")
    asked, told, printed = os.pipe(), os.pipe(), os.pipe()
    child = os.fork()
    if child:
        for end in (asked[0], told[1], printed[1]):
            os.close(end)
        _relay({requests: asked[1], told[0]: answers, printed[0]: 2})
        os._exit(confine.exit_code(os.waitpid(child, 0)[1]))
    os.setsid()
    _mount("proc", "/proc", "proc", _SAFE)
    for end, descriptor in (
        (asked[0], requests), (told[1], answers), (printed[1], 1), (printed[1], 2),
    ):
        os.dup2(end, descriptor)
    for end in (*asked, *told, *printed):
        os.close(end)
    confine.give_up_rights(*rights)
    confine.stay_as_first_process()


def _empty(folder: str, megabytes: int) -> None:
    """Mount an empty folder; what the sandbox shows below it can still be read there."""
    below = os.open(folder, os.O_PATH)
    # Field 5 is where something is mounted; odd characters are octal numbers there, as \040.
    lines = Path("/proc/self/mountinfo").read_bytes().splitlines()
    shown = {re.sub(rb"\\(\d{3})", lambda m: bytes([int(m[1], 8)]), line.split()[4])
             for line in lines if line.split()[4].startswith(folder.encode() + b"/")}
    _mount("tmpfs", folder, "tmpfs", _SAFE, f"size={megabytes}m,mode=1777")
    for name in {os.fsdecode(path).split("/")[folder.count("/") + 1] for path in shown}:
        _show(f"/proc/self/fd/{below}/{name}", f"{folder}/{name}")
    os.close(below)


def _hide(shelf: str, shown: Sequence[str]) -> None:
    places = {place: os.open(place, os.O_PATH) for place in shown}
    _mount("tmpfs", shelf, "tmpfs", _SAFE, "size=4096,mode=755")
    for place, below in places.items():
        _show(f"/proc/self/fd/{below}", place)
        os.close(below)
    _mount("", shelf, "", _REMOUNT | _BIND | _READ_ONLY | _SAFE)


def _show(source: str, place: str) -> None:
    Path(place).mkdir(0o755, parents=True)
    _mount(source, place, "", _BIND | _RECURSIVE)
    _mount("", place, "", _REMOUNT | _BIND | _READ_ONLY | _SAFE)


def _mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    _call("mount", os.fsencode(source), os.fsencode(target), kind.encode(), ctypes.c_ulong(flags),
          options.encode())


def _call(name: str, *arguments: object) -> None:
    if getattr(_libc, name)(*arguments) != 0:
        raise OSError(ctypes.get_errno(), f"{name} {arguments[0]!r} is refused")


def _relay(targets: dict[int, int]) -> None:
    """Write what comes from each descriptor to another, until all but the first have closed."""
    first = next(iter(targets))
    while targets.keys() - {first}:
        for source in select.select(list(targets), [], [])[0]:
            data = memoryview(os.read(source, 1 << 16))
            if not data:
                target = targets.pop(source)
                if source == first:
                    os.close(target)
            while data:
                try:
                    data = data[os.write(targets[source], data) :]
                except BrokenPipeError:  # it reads no more
                    data = data[:0]


if __name__ == "__main__":
    enter(list(map(int, sys.argv[1:])), 0, 1)
    os._exit(0)
