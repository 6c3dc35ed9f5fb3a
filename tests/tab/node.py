"""Code of the tab in node."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import experiments

WORKER = Path(experiments.__file__).with_name("tab") / "static/worker"
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="needs node")


def run_script(script: str, text: str = "") -> Any:
    """What a module prints as JSON, after it has read `text` from its standard input."""
    done = subprocess.run(
        ["node", "--input-type=module", "--eval", script], input=text, capture_output=True,
        text=True, encoding="utf-8", timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
