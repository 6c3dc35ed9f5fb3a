"""mctspy 0.1.1: UCT with its defaults, by its moves."""

from mctspy.games.common import TwoPlayersAbstractGameState
from mctspy.tree.nodes import TwoPlayersGameMonteCarloTreeSearchNode
from mctspy.tree.search import MonteCarloTreeSearch

KIND = "uct"


class State(TwoPlayersAbstractGameState):
    def __init__(self, state):
        self.state, self.next_to_move = state, 1 - 2 * state.next_player.index

    @property
    def game_result(self):
        return self.state.result() if self.state.is_over() else None

    def is_game_over(self):
        return self.state.is_over()

    def move(self, action):
        return State(self.state.apply_move(action))

    def get_legal_actions(self):
        return self.state.legal_moves()


def select_move(state):
    root = TwoPlayersGameMonteCarloTreeSearchNode(State(state))
    return MonteCarloTreeSearch(root).best_action(400).state.state.last_move
