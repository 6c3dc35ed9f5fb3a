"""A sandbox for untrusted programs.

    sandbox = Sandbox(readable=[folder_of_the_code])
    program = Program(sandbox.command([sys.executable, "my_bot.py"]))

bubblewrap (`bwrap`) isolates the program: no network, no home, the system and the Python
environment read-only, its own view of processes, users and shared memory, a small private `/tmp`,
no variables of ours. A `sealed` sandbox has only the few files of `sealed.py` instead of the system
and the environment. `confine.py` then removes the remaining rights: memory, processes, CPU and
file size have limits, and dangerous system calls are filtered. `Watch` adds up what all processes
of a sandbox use together, and ends it as a whole. Linux 5.14 or later: before, the kernel counted
the processes of a sandbox together with other processes of its user.
"""

from __future__ import annotations

import contextlib
import functools
import os
import platform
import random
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dlgo.errors import DlgoError
from dlgo.plugins import import_path
from dlgo.records.failures import Failure
from dlgo.system import processes
from engines.programs import needed, sealed
from engines.programs.program import Program, ProgramError

_PACKAGES = Path(__file__).resolve().parents[2]
# The script that gives up the last rights.
_CONFINE = str(Path(__file__).with_name("confine.py"))
# Our own packages that code in the sandbox can import, and those beside them that it cannot.
_VISIBLE, _HIDDEN = ("dlgo", "engines"), ("experiments", "reports", "tests")
# Where programs in the sandbox may write.
_SCRATCH = ("/dev/shm", "/tmp")
# The variables of the engines and installed packages that code in the sandbox may use.
ENGINES, PACKAGES = "DLGO_ENGINES", "DLGO_PACKAGES"
# Visible parts of the system and of a Python installation: people keep courses in the rest.
_PARTS = ("bin", "lib", "lib32", "lib64", "libx32", "pyvenv.cfg")
# Folders or links of the system.
_SYSTEM = [Path(f"{folder}/{name}") for folder in ("", "/usr", "/usr/local") for name in _PARTS]
# Files that the loader of libraries, clocks and the counting of cores need.
_FILES = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/sys/devices/system/cpu")
# Users of sandboxes that root starts: numbers that no account has.
_FIRST_USER, _USERS = 0x6E000000, 0x400000
# Capabilities that root keeps in order to switch to one of these users.
_CAPABILITIES = ("--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID")
_MEGABYTE = 2**20
_MOST_PROCESSES = 1 << 16
# Without `..`: the folders before it may be hidden inside.
_PYTHON = os.path.abspath(sys.executable)  # noqa: PTH100 (a link stays what it is)
# Seconds between two looks of the watch.
_WATCH_PAUSE = 0.2
_REMEDY = (
    "install it (Debian, Ubuntu: apt install bubblewrap), or run only code that you trust, "
    "with --trust"
)


class SandboxError(DlgoError):
    """There is no working sandbox here; the message says why, and what to do."""


@dataclass(frozen=True)
class Allowance:
    """Limits of all processes of a sandbox together."""

    memory_mb: int = 768
    processes: int = 32  # processes and threads at a time
    cpu_seconds: float = 600.0  # from start to end
    file_mb: int = 16  # of one file
    scratch_mb: int = 32  # of all files in /tmp
    open_files: int = 128  # that a process may have open


