"""Who is best for the cost."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from reports.davidson import Observations
from reports.frontier import frontier_frame
from reports.rating_table import Rating, RatingTable, bounds

# Family, CPU ms a move, Elo. The slow family pays three times as much for each Elo.
ENTRANTS = {
    "quick:1": ("quick", 1.0, 0.0), "quick:10": ("quick", 10.0, 200.0),
    "quick:100": ("quick", 100.0, 300.0),
    "slow:3": ("slow", 3.0, 0.0), "slow:30": ("slow", 30.0, 200.0),
    "slow:300": ("slow", 300.0, 300.0),
    "poor": ("poor", 50.0, -400.0),
}


def rated(
    entrants: dict[str, tuple[str, float, float]], error: float, apart: tuple[str, ...] = ()
) -> tuple[pd.DataFrame, dict[str, RatingTable]]:
    """Ratings whose errors are equal and independent; `apart` never met the others."""
    rows = sorted(entrants.items(), key=lambda item: -item[1][2])
    table = RatingTable(
        tuple(
            Rating(*bounds(elo, error), entrant=name, group=1 + (name in apart))
            for name, (_, _, elo) in rows
        ),
        np.eye(len(rows)) * error**2, None, None, 0.0, 0,
        Observations(len(rows), *np.zeros((6, 0)), with_first_move=False, with_draws=False),
    )
    frame = pd.DataFrame([
        {"game": "g", "entrant": name, "family": family, "mean_cpu_ms": cost, "rating": elo}
        for name, (family, cost, elo) in rows
    ])
    return frame, {"g": table}


def test_nobody_stronger_is_as_cheap() -> None:
    frontier = frontier_frame(*rated(ENTRANTS, 1.0)).set_index("entrant")
    assert list(frontier.index[frontier["best"]]) == ["quick:1", "quick:10", "quick:100"]
    assert list(frontier["cost_ms"]) == sorted(frontier["cost_ms"])
    poor = frontier.loc["poor"]
    assert (poor["leader"], poor["behind"], poor["chance"]) == ("quick:10", 600, 0)
    assert poor["behind_high95"] - 600 == pytest.approx(1.96 * np.sqrt(2), abs=0.01)


def test_chances_are_those_of_the_normal_distribution() -> None:
    """The dearer of two is best with the likelihood that it is stronger; the cheaper one always."""
    frame, tables = rated({"a": ("a", 1.0, 10.0), "b": ("b", 2.0, 0.0)}, 20.0)
    frontier = frontier_frame(frame, tables).set_index("entrant")
    assert frontier.loc["a", "chance"] == 1
    above = tables["g"].superiority()[1, 0]
    assert 0.3 < above < 0.4
    assert frontier.loc["b", "chance"] == pytest.approx(above, abs=0.02)


def test_of_equal_costs_exactly_one_is_best() -> None:
    same = {name: ("f", 5.0, elo) for name, elo in (("a", 0.0), ("b", 5.0), ("c", -20.0))}
    frontier = frontier_frame(*rated(same, 30.0))
    assert frontier["chance"].sum() == pytest.approx(1)
    assert list(frontier["leader"]) == ["b"] * 3 and frontier["best"].sum() == 1


def test_who_never_met_is_not_compared() -> None:
    frame, tables = rated(ENTRANTS, 1.0, apart=("quick:10",))
    frontier = frontier_frame(frame, tables).set_index("entrant")
    assert "quick:10" not in frontier.index
    assert frontier.loc["poor", "leader"] == "slow:30"


def test_without_costs_there_is_no_frontier() -> None:
    frame, tables = rated(ENTRANTS, 1.0)
    frame["mean_cpu_ms"] = np.nan
    assert frontier_frame(frame, tables).empty
