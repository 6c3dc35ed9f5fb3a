"""OpenSpiel's MCTS with its defaults."""

import numpy as np
import pyspiel
from open_spiel.python.algorithms import mcts

from experiments.museum.adapters import OpenSpielState, openspiel_evaluator

KIND = "uct"


def search(state, evaluate, simulations):
    bot = mcts.MCTSBot(pyspiel.load_game("tic_tac_toe"), 2.0, simulations,
                       openspiel_evaluator(evaluate), random_state=np.random.RandomState(1))
    root = bot.mcts_search(OpenSpielState(state))
    return {child.action: child.explore_count for child in root.children}, root.best_child().action
