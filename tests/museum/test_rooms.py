"""Rooms and prices: what a visitor gets, and what is measured."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from engines.registry import build_engine
from experiments.museum import __main__ as museum
from experiments.museum import prices
from experiments.museum.planting import FaultError, faults, get_fault

TINY = prices.Sizes(pairs=1, cpu=0.002, sims=4, seeds=2, train=0.2, batches=1, seed_pairs=1)


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


def test_every_fault_is_in_the_list(tmp_path: Path) -> None:
    assert museum.table().count("\n") == 2 + len(faults())
    assert set(museum.cards().index) == set(faults())
    done = CliRunner().invoke(museum.main, ["--out", str(tmp_path)])
    assert all(name in done.output for name in faults()) and (tmp_path / "prices.png").exists()


@pytest.mark.parametrize("name", [
    "child-chooses", "gumbel-most-visited", "opponent-unseen", "always-first",
])
def test_each_kind_of_fault_has_a_price(name: str) -> None:
    row, measured = prices.price_of(get_fault(name), TINY)
    assert row["low"] <= row["price"] <= row["high"] and row["games"] >= 2
    assert 0 <= row["shown"] <= 1
    assert [len(curve) > 0 for curve in measured.losses] == (
        [True, True] if row["measure"] == "learning" else [])


def test_a_search_that_crashes_has_no_price() -> None:
    crash = "            wins = 1 / 0\n"
    fault = replace(get_fault("unvisited-is-lost"), after=crash)
    with pytest.raises(FaultError, match="ZeroDivisionError"):
        prices.price_of(fault, TINY)


def test_kept_prices_replace_earlier_ones(tmp_path: Path, monkeypatch) -> None:
    for name in ("PRICES", "LOSSES"):
        table, path = pd.read_csv(getattr(prices, name)), tmp_path / f"{name}.csv"
        table[:0].to_csv(path, index=False)
        monkeypatch.setattr(prices, name, path)
    measured = prices.Measured("tictactoe", [0.5], 2, [1.0, 1.0],
                               [pd.Series([1.0, 0.5]), pd.Series([1.0, 0.25])])
    for price in (5, 7):
        prices.save({"fault": "always-first", "price": price}, measured)
    assert pd.read_csv(prices.PRICES)["price"].tolist() == [7]
    assert pd.read_csv(prices.LOSSES)["loss"].tolist() == [1.0, 0.5, 1.0, 0.25]
