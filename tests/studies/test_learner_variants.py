"""Variants of learners: which runs are made, and what the table may call better."""

from __future__ import annotations

import dataclasses

import pandas as pd
import pytest

from dlgo import SpecError
from experiments.studies.equal_cost import BASE, summary
from experiments.studies.learner_variants import _PITFALLS, configs_of


@pytest.mark.parametrize("learner", _PITFALLS)
def test_variants_differ_from_the_base_in_what_they_name(learner: str) -> None:
    """Every pitfall of the default table is a setting that the base does not have already."""
    configs = configs_of(learner, "connect4", 5, ["games=40"], _PITFALLS[learner], 2)
    assert list(configs) == [BASE, *_PITFALLS[learner]]
    for runs in configs.values():
        first, second = runs
        assert (first.seed, second.seed, first.decay, first.games) == (1, 2, 1.0, 40)
        assert dataclasses.replace(first, seed=2) == second
    with pytest.raises(SpecError, match="is the same as 'base'"):
        configs_of(learner, "connect4", 5, [], ["iterations=5"], 1)


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
