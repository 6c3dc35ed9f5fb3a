"""What alpha-beta expects of every move. Its own search tells of the best one only."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable

from dlgo import GameState, Move, Player
from engines.base import Budget, Cost, Decision
from experiments.studio.pace import sum_of_costs

# Wall seconds that searching the other moves may take, as far as that can be foreseen.
_AFFORDABLE = 0.7

Ask = Callable[[GameState, Budget], Decision]


class EveryMove:
    """Adds the values of the other moves to what alpha-beta says, as long as that is quick.

    Values of different depths are not mixed: a ply more moves all of them up or down, and another
    move would look better than the best one.

    Args:
        state: the position.
        stopped: whether nobody wants an answer any more.
    """

    def __init__(self, state: GameState, stopped: Callable[[], bool]) -> None:
        self._state, self._stopped = state, stopped
        self._moves = [move for move in state.legal_moves() if not move.is_resign]
        self._quick = True

    def add(self, decision: Decision, depth: int, ask: Ask) -> Decision:
        """The decision of a search of so many plies, with the values of all moves.

        Args:
            ask: searches a position under a budget.
        """
        if decision.value is None:
            return decision
        own = {decision.move: decision.value}
        foreseen = decision.cost.wall_seconds * len(self._moves)
        self._quick = self._quick and foreseen < _AFFORDABLE
        values, cost = dict(own), decision.cost
        end = time.monotonic() + 2 * _AFFORDABLE
        for move in self._moves if self._quick else ():
            if self._stopped() or time.monotonic() > end:
                self._quick, values = False, own
                break
            answer = None if move in own else self._value(move, depth, ask)
            if answer is not None:
                values[move], spent = answer
                cost = sum_of_costs(cost, spent)
        return dataclasses.replace(decision, values=values, cost=cost)

    def _value(self, move: Move, depth: int, ask: Ask) -> tuple[float, Cost] | None:
        """What a move is worth to who makes it, and what it took to find out."""
        after, mover = self._state.apply_move(move), self._state.next_player
        if after.is_over():
            result = after.result() if mover is Player.black else -after.result()
            return float(result), Cost()
        decision = ask(after, Budget(depth=max(depth - 1, 1)))
        if decision.value is None:
            return None
        return (decision.value if after.next_player is mover else -decision.value), decision.cost
