"""Windows alone: job objects, and the questions to pipes and consoles that Python does not ask.

Imported where the system is Windows, and nowhere else.
"""

from __future__ import annotations

import ctypes
import msvcrt
import struct
from ctypes import wintypes

_kernel = ctypes.WinDLL("kernel32", use_last_error=True)
for _name in ("CreateJobObjectW", "OpenProcess"):
    getattr(_kernel, _name).restype = wintypes.HANDLE
# <winnt.h>: rights to a process; the kind of limits, and that the end of the job ends all in it.
_SET_QUOTA_AND_TERMINATE = 0x0101
_EXTENDED_LIMITS, _KILL_ON_CLOSE = 9, 0x2000
# JOBOBJECT_EXTENDED_LIMIT_INFORMATION on 64-bit Windows: two times, the flags, zeros.
_LIMITS = struct.Struct("<qqI124x")


class Job:
    """A process and all that it starts; they end with this object, or with this process."""

    def __init__(self, pid: int) -> None:
        self._handle = wintypes.HANDLE(_kernel.CreateJobObjectW(None, None))
        limits = _LIMITS.pack(0, 0, _KILL_ON_CLOSE)
        _kernel.SetInformationJobObject(self._handle, _EXTENDED_LIMITS, limits, len(limits))
        process = wintypes.HANDLE(_kernel.OpenProcess(_SET_QUOTA_AND_TERMINATE, False, pid))
        if process:  # else it has ended
            _kernel.AssignProcessToJobObject(self._handle, process)
            _kernel.CloseHandle(process)

    def end(self) -> None:
        """End all its processes, now."""
        if self._handle:
            _kernel.TerminateJobObject(self._handle, 1)
            _kernel.CloseHandle(self._handle)
            self._handle = wintypes.HANDLE()


def bytes_in_pipe(descriptor: int) -> int:
    """How many bytes can be read from a pipe at once. Raises OSError if its writer is gone."""
    count = wintypes.DWORD()
    handle = wintypes.HANDLE(msvcrt.get_osfhandle(descriptor))
    if not _kernel.PeekNamedPipe(handle, None, 0, None, ctypes.byref(count), None):
        raise ctypes.WinError(ctypes.get_last_error())
    return count.value


def ignore_ctrl_c(ignore: bool) -> None:
    """Whether Ctrl-C in the console reaches this process, and those that it starts from now on."""
    _kernel.SetConsoleCtrlHandler(None, ignore)
