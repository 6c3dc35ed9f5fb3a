"""Peers at equal CPU time of training: which networks are compared."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.studies.peers import __main__ as peers


def test_a_budget_buys_the_last_network_that_it_pays_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("dlgo/nets/0000", "dlgo/nets/0001", "dlgo/nets/0002", "mctx/12", "general/60"):
        (tmp_path / name).mkdir(parents=True)
    monkeypatch.setattr(peers, "read_card", lambda net: SimpleNamespace(
        total_cpu_seconds=700.0 * int(net.name)))
    texts = [*peers.entrants(tmp_path, ms=47.0, sims=None)]
    assert [text.split("name=")[1].split(",")[0] for text in texts] == [
        "dlgo 3", "dlgo 12", "mctx 12", "general 60"]
    assert "nets/0000" in texts[0] and "nets/0001" in texts[1]
    assert texts[1].endswith("cpu=0.047") and texts[2].endswith("sims=1000")
    assert all(text.endswith("sims=32") for text in peers.entrants(tmp_path, ms=47.0, sims=32))
