"""A machine that turns one result in a hundred is found, and its games are played anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlgo.records.ledger import Ledger
from experiments.arena.inspect_ledger import check_lines, purge_ledger, worker_lines
from experiments.arena.tournament import run_tournament
from experiments.cluster.jobs import ClusterJobs
from tests.cluster import bad_worker
from tests.cluster.test_cluster import LARGE, Said, games_of
from tests.cluster.three_nodes import small_cluster

pytestmark = pytest.mark.cluster


def test_a_planted_bad_machine_is_found_and_purged(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    run_tournament(LARGE, tmp_path / "alone.sqlite", workers=1, progress=Said())
    with small_cluster(2) as made:
        bad = made.add_node(num_cpus=1, env_vars={bad_worker.VARIABLE: "1"})
        with ClusterJobs(made.address, print, verify_share=0.2) as games:
            run_tournament(LARGE, path, setup=bad_worker.SETUP, progress=Said(), backend=games)
        for line in worker_lines(str(path)):
            print(line)
        _, worst, *_, advice = worker_lines(str(path))
        name = worst.split()[0]
        assert name.endswith(f":{bad.node_id[:6]}") and f"{name} differs most" in advice
        turned = [line for line, bad in check_lines(str(path)) if bad]
        print(f"{len(turned)} results turned, by the rules")
        with Ledger(path, read_only=True) as ledger:
            by_slot = {game.slot: game.worker for game in ledger.games()}
        assert turned and {by_slot[line.partition(": ")[0]] for line in turned} == {name}
        print(purge_ledger(str(path), name))
        made.remove_node(bad)
        with ClusterJobs(made.address, print) as games:
            run_tournament(LARGE, path, setup=bad_worker.SETUP, progress=Said(), backend=games)
    assert games_of(path) == games_of(tmp_path / "alone.sqlite")
