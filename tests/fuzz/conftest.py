"""Says how many tries there were, where `DLGO_FUZZ` asks for more than usual."""

from __future__ import annotations

import os

import pytest

from tests.fuzz.harness import counts


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """A line for each target."""
    if os.environ.get("DLGO_FUZZ") and counts:
        terminalreporter.section("tries")
        for target, count in sorted(counts.items()):
            terminalreporter.line(f"{count:>7}  {target}")
        terminalreporter.line(f"{counts.total():>7}  in all")
