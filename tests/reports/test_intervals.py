"""Intervals beside values from tables of statistics."""

from __future__ import annotations

import pytest

from reports.intervals import mean_margin


def test_the_margin_of_a_mean_is_that_of_students_t() -> None:
    # 3.182 is the 97.5% quantile of t with three degrees of freedom; 0.6455 the standard error.
    assert mean_margin([1, 2, 3, 4]) == pytest.approx(3.182 * 0.6455, abs=1e-3)
