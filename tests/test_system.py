"""What depends on the operating system, as far as one system can tell; see tests/platforms, too."""

from __future__ import annotations

import subprocess
import sys
import time
import traceback

import pytest

from dlgo.plugins import path_and_member
from dlgo.system import console, pipes, processes
from dlgo.system.watchdogs import TooSlow, watchdog
from engines.registry import ENGINES


def spin(until: float) -> None:
    while time.process_time() < until:
        pass


@pytest.mark.slow
def test_a_watchdog_interrupts_the_running_line_and_nothing_after_it() -> None:
    with pytest.raises(TooSlow) as caught, watchdog(0.2):
        spin(time.process_time() + 60)
    assert traceback.extract_tb(caught.value.__traceback__)[-1].name == "spin"
    for _ in range(20):  # whatever moment it comes at, it does not come later
        try:
            with watchdog(0.1):
                spin(time.process_time() + 0.1)
        except TooSlow:
            pass
        spin(time.process_time() + 0.02)
    # Sleeping takes no CPU time. Here, other threads of this process may take some.
    subprocess.run([sys.executable, "-c", "import time\n"
                    "from dlgo.system.watchdogs import watchdog\n"
                    "with watchdog(0.1): time.sleep(0.5)"], check=True)


@pytest.mark.parametrize(("line", "words"), [
    (r"C:\gnu\gnugo.exe --mode gtp", [r"C:\gnu\gnugo.exe", "--mode", "gtp"]),
    (r'"C:\Program Files\go\gnugo.exe" --level 3', [r"C:\Program Files\go\gnugo.exe", "--level",
                                                    "3"]),
    ("it's # here", ["it's", "#", "here"]),
])
def test_command_lines_of_windows(
    line: str, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    assert console.split_command_line(line) == words
    assert console.split_command_line(console.command_line(words)) == words


def test_command_lines_of_posix() -> None:
    words = ["/a b/gnugo", "--name", 'a "quoted" one', "back\\slash"]
    assert console.split_command_line(console.command_line(words)) == words


@pytest.mark.parametrize(("spec", "name", "settings"), [
    (r"C:\work\greedy.py", r"C:\work\greedy.py", None),
    (r"C:\work\greedy.py:Greedy", r"C:\work\greedy.py:Greedy", None),
    (r"d:/bots/greedy.py:Greedy:depth=3", "d:/bots/greedy.py:Greedy", "depth=3"),
    ("greedy.py:Greedy:depth=3", "greedy.py:Greedy", "depth=3"),
])
def test_a_drive_is_part_of_a_path(spec: str, name: str, settings: str | None) -> None:
    assert ENGINES.split(spec) == (name, settings)
    path, member = path_and_member(name)
    assert path.endswith("greedy.py") and member in ("", "Greedy")


def test_a_pipe_has_input_when_something_has_come_or_its_writer_is_gone() -> None:
    with subprocess.Popen([sys.executable, "-c", "input(); print('x', flush=True); input()"],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        output = process.stdout.fileno()
        assert not pipes.has_input(output)
        for answer in ("x\n", ""):
            process.stdin.write("go on\n")
            process.stdin.flush()
            until = time.monotonic() + 60
            while not pipes.has_input(output):
                assert time.monotonic() < until
            assert process.stdout.readline() == answer


def test_times_and_memory_of_another_process_are_what_it_says_itself() -> None:
    code = ("import time, sys\ntaken = bytearray(b'x' * (100 << 20))\n"
            "while time.process_time() < 0.5: pass\n"
            "print(time.process_time(), flush=True)\nsys.stdin.read()")
    before = processes.memory(processes.os.getpid())
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as process:
        own = float(process.stdout.readline())
        assert processes.cpu_of_tree(process.pid) == pytest.approx(own, rel=0.05)
        assert processes.memory(process.pid) > 100 << 20 and before > 0
        assert process.pid in processes.descendants(processes.os.getpid())
        processes.end_tree(process.pid)
        assert processes.was_killed(process.wait())
    assert not processes.is_running(process.pid)
    assert processes.cpu_of_tree(process.pid) == 0.0


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the time of what has ended")
def test_the_time_of_ended_children_counts() -> None:
    child = "import time\nwhile time.process_time() < 0.4: pass"
    code = (f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}]); "
            "print(flush=True); sys.stdin.read()")
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        assert processes.cpu_of_tree(process.pid) > 0.4
        process.kill()
