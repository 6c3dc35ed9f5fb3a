"""Every Python process of a simulation begins here: dlgo sees another system (DLGO_SIM).

The simulation itself is `platform_sim.py` in the folder DLGO_SIM_FOLDER. What dlgo asks of Windows
directly has stand-ins here.
"""

import os
import sys
import types

sys.path.insert(0, os.environ["DLGO_SIM_FOLDER"])
import platform_sim  # noqa: E402

sys.path.pop(0)
getattr(platform_sim, os.environ["DLGO_SIM"])()
if hasattr(os, "getuid"):
    os.getuid = lambda: 501  # a person, who may use --trust


class Job:
    """Ends a process and its descendants; unlike Windows' own, only if we live to ask for it."""

    def __init__(self, pid: int) -> None:
        self._pid = pid

    def end(self) -> None:
        import psutil

        try:
            root = psutil.Process(self._pid)
            for process in [*root.children(recursive=True), root]:
                process.kill()
        except psutil.Error:
            pass


def bytes_in_pipe(descriptor: int) -> int:
    import fcntl
    import struct
    import termios

    return struct.unpack("i", fcntl.ioctl(descriptor, termios.FIONREAD, bytes(4)))[0]


if os.environ["DLGO_SIM"] == "windows":
    import shutil

    shutil._use_fd_functions = False  # as on Windows, where no folder can be opened
    windows = types.ModuleType("dlgo.system.windows")
    windows.Job, windows.bytes_in_pipe = Job, bytes_in_pipe
    windows.ignore_ctrl_c = lambda ignore: None
    sys.modules[windows.__name__] = windows
