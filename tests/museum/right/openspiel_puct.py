"""OpenSpiel's MCTS with the rule and the constant of its AlphaZero."""

from open_spiel.python.algorithms import mcts

from tests.museum.right import openspiel

KIND = "puct"


def search(state, evaluate, simulations):
    return openspiel.search(state, evaluate, simulations, 1.4, mcts.SearchNode.puct_value)
