"""Learners on a cluster of three nodes learn bit by bit what they learn on one machine.

Unless AlphaZero plays ahead of the learner: then each game is the one that its network plays.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest

from dlgo import get_game
from engines.alphago import value_games
from engines.alphago.bundle import find_bundle
from engines.alphazero.config import make_config
from engines.alphazero.run import network_folder, train
from engines.alphazero.workers import Job
from engines.jobs import Inline
from engines.learning.data import Dataset
from engines.learning.data.shards import read_shard
from engines.learning.networks.card import read_card
from engines.learning.runs import Progress
from engines.ppo.trainer import PPOConfig, PPOLearner
from tests.cluster.test_cluster import trouble
from tests.conftest import FULL

pytestmark = pytest.mark.skipif(not FULL, reason="minutes, with Ray: DLGO_FULL=1")
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


def test_the_networks_are_those_of_one_machine_whatever_happens(tmp_path: Path) -> None:
    from experiments.cluster.jobs import ClusterJobs
    from tests.cluster.three_nodes import small_cluster

    train(PLAN, tmp_path / "one")
    said: list[str] = []
    with (
        small_cluster(3) as made,
        ClusterJobs(made.address, said.append, verify_share=0.2) as jobs,
    ):
        train(PLAN, tmp_path / "many", AfterFirst(lambda: trouble(made)), jobs)
    assert learned(tmp_path / "many") == learned(tmp_path / "one")
    assert not any("do not agree" in line for line in said), said


def test_a_learner_without_search_learns_what_it_learns_on_one_machine(tmp_path: Path) -> None:
    from engines.learning.reinforcement.learner import train as train_without_search
    from experiments.cluster.jobs import ClusterJobs
    from tests.cluster.three_nodes import small_cluster

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
    assert not any("do not agree" in line for line in said), said


def test_value_games_are_those_of_one_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from experiments.cluster.jobs import ClusterJobs
    from tests.cluster.three_nodes import small_cluster

    monkeypatch.setattr(value_games, "SHARD_GAMES", 50)
    bundle = find_bundle("tictactoe-alphago", get_game("tictactoe"))
    parts = get_game("tictactoe"), bundle.network("supervised"), bundle.network("reinforced"), 400
    with (
        small_cluster(2) as made,
        ClusterJobs(made.address, lambda line: None, verify_share=0.2) as jobs,
    ):
        digests = [
            Dataset.open(value_games.make_value_games(tmp_path / name, *parts, jobs=who)).digest
            for name, who in (("one", None), ("many", jobs))
        ]
    assert digests[0] == digests[1]


def test_games_played_ahead_are_those_of_their_networks_whatever_happens(tmp_path: Path) -> None:
    """And none is missing, and none by a network older than allowed."""
    from experiments.cluster.jobs import ClusterJobs
    from tests.cluster.three_nodes import small_cluster

    config, said = dataclasses.replace(PLAN, ahead=1), []
    with (
        small_cluster(3) as made,
        ClusterJobs(made.address, said.append, price=0.1) as jobs,
    ):
        train(config, tmp_path, AfterFirst(lambda: trouble(made)), jobs)
    paths = sorted(tmp_path.glob("games/*.npz"))
    assert len(paths) == PLAN.iterations * PLAN.workers
    for number, path in enumerate(paths):
        shard = read_shard(path)
        (player,) = map(int, shard.provenance["stats"]["networks"])
        before, worker = divmod(number, PLAN.workers)
        assert before - 1 <= player <= before
        job = Job(config, before + 1, worker, network_folder(tmp_path, player), player, tmp_path)
        (again,) = Inline().run([job.portion])
        assert again.value.digest == shard.content
    assert said[-1].startswith("games by machine: ") and ", which costs " in said[-1], said
