"""What machines have done and cost, in figures and in one line."""

from __future__ import annotations

import json

from experiments.arena.machines import ClusterFacts, MachineFacts

FACTS = ClusterFacts((
    MachineFacts("a:1", "ready", 1200, 31.4, 8, 5400.0, 7200.0),
    MachineFacts("b:2", "silent", 7, 0.25, 0, 1800.0, 3600.0),
), waiting=1500, price=0.04)


def test_a_line_says_all_of_it() -> None:
    assert FACTS.text("games") == (
        "games by machine: a:1 1,200 (31/s), b:2 7 (0.25/s, silent); 1,500 wait; "
        "CPU time 2 h 00 min, of cores 3 h 00 min, which costs 0.12"
    )
    assert (FACTS.cpu_seconds, FACTS.core_seconds) == (7200.0, 10800.0)
    assert "costs" not in ClusterFacts(FACTS.machines, 0).text("games")
    assert ClusterFacts((), 3).text("files").startswith("files by machine: none yet; 3 wait")


def test_facts_come_back_from_json() -> None:
    assert ClusterFacts.from_json(json.loads(json.dumps(FACTS.to_json()))) == FACTS
