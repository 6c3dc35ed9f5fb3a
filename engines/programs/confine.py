"""The last step into the sandbox: give up the remaining rights, then become the program.

    python -I -S confine.py UID MEMORY_MB PROCESSES CPU_SECONDS FILE_MB FILES PROGRAM...

It runs inside, after bubblewrap has built the sandbox (`sandbox.py`) and before untrusted code
runs; trusted code has no other walls. It is a separate script and imports only the standard
library. The program and all its children inherit these limits, and cannot undo them:

* limits of the kernel (`setrlimit`): memory, processes, CPU seconds, file size, open files;
* a user that owns nothing (UID; 0: the user namespace has one already);
* a filter of system calls (seccomp). It forbids resources that the other limits do not count, for
  example files that are memory (`memfd_create`) and shared memory, and what programs here have no
  use for: tracing, mounting, namespaces, and every socket but those between processes of the
  sandbox. Nor can a process ignore the end of its children, or handle it by a signal: the kernel
  then forgets their CPU time. So somebody waits for each child, and all time is counted.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import platform
import resource
import signal
import struct
import sys
from pathlib import Path

_MEGABYTE = 2**20
# Virtual memory for each byte that may be written: libraries are mapped, and hardly touched.
_MAPPED_PER_WRITTEN = 4
# Priority of the program: it gets a core after all others.
_NICENESS = 5

# <linux/audit.h> and the numbers of system calls: x86-64 first, AArch64 second.
_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_FORBIDDEN = {
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "shmget": (29, 194),
    "shmat": (30, 196), "msgget": (68, 186), "semget": (64, 190), "mq_open": (240, 180),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438), "kcmp": (312, 272),
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39),
    "pivot_root": (155, 41), "chroot": (161, 51), "open_tree": (428, 428),
    "move_mount": (429, 429), "fsopen": (430, 430), "fsmount": (432, 432),
    "mount_setattr": (442, 442), "open_by_handle_at": (304, 265),
    "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219),
    "init_module": (175, 105), "finit_module": (313, 273), "kexec_load": (246, 104),
    "fanotify_init": (300, 262), "sched_setscheduler": (144, 119), "sched_setattr": (314, 274),
}
_CLONE = (56, 220)
_CLONE3 = (435, 435)  # its flags are in memory, where a filter cannot look
_SOCKET = (41, 198)
_SIGACTION = (13, 134)
# CLONE_NEWTIME, NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
_NEW_NAMESPACES = 0x7E020080
_X32 = 0x40000000  # a second set of numbers for the same calls on x86-64

# <linux/filter.h> and <linux/seccomp.h>
_LOAD, _IF_EQUAL, _IF_ANY_BIT, _IF_AT_LEAST, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT, _SECOND_ARGUMENT = 0, 4, 16, 24
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _FILTER_MODE = 38, 22, 2
# <linux/capability.h>: the version whose sets have 64 bits
_CAPABILITIES = 0x20080522


def filter_of(machine: str) -> bytes:
    """The program that the kernel runs before each system call. Raises LookupError for a machine,
    as `platform.machine()` names it, whose numbers are not in the table."""
    column, architecture = _ARCHITECTURES[machine]
    rules = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_IF_EQUAL, 1, 0, architecture), (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]
    if machine == "x86_64":
        rules += [(_IF_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, _KILL)]
    for numbers in _FORBIDDEN.values():
        rules += [(_IF_EQUAL, 0, 1, numbers[column]), (_RETURN, 0, 0, _ERRNO | errno.EPERM)]
    rules += [
        # Libraries then take `clone`.
        (_IF_EQUAL, 0, 1, _CLONE3[column]), (_RETURN, 0, 0, _ERRNO | errno.ENOSYS),
        (_IF_EQUAL, 0, 4, _CLONE[column]), (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_IF_ANY_BIT, 0, 1, _NEW_NAMESPACES), (_RETURN, 0, 0, _ERRNO | errno.EPERM),
        (_RETURN, 0, 0, _ALLOW),
        (_IF_EQUAL, 0, 4, _SOCKET[column]), (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_IF_EQUAL, 1, 0, 1), (_RETURN, 0, 0, _ERRNO | errno.EACCES),  # 1 is AF_UNIX
        (_RETURN, 0, 0, _ALLOW),
        # For SIGCHLD an action may be asked, which is a null pointer in both halves, but not set.
        (_IF_EQUAL, 0, 7, _SIGACTION[column]), (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_IF_EQUAL, 0, 5, signal.SIGCHLD), (_LOAD, 0, 0, _SECOND_ARGUMENT),
        (_IF_EQUAL, 0, 2, 0), (_LOAD, 0, 0, _SECOND_ARGUMENT + 4),
        (_IF_EQUAL, 1, 0, 0), (_RETURN, 0, 0, _ERRNO | errno.EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("=HBBI", *rule) for rule in rules)


def install(program: bytes) -> None:
    """Filter the system calls of this process and all that it will start. Raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    memory = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("@HP", len(program) // 8, ctypes.addressof(memory))
    zero = ctypes.c_ulong(0)
    for call in (
        (_PR_SET_NO_NEW_PRIVS, ctypes.c_ulong(1), zero, zero, zero),
        (_PR_SET_SECCOMP, ctypes.c_ulong(_FILTER_MODE), ctypes.c_char_p(header), zero, zero),
    ):
        if libc.prctl(*call) != 0:
            raise OSError(ctypes.get_errno(), "no filter of system calls")


def set_limits(memory_mb: int, processes: int, cpu: int, file_mb: int, files: int) -> None:
    """The kernel's own limits, for this process and each that it will start."""
    for name, value in {
        "AS": _MAPPED_PER_WRITTEN * memory_mb * _MEGABYTE, "DATA": memory_mb * _MEGABYTE,
        "NPROC": processes, "CPU": cpu, "FSIZE": file_mb * _MEGABYTE, "NOFILE": files,
        "CORE": 0, "MEMLOCK": 0, "MSGQUEUE": 0, "SIGPENDING": 256, "RTPRIO": 0,
    }.items():
        number = getattr(resource, f"RLIMIT_{name}")
        highest = resource.getrlimit(number)[1]
        if highest != resource.RLIM_INFINITY:
            value = min(value, highest)
        resource.setrlimit(number, (value, value))


def stay_as_first_process() -> None:
    """Return in a child. The first process waits for orphans.

    The child's end is its own end, and so that of all others. It is confined like them: it has
    their user, so that they can write into its memory.
    """
    child = os.fork()
    while child:
        pid, status = os.wait()
        if pid == child:
            os._exit(exit_code(status))


def exit_code(status: int) -> int:
    """The exit code of a process that ends as another did, whose status `wait` has returned."""
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def give_up_rights(uid: int, *limits: int) -> None:
    """Confine this process. Arguments as on the command line."""
    os.nice(_NICENESS)
    with contextlib.suppress(OSError):  # where memory runs out, the system ends this process first
        Path("/proc/self/oom_score_adj").write_text("800")
    if uid:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    set_limits(*limits)
    drop_capabilities()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if platform.machine() in _ARCHITECTURES:
        install(filter_of(platform.machine()))


def drop_capabilities() -> None:
    """Whoever has no other user has them in a user namespace. Raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.capset(struct.pack("@Ii", _CAPABILITIES, 0), bytes(24)) != 0:
        raise OSError(ctypes.get_errno(), "capabilities stay")


def main() -> None:
    """Confine this process, then become the program."""
    give_up_rights(*map(int, sys.argv[1:7]))
    if os.getpid() == 1:
        stay_as_first_process()
    os.execv(sys.argv[7], sys.argv[7:])


if __name__ == "__main__":
    main()