@dataclass(frozen=True)
class Sandbox:
    """What keeps a program in. It may read `readable`, files and folders at the places where they
    are, and load machine code from `code_cache` (`dlgo.jit.shared_cache`). Links lead nowhere. Of
    our engines, it may use `engines` (None: all); then of all installed packages and programs it
    sees Python, what dlgo and these engines need (`needed.py`), and `packages`.

    Args:
        sealed: nothing else can be seen but Python and NumPy (`sealed.py`).
        trusted: nothing is hidden; there are only limits, an empty environment, and, if we are
            root, a user without rights.
    """

    readable: Sequence[Path] = ()
    allowance: Allowance = field(default_factory=Allowance)
    code_cache: Path | None = None
    engines: tuple[str, ...] | None = None
    packages: tuple[str, ...] = ()
    sealed: bool = False
    trusted: bool = False

    @property
    def python(self) -> list[str]:
        """The words that run a script inside."""
        return sealed.python() if self.sealed else [_PYTHON, "-P"]

    def command(self, words: Sequence[str]) -> list[str]:
        """The words that run `words` inside. Raises SandboxError if this machine has no sandbox, or
        trusted code would run as root."""
        if self.trusted:
            return self._unhidden(words)
        check_sandbox()
        return self._command(words)

    def rights(self, user: int) -> list[int]:
        """The arguments of `confine.give_up_rights`: a user, and limits."""
        allowed = self.allowance
        return [
            user, allowed.memory_mb, allowed.processes, int(allowed.cpu_seconds) + 1,
            allowed.file_mb, allowed.open_files,
        ]

    def _confined(self, rights: Sequence[int], words: Sequence[str]) -> list[str]:
        """The words that run `words` as a user within limits."""
        python = sealed.python()[0] if self.sealed else _PYTHON
        return [python, "-I", "-S", _CONFINE, *map(str, rights), *words]

    def _unhidden(self, words: Sequence[str]) -> list[str]:
        check_trust()
        if platform.system() != "Linux":
            return list(words)
        variables = [f"{name}={value}" for name, value in self._variables().items()]
        rights = self.rights(other_user())
        if rights[0] == 0:  # the system would count all processes of our own user
            rights[2] = _MOST_PROCESSES
        return ["/usr/bin/env", "-i", *_mark(), *variables, *self._confined(rights, words)]

    def _command(self, words: Sequence[str]) -> list[str]:
        user = _new_user() if os.getuid() == 0 else 0
        identity = _CAPABILITIES if user else ("--unshare-user", "--as-pid-1")
        scratch = [
            "--perms", "1777", "--size", str(self.allowance.scratch_mb * _MEGABYTE), "--tmpfs",
        ]
        bubblewrap = shutil.which("bwrap")
        if bubblewrap is None:
            raise SandboxError(
                f"untrusted code needs bubblewrap (bwrap), which is not installed: {_REMEDY}"
            )
        # Hostile code has bubblewrap's own user where that is not root's, and could read the
        # variables that it was started with, whatever it gives to others. Nor must it stay
        # inside as the first process then, which no filter confines (`confine.py`).
        return [
            "/usr/bin/env", "-i", *_mark(),
            bubblewrap, "--die-with-parent", "--new-session", "--clearenv",
            "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts",
            "--unshare-cgroup-try", *identity,
            *_system(self.sealed), "--proc", "/proc", "--dev", "/dev",
            *(word for folder in _SCRATCH for word in (*scratch, folder)),
            *self._files(), "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/tmp",
            *(word for pair in self._variables().items() for word in ("--setenv", *pair)),
            "--", *self._confined(self.rights(user), words),
        ]

    def _files(self) -> list[str]:
        """The words that show files besides the system's, and cover what must not be seen."""
        if self.sealed:
            places, covered, details = sealed.places(), sealed.hidden(), sealed.numpy_folders()
            roots = [*places]
        else:
            places, covered, details = _python_places(), [_PACKAGES / name for name in _HIDDEN], []
            roots = [*places, *_SYSTEM]
        details = [*details, *map(Path, self.readable), *filter(None, [self.code_cache])]
        words = _folders({parent for place in (*places, *details) for parent in place.parents
                          if parent.name})
        words += [word for place in places for word in ("--ro-bind", str(place), str(place))]
        for folder in covered:
            if folder.is_dir() and any(map(folder.is_relative_to, roots)):
                words += _cover(folder, [path for path in details if path.is_relative_to(folder)])
        if self.engines is not None:
            words += self._cover_installed(roots)
            words += _cover(needed.ENGINES, needed.engine_files(self.engines))
        words += [word for place in details for word in ("--ro-bind", str(place), str(place))]
        return words

    def _cover_installed(self, roots: Sequence[Path]) -> list[str]:
        """The words that hide programs and installed packages that are not needed."""
        packages = needed.packages(self.engines or (), self.packages)
        shown = [*needed.package_files(packages), *(_PACKAGES / name for name in _VISIBLE),
                 Path(_PYTHON), Path(os.path.realpath(_PYTHON))]
        prefixes = {sys.prefix, sys.base_prefix, "/usr", "/usr/local"}
        folders = needed.package_folders(prefixes) | {Path(prefix, "bin") for prefix in prefixes}
        return [word for folder in sorted(folders)
                if folder.is_dir() and any(map(folder.is_relative_to, roots))
                for word in _cover(folder, [file for file in shown if file.parent == folder])]

    def _variables(self) -> dict[str, str]:
        variables = {
            "PATH": "/usr/bin:/bin", "HOME": "/tmp", "LANG": "C.UTF-8",
            "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1",
        }
        if not self.sealed:
            paths = [str(_PACKAGES), *filter(os.path.isabs, import_path())]
            variables |= {"PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"}
        if self.code_cache is not None:
            variables["DLGO_READ_CACHE"] = str(self.code_cache)
        if self.engines is not None:
            variables[ENGINES] = ",".join(self.engines)
            variables[PACKAGES] = ",".join(self.packages)
        return variables


