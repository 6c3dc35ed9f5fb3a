"""mcts-simple 1.1.0: UCT with its defaults, by its moves."""

from mcts_simple import Game
from mcts_simple.mcts.uct import UCT

KIND = "uct"


class OurGame(Game):
    def __init__(self, state):
        self.state = state

    def get_state(self):
        return str(self.state.kernel_state)

    def number_of_players(self):
        return 2

    def current_player(self):
        return self.state.next_player.index

    def possible_actions(self):
        return self.state.legal_actions().tolist()

    def take_action(self, action):
        self.state = self.state.apply_move(self.state.game.move_of(action))

    def has_outcome(self):
        return self.state.is_over()

    def winner(self):
        return {0: [0, 1], 1: [0], -1: [1]}[self.state.result()]


def select_move(state):
    tree = UCT(OurGame(state), seed=1)
    for _ in range(400):
        tree.step()
    return state.game.move_of(tree.root.choose_best_action(training=False))
