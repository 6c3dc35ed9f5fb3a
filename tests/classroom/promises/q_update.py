"""Promises of the Q update."""

from __future__ import annotations

from tests.classroom.promises import Call, Promise


def _target(call: Call, same_player: bool | None = None, over: bool = False) -> bool:
    if call.name != "target":
        return False
    _, values, same = call.arguments
    return bool(values) != over and same_player in (None, same)


def _ties(call: Call) -> int:
    """How many moves are the best."""
    [values] = call.arguments
    return values.count(max(values))


def _is_close(call: Call) -> bool:
    """Whether the best two values differ, but hardly."""
    *_, second, first = sorted(call.arguments[0])
    return 0 < first - second < 1e-4


PROMISES = [
    Promise("an empty list if the game is over",
            lambda call: _target(call, True, True) and call.arguments[0] != 0),
    Promise("an empty list if the game is over",
            lambda call: _target(call, False, True) and call.arguments[0] != 0),
    Promise("always 0 before the end of a game",
            lambda call: _target(call, over=True) and call.arguments[0] == 0),
    Promise("whether the player who moved is to move again",
            lambda call: _target(call, True) and call.result > 0, least=3),
    Promise("whether the player who moved is to move again",
            lambda call: _target(call, True) and call.result < 0, least=3),
    Promise("If the opponent is to move there, a good value for them is a bad value for us",
            lambda call: _target(call, False) and call.result < 0, least=3),
    Promise("If the opponent is to move there, a good value for them is a bad value for us",
            lambda call: _target(call, False) and call.result > 0, least=3),
    Promise("Q of the moves at the next position",
            lambda call: _target(call) and len(call.arguments[1]) == 1, least=2),
    Promise("Q of the moves at the next position",
            lambda call: _target(call) and len(call.arguments[1]) > 80, least=2),
    # The best move is not always in the same place.
    Promise("Q of the moves at the next position", lambda call: _target(call) and
            max(call.arguments[1]) not in (call.arguments[1][0], call.arguments[1][-1]), least=4),
    Promise("moved towards the target",
            lambda call: call.name == "update" and call.result > call.arguments[0], least=3),
    Promise("moved towards the target",
            lambda call: call.name == "update" and call.result < call.arguments[0], least=3),
    Promise("moved towards the target",
            lambda call: call.name == "update" and call.arguments[0] < 0, least=3),
    Promise("moved towards the target",
            lambda call: call.name == "update" and call.arguments[0] == call.arguments[1]),
    *(Promise("one of the best moves, these equally likely",
              lambda call, ties=ties: call.name == "policy" and _ties(call) == ties)
      for ties in (1, 2, 3)),
    Promise("one of the best moves",
            lambda call: call.name == "policy" and len(call.arguments[0]) > 1 and _is_close(call)),
    Promise("one of the best moves", lambda call: call.name == "policy"
            and max(call.arguments[0]) == 1 and _ties(call) > 1, least=2),
    Promise("one of the best moves",
            lambda call: call.name == "policy" and max(call.arguments[0]) < 0),
    Promise("any move, all equally likely",
            lambda call: call.name == "policy" and len(call.arguments[0]) > 80),
    Promise("any move, all equally likely",
            lambda call: call.name == "policy" and _ties(call) == len(call.arguments[0]) > 1),
]


def valid(call: Call) -> None:
    """Rewards come at the end of a game; a position that is not the end has a move."""
    if call.name == "target":
        reward, values, same_player = call.arguments
        assert reward == 0 or not values, "always 0 before the end of a game"
        assert type(same_player) is bool and all(type(value) is float for value in values)
    elif call.name == "policy":
        [values] = call.arguments
        assert values and all(type(value) is float for value in values)
