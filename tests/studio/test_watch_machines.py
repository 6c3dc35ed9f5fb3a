"""Watch: the machines of a cluster that plays a tournament, and those that have played a ledger."""

from __future__ import annotations

import json
import os

import pytest

from dlgo.records.costs import MoveCost
from dlgo.records.ledger import Ledger
from experiments.arena.machines import ClusterFacts, MachineFacts
from experiments.arena.running import RunningFile, read_running, running_path
from tests.studio.client import Studio
from tests.studio.test_watch import event_of, record

NAME = "<img src=x onerror=document.title='hacked'>:beef"
FACTS = ClusterFacts((
    MachineFacts("host-1:aaaaaa", "ready", 3, 12.4, 5, 100.0, 120.0),
    MachineFacts(NAME, "lost", 1, 0.25, 0, 20.0, 120.0),
), waiting=1234, price=0.36)


@pytest.fixture
def running(studio: Studio):
    """A tournament on a cluster is under way: 3 games of one machine, 2 of another that left."""
    path = studio.folder / "cluster.sqlite"
    cost = MoveCost(ply=1, player=1, cpu=1.5, wall=2.0, nodes=1, simulations=0, evaluations=0,
                    value=None)
    with Ledger(path) as ledger:
        ledger.add(*(
            record(f"game {n}", worker="host-1:aaaaaa" if n < 3 else "gone:cccccc", costs=[cost])
            for n in range(5)
        ))
    file = RunningFile(path)
    file.done, file.planned = 5, 1239
    with file:
        file.update(list, lambda: FACTS)
        yield path
    path.unlink()


def test_a_tournament_says_which_machines_play_it(studio: Studio, running, page) -> None:
    assert read_running(running).cluster == FACTS
    page.go("watch/cluster.sqlite")

    def rows() -> list[list[str]]:
        os.utime(running_path(running))  # it is still going on
        return page.driver.execute_script(
            "return [...document.querySelectorAll('.machines tbody tr')].map((row) => "
            "[...row.children].map((cell) => cell.textContent))"
        )

    wanted = [
        [NAME, "1", "0.25", "0", "20.0 s", "lost"],
        ["gone:cccccc", "2", "–", "–", "3.0 s", "not playing"],
        ["host-1:aaaaaa", "3", "12", "5", "1:40", "ready"],
    ]
    page.until(lambda: rows() == wanted, f"{wanted}, not {rows()}")
    text = page.text(".machines .facts")
    assert "1,234 games wait" in text and "50% of what the cores offered" in text
    assert "It has cost 0.0240, at 0.36 for an hour" in text  # 240 s of cores
    assert not page.driver.find_elements("css selector", "main img")
    assert page.errors() == []


def test_afterwards_the_ledger_says_who_has_played(studio: Studio, running) -> None:
    running_path(running).unlink()
    view = event_of(
        studio, running.name, lambda view: view["standings"] and view["cluster"] is None
    )
    assert view["standings"]["machines"] == [
        {"name": "gone:cccccc", "games": 2, "cpu": 3.0},
        {"name": "host-1:aaaaaa", "games": 3, "cpu": 4.5},
    ]


@pytest.mark.parametrize("change", [
    {"machines": 7}, {"machines": [{"name": 1}]}, {"waiting": "many"}, {"price": float("nan")},
    {"machines": [FACTS.to_json()["machines"][0] | {"rate": float("inf")}]}, {"waiting": 1e999},
])
def test_nonsense_in_the_file_is_no_cluster(running, change: dict) -> None:
    path = running_path(running)
    data = json.loads(path.read_text())
    path.write_text(json.dumps(data | {"cluster": data["cluster"] | change}))
    assert read_running(running) is None
