"""Processes: what descends from one, what memory and CPU time it uses, how it is ended for good.

An engine may start others, which may start others, in process groups of their own and without
a living parent. They are found by three signs: the tree of parents (on Linux, a worker adopts what
its children leave behind), the process group, and a mark in the environment that every process
inherits. psutil knows all of that on each system. What only Linux tells is read from /proc: CPU
time in nanoseconds, memory without files, with each shared page divided by the number of processes
that share it, and how long a process has waited for a core.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

import psutil

# The environment variable that marks a worker and all that it starts.
MARK = "DLGO_ARENA_WORKER"

_PROC = Path("/proc")
_LINUX, _WINDOWS = sys.platform == "linux", sys.platform == "win32"
# Asked for the CPU time of another process, Wine gives the time of the one that asks. The times of
# its threads are right.
_WINE = psutil.WINDOWS and hasattr(ctypes.CDLL("ntdll"), "wine_get_version")
# Whether a process can copy itself.
CAN_FORK = hasattr(os, "fork")
# Rounds of searching for processes to kill; each finds processes that were starting in the last
# one. And the seconds between two rounds.
_ROUNDS = 200
_PAUSE = 0.002
# Seconds between two looks whether the parent is there.
_LOOK = 0.5
# How much the system prefers a server, so that its pages stay quick while engines think.
_NICENESS = (
    (psutil.BELOW_NORMAL_PRIORITY_CLASS, psutil.IDLE_PRIORITY_CLASS) if psutil.WINDOWS else (5, 10))
_DEAD = (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)
# A process that starts no other: stopped, dead, or asleep in the kernel, as one that waits until
# the child it has just started has loaded its program.
_AT_REST = (*_DEAD, psutil.STATUS_STOPPED, psutil.STATUS_TRACING_STOP, psutil.STATUS_DISK_SLEEP)
# Exit codes of a process that something else has ended: the signal SIGKILL; on Windows, the codes
# that the Task Manager and psutil give it.
_KILLED = (1, 15) if psutil.WINDOWS else (-9,)


def new_mark() -> str:
    """A mark that no other process has, to be extended for its descendants."""
    return f"{os.getpid()}-{os.urandom(6).hex()}-"


def core_count() -> int:
    """The cores this process may use, which in a container are fewer than the machine has."""
    with contextlib.suppress(AttributeError):  # macOS
        return len(psutil.Process().cpu_affinity())
    return os.cpu_count() or 1


def is_root() -> bool:
    """Whether this process may do everything on this machine."""
    return hasattr(os, "getuid") and os.getuid() == 0


def was_killed(exit_code: int) -> bool:
    """Whether a process with this exit code was ended from outside, as when memory runs out."""
    return exit_code in _KILLED


def end_tree(pid: int, mark: str | None = None) -> None:
    """Kill a process (0: none), all that descends from it, and all whose `MARK` begins with `mark`.

    All of them are stopped before any is killed: a process without a parent is harder to find.
    """
    tree: set[int] = {pid} if pid else set()
    attributes = ["ppid", "status", *(["environ"] if mark else [])]
    for process in tree:
        _do("suspend", process)
    for _ in range(_ROUNDS):
        rows = [(process.pid, process.info) for process in psutil.process_iter(attributes)]
        more = {
            process for process, info in rows
            if info["status"] not in _DEAD and process not in tree and process != os.getpid() and (
                info["ppid"] in tree or (pid and _group(process) == pid)
                or (mark and (info["environ"] or {}).get(MARK, "").startswith(mark))
            )
        }
        for process in more:
            _do("suspend", process)
        tree |= more
        # A signal takes a moment to arrive, and a process may start another until it does. Only
        # a list made when all were at rest is complete.
        if not more and all(info["status"] in _AT_REST for process, info in rows
                            if process in tree):
            break
        time.sleep(_PAUSE)
    if pid and pid != os.getpid():
        with contextlib.suppress(OSError, AttributeError):  # it leads a group only once it runs
            os.killpg(pid, signal.SIGKILL)
    for process in tree:
        _do("kill", process)


def _group(pid: int) -> int:
    with contextlib.suppress(OSError, AttributeError):
        return os.getpgid(pid)
    return 0


def _do(method: str, pid: int) -> None:
    """Suspend or kill a process, if there is one."""
    with contextlib.suppress(psutil.Error):
        getattr(psutil.Process(pid), method)()


def end_descendants() -> None:
    """Kill all that descends from this process; with `adopt_orphans` that is all it started."""
    empty = 0
    for _ in range(_ROUNDS):
        children = descendants(os.getpid())
        for process in children:
            _do("kill", process)
        # A process whose parent ends while we look is in no tree until we look again.
        empty = 0 if children else empty + 1
        if empty == 2:
            break
        time.sleep(_PAUSE)


def in_copies(action: Callable[[], None]) -> None:
    """Call `action` at once in each copy that this process makes of itself from now on."""
    if CAN_FORK:
        os.register_at_fork(after_in_child=action)


def end_own_group() -> None:
    """Kill this process, and on POSIX its process group."""
    with contextlib.suppress(OSError, AttributeError):
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def lead_a_group() -> None:
    """On POSIX, begin a session: Ctrl-Z and Ctrl-C in the terminal do not reach this process, and
    what it starts can be killed together with it."""
    with contextlib.suppress(AttributeError):
        os.setsid()


def descendants(pid: int, without: Collection[int] = ()) -> set[int]:
    """The living processes below `pid` in the tree, without those branches."""
    tree = _below(pid)
    for branch in tree & set(without):
        tree -= {branch} | _below(branch)
    return {process for process in tree if is_running(process)}


def _below(pid: int) -> set[int]:
    with contextlib.suppress(psutil.Error):
        return {process.pid for process in psutil.Process(pid).children(recursive=True)}
    return set()


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
    for pid in pids:
        with contextlib.suppress(psutil.Error):
            yield psutil.Process(pid).memory_info()


def exact_memory(
    pid: int, without: Collection[int] = (), kinds: tuple[str, ...] = ("Pss_Anon:",)
) -> int:
    """Like `memory`, with every shared page divided by the number of processes that share it;
    `kinds` are the lines of smaps_rollup (see proc(5)) that count. Only Linux tells."""
    if not _LINUX:
        return memory(pid, without=without)
    total = 0
    for process in {pid} | descendants(pid, without):
        with contextlib.suppress(OSError, ValueError, IndexError):
            for line in (_PROC / str(process) / "smaps_rollup").read_text().splitlines():
                if line.startswith(kinds):
                    total += int(line.split()[1]) * 1024
    return total


def excess(pid: int, start_bytes: float, megabytes: int, without: Collection[int] = ()) -> str:
    """What is wrong if a process and its descendants, which used `start_bytes`, have grown by more
    than `megabytes`; "" if they have not."""
    if memory(pid, without=without) - start_bytes <= megabytes * 2**20:
        return ""
    grown = (exact_memory(pid, without) - start_bytes) / 2**20
    if grown <= megabytes:
        return ""
    return f"out of memory: {grown:.0f} MB in use, {megabytes} MB allowed,"


def limit_growth(megabytes: int) -> None:
    """From now on this process may allocate so much, and no more: then it gets MemoryError (Linux;
    elsewhere, `excess` from outside is the only limit)."""
    with contextlib.suppress(AttributeError, OSError, ValueError):
        process = psutil.Process()
        # Private writable memory, touched or not: an array of 10 GB is refused at once.
        most = process.memory_info().data + megabytes * 2**20
        process.rlimit(psutil.RLIMIT_DATA, (most, process.rlimit(psutil.RLIMIT_DATA)[1]))


def offer_to_the_oom_killer() -> None:
    """If memory runs out, let the system end this process rather than any other (Linux)."""
    with contextlib.suppress(OSError):
        (_PROC / "self/oom_score_adj").write_text("800")


def yield_to_others(last: bool = False) -> None:
    """Take less than others: be the first to end where memory runs out, and give the cores to what
    is more urgent, or (`last`) to everything else."""
    offer_to_the_oom_killer()
    with contextlib.suppress(psutil.Error, OSError):
        psutil.Process().nice(_NICENESS[last])


def oom_kills() -> int:
    """How many processes the system has killed because memory ran out (0 if unknown)."""
    total = 0
    for path in (Path("/sys/fs/cgroup/memory.events"), _PROC / "vmstat"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            for line in path.read_text().splitlines():
                if line.startswith("oom_kill "):
                    total += int(line.split()[1])
    return total


def cpu_of_tree(pid: int) -> float:
    """CPU seconds of a process, its descendants, and (on Linux) those of them that have ended. 0.0
    if there is no such process."""
    try:
        return _cpu_by_clock(pid) if _LINUX else _cpu_of(psutil.Process(pid), True)
    except (OSError, ValueError, psutil.Error):
        return 0.0


def _cpu_of(process: psutil.Process, with_descendants: bool) -> float:
    seconds: float
    if _WINE:
        seconds = sum(thread.user_time + thread.system_time for thread in process.threads())
    else:
        times = process.cpu_times()
        seconds = times.user + times.system
    for child in process.children(recursive=True) if with_descendants else ():
        with contextlib.suppress(psutil.Error):
            seconds += _cpu_of(child, False)
    return seconds


def _cpu_by_clock(pid: int) -> float:
    # Fields 14 to 17 and 20 of stat(5); the second is a name that can hold anything but `)`.
    stat = _read(f"{_PROC}/{pid}/stat").rpartition(b")")[2].split()
    ticks = int(stat[13]) + int(stat[14])
    try:
        # The CPU clock of another process, as clock_getcpuclockid(3) makes it: in nanoseconds,
        # where /proc counts hundredths of a second.
        seconds = time.clock_gettime((~pid << 3) | 2)
    except OSError:  # it has ended, and its parent has not waited for it
        seconds, ticks = 0.0, ticks + int(stat[11]) + int(stat[12])
    seconds += ticks / os.sysconf("SC_CLK_TCK")
    several = stat[17] != b"1"
    threads = os.listdir(f"{_PROC}/{pid}/task") if several else [pid]  # noqa: PTH208 (every move)
    for thread in threads:
        for child in _read(f"{_PROC}/{pid}/task/{thread}/children").split():
            with contextlib.suppress(OSError, ValueError):
                seconds += _cpu_by_clock(int(child))
    return seconds


def _read(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return os.read(descriptor, 1 << 16)
    finally:
        os.close(descriptor)


def is_running(pid: int) -> bool:
    """Whether a process lives; a dead one may wait for its parent."""
    with contextlib.suppress(psutil.Error):
        return psutil.Process(pid).status() not in _DEAD
    return False


class Parent:
    """The process that has started this one."""

    def __init__(self) -> None:
        self._pid, self._process = os.getppid(), None
        with contextlib.suppress(psutil.Error):  # it has ended already
            self._process = psutil.Process(self._pid)

    def has_ended(self) -> bool:
        """Whether it has ended. POSIX then gives this process another parent, Windows does not."""
        if _WINDOWS:
            return self._process is None or not self._process.is_running()
        return os.getppid() != self._pid


def end_with_parent() -> None:
    """From now on, end when the process that has started this one ends, with all that this one has
    started."""
    parent = Parent()

    def watch() -> None:
        while not parent.has_ended():
            time.sleep(_LOOK)
        end_descendants()
        os._exit(1)

    if os.getppid() > 1:  # a command without a parent runs on
        threading.Thread(target=watch, daemon=True).start()


def inside_of(root: int, number: int) -> int:
    """Which descendant of `root` calls itself `number` in its own view, the innermost if there are
    several; else `number` (Linux)."""
    depths: dict[int, int] = {}
    for process in descendants(root):
        with contextlib.suppress(OSError, ValueError):
            for line in (_PROC / str(process) / "status").read_text().splitlines():
                numbers = line.split()[1:] if line.startswith("NSpid:") else []
                if len(numbers) > 1 and int(numbers[-1]) == number:
                    depths[process] = len(numbers)
    return max(depths, key=lambda process: depths[process], default=number)


def run_times(pid: int | str = "self") -> tuple[float, float]:
    """Seconds for which a main thread had a core, and for which it was ready to run but had none
    (Linux; else 0.0)."""
    with contextlib.suppress(OSError, ValueError):
        ran, waited, _ = (_PROC / str(pid) / "schedstat").read_text().split()
        return int(ran) / 1e9, int(waited) / 1e9
    return 0.0, 0.0


def run_delay(pid: int | str = "self") -> float:
    """Seconds for which a main thread was ready to run, but had no core (Linux; else 0.0)."""
    return run_times(pid)[1]


def send(pid: int, number: int) -> None:
    """Send a signal, if there is such a process."""
    with contextlib.suppress(OSError):
        os.kill(pid, number)
