"""The textbook's UCT, shown to the auditor: with the auditor's values, and as it plays."""

from engines.base import Budget
from engines.mcts.textbook import TextbookMCTS

KIND = "uct"
Player = TextbookMCTS


def search(state, evaluate, simulations):
    engine = TextbookMCTS(state.game, Budget(sims=simulations))

    def value(leaf):
        sign = 1 - 2 * leaf.state.next_player.index
        return sign * evaluate(leaf.state)[1]

    engine._simulate = value
    return engine.select_move(state)
