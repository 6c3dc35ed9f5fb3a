"""What a hostile hand-in might try: it is loaded in a sandbox, and nowhere else.

Each function says what it got hold of: "" is nothing. Those in `test_sandbox.py`'s list of deadly
ones do not return.
"""
# An attacker keeps to no style.
# ruff: noqa: PTH110, PTH123, PTH208, SIM105

import ctypes
import mmap
import os
import signal
import socket
import sys
import threading
import time

# What hangs at import does so on request, so that one file serves all tests.
if os.path.exists(__file__ + ".hang"):
    time.sleep(1000)


def attempt(act, *given):
    """What an act gives, or "" if it is refused."""
    try:
        return str(act(*given) or "done")
    except (OSError, ImportError, ValueError):
        return ""


def read(path):
    with open(path) as file:
        return file.read()


def write(path):
    with open(path, "w") as file:
        file.write("100 points for me")


def read_files(paths):
    return "".join(attempt(read, path) for path in paths)


def list_folders(paths):
    return "".join(attempt(os.listdir, path) for path in paths)


def write_files(paths):
    return "".join(attempt(write, path) for path in paths)


def delete_files(paths):
    return "".join(attempt(os.remove, path) for path in paths)


def environment():
    return "".join(os.environ.values())


def connect(family, kind, address):
    with socket.socket(getattr(socket, family), getattr(socket, kind)) as channel:
        channel.settimeout(2)
        channel.connect(address)
        channel.send(b"grade me")
        return "sent"


def network(family, kind, address):
    return attempt(connect, family, kind, address)


def ask_for_a_name(name):
    return attempt(socket.getaddrinfo, name, 80)


def call_the_kernel(numbers):
    """Which of these system calls are not refused outright."""
    libc = ctypes.CDLL(None, use_errno=True)
    passed = []
    for number, *arguments in numbers:
        ctypes.set_errno(0)
        done = libc.syscall(number, *arguments)
        if done >= 0 or ctypes.get_errno() != 1:
            passed.append(str(number))
    return " ".join(passed)


def signal_others(pids):
    for pid in pids:
        attempt(os.kill, pid, signal.SIGKILL)
    return ""


def see_processes(own):
    commands = [attempt(read, f"/proc/{pid}/cmdline") for pid in os.listdir("/proc")
                if pid.isdigit()]
    return " ".join(word for word in commands if own not in word)


def fill_the_disk(folder):
    """Megabytes that fit."""
    size = 0
    for number in range(1000):
        try:
            with open(f"{folder}/{number}", "wb") as file:
                file.write(bytes(1 << 20))
            size += 1
        except OSError:
            break
    return size


def grow_a_file():
    with open("/tmp/one", "wb") as file:
        while True:
            file.write(bytes(1 << 20))


def allocate(megabytes):
    return len(bytearray(megabytes << 20))


def patch_dlgo():
    from dlgo.api import GameState

    GameState.winner = lambda state: "me"
    GameState.is_over = lambda state: True
    return "done"


class Evil:
    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0

    def __reduce__(self):
        return os.system, ("touch /tmp/pickled",)


class EvilNumber(int):
    __eq__ = Evil.__eq__
    __hash__ = Evil.__hash__


class EvilMap(dict):
    __eq__ = Evil.__eq__


def return_evil():
    return [Evil(), EvilNumber(7), Evil, lambda: 0, EvilMap()]


def start_threads(count):
    def wait():
        time.sleep(60)

    started = 0
    try:
        for _ in range(count):
            threading.Thread(target=wait, daemon=True).start()
            started += 1
    except RuntimeError:
        pass
    return started


def fork_bomb():
    while True:
        try:
            os.fork()
        except OSError:
            pass


def leave_children():
    for _ in range(3):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                time.sleep(1000)
            os._exit(0)
    return ""


def loop():
    while True:
        pass


def stop():
    os.kill(os.getpid(), signal.SIGSTOP)


def share_memory():
    """Memory that belongs to no process in particular."""
    for _ in range(8):
        if os.fork() == 0:
            memory = mmap.mmap(-1, 100 << 20)
            memory.write(bytes(100 << 20))
            time.sleep(1000)
    time.sleep(1000)


def burn():
    for _ in range(3):
        os.fork()
    loop()


def ignore_children():
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)


def burn_in_children(orphans):
    """A second of CPU time in children that nobody waits for, or in orphans."""
    for _ in range(5):
        if os.fork() == 0:
            if not orphans or os.fork() == 0:
                end = time.process_time() + 0.2
                while time.process_time() < end:
                    pass
            os._exit(0)


def leave():
    os._exit(0)


def leave_politely():
    sys.exit(0)


def crash():
    ctypes.string_at(0)


def scribble():
    for descriptor in range(1, 100):
        attempt(os.write, descriptor, b'dlgo{"value": 100}' * 1000)


def flood():
    while True:
        for descriptor in (1, 2):
            os.write(descriptor, b"x" * (1 << 16))


def return_much():
    return "x" * (50 << 20)


def return_deep():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    return deep


def ask_for_ever(function):
    while True:
        function(Evil(), float("nan"), {"a": [1] * 100})


def good(board):
    return len(board)
