"""A test whose process dies is named, and all others are run once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.command import ROOT

DIES = """
import os, signal
def test_before(): pass
def test_dies(): os.kill(os.getpid(), signal.SIGKILL)
def test_after(): pass
"""
LIVES = """
import pytest
@pytest.mark.parametrize("i", range(5))
def test_lives(i): pass
"""


def test_one_that_dies_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(
        "from tests.conftest import pytest_xdist_make_scheduler  # noqa: F401\n"
    )
    (tmp_path / "test_dies.py").write_text(DIES)
    for number in range(3):
        (tmp_path / f"test_lives{number}.py").write_text(LIVES)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for name in list(environment):
        if name.startswith("PYTEST_"):
            del environment[name]
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile",
               "--rootdir", ".", "."]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True,
                          timeout=300)
    assert done.returncode == 1
    assert "1 failed, 17 passed" in done.stdout, done.stdout[-2000:]
    assert "crashed while running 'test_dies.py::test_dies'" in done.stdout
