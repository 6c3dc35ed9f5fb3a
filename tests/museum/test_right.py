"""No false alarm: right searches of many makers, with other constants, rules and ties."""

from __future__ import annotations

import pytest

from experiments.museum.audit import audit
from tests.command import ROOT
from tests.conftest import RUN_ALL

# Players by their moves are in test_real_games.py.
RIGHT = sorted(path.stem for path in (ROOT / "tests/museum/right").glob("[a-z]*.py")
               if "GAME" not in path.read_text())
SOME = ("compiled_puct", "negamax_puct", "openspiel")


@pytest.mark.slow
@pytest.mark.parametrize("name", RIGHT if RUN_ALL else SOME)
def test_a_right_search_has_no_findings(name: str) -> None:
    if name.startswith("openspiel"):
        pytest.importorskip("pyspiel")
    report = audit(ROOT / "tests/museum/right" / f"{name}.py")
    assert not report.findings, report
    assert len(report.examined) >= 16
