"""Promises of returns and advantages."""

from __future__ import annotations

from tests.classroom.promises import Call, Promise


def _moves(name: str, least: int, most: int) -> Promise:
    """That so many moves are asked."""
    text = {"returns": "The return of each move", "advantages": "of each move, the sum",
            "game_advantages": "The same for a game of two players"}[name]
    return Promise(text, lambda call: call.name == name
                   and least <= len(call.arguments[0]) <= most)


def _is(call: Call, name: str) -> bool:
    return call.name == name


PROMISES = [
    *(_moves(name, *bounds) for name in ("returns", "advantages", "game_advantages")
      for bounds in ((1, 1), (2, 2), (3, 9), (150, 999))),
    Promise("its reward plus GAMMA times the return of the next move", lambda call:
            _is(call, "returns") and sum(reward != 0 for reward in call.arguments[0]) > 1, least=4),
    Promise("its reward plus GAMMA times the return of the next move", lambda call:
            _is(call, "returns") and call.arguments[0][-1] == 0, least=2),
    Promise("its reward plus GAMMA times the return of the next move", lambda call:
            _is(call, "returns") and min(call.arguments[0]) < 0, least=4),
    Promise("After the last move, the game is over", lambda call:
            _is(call, "advantages") and call.arguments[1][-1] > 0, least=2),
    Promise("After the last move, the game is over", lambda call:
            _is(call, "advantages") and call.arguments[1][-1] < 0, least=2),
    # A reward does not end the game.
    Promise("After the last move, the game is over", lambda call:
            _is(call, "advantages") and any(call.arguments[0][:-1]), least=4),
    Promise("The surprise of a move n moves later counts (GAMMA * LAMBDA) ** n times", lambda call:
            _is(call, "advantages") and len(call.arguments[0]) > 3, least=4),
    Promise("minus the value of the position before the move", lambda call:
            _is(call, "advantages") and max(call.result) > 0 > min(call.result), least=4),
    Promise("no rewards, no discount", lambda call:
            _is(call, "game_advantages") and len(call.arguments[0]) > 1 and call.arguments[2]),
    Promise("they need not take turns", lambda call: _is(call, "game_advantages") and any(
        one == other for one, other in zip(call.arguments[0], call.arguments[0][1:], strict=False)),
        least=4),
    *(Promise("1, -1, or 0 for a draw", lambda call, winner=winner, player=player:
              _is(call, "game_advantages") and call.arguments[2] == winner
              and player in call.arguments[0], least=3)
      for winner in (1, -1, 0) for player in (1, -1)),
    *(Promise("as the player to move at each position sees it", lambda call, player=player:
              _is(call, "game_advantages") and call.arguments[0][0] == player, least=3)
      for player in (1, -1)),
]


def valid(call: Call) -> None:
    """A game has a move; each has a value."""
    first, *others = call.arguments
    assert first
    if others:
        assert len(others[0]) == len(first)
    if call.name == "game_advantages":
        assert set(first) <= {1, -1} and others[1] in (1, -1, 0)
