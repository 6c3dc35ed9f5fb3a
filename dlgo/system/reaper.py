"""The reaper of POSIX systems: a small process that ends others when the one that started it is
gone.

After `kill -9`, no process of ours is left to clean up, and programs do not know us. So a process
stands by that waits for a pipe to close, which happens when its other end is gone, however it went.

    python reaper.py MARK              # ends all processes with that mark, when standard input ends
    python reaper.py run FD PROGRAM... # runs a program, and ends it when the descriptor FD ends

A program that is run this way cannot leave anything behind: on Linux, whatever it starts becomes a
child of the reaper at the latest when its own parent ends; elsewhere it is marked. It is ended with
the program or after it. The reaper then ends as the program did. It is a script of its own, because
importing unused modules would take a second; psutil is imported when something is to be ended.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import sys

SCRIPT = __file__
_PR_SET_CHILD_SUBREAPER = 36
# Seconds between two looks at the program, where the system cannot wait for two things at once.
_POLL = 0.05


def adopt_orphans() -> bool:
    """Become the parent of what this process's children leave behind. Only Linux can: whether it
    has."""
    with contextlib.suppress(OSError, AttributeError, TypeError):
        return bool(ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)
    return False


def end_marked(mark: str) -> None:
    """Wait, then clean up."""
    for number in _keyboard():
        signal.signal(number, signal.SIG_IGN)
    while os.read(0, 1024):
        pass
    import processes  # run as a script, this file has its folder on the path, not the package

    processes.end_tree(0, mark)


def run(control: int, words: list[str]) -> None:
    """Run a program; end it, and all that it has started, when it ends or `control` closes."""
    os.set_inheritable(control, False)
    ours = (*_keyboard(), signal.SIGPIPE)
    for number in ours:
        signal.signal(number, signal.SIG_IGN)
    mark, environment = "", dict(os.environ)
    if not adopt_orphans():  # before it starts: a quick program's orphans would be lost
        from processes import MARK, new_mark

        mark = environment[MARK] = environment.get(MARK, "") + new_mark()
    try:
        pid = os.posix_spawn(words[0], words, environment, setsigdef=ours)
    except OSError as error:
        os.write(2, f"cannot be started: {error.strerror}\n".encode())
        os._exit(127)
    null = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):  # the program's pipes must end with the program
        os.dup2(null, standard)
    status = _wait(control, pid)
    import processes

    if mark:
        processes.end_tree(0 if status is not None else pid, mark)
    processes.end_descendants()
    if status is None:
        status = os.waitpid(pid, 0)[1]
    if os.WIFSIGNALED(status):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        cause = os.WTERMSIG(status)
        if cause != signal.SIGKILL:
            signal.signal(cause, signal.SIG_DFL)
        os.kill(os.getpid(), cause)
    os._exit(os.waitstatus_to_exitcode(status))


def _keyboard() -> tuple[signal.Signals, ...]:
    """Signals that end a group of processes from the keyboard: they are the program's to handle."""
    return signal.SIGINT, signal.SIGTERM, signal.SIGHUP


def _wait(control: int, pid: int) -> int | None:
    """Until the descriptor closes (None) or the process has ended (its status)."""
    ended: list[int] = []
    timeout: float | None = _POLL
    if hasattr(os, "pidfd_open"):
        with contextlib.suppress(OSError):  # an older kernel
            ended, timeout = [os.pidfd_open(pid)], None
    while True:
        ready = select.select([control, *ended], [], [], timeout)[0]
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return status
        if control in ready:
            return None


if __name__ == "__main__":
    if sys.argv[1] == "run":
        run(int(sys.argv[2]), sys.argv[3:])
    else:
        end_marked(sys.argv[1])
