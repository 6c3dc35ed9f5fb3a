"""Minimax, then alpha-beta, then both to a limited depth (chapters 4.3 and 4.4 of the book).

The two functions are the ideas in their shortest form. The engine is `alphabeta` with an estimate
where the depth ends, and with more depth while time is left.

Values are those of the player to move: 1 if they can force a win, 0 a draw, -1 if they lose. The
sign changes only if the other player moves next, since in draughts a player can move twice.
`search.py` is the compiled form, with a table and better move order.
"""

from __future__ import annotations

import math

from dlgo.api import GameState, Move, Player
from dlgo.rng import make_rng, shuffled
from engines.base import Budget, Cost, Decision, Engine, finish_game
from engines.clock import Clock
from engines.own_functions import EVALUATION, OwnFunction
from engines.watching.events import CutOff, Entered, Listener, Valued


def minimax(state: GameState) -> int:
    """The best result that the player to move can force; looks at every line of play."""
    if state.is_over():
        return result_of(state)
    values = []
    for after in map(state.apply_move, state.legal_moves()):
        value = minimax(after)
        values.append(value if after.next_player is state.next_player else -value)
    return max(values)


def alphabeta(state: GameState, alpha: int = -1, beta: int = 1) -> int:
    """The same result from fewer lines.

    alpha: the player to move can already force this elsewhere.
    beta: the opponent has a move elsewhere that holds the player to this; a position that is worth
        more is never reached.
    """
    if state.is_over():
        return result_of(state)
    for after in map(state.apply_move, state.legal_moves()):
        if after.next_player is state.next_player:
            alpha = max(alpha, alphabeta(after, alpha, beta))
        else:
            alpha = max(alpha, -alphabeta(after, -beta, -alpha))
        if alpha >= beta:  # the opponent avoids this position: its other moves do not matter
            break
    return alpha


def result_of(state: GameState) -> int:
    """The result of a finished game for the player who would move next."""
    return state.result() if state.next_player is Player.black else -state.result()


class TextbookAlphaBeta(Engine):
    """Alpha-beta to a limited depth, or deeper while time is left."""

    name = "textbook-alphabeta"
    summary = "alpha-beta in plain Python, to read and to watch"
    budgets: tuple[str, ...] = ("depth", "nodes", "cpu", "wall")
    default_budget = Budget(depth=3)
    options = (EVALUATION,)
    moves_of, cuts = staticmethod(GameState.sensible_moves), True
    listener: Listener | None = None  # receives events if it is not None: see engines/watching

    def _set_up(self) -> None:
        own = OwnFunction.load(self.settings["evaluation"])
        self._estimate = GameState.estimate if own is None else own.value

    def warm_up(self) -> None:
        super().warm_up()
        finish_game(self.game)

    def new_game(self, seed: int) -> None:
        self._rng = make_rng(seed)

    def _decide(self, state: GameState, budget: Budget) -> Decision:
        moves = shuffled(self.moves_of(state), self._rng)  # equal moves: a random one
        self._clock, self._nodes = Clock(budget, budget.nodes), 0
        decision: Decision | None = None
        deepest = budget.depth or math.inf
        depth = deepest if budget.given().keys() <= {"depth"} else 1
        while depth <= deepest and (decision is None or decision.proven is None):
            self._estimated, self._may_stop = False, decision is not None
            line: list[Move] = []
            try:
                value = self._value(state, depth, -1, 1, line, moves) + 0.0  # never -0.0
            except TimeoutError:
                break
            proven = None if self._estimated and abs(value) < 1 else int(value)
            decision = Decision(line[0], value, pv=tuple(line), values={line[0]: value},
                                proven=proven, depth=None if depth == math.inf else int(depth))
            moves.sort(key=line[0].__ne__)  # a ply deeper, the best so far comes first
            depth += 1
        assert decision is not None  # the first search is not stopped
        return decision.with_cost(Cost(nodes=self._nodes))

    def _value(self, state: GameState, depth: float, alpha: float, beta: float, line: list[Move],
               moves: list[Move] | None = None, node: int = 0, parent: int | None = None) -> float:
        """The value of a position; writes the moves of best play into `line`."""
        if self._may_stop and self._clock.is_over(self._nodes):
            raise TimeoutError
        if self.listener:
            last = None if parent is None else state.last_move
            text = last and self.game.move_text(last)
            self.listener(Entered(node, parent, text, state.next_player.name, depth, alpha, beta))
        best, reason = -math.inf, "moves"
        if state.is_over():
            best, reason = float(result_of(state)), "result"
        elif depth <= 0:
            best, reason, self._estimated = self._estimate(state), "estimate", True
        else:
            for i, move in enumerate(moves := moves or self.moves_of(state)):
                after = state.apply_move(move)
                below: list[Move] = []
                same = after.next_player is state.next_player
                low = max(alpha, best) if self.cuts else -1
                window: tuple[float, float]
                window = (low, beta) if same else (-beta, -low)
                self._nodes += 1
                value = self._value(after, depth - 1, *window, below, None, self._nodes, node)
                if (value if same else -value) > best:
                    best, line[:] = value if same else -value, [move, *below]
                if self.cuts and best >= beta and moves[i + 1 :]:
                    if self.listener:
                        skipped = tuple(map(self.game.move_text, moves[i + 1 :]))
                        self.listener(CutOff(node, best, alpha, beta, skipped))
                    break
        if self.listener:
            self.listener(Valued(node, best, reason))
        return best
