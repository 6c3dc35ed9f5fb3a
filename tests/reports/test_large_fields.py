"""A thousand entrants are rated in seconds."""

from __future__ import annotations

import math
import time

import pytest

from dlgo.errors import DlgoError
from reports.ratings import fit_ratings


@pytest.mark.slow
def test_a_long_chain_of_unlinked_players_takes_seconds():
    """Each beat the next one."""
    names = [f"p{i:04}" for i in range(1000)]
    start = time.process_time()
    table = fit_ratings(names[:-1], names[1:], [1.0] * 999)
    assert time.process_time() - start < 60
    assert [rating.entrant for rating in table.ratings] == names
    step = 400 * math.log10(3)  # half a loss in two games, as for one win alone
    assert table.difference("p0000", "p0001").value == pytest.approx(step, abs=1e-3)


def test_too_many_entrants_are_refused():
    names = [str(i) for i in range(4002)]
    with pytest.raises(DlgoError, match="4,002 entrants of one game; at most 4,000"):
        fit_ratings(names[:2001], names[2001:], [1.0] * 2001)
