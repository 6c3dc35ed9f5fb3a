"""The textbook's alpha-beta, shown to the auditor: it solves, and it plays."""

from engines.base import Budget
from engines.minimax.textbook import TextbookAlphaBeta, alphabeta

Player = TextbookAlphaBeta


def solve(state, depth=None, evaluate=None):
    if depth is None:
        return alphabeta(state)
    engine = TextbookAlphaBeta(state.game, Budget(depth=depth))
    engine._estimate = lambda leaf: evaluate(leaf)[1]
    return engine.select_move(state).value
