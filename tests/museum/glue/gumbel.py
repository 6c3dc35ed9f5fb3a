"""The textbook's Gumbel search, shown to the auditor."""

from engines.alphazero.textbook_gumbel import TextbookGumbel
from engines.base import Budget

KIND = "gumbel"


def search(state, evaluate, simulations):
    engine = TextbookGumbel(state.game, Budget(sims=simulations))
    engine._evaluate = evaluate
    return engine.select_move(state)
