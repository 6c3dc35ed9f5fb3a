"""What tests of the sandbox share; they are skipped where there is no sandbox."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dlgo.system import processes
from engines.programs.sandbox import Allowance, SandboxError, check_sandbox


def _missing() -> str:
    try:
        check_sandbox()
    except SandboxError as error:
        return str(error)
    return ""


sandboxed = pytest.mark.skipif(bool(_missing()), reason=_missing())

SMALL = Allowance(memory_mb=300, processes=16, cpu_seconds=30)


def left_behind(folder: Path) -> list[str]:
    """Command lines of living processes that have to do with the folder."""
    rows = [row for row in processes._processes() if row[3] != "Z" and row[0] != os.getpid()]
    commands = []
    for pid, *_ in rows:
        try:
            command = Path(f"/proc/{pid}/cmdline").read_bytes().decode()
        except OSError:
            continue
        if str(folder) in command:
            commands.append(command)
    return commands
