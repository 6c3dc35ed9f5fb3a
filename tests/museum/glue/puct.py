"""The textbook's PUCT, shown to the auditor."""

from engines.alphazero.textbook import TextbookPUCT
from engines.base import Budget

KIND = "puct"


def search(state, evaluate, simulations, **settings):
    engine = TextbookPUCT(state.game, Budget(sims=simulations), **settings)
    engine._evaluate = evaluate
    return engine.select_move(state)
