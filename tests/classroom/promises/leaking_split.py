"""Promises of a split that does not leak."""

from __future__ import annotations

from tests.classroom.promises import Call, Promise


def _split(call: Call, share: float | None = None) -> bool:
    return call.name == "split" and share in (None, call.arguments[1])


def _games(call: Call) -> int:
    return len(set(call.arguments[0]))


def _apart(games: list[str]) -> bool:
    """Whether a game's positions are apart."""
    return any(set(games[games.index(game):games.index(game) + games.count(game)]) != {game}
               for game in games)


def _in_tests(call: Call) -> float:
    """How many games should be for testing, before it is rounded."""
    return call.arguments[1] * _games(call)


PROMISES = [
    Promise("positions of one game can be apart",
            lambda call: _split(call) and _apart(call.arguments[0]), least=4),
    Promise("share of the GAMES for testing", lambda call: _split(call)
            and _games(call) < len(call.arguments[0]) / 5, least=4),
    # Games of different lengths.
    Promise("share of the GAMES for testing", lambda call: _split(call)
            and len({call.arguments[0].count(game) for game in call.arguments[0]}) > 1, least=4),
    Promise("share of the GAMES for testing", lambda call: _split(call, 0.0), least=2),
    Promise("share of the GAMES for testing", lambda call: _split(call, 1.0), least=2),
    Promise("share of the GAMES for testing", lambda call: _split(call)
            and call.arguments[1] > 0.5, least=4),
    Promise("rounded to the nearest whole number of games", lambda call: _split(call)
            and 0.5 < _in_tests(call) % 1 < 0.99, least=4),
    Promise("rounded to the nearest whole number of games", lambda call: _split(call)
            and 0.01 < _in_tests(call) % 1 < 0.5, least=4),
    Promise("rounded to the nearest whole number of games", lambda call: _split(call)
            and 0 < _in_tests(call) < 0.5),
    Promise("rounded to the nearest whole number of games", lambda call: _split(call)
            and _games(call) >= 40),
    Promise("rounded to the nearest whole number of games", lambda call: _split(call)
            and _games(call) == 1, least=2),
    *(Promise("The same seed gives the same split", lambda call, seed=seed:
              _split(call) and call.arguments[2] == seed, least=3) for seed in (0, 1, 2, 77)),
    Promise("All choices of games are equally likely", lambda call: _split(call)
            and _games(call) == 6, least=300),
    Promise("other seeds give other splits", lambda call: _split(call)
            and _games(call) == 40, least=150),
    Promise("The games that have positions on both sides", lambda call:
            call.name == "leaks" and not call.result, least=2),
    Promise("The games that have positions on both sides", lambda call:
            call.name == "leaks" and len(call.result) == 1),
    Promise("The games that have positions on both sides", lambda call:
            call.name == "leaks" and len(call.result) > 1, least=2),
    # Some positions are on no side.
    Promise("The games that have positions on both sides", lambda call: call.name == "leaks"
            and len(call.arguments[1] + call.arguments[2]) < len(call.arguments[0]), least=2),
    Promise("The games that have positions on both sides", lambda call:
            call.name == "leaks" and not (call.arguments[1] and call.arguments[2]), least=2),
]


def valid(call: Call) -> None:
    """Shares are shares; each position is on at most one side."""
    if call.name == "split":
        games, share, seed = call.arguments
        assert games and 0 <= share <= 1 and type(seed) is int and seed >= 0
    else:
        games, train, test = call.arguments
        assert len({*train, *test}) == len(train) + len(test)
        assert {*train, *test} <= set(range(len(games)))