def _mark() -> list[str]:
    mark = os.environ.get(processes.MARK)
    return [f"{processes.MARK}={mark}"] if mark else []


def _new_user() -> int:
    return _FIRST_USER + random.SystemRandom().randrange(_USERS)


@functools.cache
def other_user() -> int:
    """A user without rights who can run trusted code in our place; 0 if there is none."""
    if platform.system() != "Linux" or os.getuid() != 0:
        return 0
    sandbox, user = Sandbox(sealed=True), _new_user()
    folders = [Path(_PYTHON).parent, *sealed.numpy_folders()]
    words = [*sandbox.python, sealed.START, "--try", *map(str, folders)]
    command = sandbox._confined(sandbox.rights(user), words)
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        done = subprocess.run(command, capture_output=True, timeout=60, check=False)
        return user if done.returncode == 0 else 0
    return 0


def check_trust(changes_user: bool = True) -> None:
    """Raise SandboxError, with the remedy, if trusted code would run as root here.

    `changes_user`: whether it runs as `other_user`, if there is one.
    """
    if not processes.is_root():
        return
    if not changes_user:
        raise SandboxError("--trust would run students' code as root: run this command as another "
                           "user")
    if not other_user():
        raise SandboxError(
            "--trust would run students' code as root, since other users cannot run "
            f"{sealed.python()[0]} or read NumPy and {_PACKAGES}: install Python and dlgo where "
            "all users can read them, such as in /opt, or run this command as another user")


def let_other_user_in(folder: Path) -> None:
    """Let trusted code read the files in a folder that is private to us, if it runs as another
    user."""
    if user := other_user():
        os.chown(folder, -1, user)
        folder.chmod(0o710)


def _folders(paths: Iterable[Path]) -> list[str]:
    """Folders that all users may enter: bubblewrap's own are closed to other users than root."""
    return [word for path in sorted(paths) for word in ("--perms", "0755", "--dir", str(path))]


def _cover(folder: Path, files: Iterable[Path]) -> list[str]:
    """Show nothing of a folder but these files."""
    words = ["--perms", "0755", "--size", "4096", "--tmpfs", str(folder)]
    words += _folders({parent for file in files for parent in file.parents
                       if parent.is_relative_to(folder) and parent != folder})
    for file in files:
        words += ["--ro-bind", str(file), str(file)]
    return [*words, "--remount-ro", str(folder)]


