"""Promises of Elo's formulas."""

from __future__ import annotations

import math

from tests.classroom.promises import Call, Promise


def _ahead(call: Call) -> float:
    """How many points a player is ahead; 0 for other functions."""
    rating, opponent = call.arguments if call.name == "expected_score" else (0, 0)
    return rating - opponent


def _match(call: Call, least: tuple[int, int, int] = (0, 0, 0),
           most: tuple[float, float, float] = (math.inf,) * 3) -> bool:
    """Whether wins, draws and losses are within bounds."""
    return call.name == "difference" and all(
        low <= count <= high for low, count, high in zip(least, call.arguments, most, strict=True))


def _rated(call: Call, games: int = 1) -> bool:
    return call.name == "updated" and len(call.arguments[1]) >= games


PROMISES = [
    Promise("d is the player's rating minus the opponent's", lambda call: 0 < _ahead(call) < 400),
    Promise("d is the player's rating minus the opponent's", lambda call: _ahead(call) > 800),
    Promise("d is the player's rating minus the opponent's", lambda call: -400 < _ahead(call) < 0),
    Promise("d is the player's rating minus the opponent's", lambda call: _ahead(call) < -800),
    Promise("d is the player's rating minus the opponent's", lambda call: _ahead(call) % 1 != 0),
    Promise("d is the player's rating minus the opponent's", lambda call:
            call.name == "expected_score" and not _ahead(call)),
    Promise("positive: the first is stronger", lambda call:
            _match(call) and 0 < call.result < math.inf, least=4),
    Promise("positive: the first is stronger", lambda call:
            _match(call) and 0 > call.result > -math.inf, least=4),
    Promise("positive: the first is stronger", lambda call: _match(call) and not call.result),
    Promise("rating points that mean odds of 10 to 1", lambda call: _match(call)
            and 3 * call.constants["SCALE"] < abs(call.result) < math.inf, least=2),
    Promise("A draw is half a point for each player",
            lambda call: _match(call, least=(1, 1, 1)), least=4),
    # Neither all won nor all lost, though there is no loss, or no win.
    Promise("Infinity if the first player won all games", lambda call:
            _match(call, least=(1, 1, 0), most=(math.inf, math.inf, 0)), least=2),
    Promise("minus infinity if they lost all", lambda call:
            _match(call, least=(0, 1, 1), most=(0, math.inf, math.inf))),
    Promise("A draw is half a point for each player", lambda call:
            _match(call, least=(0, 1, 0), most=(0, math.inf, 0)), least=2),
    Promise("A draw is half a point for each player", lambda call:
            _match(call) and call.arguments[1] % 2, least=4),
    Promise("Infinity if the first player won all games",
            lambda call: _match(call) and call.result == math.inf, least=2),
    Promise("minus infinity if they lost all",
            lambda call: _match(call) and call.result == -math.inf, least=2),
    Promise("The match has at least one game",
            lambda call: _match(call) and sum(call.arguments) == 1, least=2),
    Promise("it changes by K for each point more than expected",
            lambda call: _rated(call) and call.result > call.arguments[0], least=3),
    Promise("it changes by K for each point more than expected",
            lambda call: _rated(call) and call.result < call.arguments[0], least=3),
    *(Promise("it changes by K for each point more than expected", lambda call, score=score:
              _rated(call) and score in call.arguments[2], least=3) for score in (0.0, 0.5, 1.0)),
    Promise("Use the rating before the first game for all games",
            lambda call: _rated(call, games=2), least=3),
    Promise("Use the rating before the first game for all games",
            lambda call: _rated(call, games=200)),
    Promise("The rating after some games", lambda call:
            _rated(call) and len(call.arguments[1]) == 1, least=2),
]


def valid(call: Call) -> None:
    """A match has games; each game has an opponent and a score."""
    if call.name == "difference":
        assert min(call.arguments) >= 0 and sum(call.arguments) > 0
    elif call.name == "updated":
        _, opponents, scores = call.arguments
        assert opponents and len(opponents) == len(scores) and set(scores) <= {0.0, 0.5, 1.0}
