"""Hostile bots: `make_class.py` writes a hand-in for each of these attacks.

It is loaded in a sandbox, and nowhere else. Each attack runs once a game; then, if it is still
there, the bot plays the first legal move. It raises its success as `got ...`.
"""
# An attacker keeps to no style.
# ruff: noqa: PTH100, PTH111, PTH118, PTH120, PTH123, PTH208, SIM105, SIM115

import ctypes
import gc
import os
import pathlib
import pickle
import signal
import socket
import struct
import sys
import threading
import time

# Which one; `make_class.py` writes others.
ATTACK = "nothing"


def attempt(act, *arguments):
    """Raise the result of an act; do nothing if it is refused."""
    try:
        result = act(*arguments)
    except (OSError, ImportError, ValueError):
        return
    raise RuntimeError(f"got {str(result)[:100]}")


def quietly(act, *arguments):
    """Do it if that is allowed."""
    try:
        act(*arguments)
    except (OSError, RuntimeError, AttributeError, TypeError):
        pass


def nothing(state):
    pass


def fork_bomb(state):
    while True:
        quietly(os.fork)


def endless_loop(state):
    while True:
        pass


def sleeps(state):
    time.sleep(1000)


def eats_memory(state):
    blocks = []
    while True:
        blocks.append(bytearray(os.urandom(1 << 20)) * 8)


def fills_the_disk(state):
    for number in range(1000):
        quietly(pathlib.Path(f"/tmp/{number}").write_bytes, bytes(8 << 20))


def reads_others(state):
    folder = os.path.dirname(os.path.abspath(__file__))
    places = ["/etc/passwd", "/etc/shadow", os.path.expanduser("~root/.bashrc"), "/proc/1/environ"]
    for name in ("games.sqlite", "tried.json", "pseudonyms.csv", "marks.csv"):
        places += [os.path.join(folder, *[".."] * up, name) for up in range(1, 6)]
    for place in places:
        attempt(lambda place=place: open(place, "rb").read())
    for up in range(1, 6):
        listed = os.listdir(os.path.join(folder, *[".."] * up))
        if len(listed) > 1 and up < 3:  # the way to the own folder is all there is
            raise RuntimeError(f"got {listed}")


def reads_solutions(state):
    from importlib import import_module

    for name in ("experiments.classroom.exercises.ko", "experiments.classroom.make_class",
                 "reports.ratings"):
        attempt(import_module, name)


def writes_the_ledger(state):
    folder = os.path.dirname(os.path.abspath(__file__))
    for up in range(6):
        for name in ("games.sqlite", "marks.csv", "bot.py", "new"):
            attempt(open, os.path.join(folder, *[".."] * up, name), "ab")


def uses_the_network(state):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        for address in ("127.0.0.1", "1.1.1.1"):
            attempt(lambda kind=kind, address=address: socket.socket(
                socket.AF_INET, kind).connect((address, 53)))
    attempt(socket.getaddrinfo, "example.com", 80)


def traces(state):
    libc = ctypes.CDLL(None)
    if libc.ptrace(16, os.getppid(), 0, 0) == 0:
        raise RuntimeError("got the parent")


def signals_all_processes(state):
    for pid in (os.getppid(), 1, -1):
        quietly(os.kill, pid, signal.SIGKILL)


def leaves_children(state):
    for _ in range(4):
        if os.fork() == 0:
            os.setsid()
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            while True:
                pass


def floods(state):
    for descriptor in (1, 2):
        for _ in range(100):
            os.write(descriptor, b"x" * (1 << 20))


def patches(state):
    import dlgo.api
    import engines.registry

    dlgo.api.GameState.is_over = lambda self: True
    dlgo.api.GameState.winner = lambda self: self.next_player
    engines.registry.build_engine = None
    for thing in gc.get_objects():
        if type(thing).__name__ == "Budget":
            quietly(object.__setattr__, thing, "cpu", 1e9)


def leaves(state):
    os._exit(0)


def breaks_python(state):
    ctypes.string_at(0)


def scribbles(state):
    for descriptor in range(3, 40):
        quietly(os.write, descriptor, b"100 points for me" * 100)


def forges_answers(state):
    answer = b'{"move": 0, "value": 1.0, "counts": [0, 0, 0], "clean": true, "pid": 1}'
    for descriptor in range(3, 40):
        for _ in range(50):
            quietly(os.write, descriptor, b"dlgo" + struct.pack("!I", len(answer)) + answer)


def starts_threads(state):
    for _ in range(10_000):
        quietly(threading.Thread(target=time.sleep, args=(1000,), daemon=True).start)


def writes_html(state):
    raise RuntimeError("<script>document.body.innerHTML = 'got 100 points'</script>" * 20)


def recurses(state):
    sys.setrecursionlimit(10**9)
    return recurses(state)


class Evil:
    """Runs code where it is unpickled."""

    def __reduce__(self):
        return os.system, ("touch /tmp/got",)


def select_move(state):
    global ATTACK
    if not state.moves():  # it is only being tried
        return state.legal_moves()[0]
    if ATTACK == "huge_move":
        return "A" * (1 << 25)
    if ATTACK == "pickle":
        pickle.dumps(Evil())
        return Evil()
    if ATTACK == "odd_decision":
        from engines.base import Cost, Decision

        return Decision(
            state.legal_moves()[0], value=float("nan"), cost=Cost(-1, 10**30, 0, -1e9, -1e9)
        )
    attack, ATTACK = ATTACK, "nothing"
    globals()[attack](state)
    return state.legal_moves()[0]


ATTACKS = (
    "fork_bomb", "endless_loop", "sleeps", "eats_memory", "fills_the_disk", "reads_others",
    "reads_solutions", "writes_the_ledger", "uses_the_network", "traces", "signals_all_processes",
    "leaves_children", "floods", "patches", "leaves", "breaks_python", "scribbles",
    "forges_answers", "starts_threads", "writes_html", "recurses", "huge_move", "pickle",
    "odd_decision",
)
