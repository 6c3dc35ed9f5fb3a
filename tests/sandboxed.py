"""Tests that need a sandbox are skipped where there is none."""

from __future__ import annotations

import pytest

from engines.programs.sandbox import SandboxError, check_sandbox


def _missing() -> str:
    try:
        check_sandbox()
    except SandboxError as error:
        return str(error)
    return ""


sandboxed = pytest.mark.skipif(bool(_missing()), reason=_missing())