def _system(sealed_off: bool) -> list[str]:
    folders = ["/etc", "/sys", "/sys/devices", "/sys/devices/system", "/usr", "/usr/local"]
    words = _folders(map(Path, folders))
    for place in () if sealed_off else _SYSTEM:
        if place.is_symlink():
            words += ["--symlink", str(place.readlink()), str(place)]
        elif place.is_dir():
            words += ["--ro-bind", str(place), str(place)]
    for name in _FILES:
        words += ["--ro-bind-try", name, name]
    return words


@functools.cache
def _python_places() -> tuple[Path, ...]:
    """The interpreter, installed packages, and ours: each place once, those inside another not.

    Of an installation only its parts: the folder of a course may be a virtual environment.
    """
    installed = [Path(place) for place in sys.path if place.endswith(("-packages", ".zip"))]
    parts = [Path(prefix, name) for prefix in (sys.base_prefix, sys.prefix) for name in _PARTS]
    ours = [_PACKAGES / name for name in _VISIBLE]
    places: list[Path] = []
    for place in sorted({*parts, *installed, *ours}):
        if place.exists() and not any(map(place.is_relative_to, (*places, *_SYSTEM))):
            places.append(place)
    return tuple(places)


# Runs inside: exits with 0 if the sandbox works, or prints the faults.
_PROBE = """
import os
def holds(what, act, *given):
    try:
        act(*given)
    except OSError:
        return
    raise SystemExit(what)
holds("the system can be written to", open, "/usr/dlgo", "w")
holds("there are password files", open, "/etc/shadow")
try:
    seen = set(open("/proc/1/environ").read().split(chr(0))[:-1])
except OSError:
    seen = set()
if seen - {f"{name}={value}" for name, value in os.environ.items()}:
    raise SystemExit("it sees our variables")
if any(":" in line and "lo:" not in line for line in open("/proc/net/dev")):
    raise SystemExit("there is a network")
if os.getuid() == 0 or os.getpid() > 9:
    raise SystemExit("it sees other users or processes")
"""


@functools.cache
def check_sandbox() -> None:
    """Raise SandboxError, with the remedy, if untrusted code cannot be confined here."""
    if platform.system() != "Linux":
        raise SandboxError(
            f"untrusted code needs Linux and bubblewrap, but this is {platform.system()}: use WSL, "
            "a container or another machine with Linux, or run only code that you trust, with "
            "--trust"
        )
    command = Sandbox()._command([_PYTHON, "-I", "-S", "-c", _PROBE])
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SandboxError(f"bubblewrap does not run here ({error}): {_REMEDY}") from None
    if done.returncode != 0:
        output = " ".join(done.stderr.split())[-200:] or f"exit code {done.returncode}"
        raise SandboxError(
            f"the sandbox does not work on this machine ({output}): allow user namespaces "
            "(sysctl user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_userns=0), "
            "or run only code that you trust, with --trust"
        )


class Watch:
    """Ends a sandboxed program whose processes use more than `allowance`; `verdict` says why."""

    def __init__(self, program: Program, allowance: Allowance) -> None:
        self.verdict: ProgramError | None = None
        self._program, self._allowance = program, allowance
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        while self._program.alive:
            time.sleep(_WATCH_PAUSE)
            with contextlib.suppress(OSError):
                self.verdict = self._excess()
            if self.verdict is not None:
                for pid in processes.descendants(self._program.pid):
                    processes.send(pid, 9)
                return

    def _excess(self) -> ProgramError | None:
        allowed, pid = self._allowance, self._program.pid
        seconds = self._program.cpu_seconds()
        if seconds > allowed.cpu_seconds:
            return ProgramError(
                Failure.OVER_CPU,
                f"over CPU time: {seconds:.0f} s used, {allowed.cpu_seconds:g} s allowed",
            )
        limit = allowed.memory_mb * _MEGABYTE
        if processes.resident(pid) > limit:
            size = processes.exact_memory(pid, kinds=("Pss_Anon:", "Pss_Shmem:"))
            if size > limit:
                return ProgramError(
                    Failure.OVER_MEMORY,
                    f"over memory: {size / _MEGABYTE:.0f} MB used, {allowed.memory_mb} MB allowed",
                )
        return None
