"""Processes: what descends from one, what memory and time it uses, how it is ended for good.

An engine may start others, which may start others, in process groups of their own and without
a living parent. They are found by three signs: the tree of parents (a worker adopts what its
children leave behind), the process group, and a mark in the environment that every process
inherits. Only Linux has /proc; elsewhere the process group is all there is.

psutil measures memory. It has neither marks nor the state and group of all processes in one pass,
which tells when none is left that could start another; nor CPU time in nanoseconds; nor memory
without files, with every shared page divided by the number of processes that share it. The reaper
runs this file without anything installed, so psutil is imported where it is used.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import time
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

# The environment variable that marks a worker and all that it starts.
MARK = "DLGO_ARENA_WORKER"

_PROC = Path("/proc")
_TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
_PR_SET_CHILD_SUBREAPER = 36
# Rounds of searching for processes to kill; each finds processes that were starting in the last
# one. And the seconds between two rounds.
_ROUNDS = 200
_PAUSE = 0.002
# How much the system prefers a server, so that its pages stay quick while engines think.
_NICENESS = 5
# States (see proc(5)) of a process that starts no other: stopped, dead, or asleep in the kernel,
# as one that waits until the child it has just started has loaded its program.
_AT_REST = "TtZXD"


def core_count() -> int:
    """The cores this process may use, which in a container are fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def end_tree(pid: int, mark: str | None = None) -> None:
    """Kill a process (0: none), all that descends from it, and all whose `MARK` begins with `mark`.

    All of them are stopped before any is killed: a process without a parent is harder to find.
    """
    tree: set[int] = {pid} if pid else set()
    for process in tree:
        send(process, signal.SIGSTOP)
    for _ in range(_ROUNDS):
        rows = _processes()
        more = {
            process for process, parent, group, state in rows
            if state != "Z" and process not in tree and process != os.getpid() and (
                parent in tree or (pid and group == pid)
                or (mark is not None and _marked(process, mark))
            )
        }
        for process in more:
            send(process, signal.SIGSTOP)
        tree |= more
        # A signal takes a moment to arrive, and a process may start another until it does. Only
        # a list made when all were at rest is complete.
        if not more and all(state in _AT_REST for process, _, _, state in rows if process in tree):
            break
        time.sleep(_PAUSE)
    if pid:
        with contextlib.suppress(OSError, AttributeError):  # it leads a group only once it runs
            os.killpg(pid, signal.SIGKILL)
    for process in tree:
        send(process, signal.SIGKILL)


def end_descendants() -> None:
    """Kill all that descends from this process; with `adopt_orphans` that is all it started."""
    empty = 0
    for _ in range(_ROUNDS):
        children = descendants(os.getpid())
        for process in children:
            send(process, signal.SIGKILL)
        # A process whose parent ends while we look is in no tree until we look again.
        empty = 0 if children else empty + 1
        if empty == 2:
            break
        time.sleep(_PAUSE)


def _processes() -> list[tuple[int, int, int, str]]:
    """All processes: pid, parent, group, state."""
    rows = []
    for folder in _PROC.glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            # The name, in brackets, may hold anything.
            fields = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()
            rows.append((int(folder.name), int(fields[1]), int(fields[2]), fields[0]))
    return rows


def _marked(pid: int, mark: str) -> bool:
    with contextlib.suppress(OSError):
        environment = (_PROC / str(pid) / "environ").read_bytes()
        return f"\0{MARK}={mark}".encode() in b"\0" + environment
    return False


def descendants(pid: int, without: Collection[int] = ()) -> set[int]:
    """The living processes below `pid` in the tree, without those branches."""
    rows = [row for row in _processes() if row[0] not in without]
    tree = {pid}  # the dead are part of it: a child may have been seen before its parent ended
    while more := {row[0] for row in rows if row[1] in tree} - tree:
        tree |= more
    return {row[0] for row in rows if row[3] != "Z" and row[0] in tree} - {pid}


def memory(pid: int, with_children: bool = True, without: Collection[int] = ()) -> int:
    """Bytes that a process and its descendants use (0 if unknown): quick to get, but pages that
    several of them share are counted for each."""
    tree = {pid} | (descendants(pid, without) if with_children else set())
    # Only Linux tells which pages belong to files.
    return sum(info.rss - getattr(info, "shared", 0) for info in _memory_infos(tree))


def resident(pid: int) -> int:
    """Bytes of a process in memory, with descendants, files and shared pages: quick; 0: unknown."""
    return sum(info.rss for info in _memory_infos({pid} | descendants(pid)))


def _memory_infos(pids: Collection[int]) -> Iterator[Any]:
    import psutil

    for pid in pids:
        with contextlib.suppress(psutil.Error):
            yield psutil.Process(pid).memory_info()


