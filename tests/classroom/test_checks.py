"""Values that students return: what counts as equal, and what they are told about the kind."""

from __future__ import annotations

import numpy as np
import pytest

from engines.isolation.plain import Other
from experiments.classroom.checks import HandIn, Wrong, even, same, short

POINTS = {(0, 1), (1, 0)}


@pytest.mark.parametrize("value, wanted", [
    ([[0, 1], [1, 0]], POINTS), (((1, 0), (0, 1)), POINTS), (np.array([[0, 1], [1, 0]]), POINTS),
    ((".b",), [".b"]), (2.0, 2), ([1, 2], np.array([1.0, 2.0], np.float32)), (1 / 3, 0.33333333),
    (([[0, 1]], ["b"]), ({(0, 1)}, {"b"})), (float("inf"), float("inf")),
])
def test_other_styles_are_equal(value, wanted) -> None:
    assert same(value, wanted)


@pytest.mark.parametrize("value, wanted, text", [
    (["0,1"], POINTS, "Return a set of tuples; you returned a list of texts."),
    ({(0, 1): 1}, POINTS, "Return a set of tuples; you returned a dict."),
    (Other("generator: <g>"), POINTS, "<g>. Return a set of tuples; you returned an object."),
    ([(0, 1), (0, 1)], POINTS, "A hint."), ([], POINTS, "A hint."), (None, POINTS, "A hint."),
    ({1}, [1], "Return a list of whole numbers; you returned a set of whole numbers."),
    (1, True, "Return True or False; you returned a whole number."),
    (True, 1.0, "Return a number; you returned True or False."), (3, 2, "A hint."),
    ([["b"]], ["b"], "Return a list of texts; you returned a list of lists."),
    (([1], "b"), ({1}, {"b"}), "Return a tuple of sets; you returned a tuple."),
    (0.3333, 1 / 3, "Do not round numbers."), ([0.67, 1.0], [2 / 3, 1.0], "Do not round numbers."),
    (0.3334, 1 / 3, "A hint."), (10**400, 1.5, "A hint."), ([1.0], [1.5], "A hint."),
    (np.array([1.5]), 1.5, "Return a number; you returned an array of shape (1,)."),
])
def test_a_value_of_another_kind_is_told_the_kind(value, wanted, text) -> None:
    with pytest.raises(Wrong) as wrong:
        HandIn(lambda *_: value).expect("f", 1, equals=wanted, hint="A hint.")
    assert str(wrong.value).endswith(text)


@pytest.mark.parametrize("kinds", [2, 5, 15])
def test_equally_likely_outcomes_are_nearly_never_uneven(kinds) -> None:
    drawn = np.random.default_rng(kinds).multinomial(30 * kinds, [1 / kinds] * kinds, 20_000)
    assert 0 < sum(not even(counts, 1e-3) for counts in drawn) < 60  # about 20
    assert not even([90, *[30] * (kinds - 1)])


def test_feedback_shows_sets_in_order() -> None:
    assert short({(4, 4), (0, 1), (10, 4), (4, 0)}) == "{(0, 1), (4, 0), (4, 4), (10, 4)}"
    assert short({"b", 1}) in ("{'b', 1}", "{1, 'b'}"), "without an order"
    assert short(set()) == "set()" and short(frozenset("a")) == "{'a'}"
