"""The chapters' experiments: what the pages show is kept, shows the effect, and is found again.

The kept results are those of full runs (`--save`). Each fact below is what a page says of them.
The scripts themselves run with `--quick`, in the slow suite.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pandas as pd
import pytest

from experiments.chapters.experiment import Experiment, experiment, script
from tests.command import ROOT, run_module

SCRIPTS = [path.stem for path in sorted((ROOT / "experiments/chapters").glob("ch??.py"))
           if "@experiment(" in path.read_text()]
EXPERIMENTS = {f"{name}.{one.name}": one for name in SCRIPTS
               for one in vars(import_module(f"experiments.chapters.{name}")).values()
               if isinstance(one, Experiment)}


def above(reference: float) -> Callable[[pd.DataFrame], bool]:
    """Every interval lies above the reference."""
    return lambda table: bool((table["low"] > reference).all())


def falls(factor: float) -> Callable[[pd.DataFrame], bool]:
    """The first value is more than `factor` times the last one."""
    return lambda table: bool(table["value"].iloc[0] > factor * table["value"].iloc[-1])


def apart(table: pd.DataFrame, low: str, *high: str) -> bool:
    """The last interval of one label lies below those of other labels."""
    last = table.groupby("label").last()
    return bool((last["high"][low] < last["low"][list(high)]).all())


def overlap(one: pd.Series, other: pd.Series) -> bool:
    """The intervals of two rows meet."""
    return bool(one["low"] <= other["high"] and other["low"] <= one["high"])


# What each page says of its experiments' results.
FACTS: dict[str, Callable[[pd.DataFrame], bool]] = {
    "ch02.moves": lambda table: table["value"].iloc[0] == 362 > 300 > table["high"].iloc[-1],
    "ch02.counting": above(90),
    "ch02.komi": lambda table: table["low"].iloc[0] > 50 > table["high"].iloc[-1],
    "ch03.boards": lambda table: all(
        table["value"].iloc[after] > factor * table["value"].iloc[after - 1]
        for after, factor in enumerate((5, 1, 10, 20), start=1)),
    "ch03.eyes": lambda table: table["high"].iloc[0] < 10 < 95 < table["low"].iloc[1],
    "ch03.bots": lambda table: list(table["low"] > 50) == [True, False, True],
    "ch05.gradients": lambda table: list(table["value"] > 1e-5) == [False, True, True],
    "ch05.mistakes": lambda table: overlap(table.iloc[0], table.iloc[2])
    and table["high"].iloc[1] < table["low"].iloc[0] - 30,
    "ch05.reading": lambda table: table.groupby("epoch")["low"].min().loc[30] > 93
    and table["high"].iloc[0] < 20 < 80 < table["low"].iloc[7],
    "ch05.changes": lambda table: table["high"].iloc[0] < table["low"].iloc[2]
    and table["high"].iloc[2] < table["low"].iloc[1] and overlap(table.iloc[1], table.iloc[3]),
    "ch05.scales": lambda table: list(table["low"] > 80) == [
        False, True, True, False, False, True, False, False]
    and table["high"].iloc[1] < table["low"].iloc[2]
    and table["high"].iloc[6] < table["low"].iloc[5],
    "ch05.go": lambda table: table["high"].iloc[0] + 20 < table["low"].iloc[-2]
    and table["high"].iloc[-2] + 5 < table["low"].iloc[-1],
    "ch06.losses": lambda table: table["high"].iloc[4] < table["low"].iloc[2]
    and table["high"].iloc[2] < table["low"].iloc[1] and overlap(table.iloc[1], table.iloc[3]),
    "ch06.library": lambda table: overlap(
        table.iloc[0], EXPERIMENTS["ch06.losses"].results.iloc[3]),
    "ch06.layers": lambda table: overlap(table.iloc[0], table.iloc[1])
    and table["high"].iloc[0] < table["low"].iloc[2] < table["high"].iloc[2] < table["low"].iloc[3],
    "ch06.playing": lambda table: table["high"].iloc[1] < table["low"].iloc[7],
    "ch04.rules": lambda table: list(table["low"] > 50) == [True] * 4 + [False],
    "ch04.cuts": falls(100),
    "ch04.growth": lambda table: len(table) == 11,
    "ch04.depth": above(50),
    "ch04.values": falls(2),
    "ch04.simulations": above(50),
    "ch04.exploration": above(50),
    "ch04.compiled": lambda table: bool(
        (table["value"].iloc[1::2].array > 100 * table["value"].iloc[::2].array).all()),
    "ch07.leak": lambda table: apart(table, "other games: winner", "other positions: winner")
    and apart(table, "other games: move", "known games: move"),
    "ch07.detected": lambda table: table["high"].iloc[0] < 20 < 95 < table["low"].iloc[-1],
    "ch07.memory": lambda table: apart(table, "other games", "games it learns from"),
    "ch07.steps": lambda table: apart(
        table, "SGD, rate 0.01", "SGD, rate 0.1", "momentum, rate 0.01", "Adam, rate 0.002")
    and apart(table, "momentum, rate 0.1", "momentum, rate 0.01")
    and apart(table, "SGD, decay 0.01, rate 0.1", "SGD, rate 0.1"),
    "ch07.scaling": lambda table: apart(table, "3,172 positions", "12,690 positions")
    and apart(table, "12,690 positions", "12,690 and mirrored", "50,763 positions"),
    "ch08.one_look": above(50),
    "ch08.resigning": lambda table: apart(
        table, "below 10%, 3 in a row", "below 30%, 3 in a row", "below 30%, 1 in a row")
    and apart(table, "below 30%, 3 in a row", "below 30%, 1 in a row"),
    "ch08.elo": lambda table: above(0)(table) and not apart(
        table, "400 against 100 simulations", "sum of the first two"),
    "ch09.variety": lambda table: list(table["value"]) == [1, 1000],
    "ch09.entropy": lambda table: bool((table["high"] < 99).all() and table["low"].iloc[0] > 90
                                       and table["high"].iloc[1:].max() < 70),
    "ch09.progress": above(50),
    "ch09.match_length": lambda table: list(table["low"] > 50) == [False] * 4 + [True] * 5,
    "ch09.power": lambda table: len(table) == 21 and table["value"].iloc[[1, 8, 15]].max() < 50,
    "ch10.one_game": lambda table: table["low"].iloc[0] > 50 > 25 > table["high"].iloc[2],
    "ch10.choices": lambda table: bool((table.query("games == 2000 and choice == 5")["low"]
                                        > 0.95).all()),
    "ch10.one_batch": lambda table: list(table.groupby("label")["value"].max() > 100)
    == [False, True],
    "ch10.losses": lambda table: list(table["low"] > 70) == [True] * 3 + [False, True, True, False],
    "ch11.curiosity": lambda table: apart(table, "always 50%", "always 10%", "never"),
    "ch11.coverage": lambda table: apart(table, "never", "always 10%")
    and apart(table, "always 10%", "always 50%", "50% falling to 10%"),
    "ch11.unseen": lambda table: apart(table, "positions never met", "before learning"),
    "ch11.targets": lambda table: apart(
        table, "best Q of the next position", "result of the game"),
    "ch11.first_move": lambda table: table["low"].iloc[0] > 0.1 > 0.01 > table["high"].iloc[1],
    "ch12.advantages": lambda table: table["high"].iloc[-1] < 0.2 < 0.5 < table["low"].iloc[0],
    "ch12.surprises": lambda table: table["high"].iloc[0] < 20 < 30 < table["low"].iloc[1],
    "ch12.blame": lambda table: table["high"].iloc[:3].max() < table["low"].iloc[3:].min(),
    "ch12.methods": lambda table: apart(table, "PPO (has both)", "entropy", "critic and entropy")
    and apart(table, "entropy", "REINFORCE", "critic"),
    "ch12.steps": lambda table: apart(table, "4 steps", "1 step")
    and apart(table, "20 steps", "4 steps", "4 steps, not clipped")
    and apart(table, "4 steps", "20 steps, not clipped"),
    "ch13.leaves": lambda table: apart(
        table, "gain of half and half, 1 rollout", "gain of half and half, 32 rollouts")
    and above(0)(table[table["label"] == "gain of half and half, 32 rollouts"]),
    "ch13.parts": lambda table: list(table["low"] > 50) == [
        True, True, False, True, True, False],
    "ch14.learning": lambda table: table["high"].iloc[3:].max() == 0 < table["low"].iloc[:3].min(),
    "ch14.without": lambda table: apart(
        table, "whole program", *{*table["label"]} - {"whole program"}),
    "ch14.noise": lambda table: apart(
        table, "80 simulations, without noise", "20 simulations, with noise"),
    "ch14.search": above(50),
}


def test_every_experiment_has_a_fact_and_a_question() -> None:
    assert set(FACTS) == set(EXPERIMENTS)
    assert all(one.question for one in EXPERIMENTS.values())


@pytest.mark.parametrize("name", FACTS)
def test_the_kept_results_show_what_the_page_says(name: str) -> None:
    table = EXPERIMENTS[name].results
    assert FACTS[name](table), table
    if "low" in table:
        assert (table["low"].dropna() <= table["value"][table["low"].notna()]).all()
        assert (table["value"][table["high"].notna()] <= table["high"].dropna()).all()


@pytest.mark.long
@pytest.mark.parametrize("script", SCRIPTS)
def test_a_quick_run_asks_measures_draws_and_answers(
    script: str, tmp_path: Path
) -> None:
    done = run_module(f"experiments.chapters.{script}", "--quick", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    figures = re.findall(r"^figure: (.*\.png)$", done.stdout, re.MULTILINE)
    mine = [one for name, one in EXPERIMENTS.items() if name.startswith(script)]
    assert len(figures) == len(mine)
    assert all((tmp_path / figure).stat().st_size > 5000 for figure in figures)
    for one in mine:
        assert f"\n{one.name}: {one.question[:40]}" in done.stdout


def test_nothing_is_measured_if_the_figures_have_no_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(sys, "argv", ["ch99", "--out", str(tmp_path / "file/figures")])
    with pytest.raises(SystemExit) as ended:
        script("", experiment(quick={}, full={})(lambda: pytest.fail("it measures")))
    assert ended.value.code == 2
    assert "file/figures: Not a directory" in capsys.readouterr().err


def test_nothing_is_measured_if_packages_are_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def measure() -> None:
        pytest.fail("it measures")

    first, second = experiment(quick={}, full={})(measure), experiment(quick={}, full={})(measure)
    second.needs("train", "no_such_module")
    monkeypatch.setattr(sys, "argv", ["ch99", "--out", str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        script("", first, second)
    assert ended.value.code == 2
    assert 'no_such_module); run pip install "dlgo-suite[train]"' in capsys.readouterr().err


@pytest.mark.parametrize(("chapter", "module", "extra"), [
    ("ch05", "sklearn", "course"), ("ch06", "keras", "train"),
])
def test_a_chapter_says_at_once_what_it_needs(
    chapter: str, module: str, extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(sys.modules, module, None)  # it is not installed
    monkeypatch.setattr(sys, "argv", [chapter, "--quick", "--out", str(tmp_path)])
    with pytest.raises(SystemExit):
        script("", *(one for name, one in EXPERIMENTS.items() if name.startswith(chapter)))
    printed = capsys.readouterr()
    assert f'run pip install "dlgo-suite[{extra}]"' in printed.err and not printed.out
