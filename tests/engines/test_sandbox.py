"""Facts about the sandbox: each attack gets nothing, harms nobody, and is named.

The attacks are in `attacks.py`. Those that return share one process; each of the others ends its
own.
"""

from __future__ import annotations

import os
import platform
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

import dlgo.api
from dlgo import GameState, get_game
from dlgo.jit import shared_cache
from dlgo.records.failures import Failure
from engines.isolation.calls import CallError, Functions
from engines.isolation.plain import Other
from engines.programs import confine, sandbox
from engines.programs.program import ProgramError
from engines.programs.sandbox import Allowance, Sandbox, SandboxError, check_sandbox
from tests.sandboxed import SMALL, left_behind, sandboxed

ROOT = Path(__file__).resolve().parents[2]


pytestmark = sandboxed


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Hand-ins of two students; only the first one is shown to the sandbox."""
    folder = tmp_path_factory.mktemp("class")
    for name in ("mallory", "alice"):
        (folder / name).mkdir()
        (folder / name).chmod(0o777)
        shutil.copy(Path(__file__).with_name("attacks.py"), folder / name / "attacks.py")
    (folder / "grades.csv").write_text("alice,10\nmallory,0\n")
    return folder


@pytest.fixture(scope="module")
def attack(folder: Path) -> Iterator[Functions]:
    os.environ["DLGO_TEST_SECRET"] = "the-secret"
    sandbox = Sandbox([folder / "mallory"], SMALL, shared_cache())
    with Functions(folder / "mallory/attacks.py", sandbox, 60) as functions:
        yield functions
    del os.environ["DLGO_TEST_SECRET"]


def test_it_runs_good_code(attack) -> None:
    assert attack.call("good", [1, 2, 3]) == 3


def test_files_of_others_cannot_be_read(attack, folder) -> None:
    """Other hand-ins, grades, staff's code, home, accounts, the disk, other processes."""
    home = Path.home()
    assert attack.call("read_files", [
        str(folder / "alice/attacks.py"), str(folder / "grades.csv"), str(ROOT / "setup.py"),
        str(ROOT / "experiments/cli/main.py"), str(ROOT / "tests/conftest.py"),
        str(home / ".bashrc"), str(home / ".profile"), "/etc/passwd", "/etc/shadow", "/etc/group",
        "/etc/hosts", "/etc/machine-id", "/var/log/dpkg.log", "/dev/vda", "/dev/mem", "/dev/kmsg",
        f"/proc/{os.getpid()}/environ", "/proc/kcore",
    ]) == ""
    assert "the-secret" not in attack.call("read_files", ["/proc/1/environ"])
    assert attack.call("list_folders", ["/home", "/mnt", "/opt", "/srv", "/var", "/run"]) == ""
    assert "attacks" not in attack.call("list_folders", [str(folder)]).replace("mallory", "")
    assert attack.call("list_folders", [str(folder)]) == "['mallory']"
    assert attack.call("see_processes", "attacks.py") == ""
    assert "the-secret" not in attack.call("environment")


def test_nothing_outside_can_be_written_or_deleted(attack, folder) -> None:
    """The grade, the ledger, the own hand-in, the library, machine code that others will run."""
    code = next(shared_cache().glob("*.code"), None)
    targets = [
        str(folder / "mallory/attacks.py"), str(folder / "mallory/new"),
        str(folder / "alice/attacks.py"), dlgo.api.__file__, str(Path(sandbox.__file__)),
        str(shared_cache() / "new.code"), f"{sys.prefix}/new", sys.executable, "/usr/new", "/new",
        "/dev/new", "/proc/sys/kernel/core_pattern", "/proc/sys/user/max_user_namespaces",
        "/sys/new", *([str(code)] if code else []),
    ]
    assert attack.call("write_files", targets) == ""
    assert attack.call("delete_files", targets) == ""
    # Who is not root owns the folders of the private /tmp, and writes to a file of his own there.
    attack.call("write_files", [str(folder / "grades.csv")])
    assert (folder / "grades.csv").read_text() == "alice,10\nmallory,0\n"
    assert not (folder / "mallory/new").exists()


# Started by somebody who is not root: what it prints, it has read inside.
BY_OTHERS = """
import subprocess, sys
from engines.programs.sandbox import Sandbox
look = "print(*(open(f'/proc/1/{name}').read() for name in ('environ', 'status')))"
subprocess.run(Sandbox().command([sys.executable, "-c", look]), check=True)
"""
SYSTEM_PYTHON = "/usr/bin/python3"


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")
def test_the_first_process_of_who_is_not_root_is_no_way_out() -> None:
    """Code inside has its user: it could read its variables, and write into its memory."""
    packages = os.pathsep.join([str(ROOT), str(Path(psutil.__file__).parents[1])])
    environment = {"PYTHONPATH": packages, "PYTHONDONTWRITEBYTECODE": "1", "PATH": "/usr/bin:/bin"}
    somebody = {"user": 65534, "group": 65534, "cwd": "/", "capture_output": True, "text": True}
    start = "import sys, dlgo.errors, psutil; assert sys.version_info >= (3, 11)"
    try:
        able = subprocess.run([SYSTEM_PYTHON, "-c", start], env=environment, **somebody)
    except OSError as error:
        pytest.skip(f"needs {SYSTEM_PYTHON}: {error}")
    if able.returncode != 0:
        pytest.skip(f"other users cannot run {SYSTEM_PYTHON} 3.11 with this folder")
    done = subprocess.run([SYSTEM_PYTHON, "-c", BY_OTHERS],
                          env=environment | {"DLGO_TEST_SECRET": "the-secret"}, **somebody)
    assert done.returncode == 0, done.stderr
    assert "the-secret" not in done.stdout
    assert "Seccomp:\t2" in done.stdout or platform.machine() not in confine._ARCHITECTURES


