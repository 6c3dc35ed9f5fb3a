"""Promises of REINFORCE."""

from __future__ import annotations

from tests.classroom.promises import Call, Promise


def _step(call: Call) -> bool:
    return call.name == "step"


def _alternate(players: list[int]) -> bool:
    return all(one != other for one, other in zip(players, players[1:], strict=False))


PROMISES = [
    *(Promise("with respect to each logit",
              lambda call, size=size: call.name == "log_gradient"
              and len(call.arguments[0]) == size) for size in (1, 2, 3)),
    Promise("with respect to each logit",
            lambda call: call.name == "log_gradient" and len(call.arguments[0]) > 80, least=2),
    Promise("Logits can be from -1,000 to 1,000",
            lambda call: call.name == "log_gradient" and call.arguments[0].max() > 750),
    Promise("Logits can be from -1,000 to 1,000",
            lambda call: call.name == "log_gradient" and call.arguments[0].max() < -750),
    Promise("Logits can be from -1,000 to 1,000",
            lambda call: _step(call) and abs(call.arguments[0]).max() > 750),
    *(Promise("+1 if its player won, -1 if they lost, 0 after a draw",
              lambda call, winner=winner, player=player: call.name == "weights"
              and call.arguments[1] == winner and player in call.arguments[0], least=4)
      for winner in (1, -1, 0) for player in (1, -1)),
    Promise("they need not take turns",
            lambda call: call.name == "weights" and not _alternate(call.arguments[0]), least=4),
    Promise("they need not take turns",
            lambda call: call.name == "weights" and len(set(call.arguments[0])) == 1, least=2),
    Promise("they need not take turns",
            lambda call: _step(call) and not _alternate(call.arguments[2]), least=4),
    *(Promise("The logits after one game",
              lambda call, winner=winner: _step(call) and call.arguments[3] == winner, least=4)
      for winner in (1, -1, 0)),
    Promise("the same logits were used at every move", lambda call: _step(call)
            and len(set(call.arguments[1])) < len(call.arguments[1]), least=4),
    Promise("the mean over the moves",
            lambda call: _step(call) and len(call.arguments[1]) == 1, least=2),
    Promise("the mean over the moves", lambda call: _step(call) and len(call.arguments[1]) > 90),
    Promise("Add the learning rate times", lambda call: _step(call) and call.arguments[4] == 0),
    Promise("Add the learning rate times", lambda call: _step(call) and call.arguments[4] > 1),
]


def valid(call: Call) -> None:
    """Each move has an action and a player."""
    if call.name == "weights":
        players, winner = call.arguments
    else:
        logits, actions = call.arguments[:2]
        assert logits.ndim == 1 and abs(logits).max() <= 1000
        assert call.name == "step" or type(actions) is int
        for action in actions if call.name == "step" else [actions]:
            assert type(action) is int and 0 <= action < len(logits)
        if call.name == "log_gradient":
            return
        players, winner = call.arguments[2:4]
        assert len(actions) == len(players)
    assert players and set(players) <= {1, -1} and winner in (1, -1, 0)
