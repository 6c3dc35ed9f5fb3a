"""Fuzzing: seeded tries that must end well, whatever they are fed.

A try may succeed or be refused in one line; it must not end in a traceback, in an "internal
error" (status 70), or take ten seconds or two gigabytes, and it must leave alone what was not named
as output.
What is asked for can be a day's work: then Ctrl-C must end it.

`--run-all` makes five times as many tries.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from dlgo.errors import DlgoError
from dlgo.system.processes import run_delay
from experiments.cli.main import main
from tests.conftest import RUN_ALL

if sys.platform == "linux":
    import resource

_SECONDS, _GIGABYTES = 10, 2
# Pieces that parsers trip over: escapes, other scripts, huge and odd numbers, deep nesting.
TOKENS = (
    b"\x00", b"\x1b[2J", b"\xff", b"\xef\xbb\xbf", b"\r\n", b"\n", b"\t", b'"', b"'", b"\\", b"\\]",
    b"[", b"]", b"(", b")", b"{", b"}", b";", b",", b":", b"=", b"-", b"%s", b"nan", b"NaN", b"inf",
    b"-1", b"0", b"1e308", b"1e999", b"99999999999999999999", b"9" * 5000, b"[" * 500, b"(;" * 500,
    b"{" * 500, "ü".encode(), "\u202e".encode(), "٣".encode(), b"true", b"null", b"[]", b"{}",
)


def tries(usual: int) -> range:
    """The numbers of the tries of a target, each of which seeds its generator."""
    return range(usual * (5 if RUN_ALL else 1))


def mutated(data: bytes, rng: np.random.Generator) -> bytes:
    """`data` with one to four faults: bytes changed, parts lost, moved, doubled, or put in."""
    data = bytearray(data)
    for _ in range(int(rng.integers(1, 5))):
        start = int(rng.integers(len(data) + 1))
        end = min(len(data), start + int(rng.integers(1, 40)))
        place = int(rng.integers(len(data) + 1))
        match int(rng.integers(6)):
            case 0 if end > start:
                data[start] ^= 1 << int(rng.integers(8))
            case 1:
                del data[start:end]
            case 2:
                data[place:place] = data[start:end]
            case 3:
                del data[start:]
            case 4:
                data[start:end] = rng.integers(0, 256, end - start, dtype=np.uint8).tobytes()
            case _:
                data[place:place] = TOKENS[int(rng.integers(len(TOKENS)))]
    return bytes(data)


class TookTooLong(BaseException):
    """Ten seconds are over. Nothing that catches exceptions may swallow it."""


@contextlib.contextmanager
def time_limit(seconds: float = _SECONDS) -> Iterator[None]:
    """End the block with `TookTooLong` after `seconds` of CPU time of this process."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(signum: int, frame: object) -> None:
        raise TookTooLong

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    wall_before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 6 * seconds)  # waiting, on a busy machine
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGVTALRM, before)
        signal.signal(signal.SIGALRM, wall_before)


def attempt(what: str, function: Callable[[], Any]) -> Any:
    """Call `function`; it may raise a `DlgoError` of one line and nothing else."""
    try:
        with time_limit():
            return function()
    except DlgoError as error:
        assert "\n" not in str(error), f"{what}: a message of several lines: {error!s:.300}"
        assert str(error), f"{what}: no message"
    except (Exception, TookTooLong) as error:
        raise AssertionError(f"{what}: {type(error).__name__}: {error!s:.300}") from error
    return None


@functools.cache
def _import_all() -> None:
    """Import what commands import late: Ctrl-C would leave half a module in this process."""
    import matplotlib.pyplot  # noqa: F401

    import reports.compare
    import reports.report  # noqa: F401


@contextlib.contextmanager
def _ctrl_c(seconds: float) -> Iterator[None]:
    """Press Ctrl-C if the block takes longer.

    Seconds in which a busy machine had no core for it do not count: on a quiet one, it would never
    have been pressed in the middle of what takes a second.
    """
    began, ended = time.monotonic() - run_delay(), threading.Event()

    def press() -> None:
        while not ended.wait(0.05):
            if time.monotonic() - run_delay() - began >= seconds:
                os.kill(os.getpid(), signal.SIGINT)
                return

    # A shell makes its background jobs deaf to it.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    hand = threading.Thread(target=press)
    hand.start()
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # it may be pressed just now
        ended.set()
        hand.join()
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def _memory_limit(what: str) -> Iterator[None]:
    """Fails if the block takes more than `_GIGABYTES` of memory (Linux). It cannot take the four
    times as much that would make the system end this process, or another."""
    if sys.platform != "linux":
        yield
        return
    process, unit = psutil.Process(), 1 << 30
    before = resource.getrlimit(resource.RLIMIT_AS)
    peak = max(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10, process.memory_info().rss)
    resource.setrlimit(
        resource.RLIMIT_AS, (process.memory_info().vms + 4 * _GIGABYTES * unit, before[1]))
    try:
        yield
    finally:  # also at the command's SystemExit
        resource.setrlimit(resource.RLIMIT_AS, before)
        more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10) - peak
        assert more < _GIGABYTES * unit, f"{what}: it took {more / unit:.1f} GB"


def command(
    what: str, *arguments: object, folder: Path, outputs: Sequence[Path] = (), stdin: bytes = b"",
    patience: float = 2.0,
) -> int:
    """Run `dlgo` in this process; its exit status. It must end well.

    Args:
        folder: what a user has; nothing there may change but the `outputs`.
        patience: seconds after which Ctrl-C is pressed.
    """
    _import_all()
    typed = tempfile.TemporaryFile()  # a file of the system: commands wait for it  # noqa: SIM115
    typed.write(stdin)
    typed.seek(0)
    streams = [io.TextIOWrapper(file, encoding="utf-8")
               for file in (typed, io.BytesIO(), io.BytesIO())]
    kept = sys.stdin, sys.stdout, sys.stderr, sys.unraisablehook
    status: Any = 0
    with untouched(folder, *outputs):
        sys.stdin, sys.stdout, sys.stderr = streams
        try:
            with time_limit(_SECONDS + 2 * patience), _ctrl_c(patience), _memory_limit(what):
                main([str(argument) for argument in arguments])
        except SystemExit as stop:
            status = stop.code or 0
        except (Exception, KeyboardInterrupt, TookTooLong) as error:
            raise AssertionError(f"{what}: {type(error).__name__}: {error!s:.300}") from error
        finally:
            sys.stdin, sys.stdout, sys.stderr, sys.unraisablehook = kept
            streams[0].close()
            printed = []
            for stream in streams[1:]:
                stream.flush()
                printed.append(stream.buffer.getvalue().decode("utf-8", "replace"))
    shown = f"{what}: status {status}: {printed[1][-300:]}"
    assert status in (0, 1, 2, 130), shown
    assert "Traceback" not in "".join(printed) and "internal error" not in "".join(printed), shown
    if status in (2, 130):
        assert printed[1].splitlines()[-1].startswith("dlgo: "), shown
    assert not any(
        char < " " and char not in "\n\r\t" for text in printed for char in text
    ), f"{what}: control characters: {''.join(printed)[-300:]!r}"
    return int(status)


@contextlib.contextmanager
def untouched(folder: Path, *outputs: Path) -> Iterator[None]:
    """Fails if the block adds, changes or removes a file of the folder that is not an output."""

    def state() -> dict[str, str]:
        return {
            str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(folder.rglob("*"))
            if path.is_file() and not any(path.is_relative_to(output) for output in outputs)
        }

    before = state()
    yield
    assert state() == before
