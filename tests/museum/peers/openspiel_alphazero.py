"""open-spiel 2.0.2: the search and the evaluator of its AlphaZero in Python, without noise."""

import numpy as np
import pyspiel
from open_spiel.python.algorithms import mcts
from open_spiel.python.algorithms.alpha_zero.evaluator import AlphaZeroEvaluator

from dlgo import GameState
from experiments.museum.adapters import OpenSpielState

KIND = "puct"


class Model:
    """A network that is shown the number of a node."""

    def __init__(self, game, evaluate):
        self.game, self.evaluate = game, evaluate

    def inference(self, observation, mask):
        state = GameState.new_game(self.game)
        state.kernel_state.words[:] = observation
        priors, value = self.evaluate(state)
        policy = np.zeros(len(mask))
        for move, prior in priors.items():
            policy[self.game.action_of(move)] = prior
        return value * (1 - 2 * state.next_player.index), policy


def search(state, evaluate, simulations):
    OpenSpielState.observation_tensor = lambda self: self.state.kernel_state.words
    OpenSpielState.legal_actions_mask = lambda self: np.ones(self.state.game.num_actions)
    game = pyspiel.load_game("tic_tac_toe")
    bot = mcts.MCTSBot(game, 1.4, simulations, solve=False,
                       evaluator=AlphaZeroEvaluator(game, Model(state.game, evaluate)),
                       child_selection_fn=mcts.SearchNode.puct_value)
    root = bot.mcts_search(OpenSpielState(state))
    return {child.action: child.explore_count for child in root.children}, root.best_child().action
