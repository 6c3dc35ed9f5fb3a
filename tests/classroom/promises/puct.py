"""Promises of PUCT."""

from __future__ import annotations

from tests.classroom.promises import Call, Promise


def _choose(call: Call, moves: int = 1) -> bool:
    return call.name == "choose" and len(call.arguments[0]) >= moves


def _is_first_of_equal(call: Call) -> bool:
    """Whether a later move has the same total, visits and prior as the one that is chosen."""
    rows = list(zip(*call.arguments[:3], strict=True))
    return rows[call.result] in rows[call.result + 1:]


def _unvisited(call: Call) -> bool:
    return 0 in call.arguments[1] and any(call.arguments[1])


def _by_mean(call: Call, sign: int) -> bool:
    """Whether sums of values mislead, with one sign of q."""
    totals, visits, priors, *_ = call.arguments
    return (all(visits) and len(set(priors)) == 1 and totals[call.result] * sign > 0
            and (totals[call.result] < max(totals) or sign < 0))


PROMISES = [
    Promise("q + c * prior * sqrt(visits of the position) / (1 + visits of the move)",
            lambda call: call.name == "puct_score" and call.arguments[2] == 0, least=3),
    Promise("q + c * prior * sqrt(visits of the position) / (1 + visits of the move)",
            lambda call: call.name == "puct_score" and call.arguments[2] > 0, least=3),
    Promise("q + c * prior * sqrt(visits of the position) / (1 + visits of the move)",
            lambda call: call.name == "puct_score" and call.arguments[3] > 100_000),
    Promise("q + c * prior * sqrt(visits of the position) / (1 + visits of the move)",
            lambda call: call.name == "puct_score" and call.arguments[0] < 0, least=3),
    Promise("q + c * prior * sqrt(visits of the position) / (1 + visits of the move)",
            lambda call: call.name == "puct_score" and call.arguments[4] > 1, least=3),
    Promise("q + c * prior * sqrt(visits of the position) / (1 + visits of the move)",
            lambda call: call.name == "puct_score" and call.arguments[4] < 1, least=2),
    # A random choice of two or more equal moves is right in fewer than 1 of 2 ** 30 gradings.
    Promise("the first one if several are equal",
            lambda call: _choose(call) and _is_first_of_equal(call), least=30),
    Promise("the first one if several are equal",
            lambda call: _choose(call) and _is_first_of_equal(call) and call.result, least=8),
    Promise("the first one if several are equal", lambda call: _choose(call)
            and _is_first_of_equal(call) and call.arguments[1][call.result], least=8),
    Promise("the first one if several are equal", lambda call: _choose(call)
            and _is_first_of_equal(call) and not call.arguments[1][call.result], least=4),
    Promise("q is the mean value of the move", lambda call: _choose(call) and _by_mean(call, 1)),
    Promise("q is the mean value of the move", lambda call: _choose(call) and _by_mean(call, -1)),
    Promise("those of the position are their sum plus 1",
            lambda call: _choose(call) and not any(call.arguments[1])),
    Promise("those of the position are their sum plus 1",
            lambda call: _choose(call, moves=2) and sum(call.arguments[1]) > 4, least=8),
    Promise("The q of a move without visits is this value minus `reduction`",
            lambda call: _choose(call) and _unvisited(call) and call.arguments[3] > 0, least=4),
    Promise("The q of a move without visits is this value minus `reduction`",
            lambda call: _choose(call) and _unvisited(call) and call.arguments[3] < 0, least=4),
    Promise("The q of a move without visits is this value minus `reduction`",
            lambda call: _choose(call) and _unvisited(call) and call.arguments[4] == 0, least=4),
    Promise("The q of a move without visits is this value minus `reduction`",
            lambda call: _choose(call) and _unvisited(call) and call.arguments[4] > 0.1, least=4),
    Promise("The number of the move with the largest score", lambda call: _choose(call)
            and not call.arguments[2][call.result]),
    Promise("and may be below -1", lambda call: _choose(call, moves=2)
            and 0 in call.arguments[1] and call.arguments[3] - call.arguments[4] < -1, least=2),
    # No visits and a sum of 0 are not the same.
    Promise("The q of a move without visits", lambda call: _choose(call) and any(
        visits and not total for total, visits in zip(*call.arguments[:2], strict=True))),
    Promise("The number of the move", lambda call: call.name == "choose"
            and len(call.arguments[0]) == 1),
    Promise("The number of the move", lambda call: _choose(call, moves=80), least=2),
    Promise("The number of the move", lambda call: _choose(call, moves=3)
            and 0 < call.result < len(call.arguments[0]) - 1, least=4),
]


def valid(call: Call) -> None:
    """Values are from -1 to 1, priors are probabilities; a position has one visit of its own."""
    if call.name == "puct_score":
        q, prior, visits, parent_visits, c = call.arguments
        assert -1 <= q <= 1 and 0 <= prior <= 1 and 0 <= visits < parent_visits and c > 0
        return
    totals, visits, priors, parent_value, reduction, c = call.arguments
    assert len(totals) == len(visits) == len(priors) > 0
    assert all(abs(total) <= count + 1e-9 for total, count in zip(totals, visits, strict=True))
    assert min(priors) >= 0 and abs(sum(priors) - 1) < 1e-9
    assert -1 <= parent_value <= 1 and reduction >= 0 and c > 0
