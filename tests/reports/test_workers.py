"""A machine that turns results is found, by residuals and by games played twice, and purged."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dlgo.errors import LedgerError
from dlgo.records.ledger import Check, GameRecord, Ledger
from experiments.arena.inspect_ledger import purge_ledger
from reports.workers import worker_facts, worker_lines
from tests.conftest import one_line_error

# Chances that the first mover wins or draws, for three pairings.
PAIRINGS = {("a", "b"): (0.97, 0.02), ("b", "a"): (0.05, 0.03), ("a", "c"): (0.5, 0.1)}


def make_ledger(path: Path, turned: float, count: int = 6000, twice: float = 0.05) -> None:
    """Games of three machines; the first of them turns a share of its results."""
    draw = np.random.default_rng(1)
    names = ["bad:1", "good:2", "good:3"]
    pairings = list(PAIRINGS)
    with Ledger(path) as ledger:
        records = []
        for number in range(count):
            first, second = pairings[number % 3]
            win, even = PAIRINGS[first, second]
            chance = draw.random()
            right = 1.0 if chance < win else 0.5 if chance < win + even else 0.0
            worker = names[int(draw.integers(3))]
            wrong = worker == "bad:1" and draw.random() < turned
            records.append(GameRecord(
                f"game|{first}|{second}|{number}", "game", first, second, number, "", 1,
                1.0 - right if wrong else right, "r", "", "s", "f", "m, 2 cores", "v",
                worker=worker,
            ))
            if draw.random() < twice:
                order = [worker, *draw.permutation([n for n in names if n != worker]).tolist()]
                lies = {"bad:1": wrong or draw.random() < turned}
                for one, other in [(0, 1), (0, 2), (1, 2)]:
                    pair = order[one], order[other]
                    differ = lies.get(pair[0], False) != lies.get(pair[1], False)
                    differ = differ and right != 0.5
                    ledger.add_check(Check(
                        records[-1].slot, *pair, "result" if differ else None
                    ))
                    if (one, other) == (0, 1) and not differ:
                        break
        ledger.add(*records)


def test_a_machine_that_turns_few_results_is_found(tmp_path: Path) -> None:
    make_ledger(tmp_path / "l", turned=0.03, twice=0.0)
    facts = worker_facts(tmp_path / "l")
    assert facts[0].name == "bad:1" and facts[0].odd
    assert abs(facts[0].turned - 0.03) < 2 * facts[0].turned_error
    *_, advice = worker_lines(tmp_path / "l")
    assert advice.startswith("bad:1 is odd")
    make_ledger(tmp_path / "double", turned=0.01, twice=0.2)
    assert worker_facts(tmp_path / "double")[0].differ >= 3
    *_, advice = worker_lines(tmp_path / "double")
    assert advice.startswith("bad:1 is odd")


def test_good_machines_are_not_accused(tmp_path: Path) -> None:
    make_ledger(tmp_path / "l", turned=0.0)
    assert not any(fact.odd for fact in worker_facts(tmp_path / "l"))
    assert not list(worker_lines(tmp_path / "l"))[-1].startswith("bad")


def test_a_purged_machine_leaves_the_games_of_the_others(tmp_path: Path) -> None:
    make_ledger(tmp_path / "l", turned=0.01, count=300)
    with Ledger(tmp_path / "l") as ledger:
        before = [game for game in ledger.games() if game.worker != "bad:1"]
        total = len(ledger)
    assert purge_ledger(str(tmp_path / "l"), "bad:1").startswith(f"{total - len(before)} games")
    with Ledger(tmp_path / "l") as ledger:
        assert list(ledger.games()) == before
        assert not any("bad:1" in (check.worker, check.other) for check in ledger.checks())
    with one_line_error(LedgerError, "good:2, good:3"):
        purge_ledger(str(tmp_path / "l"), "bad:1")
