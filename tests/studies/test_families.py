"""Families at equal CPU time: the laws give what is put into them, and a plan is run in stages."""

from __future__ import annotations

import math
import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dlgo.errors import SpecError
from experiments.studies import laws, measured
from experiments.studies.families import Part, of_families, published
from experiments.studies.laws import lead, less_training
from experiments.studies.plans import Claim, plan_file, read_plan
from tests.command import assert_one_line, run_module, run_module_here

STUDY = "experiments.studies.families"
TINY = """
[parts.hex3]
game = "hex:size=3"
budgets = [1, 2]
moves = [1]
pairs = 1
positions = 2
teacher = "mcts:sims=20"
share = 0.2

[parts.hex3.players]
mcts = "mcts"
ppo = "alphazero:model={}"
supervised = "alphazero:model={}"

[parts.hex3.learners.ppo]
network = "mlp:hidden=8,activation=relu"
games = 64
games_at_once = 64
test_games = 2

[parts.hex3.learners.supervised]
network = "mlp:hidden=8,activation=relu"
value_head = true

[[claims]]
text = "PPO learns as well from a fifth of the training."
law = "less_training"
part = "hex3/1"
family = "ppo"
other = "supervised"
seconds = 2
low = 5.0
"""


def curves(**ratings: list[float]) -> pd.DataFrame:
    """Families with these ratings after trainings of 120, 600 and 3,600 seconds."""
    return pd.DataFrame([
        {"family": family, "seconds": seconds, "seed": 1, "cpu_seconds": float(seconds),
         "rating": rating}
        for family, own in ratings.items()
        for seconds, rating in zip((120, 600, 3600) if len(own) > 1 else (0,), own, strict=False)
    ]).set_index(["family", "seconds"])


def test_cheaper_is_who_reaches_the_strength_of_the_other_earlier() -> None:
    """Between budgets, Elo is a line in the logarithm of the cost."""
    table = curves(mcts=[0], quick=[0, 100, 200], slow=[-100, 0, 100], last=[-300, -200, -150])
    assert less_training(table, "quick", "slow", 3600) == pytest.approx(6)
    assert less_training(table, "slow", "quick", 3600) == pytest.approx(1 / 6)
    assert less_training(table, "quick", "last", 3600) == pytest.approx(30), "not extrapolated"
    half = curves(quick=[0, 100, 200], slow=[-100, 0, 50])
    assert less_training(half, "quick", "slow", 3600) == pytest.approx(3600 / (120 * 600) ** 0.5)
    worse = curves(quick=[0, 100, 90], slow=[-100, 0, 100])
    assert less_training(worse, "quick", "slow", 3600) == pytest.approx(6), "the best counts"
    worse = curves(quick=[100, 0, 50], slow=[-100, 0, 100])
    assert less_training(worse, "quick", "slow", 3600) == pytest.approx(30), "so does an early one"
    assert less_training(table, "quick", "slow", 600) == pytest.approx(5)
    assert lead(table, "quick", "slow", 600) == lead(table, "slow", "mcts", 3600) == 100
    unfinished = table.query("seconds < 3600")
    assert math.isnan(less_training(unfinished, "quick", "slow", 3600))
    hour = table.query("seconds in (0, 3600)")
    assert math.isnan(less_training(hour, "quick", "slow", 3600)), "one budget makes no curve"
    assert math.isnan(lead(unfinished, "quick", "mcts", 3600)), "not that of ten minutes"


def test_seeds_are_averaged_and_all_of_them_are_paid_for() -> None:
    players = curves(mcts=[10], quick=[0, 100, 200]).reset_index().assign(sims=1, level=1)
    players = players.assign(positions=50, mistakes=[1, 2, 3, 4])
    other = players[1:].assign(seed=2, rating=[20, 140, 260], cpu_seconds=[100, 500, 3000])
    table = of_families(pd.concat([players, other]))
    assert table["rating"].tolist() == [0, 0, 110, 220], "above MCTS"
    assert table["cpu_seconds"]["quick", 600] == 550 and table["mistakes"]["quick", 3600] == 8
    assert laws.training(table) == 120 + 600 + 3600 + 100 + 500 + 3000


@pytest.mark.slow
def test_an_interval_holds_the_luck_of_games() -> None:
    table = curves(quick=[0, 100, 200], slow=[-100, 0, 100]).assign(positions=0, mistakes=0)
    claim = Claim("", "less_training", "x", family="quick", other="slow", seconds=3600)
    widths = []
    for error in (5, 20):
        drawn = measured.replicates(table.reset_index(), np.eye(6) * error**2, by="family")
        number = claim.measure({"x": [
            table, *(one.set_index(["family", "seconds"]) for one in drawn)]})
        assert number.low95 < 6 < number.high95
        widths.append(number.high95 - number.low95)
    assert widths[1] > 2 * widths[0] > 0


