"""Plots of strength: at most eight entrants have a name, and their families differ in colour."""

from __future__ import annotations

import pandas as pd
import pytest

from reports.plots import draw_strength, family_styles, named_entrants


def field(families: int, budgets: int) -> pd.DataFrame:
    """Ratings of families with some budgets each, in two games."""
    return pd.DataFrame([
        {
            "game": game, "entrant": f"engine{family}:sims={sims}", "family": f"engine{family}",
            "budget": f"sims={sims}", "rating": 100.0 * family + sims, "low95": 100.0 * family - 50,
            "high95": 100.0 * family + 90, "mean_cpu_ms": 0.1 * sims * (family + 1), "note": "",
        }
        for game in ("connect4", "draughts") for family in range(families)
        for sims in range(1, budgets + 1)
    ])


@pytest.mark.parametrize(("families", "budgets"), [(12, 3), (3, 12), (1, 20), (2, 2)])
def test_at_most_eight_names_and_no_colour_twice(families: int, budgets: int) -> None:
    ratings = field(families, budgets)
    named = named_entrants(ratings)
    assert len(named) == min(8, families * budgets)
    assert {ratings["entrant"].iloc[0], ratings["entrant"].iloc[-1]} <= {*named}, "both ends"
    styles = family_styles(ratings)
    coloured = {name.partition(":")[0] for name in named}
    assert len({styles[family].colour for family in coloured}) == len(coloured)
    grey = {styles[family].colour for family in {*styles} - coloured}
    assert len(grey) <= 1 and not grey & {styles[family].colour for family in coloured}
    figure = draw_strength(ratings, "a field")
    for axes in figure.axes:
        shown = {text.get_text() for text in axes.texts if text.get_text()}
        assert shown <= {*named} and len(shown) > len(named) / 2, "few have no room"
