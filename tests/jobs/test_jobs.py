"""Portions of work: done once each, in this process or in others; what fails is one line."""

from __future__ import annotations

import gc
import os
import signal
import time
from collections.abc import Generator
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from dlgo.errors import DataError
from engines.jobs import Amount, Executor, Inline, Processes, Task, WorkerError
from tests.conftest import one_line_error


def square(n: int) -> Generator[Amount, None, int]:
    for _ in range(n):
        yield Amount(1, n)
    return n * n


def read(tag: str, path: Path) -> Generator[Amount, None, str]:
    yield Amount(1)
    return f"{tag}: {path.read_text()}"


def process(_: int) -> Generator[Amount, None, int]:
    yield Amount(1)
    return os.getpid()


def sleep(seconds: float) -> Generator[Amount, None, None]:
    time.sleep(seconds)
    yield Amount(1)


def die(note: Path) -> Generator[Amount, None, None]:
    with note.open("a") as file:
        file.write("+")
    yield Amount(1)
    os._exit(9)


def fail(n: int) -> Generator[Amount, None, None]:
    raise DataError(f"disk {n} is full")
    yield Amount(n)


def bug(n: int) -> Generator[Amount, None, None]:
    yield Amount(n // 0)


def unsendable(n: int) -> Generator[Amount, None, object]:
    yield Amount(n)
    return lambda: None


def tasks(work, numbers) -> list[Task]:
    return [Task(f"{work.__name__} {n}", work, (n,)) for n in numbers]


@pytest.mark.parametrize("make", [Inline, lambda: Processes(2)], ids=["inline", "processes"])
def test_every_portion_is_done_once_and_its_amount_is_told(make, tmp_path: Path) -> None:
    told: list[Amount] = []
    note = tmp_path / "note"
    note.write_text("hello")
    jobs: Executor
    with make() as jobs:
        done = {o.task.key: o.value for o in jobs.run(tasks(square, range(5)), told.append)}
        assert done == {f"square {n}": n * n for n in range(5)}
        assert told[-1] == Amount(0 + 1 + 2 + 3 + 4, 0 + 1 + 4 + 9 + 16)
        assert list(jobs.run([])) == []
        (outcome,) = jobs.run([Task("note", read, ("note",), (note,))])
        assert outcome.value == "note: hello"


def test_processes_stay_for_the_next_portions_and_end_when_closed() -> None:
    with Processes(1) as jobs:
        (one,) = jobs.run(tasks(process, [1]))
        (other,) = jobs.run(tasks(process, [2]))
        assert one.value == other.value != os.getpid()
        os.kill(one.value, 0)
    with pytest.raises(ProcessLookupError):
        os.kill(one.value, 0)


def test_what_fails_is_one_line() -> None:
    with Processes(1) as jobs:
        for work, kind, text in (
            (fail, DataError, "disk 7 is full"), (bug, WorkerError, "ZeroDivisionError"),
            (unsendable, WorkerError, "cannot be sent"),
        ):
            with one_line_error(kind, text):
                list(jobs.run(tasks(work, [7])))


def test_work_that_ends_its_process_is_given_up_after_three(tmp_path: Path) -> None:
    note = tmp_path / "note"
    with Processes(1) as jobs, one_line_error(WorkerError, "die"):
        list(jobs.run([Task("die", die, (note,))]))
    assert note.read_text() == "+++"


def die_once(sign: Path) -> Generator[Amount, None, str]:
    """Killed from outside, the first time."""
    yield Amount(1)
    if not sign.exists():
        sign.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    yield Amount(1)
    return "done"


@pytest.mark.slow
def test_the_work_of_a_killed_process_is_done_again(tmp_path: Path) -> None:
    told: list[Amount] = []
    work = [Task(f"killed {n}", die_once, (tmp_path / f"{n}",)) for n in range(3)]
    with Processes(2) as jobs:
        done = list(jobs.run([*work, *tasks(square, [3])], told.append))
    assert sorted(str(outcome.value) for outcome in done) == ["9", "done", "done", "done"]
    assert told[-1] == Amount(2 * 3 + 3, 9)


def die_in_a_message(sign: Path) -> Generator[Amount, None, str]:
    """Killed in the middle of a message, the first time; a child of it lives on."""
    yield Amount(1)
    if not sign.exists():
        sign.touch()
        if os.fork() == 0:
            time.sleep(600)
        for pipe in gc.get_objects():
            if isinstance(pipe, Connection) and not pipe.closed and pipe.writable:
                os.write(pipe.fileno(), b"\0\0\1\0 of 256 bytes")
        os.kill(os.getpid(), signal.SIGKILL)
    yield Amount(1)
    return "done"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no process has a copy here")
def test_a_child_of_a_killed_process_keeps_nobody_waiting(tmp_path: Path) -> None:
    with Processes(1) as jobs:
        [outcome] = jobs.run([Task("killed", die_in_a_message, (tmp_path / "sign",))])
    assert outcome.value == "done"


def test_work_that_is_given_up_ends_at_once() -> None:
    start = time.monotonic()
    with Processes(2) as jobs:
        outcomes = jobs.run([*tasks(process, [1]), *tasks(sleep, [600.0])])
        pid = next(outcomes).value
        outcomes.close()
    assert time.monotonic() - start < 60
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
