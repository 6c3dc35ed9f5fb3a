"""A run that is trained once for all tests of the loop."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.alphazero.short_run import PLAN, train


@pytest.fixture(scope="package")
def whole(tmp_path_factory) -> Path:
    """An unbroken run."""
    folder = tmp_path_factory.mktemp("az") / "run"
    train(PLAN, folder)
    return folder
