"""Correct solutions in other styles earn all points."""

from __future__ import annotations

import pytest

from experiments.classroom.exercise import exercises
from experiments.classroom.mutants import outcomes
from tests.classroom import styles_learning, styles_networks
from tests.classroom.styles import STYLES, restyled

EXERCISES = exercises()
BY_HAND = {**styles_networks.SOLUTIONS, **styles_learning.SOLUTIONS}
# Styles that are wrong: keys do not fit in floats, and a cache chooses the same move again.
REFUSED = {("zobrist", "floats for whole numbers"), ("random_bot", "a cache")}


def lost(name: str, source: str) -> dict[str, str]:
    """The checks that fail, and why."""
    return {title: text for title, text in outcomes(EXERCISES[name], source).items() if text}


@pytest.mark.parametrize("name", EXERCISES)
def test_values_of_other_types_and_other_functions_earn_all_points(name) -> None:
    for style in STYLES:
        source = restyled(EXERCISES[name], style)
        assert bool(lost(name, source)) == ((name, style) in REFUSED), style


@pytest.mark.parametrize("name", BY_HAND)
def test_solutions_in_another_style_earn_all_points(name) -> None:
    assert len(BY_HAND[name]) >= 3, "with the other styles, twelve or more"
    for source in BY_HAND[name]:
        assert lost(name, source) == {}, source
