"""A tournament of 2,000 games on three nodes, through fifty kills: tasks, nodes and the driver.

    pytest --run-all tests/cluster/test_kills.py
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from dlgo.records.ledger import Ledger
from experiments.arena.planfile import read_plan
from experiments.arena.tournament import run_tournament
from tests.cluster.test_cluster import ROOT, Said, games_of, nobody_is_left, task_processes
from tests.cluster.three_nodes import freeze, small_cluster

pytestmark = pytest.mark.cluster
KILLS = 50
# 3 matches of 2 x 700 games: 4,200; more than are played before the last kill.
PLAN = """
games = ["connect4"]
engines = ["mcts:sims=3000", "mcts:sims=1000", "random"]
pairs = 700
seed = 7
"""


class Ordeal:
    """A tournament and what happens to it."""

    def __init__(self, cluster: Any, folder: Path, seed: int) -> None:
        self.cluster, self.ledger = cluster, folder / "games.sqlite"
        self.draw = random.Random(seed)
        (folder / "plan.toml").write_text(PLAN)
        self.command = [
            sys.executable, "-m", "experiments.cli", "tournament", str(folder / "plan.toml"),
            "--ledger", str(self.ledger), "--cluster", cluster.address, "--verify-share", "0.02",
        ]
        self.log = (folder / "log").open("w")
        self.driver = self.start()
        self.done: list[str] = []

    def start(self) -> subprocess.Popen:
        return subprocess.Popen(self.command, cwd=ROOT, stderr=self.log, stdout=self.log,
                                start_new_session=True)

    def games(self) -> int:
        with contextlib.suppress(Exception), Ledger(self.ledger, read_only=True) as ledger:
            return len(ledger)
        return 0

    def kill_something(self) -> None:
        """After some more games, or some seconds."""
        before, until = self.games(), time.monotonic() + 40
        while (
            self.games() < before + 5 and time.monotonic() < until and self.driver.poll() is None
        ):
            time.sleep(0.05)
        time.sleep(self.draw.random())
        if self.driver.poll() is not None:
            return
        kind = self.draw.choice(["task"] * 6 + ["node"] * 2 + ["hang", "driver", "driver"])
        self.done.append(kind)
        nodes = list(self.cluster.worker_nodes)
        if kind == "driver":
            self.driver.kill()
            self.driver.wait()
            self.driver = self.start()
        elif kind == "task" and (found := task_processes(self.cluster)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.draw.choice(found), signal.SIGKILL)
        else:
            node = self.draw.choice(nodes)
            if kind == "hang":
                freeze(node)
            self.cluster.add_node(num_cpus=1)
            self.cluster.remove_node(node, allow_graceful=False)


def test_fifty_kills_change_no_game(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(PLAN)
    plan, limits = read_plan(str(tmp_path / "plan.toml"), {})
    run_tournament(plan, tmp_path / "alone.sqlite", workers=1, progress=Said(), limits=limits)
    with small_cluster(3) as made:
        ordeal = Ordeal(made, tmp_path, seed=11)
        while len(ordeal.done) < KILLS and ordeal.driver.poll() is None:
            ordeal.kill_something()
        print(f"{len(ordeal.done)} kills: {sorted(ordeal.done)}; {ordeal.games()} games by then")
        assert ordeal.driver.wait(timeout=900) == 0, Path(ordeal.log.name).read_text()[-2000:]
        nobody_is_left(made)
    assert games_of(ordeal.ledger) == games_of(tmp_path / "alone.sqlite")
    assert len(ordeal.done) == KILLS