def test_the_plans_can_be_read_and_mistakes_in_them_are_named(tmp_path: Path) -> None:
    parts, claims = read_plan(plan_file("families"), Part)
    assert {one.part.partition("/")[0] for one in claims} == parts.keys()
    for claim in claims:
        part = parts[claim.part.partition("/")[0]]
        assert {claim.family, claim.other} <= part.players.keys()
        assert claim.seconds in part.budgets and claim.law in laws.LAWS
    assert parts["othello6"].learners["alphazero"]["games"] == 500, "like connect4, like hex7"
    read_plan(plan_file("families", quick=True), Part)
    path = tmp_path / "plan.toml"
    for old, new, message in (
        ("games = 64", "game_s = 64", "did you mean games?"), ("[1, 2]", "[2, 1]", "that rise"),
        ('mcts = "mcts"', 'mcts = "mtcs"', "did you mean mcts?"),
        ("hex3/1", "hex3/5", "is not one of hex3/1"),
        ("less_training", "less", "law='less'"), ("learners.ppo", "learners.pppo", "ppo?"),
        ('other = "supervised"\n', "", "need both"),
    ):
        assert old in TINY
        path.write_text(TINY.replace(old, new, 1), encoding="utf-8")
        with pytest.raises(SpecError, match=re.escape(message)):
            read_plan(path, Part)


@pytest.mark.slow
def test_a_plan_is_run_in_stages_and_nothing_twice(capfd, tmp_path: Path) -> None:
    plan, out = tmp_path / "plan.toml", tmp_path / "out"
    plan.write_text(TINY, encoding="utf-8")
    arguments = ("--plan", plan, "--out", out, "--workers", 1)
    assert_one_line(run_module_here(capfd, STUDY, *arguments, "--budget", 7),
                    "no training has --budget 7; use one of 1, 2")
    first = run_module_here(capfd, STUDY, *arguments, "--budget", 1)
    assert first.returncode == 0, first.stderr
    cells = pd.read_csv(out / "strengths.csv").set_index(["family", "seconds"])
    assert len(cells) == 5, "what was not run has a row"
    assert (cells["rating"].isna() == (cells.index.get_level_values("seconds") == 2)).all()
    assert cells["rating"]["mcts", 0] == 0 and cells["positions"]["ppo", 1] > 0
    assert "not measured" in first.stdout
    shown = published(out).set_index("family")
    assert shown.index.tolist() == ["mcts", "ppo", "supervised"] and shown["1 ms"]["mcts"] == "0"
    assert shown["CPU s"].tolist() == ["", "1", "1"]
    rating, positions = cells.loc[("ppo", 1), ["rating", "positions"]]
    assert shown["1 ms"]["ppo"].startswith(f"{rating:+.0f} (")
    assert shown["mistakes"]["ppo"].endswith(f" of {positions:.0f}")
    trainings = pd.read_csv(out / "hex3/trainings.csv")
    # The first iteration may have to compile, which counts.
    assert trainings["cpu_seconds"].between(0.9, 60)[trainings["seconds"] == 1].all()
    (games,) = (out / "hex3").glob("supervised-1-1-games")
    assert any(games.iterdir())
    second = run_module_here(capfd, STUDY, *arguments)
    assert second.returncode == 0, second.stderr
    assert pd.read_csv(out / "hex3/trainings.csv")[:3].equals(trainings)
    assert "6 found, 14 played" in second.stderr and "ppo-1-1" not in second.stdout
    fits = run_module_here(capfd, STUDY, *arguments, "--fits")
    assert fits.stdout and second.stdout.endswith(fits.stdout)
    assert (out / "hex3.png").stat().st_size > 10_000
    played = pd.read_csv(out / "hex3/games.csv")
    assert len(played) <= 20 and set(played["first"]) == set(range(5))


@pytest.mark.long
def test_the_quick_edition_takes_less_than_two_minutes_of_two_cores(tmp_path: Path) -> None:
    before = os.times()
    done = run_module(STUDY, "--quick", "--out", tmp_path / "out")
    after = os.times()
    assert done.returncode == 0, done.stderr
    assert sum(after[2:4]) - sum(before[2:4]) < 240
    cells = pd.read_csv(tmp_path / "out-quick/strengths.csv")
    assert cells["rating"].notna().all()
