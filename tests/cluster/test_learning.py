"""AlphaZero on a cluster of three nodes learns bit by bit what it learns on one machine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from engines.alphazero.config import make_config
from engines.alphazero.run import train
from engines.learning.data.shards import read_shard
from engines.learning.networks.card import read_card
from engines.learning.runs import Progress
from tests.cluster.test_cluster import trouble
from tests.conftest import FULL

pytestmark = pytest.mark.skipif(not FULL, reason="minutes, with Ray: DLGO_FULL=1")
PLAN = make_config("tictactoe", iterations=4, games=48, sims=8, network="resnet:blocks=0,filters=4",
                   workers=6, seed=3, runtime="onnx")


def learned(folder: Path) -> tuple[list[str], list[str]]:
    """The networks of a run, and the games they learned from."""
    networks = [
        read_card(folder / "nets" / f"{number:04d}").network_id
        for number in range(PLAN.iterations + 1)
    ]
    return networks, [read_shard(path).content for path in sorted(folder.glob("games/*.npz"))]


class AfterFirst(Progress):
    """Calls a function after the first iteration, in the main thread."""

    def __init__(self, call: Callable[[], None]) -> None:
        self._call = call

    def line(self, text: str) -> None:
        if text.startswith("iteration 1 "):
            self._call()


def test_the_networks_are_those_of_one_machine_whatever_happens(tmp_path: Path) -> None:
    from experiments.cluster.jobs import ClusterJobs
    from tests.cluster.three_nodes import small_cluster

    train(PLAN, tmp_path / "one")
    said: list[str] = []
    with (
        small_cluster(3) as made,
        ClusterJobs(made.address, said.append, verify_share=0.2, patience=3.0) as jobs,
    ):
        train(PLAN, tmp_path / "many", AfterFirst(lambda: trouble(made)), jobs)
    assert learned(tmp_path / "many") == learned(tmp_path / "one")
    assert any("was lost" in line or "does not answer" in line for line in said), said
    assert not any("do not agree" in line for line in said), said
