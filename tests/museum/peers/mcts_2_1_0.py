"""monte-carlo-tree-search 2.1.0, a successor of mcts that asks whose turn it is."""

from types import SimpleNamespace

from mcts.base.base import BaseState
from mcts.searcher.mcts import MCTS, TreeNode

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


def reproduce():
    """Of two moves, one visited once with the mean 1, one visited 99 times with the mean 0.9, the
    search plays the first: `search` ends with this call."""
    black = State(SimpleNamespace(next_player=SimpleNamespace(index=0), is_over=lambda: False))
    root = TreeNode(black, None)
    root.numVisits = 100
    for move, (visits, mean) in enumerate([(1, 1.0), (99, 0.9)]):
        child = root.children[move] = TreeNode(black, root)
        child.numVisits, child.totalReward = visits, visits * mean
    return MCTS(iteration_limit=1).get_best_child(root, 0) is root.children[0]
