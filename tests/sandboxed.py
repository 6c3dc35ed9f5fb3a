"""What tests of the sandbox share; they are skipped where there is no sandbox."""

from __future__ import annotations

import os
from pathlib import Path

import psutil
import pytest

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
    commands = [
        " ".join(process.info["cmdline"] or ())
        for process in psutil.process_iter(["cmdline", "status"])
        if process.info["status"] != psutil.STATUS_ZOMBIE and process.pid != os.getpid()
    ]
    return [command for command in commands if str(folder) in command]
