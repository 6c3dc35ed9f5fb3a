"""Commands and scripts of the project, run by tests in a process of their own or in this one."""

from __future__ import annotations

import io
import os
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

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


def run_module_here(
    capture: pytest.CaptureFixture[str], module: str, *arguments: object,
    stdin: str | None = None, cwd: Path | None = None,
) -> Done:
    """Run `python -m module` in this process: Numba and Keras are imported once for many tests.

    Args:
        capture: the test's `capsys`, or its `capfd` where children print.
        module, arguments: as for `run_module`.
        stdin: what it reads; by default what this process reads.
        cwd: the folder that it runs in; by default that of this process.
    """
    texts = list(map(str, arguments))
    capture.readouterr()  # forget what was printed before
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as status:
        patch.setattr(sys, "argv", [module, *texts])
        if stdin is not None:
            patch.setattr(sys, "stdin", io.StringIO(stdin))
        if cwd is not None:
            patch.chdir(cwd)
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    return subprocess.CompletedProcess(texts, int(status.value.code or 0), *capture.readouterr())


def dlgo_here(
    capture: pytest.CaptureFixture[str], *arguments: object, **more: Any
) -> Done:
    """Run `dlgo` in this process; `more` as for `run_module_here`."""
    return run_module_here(capture, "experiments.cli", *arguments, **more)


def assert_one_line(done: Done, part: str, status: int = 2) -> None:
    """The command refused with `status`, in one line on standard error that holds `part`."""
    assert done.returncode == status, done.stderr
    assert part in done.stderr
    assert done.stderr.startswith("dlgo: ") and done.stderr.count("\n") == 1, done.stderr
    assert "Traceback" not in done.stdout
