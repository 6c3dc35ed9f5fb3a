"""Commands and scripts of the project, run by tests in a process of their own or in this one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from experiments.cli.main import main

ROOT = Path(__file__).resolve().parents[1]

Done = subprocess.CompletedProcess[str]


def run_module(
    module: str, *arguments: object, stdin: str = "", timeout: float = 300, cwd: Path = ROOT,
    **environment: str,
) -> Done:
    """Run `python -m module` to its end.

    Args:
        module: its dotted name.
        arguments: of its command line; each becomes text.
        stdin: what it reads.
        timeout: seconds after which the test fails.
        cwd: the folder that it runs in.
        environment: variables added to this process's.
    """
    return subprocess.run(
        [sys.executable, "-m", module, *map(str, arguments)], cwd=cwd, input=stdin,
        capture_output=True, text=True, timeout=timeout, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
    )


def dlgo(*arguments: object, **more: Any) -> Done:
    """Run `dlgo` in a process of its own; `more` as for `run_module`."""
    return run_module("experiments.cli", *arguments, **more)


def dlgo_here(capsys: pytest.CaptureFixture[str], *arguments: object) -> Done:
    """Run `dlgo` in this process, which is quicker."""
    with pytest.raises(SystemExit) as status:
        main([str(argument) for argument in arguments])
    return subprocess.CompletedProcess(arguments, int(status.value.code or 0), *capsys.readouterr())


def assert_one_line(done: Done, part: str, status: int = 2) -> None:
    """The command refused with `status`, in one line on standard error that holds `part`."""
    assert done.returncode == status, done.stderr
    assert part in done.stderr
    assert done.stderr.startswith("dlgo: ") and done.stderr.count("\n") == 1, done.stderr
    assert "Traceback" not in done.stdout
