"""Promises of the test whether A is better than B."""

from __future__ import annotations

from tests.classroom.promises import Call, Promise


def _is(call: Call, name: str) -> bool:
    return call.name == name


PROMISES = [
    Promise("wins at least `wins`", lambda call: _is(call, "chance_of_luck")
            and 0 < call.arguments[0] < call.arguments[1], least=2),
    Promise("wins at least `wins`", lambda call: _is(call, "chance_of_luck")
            and call.arguments[0] > call.arguments[1] > 0, least=2),
    Promise("wins at least `wins`", lambda call: _is(call, "chance_of_luck")
            and call.arguments[0] == call.arguments[1] > 0),
    Promise("wins at least `wins`", lambda call: _is(call, "chance_of_luck")
            and not call.arguments[0], least=2),
    Promise("wins at least `wins`", lambda call: _is(call, "chance_of_luck")
            and not call.arguments[1], least=2),
    Promise("There can be 2,000 games", lambda call: _is(call, "chance_of_luck")
            and sum(call.arguments) == 2000 and call.result > 1e-3),
    Promise("There can be 2,000 games", lambda call: _is(call, "chance_of_luck")
            and sum(call.arguments) == 2000 and call.result < 1e-9),
    Promise("There can be 2,000 games", lambda call: _is(call, "chance_of_luck")
            and 1000 <= sum(call.arguments) < 1100),
    Promise("Whether luck is less likely than `level`", lambda call: _is(call, "is_better")
            and call.result, least=4),
    Promise("Whether luck is less likely than `level`", lambda call: _is(call, "is_better")
            and not call.result, least=4),
    Promise("less likely than `level`", lambda call: _is(call, "is_better")
            and call.arguments in ((1, 0, 0.5), (2, 1, 0.5), (3, 0, 0.125)), least=2),
    *(Promise("Whether luck is less likely than `level`", lambda call, level=level:
              _is(call, "is_better") and call.arguments[2] == level)
      for level in (0.05, 0.01, 0.001)),
    Promise("Whether luck is less likely than `level`", lambda call: _is(call, "is_better")
            and call.arguments[2] > 0.25, least=2),
    Promise("Whether luck is less likely than `level`", lambda call: _is(call, "is_better")
            and call.arguments[0] < call.arguments[1]),
    Promise("None without one", lambda call: _is(call, "wins_needed")
            and call.arguments[0] > 0 and call.result is None, least=2),
    Promise("None without one", lambda call: _is(call, "wins_needed") and not call.arguments[0]),
    Promise("The smallest number of wins in `games` games", lambda call: _is(call, "wins_needed")
            and call.result == call.arguments[0] > 0, least=2),
    Promise("The smallest number of wins in `games` games", lambda call: _is(call, "wins_needed")
            and call.arguments[0] >= 100, least=2),
    Promise("The smallest number of wins in `games` games", lambda call: _is(call, "wins_needed")
            and call.result and call.result <= call.arguments[0] / 2),
    *(Promise("The smallest number of wins in `games` games", lambda call, odd=odd:
              _is(call, "wins_needed") and call.result and call.arguments[0] % 2 == odd, least=3)
      for odd in (0, 1)),
    Promise("that shows A to be better", lambda call: _is(call, "wins_needed")
            and call.arguments[1] not in (0.05, 0.01), least=3),
]


def valid(call: Call) -> None:
    """Numbers of games are not negative, and at most 2,000; a level is a probability."""
    counts = call.arguments[: 1 if call.name == "wins_needed" else 2]
    assert all(type(count) is int and count >= 0 for count in counts) and sum(counts) <= 2000
    if call.name != "chance_of_luck":
        assert 0 < call.arguments[-1] < 1
