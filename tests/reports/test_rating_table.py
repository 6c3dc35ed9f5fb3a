"""Anchors, differences and the likelihood of superiority."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dlgo.errors import DlgoError
from reports.differences import elo_of_score
from reports.rating_table import RatingTable
from reports.ratings import fit_ratings
from tests.reports.simulation import simulate


@pytest.fixture(scope="module")
def table() -> RatingTable:
    rng = np.random.default_rng(21)
    return fit_ratings(*simulate({"a": 200, "b": 50, "c": 0, "d": -250}, 10, 1.3, 0.4, rng))


def test_an_anchor_moves_all_and_changes_no_distance(table):
    moved = table.anchored("c", 1500)
    assert moved["c"].value == moved["c"].low95 == moved["c"].high95 == 1500
    for name in "abd":
        assert moved[name].value - 1500 == pytest.approx(table.difference(name, "c").value)
        assert moved[name].high95 - 1500 == pytest.approx(table.difference(name, "c").high95)
        lead, before = moved.difference(name, "c"), table.difference(name, "c")
        assert (lead.value, lead.high95) == pytest.approx((before.value, before.high95))
    assert np.allclose(moved.superiority(), table.superiority(), equal_nan=True)
    assert moved["a"].model - 1500 == pytest.approx(table["a"].model - table["c"].model)
    again = moved.anchored("a", 0)
    assert again["c"].value == pytest.approx(-table.difference("a", "c").value)


def test_an_anchor_leaves_other_groups_alone():
    table = fit_ratings(["a", "b", "a", "x", "y"], ["b", "a", "b", "y", "x"], [1, 1, 0, 1, 1])
    moved = table.anchored("b", 700)
    assert moved["b"].value == 700
    assert moved["x"] == table["x"]
    assert any("Only group 1 is anchored" in remark for remark in moved.remarks)


def test_an_unknown_anchor_is_named(table):
    with pytest.raises(DlgoError, match="anchor z is not among the entrants; there are a, b, c"):
        table.anchored("z")


def test_superiority_is_the_one_sided_test_of_the_difference():
    # Two entrants, no draws: the log-odds of 30:20 have the standard error sqrt(1/30 + 1/20).
    table = fit_ratings(["a"] * 50, ["b"] * 50, [1] * 30 + [0] * 20, first_move=False)
    z = math.log(30 / 20) / math.sqrt(1 / 30 + 1 / 20)
    chance = table.superiority()
    assert chance[0, 1] == pytest.approx(0.5 * math.erfc(-z / math.sqrt(2)), abs=1e-9)
    assert chance[0, 1] + chance[1, 0] == pytest.approx(1)
    assert math.isnan(chance[0, 0])


def test_superiority_says_nothing_across_groups():
    table = fit_ratings(["a", "b", "x", "y"], ["b", "a", "y", "x"], [1, 1, 1, 1])
    names = [rating.entrant for rating in table.ratings]
    chance = table.superiority()
    assert math.isnan(chance[names.index("a"), names.index("x")])
    assert chance[names.index("a"), names.index("b")] == pytest.approx(0.5)


def test_the_scale_beside_that_of_other_programs():
    """40 wins, 40 draws, 20 losses: 70.4 by the score. docs/ratings.md has other programs."""
    table = fit_ratings(
        ["a", "b"] * 50, ["b", "a"] * 50,
        [1, 0] * 20 + [0.5, 0.5] * 20 + [0, 1] * 10, first_move=False,
    )
    nu = 40 / math.sqrt(40 * 20)
    assert table.draw.value == pytest.approx(nu, abs=1e-6)
    assert table["a"].model - table["b"].model == pytest.approx(400 * math.log10(2), abs=1e-4)
    lead = table.difference("a", "b").value
    assert lead == pytest.approx(2 / (2 + nu) * 400 * math.log10(2), abs=1e-4)
    assert lead == pytest.approx(elo_of_score(0.6), abs=0.11)


def test_75_75_and_90_percent_are_191_and_382():
    """Odds of 3 : 1, 3 : 1 and 9 : 1 fit together, so a sound fit gives +191, 0 and -191.

    Programs that rate by the average opponent give 180 (K. Laskos, "EloStat, Bayeselo and
    Ordo", talkchess.com, 2012).
    """
    matches = (("a", "b", 30, 10), ("b", "c", 30, 10), ("a", "c", 36, 4))
    first, second, result = [], [], []
    for entrant, opponent, won, lost in matches:
        first += [entrant] * won + [opponent] * lost
        second += [opponent] * won + [entrant] * lost
        result += [1] * (won + lost)
    table = fit_ratings(first, second, result, first_move=False)
    elo = 400 * math.log10(3)
    assert [table[name].value for name in "abc"] == pytest.approx([elo, 0, -elo], abs=1e-6)
