"""Minimax as the book tells it: recursion over the public game state, no cuts (chapter 4.3).

The slow and obvious form of `search.py`, to read first and to test the fast one against.
Without a depth it searches every line to the end of the game; with one it estimates there.
"""

from __future__ import annotations

import math

from dlgo import kernels
from dlgo.api import GameSpec, GameState
from dlgo.errors import SpecError
from dlgo.rng import make_rng, shuffle
from engines.base import Budget, Cost, Decision, Engine

# Positions that a whole tree may have; at some 100,000 a second.
MOST_POSITIONS = 2_000_000


class MinimaxEngine(Engine):
    """Perfect play in small games; with `depth`, as far as it sees."""

    name = "minimax"
    summary = "plain minimax in Python, no cuts: whole games if small, or a limited depth"
    budgets = ("depth",)

    def _set_up(self) -> None:
        if self.budget.depth is None and not is_small(self.game):
            raise SpecError(
                f"engine minimax: {self.game} has more than {MOST_POSITIONS:,} lines of play; "
                "give a depth (minimax:depth=3) or take alphabeta"
            )

    def new_game(self, seed: int) -> None:
        self._rng = make_rng(seed)

    def _decide(self, state: GameState, budget: Budget) -> Decision:
        self._visited = 0
        self._estimated = False
        depth = math.inf if budget.depth is None else budget.depth
        actions = state.legal_actions()
        shuffle(actions, len(actions), self._rng)  # among equal moves, chance decides
        best, best_move = -math.inf, None
        for action in actions:
            move = self.game.move_of(action)
            value = self._value_of_move(state, state.apply_move(move), depth - 1)
            if value > best:
                best, best_move = value, move
        # A forced win is proven however many other lines have only been estimated.
        known = best == 1 or not self._estimated
        return Decision(
            move=best_move,
            value=float(best),
            proven=int(best) if known else None,
            depth=budget.depth,
            cost=Cost(nodes=self._visited),
        )

    def _value_of_move(self, before: GameState, after: GameState, depth: float) -> float:
        """The value of the state `after` a move, for the player who made it."""
        value = self._value(after, depth)
        return value if after.next_player is before.next_player else -value

    def _value(self, state: GameState, depth: float) -> float:
        """The best result that the player to move can force: 1 win, 0 draw, -1 loss.

        Where the depth ends, the game's estimate stands for it, strictly between -1 and 1.
        """
        self._visited += 1
        if state.is_over():
            winner = state.winner()
            if winner is None:
                return 0
            return 1 if winner is state.next_player else -1
        if depth <= 0:
            self._estimated = True
            return math.tanh(kernels.evaluate(state.kernel_state) / 500)
        return max(
            self._value_of_move(state, state.apply_move(move), depth - 1)
            for move in state.legal_moves()
        )


def is_small(game: GameSpec) -> bool:
    """Whether all lines of play from the start have at most MOST_POSITIONS positions."""
    start = GameState.new_game(game).kernel_state
    plies, total, last = 0, 1, 1
    while last > 0 and total <= MOST_POSITIONS:
        plies += 1
        most = game.num_actions * last
        if most > 100 * MOST_POSITIONS:  # too many to be counted, let alone to be searched
            return False
        last = game.count_sequences(start, plies)
        total += last
    return total <= MOST_POSITIONS
