"""Rooms and prices: what a visitor gets, and what is measured."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from dlgo.errors import DlgoError
from engines.registry import build_engine
from experiments.docs.tables import table
from experiments.museum import __main__ as museum
from experiments.museum import prices
from experiments.museum.planting import faults, get_fault


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch) -> None:
    """A few games and seconds; prices are kept in a folder of the test."""
    sizes = {"CPU": 0.002, "SIMS": 4, "PAIRS": 1, "SEEDS": 2, "SECONDS": 0.2, "BATCHES": 1}
    for name, size in sizes.items():
        monkeypatch.setattr(prices, name, size)
    for name in ("PRICES", "LOSSES"):
        table, path = pd.read_csv(getattr(prices, name)), tmp_path / f"{name}.csv"
        table[:0].to_csv(path, index=False)
        monkeypatch.setattr(prices, name, path)


def test_a_room_has_the_card_and_both_programs(tmp_path: Path) -> None:
    done = CliRunner().invoke(museum.main, ["no-square-root", "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    room = tmp_path / "no-square-root"
    card = (room / "card.md").read_text()
    assert "-        explore = child.prior * math.sqrt(node.visits)" in card
    assert "**Price.**" in card
    moves = [
        build_engine(f"{room / name}:TextbookPUCT:sims=20", "tictactoe").select_move
        for name in ("no_square_root.py", "right.py")
    ]
    assert all(callable(move) for move in moves)


def test_a_changed_program_stays(tmp_path: Path) -> None:
    command = ["always-first", "--out", str(tmp_path)]
    assert CliRunner().invoke(museum.main, command).exit_code == 0
    assert CliRunner().invoke(museum.main, command).exit_code == 0
    program = tmp_path / "always-first/always_first.py"
    program.write_text("fixed = True\n")
    done = CliRunner().invoke(museum.main, command)
    assert isinstance(done.exception, DlgoError) and str(program) in str(done.exception)
    assert program.read_text() == "fixed = True\n"


@pytest.mark.parametrize("more", [[], ["--measure"]])
def test_an_unknown_name_is_refused_before_anything_is_done(
    more: list[str], tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setattr(museum, "measure", lambda fault: pytest.fail("it measures"))
    command = ["always-first", "nothing", "--out", str(tmp_path), *more]
    done = CliRunner().invoke(museum.main, command)
    assert isinstance(done.exception, DlgoError) and "'nothing'" in str(done.exception)
    assert not list(tmp_path.iterdir())


def test_every_fault_is_in_the_list(tmp_path: Path) -> None:
    assert table("museum").count("\n") == 2 + len(faults())
    assert set(museum.cards().index) == set(faults())
    done = CliRunner().invoke(museum.main, ["--out", str(tmp_path)])
    assert all(name in done.output for name in faults()) and (tmp_path / "prices.png").exists()


@pytest.mark.slow
@pytest.mark.parametrize("name", [
    "child-chooses", "gumbel-most-visited", "opponent-unseen", "always-first",
])
def test_each_kind_of_fault_has_a_price(name: str, tiny: None) -> None:
    row = prices.measure(get_fault(name))
    assert row["low"] <= row["price"] <= row["high"] and row["games"] >= 2
    assert 0 <= row["shown"] <= 1
    losses = set(pd.read_csv(prices.LOSSES)["which"])
    assert losses == ({"fault", "right"} if name == "opponent-unseen" else set())
