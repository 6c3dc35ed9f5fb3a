"""Packages as they are on the package index: what the auditor finds, and scripts that show it.

A test runs where its package is installed, in the version that was audited. In a file, `reproduce`
shows a finding with nothing but the package: it is true while the fault is there.
"""

from __future__ import annotations

import importlib
from importlib import metadata

import pytest

from experiments.museum.audit import audit
from tests.command import ROOT

# File of peers/ -> package, version, and properties that do not hold.
PEERS = {
    "aima3_alphabeta": ("aima3", "1.0.11", {"double move", "double reply"}),
    "aima3_mcts": ("aima3", "1.0.11", {"double move", "double reply"}),
    "fastmcts_tictactoe": ("fastmcts", "0.3.0", {"win in one", "loss in one", "draw beats loss"}),
    "imparaai_montecarlo": ("imparaai-montecarlo", "1.3.1", {"win in one"}),
    "mcts_1_0_4": ("mcts", "1.0.4", {"loss in one", "two plies", "three plies", "double reply"}),
    "mcts_2_1_0": ("monte-carlo-tree-search", "2.1.0", {"most visited is played"}),
    "mctx_gumbel": ("mctx", "0.0.71", set()),
    "mctx_muzero": ("mctx", "0.0.71", set()),
    "openspiel_alphazero": ("open-spiel", "2.0.2", set()),
}


@pytest.mark.parametrize("name", PEERS)
def test_a_peer_has_these_findings(name: str) -> None:
    package, version, broken = PEERS[name]
    try:
        installed = metadata.version(package)
    except metadata.PackageNotFoundError:
        installed = "none"
    if installed != version:
        pytest.skip(f"needs {package} {version}; installed: {installed}")
    if name == "openspiel_alphazero":
        pytest.importorskip("jax", reason="OpenSpiel's AlphaZero needs JAX")
    report = audit(ROOT / "tests/museum/peers" / f"{name}.py")
    found = {finding.name for finding in report.findings}
    assert found >= broken if broken else not found, report
    if broken:
        assert importlib.import_module(f"tests.museum.peers.{name}").reproduce()
