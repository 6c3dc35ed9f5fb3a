"""The mock engines are known in every test of this folder, and nowhere else."""

from __future__ import annotations

import pytest

from engines import registry
from tests.arena.mocks import register_mocks


@pytest.fixture(autouse=True)
def mocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Register them until the test ends."""
    monkeypatch.setattr(registry.ENGINES, "built_in", dict(registry.ENGINES.built_in))
    register_mocks()
