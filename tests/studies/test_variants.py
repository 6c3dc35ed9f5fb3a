"""Variants of learners: which runs are made, and what the table may call better."""

from __future__ import annotations

import dataclasses

import pandas as pd
import pytest

from dlgo import SpecError
from experiments.studies.rated import Point
from experiments.studies.variants import BASE, USUAL, configs_of, summary, within


@pytest.mark.parametrize("learner", USUAL)
def test_variants_differ_from_the_base_in_what_they_name(learner: str) -> None:
    """Every variant of the default table is a setting that the base does not have already."""
    configs = configs_of(learner, "connect4", 5, ["games=40"], USUAL[learner], 2)
    assert list(configs) == [BASE, *USUAL[learner]]
    for first, second in configs.values():
        assert (first.seed, second.seed, first.decay, first.games) == (1, 2, 1.0, 40)
        assert dataclasses.replace(first, seed=2) == second
    for common, variants, words in (
        ([], ["iterations=5"], "is the same as 'base'"),
        ([], ["seed=2"], "variant 'seed=2': .* take --seeds"),
        (["seed=2"], [], "--set seed: .* take --seeds"),
        (["iterations=2"], [], "named by --iterations"),
    ):
        with pytest.raises(SpecError, match=words):
            configs_of(learner, "connect4", 5, common, variants, 1)


def test_a_variant_has_its_settings_and_the_others_of_the_base() -> None:
    configs = configs_of(
        "alphazero", "connect4", 5, ["games=40", "sims=20"],
        ["ahead=1", "search=gumbel sims=8 iterations=9"])
    base, ahead, gumbel = (runs[0] for runs in configs.values())
    assert (base.games, base.iterations, base.selfplay.sims) == (40, 5, 20)
    assert dataclasses.replace(ahead, ahead=0) == base != ahead
    assert gumbel.selfplay == dataclasses.replace(base.selfplay, search="gumbel", sims=8)
    assert gumbel.iterations == 9


def test_networks_of_equal_cost_are_compared() -> None:
    points = [Point(k, 1, cost, 0, "") for k, cost in enumerate((0.0, 3.0, 5.0, 9.0))]
    assert [within(points, limit).iteration for limit in (0, 4.9, 5, 8, 99)] == [0, 1, 2, 2, 3]


def frame(**ratings: list[float]) -> pd.DataFrame:
    return pd.DataFrame([
        {"variant": label, "rating": rating, "cpu_seconds": 10.0}
        for label, values in ratings.items() for rating in values
    ])


def test_only_what_is_beyond_luck_is_called_better_or_worse() -> None:
    table = summary(frame(
        base=[100, 110, 90], far=[300, 310, 290], below=[-50, -40, -60], near=[60, 160, 110],
    )).set_index("variant")
    assert table["verdict"].to_dict() == {
        "base": "", "far": "better", "below": "worse", "near": "not different from luck"}
    # Welch: means 200 apart, both with variance 100, so 4 degrees of freedom and t = 2.776.
    far = table.loc["far"]
    half = 2.776 * (100 / 3 + 100 / 3) ** 0.5
    assert far["difference"] == 200
    assert (far["low95"], far["high95"]) == pytest.approx((200 - half, 200 + half), abs=0.1)


def test_one_run_of_each_tells_nothing() -> None:
    table = summary(frame(base=[100], other=[900])).set_index("variant")
    assert table.loc["other", "verdict"] == "not different from luck"
