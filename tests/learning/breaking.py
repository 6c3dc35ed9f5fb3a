"""How tests break runs of training off, by kill -9 with `--run-all`, and what they compare."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from engines.learning.runs import Progress, Status
from engines.learning.runs.records import read_history
from tests.command import ROOT
from tests.conftest import RUN_ALL

# A variable of a process that ends by kill -9.
_KILL = "DLGO_TEST_KILL"


class Killed(BaseException):
    """Stands for the end of the process: nothing after it is done."""


class BreakOff(Progress):
    """Ends a run in the first step of a phase of an iteration."""

    def __init__(self, iteration: int, phase: str) -> None:
        self._place = iteration, phase

    def status(self, status: Status) -> None:
        if (status.iteration, status.phase) == self._place:
            if os.environ.get(_KILL):
                os.kill(os.getpid(), signal.SIGKILL)
            raise Killed


def broken_off(module: str, call: str, iteration: int, phase: str) -> None:
    """Train until a run is broken off.

    Args:
        call: Python with the names of the module, and `progress` for the run.
        iteration, phase: where it is broken off.
    """
    if not RUN_ALL:
        names = {"Path": Path, "progress": BreakOff(iteration, phase)}
        with pytest.raises(Killed):
            eval(call, vars(sys.modules[module]) | names)
        return
    code = (f"from pathlib import Path; from {module} import *; from {__name__} import BreakOff; "
            f"progress = BreakOff({iteration}, {phase!r}); {call}")
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), _KILL: "yes"},
    )
    assert ended.returncode == -signal.SIGKILL


def measured(folder: Path) -> list[dict[str, float]]:
    """The rows of a run's history, but for times."""
    return [
        {name: value for name, value in row.items() if "second" not in name and "share" not in name}
        for row in read_history(folder, ())
    ]
