"""What the text of `back_up` promises."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.classroom.promises import Call, Promise


def _path(what: Callable[[Sequence[int]], bool], sign: int = 0) -> Callable[[Call], bool]:
    """Whether something holds of the players; with `sign`, for a value of this sign."""
    def asked(call: Call) -> bool:
        return (call.name == "back_up" and call.arguments[3] * sign >= 0 != call.arguments[3]
                and what(call.arguments[0]))

    return asked


def _mean(what: Callable[[int, int, int, float, float], bool]) -> Callable[[Call], bool]:
    return lambda call: call.name == "mean_for_parent" and what(*call.arguments)


PROMISES = [
    *(Promise("from 1 (they win) to -1", _path(
        lambda players, player=player: [*players] == [player], sign))
      for player in (1, -1) for sign in (1, -1)),
    *(Promise("as the player to move there sees it", _path(
        lambda players, player=player, root=root: (
            len(players) > 1 and players[-1] == player and players[0] == root), sign), 2)
      for player in (1, -1) for root in (1, -1) for sign in (1, -1)),
    Promise("from 1 (they win) to -1", lambda call: (
        call.name == "back_up" and call.arguments[3] == 0), 2),
    *(Promise("The players need not take turns", _path(
        lambda players, player=player: players[-1] == player and any(
            players[n] == players[n + 1] for n in range(len(players) - 1))), 4)
      for player in (1, -1)),
    Promise("a chain of captures is several moves of one player", _path(
        lambda players: any(len({*players[n:n + 3]}) == 1 for n in range(len(players) - 2))), 3),
    *(Promise("The visits and sums of all nodes of the path", _path(
        lambda players, length=length: len(players) == length)) for length in (1, 2, 3, 4, 50)),
    Promise("Each node of the path has a number of visits", lambda call: (
        call.name == "back_up" and call.arguments[1][-1] == 0), 3),
    Promise("Each node of the path has a number of visits", lambda call: (
        call.name == "back_up" and call.arguments[1][0] >= 10**6)),
    Promise("a sum of values", lambda call: (
        call.name == "back_up" and max(map(abs, call.arguments[2])) > 50)),
    *(Promise("as the player to move at its PARENT sees it", _mean(
        lambda parent, player, visits, total, _, who=who, child=child, sign=sign: (
            (parent, player) == (who, child) and visits > 1 and total * sign > 0)), 2 + sign // 2)
      for who in (1, -1) for child in (1, -1) for sign in (1, -1)),
    *(Promise("the answer for a node without visits", _mean(
        lambda parent, player, visits, _, unvisited, who=who, child=child, sign=sign: (
            (parent, player, visits) == (who, child, 0) and unvisited * sign > 0)))
      for who in (1, -1) for child in (1, -1) for sign in (1, -1)),
    Promise("The mean value of a node", _mean(
        lambda _, __, visits, total, unvisited: visits > 0 == total and unvisited != 0), 4),
    Promise("The mean value of a node", _mean(
        lambda _, __, visits, total, ___: visits > 10**4 and total != 0), 4),
]


def valid(call: Call) -> None:
    """Players, visits and sums of a path; no sum is larger than visits allow."""
    if call.name == "back_up":
        players, visits, totals, value = call.arguments
        assert len(players) == len(visits) == len(totals) > 0 and -1 <= value <= 1
        assert [*visits] == sorted(visits, reverse=True), "a child has not more visits"
        nodes = [*zip(visits, totals, strict=True)]
    else:
        *players, visits, total, unvisited = call.arguments
        assert -1 <= unvisited <= 1
        nodes = [(visits, total)]
    assert {*players} <= {1, -1}
    assert all(visits >= 0 and abs(total) <= visits for visits, total in nodes)