def test_there_is_no_network(attack) -> None:
    """TCP and UDP, to this machine and others; DNS; and sockets without a network."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        for address in ("127.0.0.1", "1.1.1.1"):
            for kind in ("SOCK_STREAM", "SOCK_DGRAM", "SOCK_RAW"):
                assert attack.call("network", "AF_INET", kind, (address, port)) == ""
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()
    assert attack.call("network", "AF_INET6", "SOCK_STREAM", ("::1", port)) == ""
    assert attack.call("network", "AF_VSOCK", "SOCK_STREAM", (2, port)) == ""
    assert attack.call("ask_for_a_name", "example.com") == ""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("\0dlgo-test-abstract")
        server.listen()
        assert attack.call("network", "AF_UNIX", "SOCK_STREAM", "\0dlgo-test-abstract") == ""


@pytest.mark.skipif(platform.machine() not in ("x86_64", "aarch64"), reason="no filter for it")
def test_dangerous_system_calls_are_refused(attack) -> None:
    """ptrace, memory files, shared memory, namespaces, mounts, io_uring, keys, BPF."""
    column = confine._ARCHITECTURES[platform.machine()][0]
    numbers = [row[column] for row in confine._FORBIDDEN.values()]
    assert attack.call("call_the_kernel", [(number, 0, 0, 0, 0, 0) for number in numbers]) == ""
    clone = confine._CLONE[column]
    for flag in (0x10000000, 0x20000000, 0x40000000, 0x00020000):  # user, pid, net, mount
        assert attack.call("call_the_kernel", [(clone, flag | 17, 0, 0, 0, 0)]) == ""


@pytest.mark.skipif(platform.machine() not in ("x86_64", "aarch64"), reason="no filter for it")
def test_cpu_time_of_children_that_nobody_waits_for_is_counted(folder) -> None:
    """The kernel forgets it if a process ignores the end of its children, which is refused."""
    path = folder / "mallory/attacks.py"
    with Functions(path, Sandbox([folder / "mallory"], SMALL), 60) as functions:
        with pytest.raises(CallError, match="PermissionError"):
            functions.call("ignore_children")
        for orphans in (False, True):
            spent = functions._host.cpu_seconds() + 0.9
            functions.call("burn_in_children", orphans)
            deadline = time.monotonic() + 60
            while (seconds := functions._host.cpu_seconds()) < spent:
                assert time.monotonic() < deadline, seconds
                time.sleep(0.1)


def test_signals_reach_nobody_outside(attack, folder) -> None:
    """A process of ours, with the number it has for us; the parent; the first process."""
    with subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE) as ours:
        attack.call("signal_others", [ours.pid, os.getpid(), os.getppid(), 1])
        time.sleep(0.1)
        assert ours.poll() is None
        ours.stdin.close()
    assert attack.call("good", [1]) == 1


def test_patching_the_library_patches_nobody_elses(attack) -> None:
    assert attack.call("patch_dlgo", timeout=60) == "done"
    state = GameState.new_game(get_game("tictactoe"))
    assert not state.is_over() and state.winner() is None


def test_disk_memory_and_threads_have_an_end(attack) -> None:
    assert attack.call("fill_the_disk", "/tmp") <= 32
    assert attack.call("fill_the_disk", "/dev/shm") <= 32
    with pytest.raises(CallError, match="File too large|No space left"):
        attack.call("grow_a_file")
    with pytest.raises(CallError, match="MemoryError"):
        attack.call("allocate", 2000)
    assert attack.call("start_threads", 200) < 16


def test_what_comes_back_is_plain(attack) -> None:
    """No pickles, no object whose `==` says yes, no code."""
    answer = attack.call("return_evil")
    assert [type(part) for part in answer] == [Other, int, Other, Other, dict]
    assert (answer[1], answer[4]) == (7, {})
    assert not Path("/tmp/pickled").exists()
    asked: list[object] = []

    def function(*arguments: object) -> int:
        asked.append(arguments)
        return 1

    with pytest.raises(ProgramError, match="did not end in time"):
        attack.call("ask_for_ever", function, timeout=1)
    assert asked and type(asked[0][0]) is Other


# What it does, seconds that it is given, and the failure and the words that name it.
DEADLY = {
    "fork_bomb": (1, Failure.TIMEOUT, "did not end in time"),
    "loop": (0.5, Failure.TIMEOUT, "loop\\(\\) did not end in time"),
    "stop": (0.5, Failure.TIMEOUT, "did not end in time"),
    "share_memory": (120, Failure.OVER_MEMORY, "over memory: .* MB used, 300 MB allowed"),
    "burn": (120, Failure.OVER_CPU, "over CPU time"),
    "leave": (60, Failure.DIED, "ended the whole program .exit code 0"),
    "crash": (60, Failure.DIED, "ended the whole program"),
    "scribble": (60, Failure.NONSENSE, "no answer"),
    "flood": (1, Failure.TIMEOUT, "did not end in time"),
    "return_much": (60, Failure.NONSENSE, "far too long"),
}


@pytest.mark.parametrize("name", [
    pytest.param(name, marks=pytest.mark.slow) if name == "fork_bomb" else name for name in DEADLY
])
def test_what_cannot_be_survived_ends_alone_and_is_named(name, folder) -> None:
    seconds, failure, words = DEADLY[name]
    allowance = Allowance(memory_mb=300, processes=16, cpu_seconds=1 if name == "burn" else 30)
    sandbox = Sandbox([folder / "mallory"], allowance)
    with Functions(folder / "mallory/attacks.py", sandbox, 60) as functions:
        with pytest.raises(ProgramError, match=words) as caught:
            functions.call(name, timeout=seconds)
        assert caught.value.failure is failure
        assert not functions.alive
    assert not left_behind(folder)


def test_children_do_not_outlive_it(folder) -> None:
    with Functions(folder / "mallory/attacks.py", Sandbox([folder / "mallory"]), 60) as functions:
        functions.call("leave_children")
        with pytest.raises(CallError, match="SystemExit"):
            functions.call("leave_politely")
        with pytest.raises(CallError, match="RecursionError"):
            functions.call("return_deep")
        assert left_behind(folder)
    assert not left_behind(folder)


def test_a_hang_at_import_is_named(folder) -> None:
    """Also: what is shown to the sandbox is seen there, and a file that is not is missing."""
    mark = folder / "mallory/attacks.py.hang"
    mark.touch()
    with pytest.raises(ProgramError, match="loading attacks.py did not end in time"):
        Functions(folder / "mallory/attacks.py", Sandbox([folder / "mallory"]), timeout=1)
    mark.unlink()
    with pytest.raises(CallError, match="FileNotFoundError"):
        Functions(folder / "alice/attacks.py", Sandbox([folder / "mallory"]), 60)
    assert not left_behind(folder)


def test_without_bubblewrap_untrusted_code_is_refused(monkeypatch, folder) -> None:
    """In one line that says what to do."""
    check_sandbox.cache_clear()
    monkeypatch.setenv("PATH", str(folder))
    with pytest.raises(SandboxError, match="apt install bubblewrap.*--trust"):
        Functions(folder / "mallory/attacks.py", Sandbox([folder / "mallory"]))
    fake = folder / "bwrap"
    fake.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2; exit 1\n")
    fake.chmod(0o755)
    with pytest.raises(SandboxError, match="No permissions.*max_user_namespaces.*--trust"):
        Functions(folder / "mallory/attacks.py", Sandbox([folder / "mallory"]))
    check_sandbox.cache_clear()


def test_packages_beside_the_installed_library_are_hidden(monkeypatch, tmp_path) -> None:
    """Solutions and staff's bots are in `experiments`, which may be among installed packages."""
    packages = tmp_path / "site-packages"
    for name in ("dlgo", "engines", "experiments"):
        (packages / name).mkdir(parents=True)
        (packages / name / "secret.py").touch()
        (packages / name).chmod(0o755)
    folders = (*sandbox._python_places(), packages)
    monkeypatch.setattr(sandbox, "_PACKAGES", packages)
    monkeypatch.setattr(sandbox, "_python_places", lambda: folders)
    script = (
        f"import os; os.chdir('{packages}'); "
        "print([os.listdir(name) for name in ('dlgo', 'experiments')])"
    )
    done = subprocess.run(
        Sandbox().command([sys.executable, "-S", "-c", script]), capture_output=True, text=True,
        check=False,
    )
    assert done.stdout == "[['secret.py'], []]\n", done.stderr


def test_killing_the_parent_ends_the_sandbox(folder) -> None:
    script = (
        "import sys; from pathlib import Path\n"
        "from engines.isolation.calls import Functions\n"
        "from engines.programs.sandbox import Sandbox\n"
        "path = Path(sys.argv[1])\n"
        "functions = Functions(path, Sandbox([path.parent]), 60)\n"
        "functions.call('leave_children', timeout=60); print('ready', flush=True)\n"
        "functions.call('loop', timeout=1000)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(folder / "mallory/attacks.py")], cwd=ROOT,
        stdout=subprocess.PIPE,
    ) as parent:
        assert parent.stdout.readline() == b"ready\n"
        parent.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 60
    while left_behind(folder) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not left_behind(folder)
