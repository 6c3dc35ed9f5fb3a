"""The textbook's alpha-beta, shown to the auditor: it solves, and it plays."""

from engines.base import Budget
from engines.minimax.textbook import TextbookAlphaBeta

Player = TextbookAlphaBeta


def solve(state, depth=None, evaluate=None):
    engine = TextbookAlphaBeta(state.game, Budget(depth=depth or 99))
    if evaluate is not None:
        engine._estimate = lambda leaf: evaluate(leaf)[1]
    return engine.select_move(state).value
