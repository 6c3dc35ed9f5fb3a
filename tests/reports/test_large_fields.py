"""Thousands of entrants are rated in seconds, and as a few of them would be."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest

from dlgo.errors import DlgoError
from reports.ratings import fit_ratings
from tests.reports.simulation import simulate


def test_a_long_chain_of_unlinked_players_takes_seconds():
    """Each beat the next one. Cubic time took 22 s for 1,000."""
    names = [f"p{i:04}" for i in range(2000)]
    start = time.process_time()
    table = fit_ratings(names[:-1], names[1:], [1.0] * 1999)
    assert time.process_time() - start < 10
    assert [rating.entrant for rating in table.ratings] == names
    step = 400 * math.log10(3)  # half a loss in two games, as for one win alone
    assert table.difference("p0000", "p0001").value == pytest.approx(step, abs=1e-3)


def test_a_large_field_is_rated_as_a_small_one():
    """Sparse or dense, the same arithmetic: 250 entrants, of whom the first 20 met nobody else."""
    rng = np.random.default_rng(9)
    small = simulate({f"a{i:02}": 10.0 * i for i in range(20)}, 1, 1.2, 0.0, rng)
    names = [f"b{i:03}" for i in range(230)]
    ring = (names * 2, [*names[1:], names[0]] * 2, [1.0] * 230 + [0.0] * 230)
    alone = fit_ratings(*small, first_move=False)
    together = fit_ratings(
        *(one + two for one, two in zip(small, ring, strict=True)), first_move=False
    )
    assert together["a19"].group == 2
    for entrant in ("a00", "a07", "a19"):
        gap, wanted = (table.difference(entrant, "a10") for table in (together, alone))
        assert (gap.value, gap.low95) == pytest.approx((wanted.value, wanted.low95), abs=1e-6)


def test_too_many_entrants_are_refused():
    names = [str(i) for i in range(4002)]
    with pytest.raises(DlgoError, match="4,002 entrants of one game; at most 4,000"):
        fit_ratings(names[:2001], names[2001:], [1.0] * 2001)
