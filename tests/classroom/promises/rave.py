"""What the text of `rave` promises."""

from __future__ import annotations

from collections.abc import Callable

from tests.classroom.promises import Call, Promise

Moves = list[tuple[int, str]]


def _moves(what: Callable[[Moves, Moves, int], bool], player: int) -> Callable[[Call], bool]:
    """Whether something holds of the moves before `start`, of those from there on, and of the
    player who moves at `start`, if that is the given one."""
    def asked(call: Call) -> bool:
        if call.name != "amaf_moves":
            return False
        moves, start = call.arguments
        return moves[start][0] == player and what(moves[:start], moves[start:], player)

    return asked


def _first(after: Moves, player: int) -> set[str]:
    """The points where a player plays first."""
    order: dict[str, int] = {}
    for who, point in after:
        order.setdefault(point, who)
    return {point for point, who in order.items() if who == player}


def _points(moves: Moves, player: int) -> set[str]:
    return {point for who, point in moves if who == player}


def _value(what: Callable[[float, int, float, int], bool]) -> Callable[[Call], bool]:
    return lambda call: call.name == "rave_value" and what(*call.arguments)


PROMISES = [
    *(promise for player in (1, -1) for promise in (
        Promise("The points at which that player played", _moves(
            lambda _, after, who: len(_points(after, who)) > 2, player), 3),
        Promise("The points at which that player played", _moves(
            lambda _, after, who: any(point not in _points(after, who)
                                      for point in _points(after, -who)), player), 3),
        Promise("from `start` on", _moves(
            lambda before, after, who: bool(_points(before, who) - _points(after, who)),
            player), 2),
        Promise("except those where the OTHER player played earlier", _moves(
            lambda _, after, who: bool(_points(after, who) & _first(after, -who)), player), 2),
        Promise("except those where the OTHER player played earlier", _moves(
            lambda _, after, who: bool(_points(after, -who) & _first(after, who)), player), 2),
        Promise("(from `start` on)", _moves(
            lambda before, after, who: bool(_points(before, -who) & _first(after, who)),
            player), 2),
        Promise("all moves of the simulation, in order", _moves(
            lambda before, _, who: bool(before) and before[-1][0] == who, player), 2),
        Promise("all moves of the simulation, in order", _moves(
            lambda _, after, who: bool(_points(after[30:], who) & _first(after, who)
                                       - _points(after[:30], who)), player)),
        Promise("the index of the move that was chosen", _moves(
            lambda _, after, __: len(after) == 1, player)),
    )),
    Promise("the index of the move that was chosen", _moves(
        lambda before, _, __: not before, 1), 2),
    Promise("b is the square root of K / (3 * visits + K)", _value(
        lambda _, visits, __, rave_visits: visits > 0 and rave_visits > 0), 6),
    Promise("with more visits, the second count matters less", _value(
        lambda _, visits, __, rave_visits: visits > 10**5 and rave_visits > 0), 2),
    Promise("(1 - b) * wins/visits + b * rave_wins/rave_visits", _value(
        lambda wins, visits, _, rave_visits: wins == 0 < visits and rave_visits > 0)),
    Promise("(1 - b) * wins/visits + b * rave_wins/rave_visits", _value(
        lambda _, visits, rave_wins, rave_visits: rave_wins == 0 < visits and rave_visits > 0)),
    *(Promise("(1 - b) * wins/visits + b * rave_wins/rave_visits", _value(
        lambda *counts, place=place: counts[place] % 1 == 0.5)) for place in (0, 2)),
    *(Promise("If one count is zero, use only the other", _value(
        lambda _, visits, rave_wins, rave_visits, lost=lost:
        visits == 0 < rave_visits and (rave_wins == 0) == lost)) for lost in (False, True)),
    *(Promise("If one count is zero, use only the other", _value(
        lambda wins, visits, _, rave_visits, lost=lost:
        rave_visits == 0 < visits and (wins == 0) == lost)) for lost in (False, True)),
    Promise("if both are zero, return UNKNOWN", _value(
        lambda _, visits, __, rave_visits: visits == rave_visits == 0)),
]


def valid(call: Call) -> None:
    """Moves of either player, and one of them; wins of not more than the visits."""
    if call.name == "amaf_moves":
        moves, start = call.arguments
        assert 0 <= start < len(moves)
        assert all(player in (1, -1) and isinstance(point, str) for player, point in moves)
        return
    wins, visits, rave_wins, rave_visits = call.arguments
    assert 0 <= wins <= visits and 0 <= rave_wins <= rave_visits