def exact_memory(
    pid: int, without: Collection[int] = (), kinds: tuple[str, ...] = ("Pss_Anon:",)
) -> int:
    """Like `memory`, with every shared page divided by the number of processes that share it;
    `kinds` are the lines of smaps_rollup (see proc(5)) that count."""
    total = 0
    for process in {pid} | descendants(pid, without):
        with contextlib.suppress(OSError, ValueError, IndexError):
            for line in (_PROC / str(process) / "smaps_rollup").read_text().splitlines():
                if line.startswith(kinds):
                    total += int(line.split()[1]) * 1024
    return total


def excess(pid: int, before: float, megabytes: int, without: Collection[int] = ()) -> str:
    """What is wrong if a process and its descendants, which used `before` bytes, have grown by more
    than `megabytes`; "" if they have not."""
    if memory(pid, without=without) - before <= megabytes * 2**20:
        return ""
    grown = (exact_memory(pid, without) - before) / 2**20
    if grown <= megabytes:
        return ""
    return f"out of memory: {grown:.0f} MB in use, {megabytes} MB allowed,"


def limit_growth(megabytes: int) -> None:
    """From now on this process may allocate so much, and no more: then it gets MemoryError."""
    with contextlib.suppress(ImportError, OSError, ValueError, StopIteration, AttributeError):
        import resource

        lines = (_PROC / "self/status").read_text().splitlines()
        used = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmData:"))
        # Private writable memory, touched or not: an array of 10 GB is refused at once.
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        resource.setrlimit(resource.RLIMIT_DATA, (used + megabytes * 2**20, hard))


def offer_to_the_oom_killer() -> None:
    """If memory runs out, let the system end this process rather than any other."""
    with contextlib.suppress(OSError):
        (_PROC / "self/oom_score_adj").write_text("800")


def yield_to_others() -> None:
    """Take less than others: be the first to end where memory runs out, the last where cores do."""
    offer_to_the_oom_killer()
    with contextlib.suppress(OSError, AttributeError):
        os.nice(_NICENESS)


def oom_kills() -> int:
    """How many processes the system has killed because memory ran out (0 if unknown)."""
    total = 0
    for path in (Path("/sys/fs/cgroup/memory.events"), _PROC / "vmstat"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            for line in path.read_text().splitlines():
                if line.startswith("oom_kill "):
                    total += int(line.split()[1])
    return total


def adopt_orphans() -> None:
    """Become the parent of what this process's children leave behind (Linux)."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def cpu_of_tree(pid: int) -> float:
    """CPU seconds of a process, its descendants, and those of them that have ended. Raises OSError
    or ValueError if there is no such process, or no /proc."""
    # Fields 14 to 17 and 20 of stat(5); the second is a name that can hold anything but `)`.
    stat = _read(f"{_PROC}/{pid}/stat").rpartition(b")")[2].split()
    ticks = int(stat[13]) + int(stat[14])
    try:
        # The CPU clock of another process, as clock_getcpuclockid(3) makes it: in nanoseconds,
        # where /proc counts hundredths of a second.
        seconds = time.clock_gettime((~pid << 3) | 2)
    except OSError:  # it has ended, and its parent has not waited for it
        seconds, ticks = 0.0, ticks + int(stat[11]) + int(stat[12])
    seconds += ticks / _TICKS
    several = stat[17] != b"1"
    threads = os.listdir(f"{_PROC}/{pid}/task") if several else [pid]  # noqa: PTH208 (every move)
    for thread in threads:
        for child in _read(f"{_PROC}/{pid}/task/{thread}/children").split():
            with contextlib.suppress(OSError, ValueError):
                seconds += cpu_of_tree(int(child))
    return seconds


def _read(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return os.read(descriptor, 1 << 16)
    finally:
        os.close(descriptor)


def is_running(pid: int) -> bool:
    """Whether a process lives; a dead one may wait for its parent."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return _read(f"{_PROC}/{pid}/stat").rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    return False


def inside_of(root: int, number: int) -> int:
    """Which descendant of `root` calls itself `number` in its own view, the innermost if there are
    several; else `number`."""
    depths: dict[int, int] = {}
    for process in descendants(root):
        with contextlib.suppress(OSError, ValueError):
            for line in (_PROC / str(process) / "status").read_text().splitlines():
                numbers = line.split()[1:] if line.startswith("NSpid:") else []
                if len(numbers) > 1 and int(numbers[-1]) == number:
                    depths[process] = len(numbers)
    return max(depths, key=depths.get, default=number)


def run_delay(pid: int | str = "self") -> float:
    """Seconds for which a main thread was ready to run, but had no core (Linux; else 0.0)."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int((_PROC / str(pid) / "schedstat").read_text().split()[1]) / 1e9
    return 0.0


def send(pid: int, number: int) -> None:
    """Send a signal, if there is such a process."""
    with contextlib.suppress(OSError):
        os.kill(pid, number)
