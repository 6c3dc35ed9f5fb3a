"""Learners on a cluster of three nodes learn bit by bit what they learn on one machine."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest

from engines.alphazero.config import make_config
from engines.alphazero.train import train
from engines.learning.data.shards import read_shard
from engines.learning.networks.card import read_card
from engines.learning.runs import Progress
from engines.ppo.trainer import PPOConfig, PPOLearner
from experiments.cluster.jobs import ClusterJobs
from tests.cluster.test_cluster import trouble
from tests.cluster.three_nodes import small_cluster

pytestmark = pytest.mark.cluster
PLAN = make_config("tictactoe", iterations=4, games=48, sims=8, network="resnet:blocks=0,filters=4",
                   workers=6, seed=3, runtime="onnx")


WITHOUT_SEARCH = PPOConfig.make(
    "tictactoe", iterations=4, games=96, network="mlp:hidden=16,layers=1", precision="float32",
    portions=8, seed=3, save_every=2, pool_share=0.3,
)


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


@pytest.mark.parametrize("ahead", [False, True])
def test_the_networks_are_those_of_one_machine_whatever_happens(
    ahead: bool, tmp_path: Path
) -> None:
    plan = dataclasses.replace(PLAN, ahead=ahead)
    train(plan, tmp_path / "one")
    said: list[str] = []
    with (
        small_cluster(3) as made,
        ClusterJobs(made.address, said.append, verify_share=0.2) as jobs,
    ):
        train(plan, tmp_path / "many", AfterFirst(lambda: trouble(made)), jobs)
    assert learned(tmp_path / "many") == learned(tmp_path / "one")
    assert not any("disagree (" in line for line in said), said


def test_a_learner_without_search_learns_what_it_learns_on_one_machine(tmp_path: Path) -> None:
    from engines.learning.reinforcement.learner import train as train_without_search

    cards = [train_without_search(PPOLearner, WITHOUT_SEARCH, tmp_path / "one")]
    said: list[str] = []
    with (
        small_cluster(3) as made,
        ClusterJobs(made.address, said.append, verify_share=0.2) as jobs,
    ):
        cards.append(train_without_search(
            PPOLearner, WITHOUT_SEARCH, tmp_path / "many", AfterFirst(lambda: trouble(made)), jobs
        ))
    assert cards[0].network_id == cards[1].network_id
    assert not any("disagree (" in line for line in said), said
