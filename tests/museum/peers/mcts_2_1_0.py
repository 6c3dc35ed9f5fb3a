"""monte-carlo-tree-search 2.1.0, a successor of mcts that asks whose turn it is."""

from mcts.base.base import BaseState
from mcts.searcher.mcts import MCTS

KIND = "uct"


class State(BaseState):
    def __init__(self, state):
        self.state = state

    def get_current_player(self):
        return 1 - 2 * self.state.next_player.index

    def get_possible_actions(self):
        return self.state.legal_moves()

    def take_action(self, action):
        return State(self.state.apply_move(action))

    def is_terminal(self):
        return self.state.is_over()

    def get_reward(self):
        return self.state.result()


def search(state, evaluate, simulations):
    def value(leaf):
        if leaf.is_terminal():
            return leaf.get_reward()
        return evaluate(leaf.state)[1] * leaf.get_current_player()

    searcher = MCTS(iteration_limit=simulations, rollout_policy=value)
    move = searcher.search(initial_state=State(state))
    return {move: child.numVisits for move, child in searcher.root.children.items()}, move
