"""easyAI 2.0.12: Negamax with its defaults, by its moves; its players alternate."""

from easyAI import Negamax, TwoPlayerGame

GAME = "connect4"


class OurGame(TwoPlayerGame):
    def __init__(self, state):
        self.state, self.players, self.current_player = state, [None, None], 1

    def possible_moves(self):
        return self.state.legal_moves()

    def make_move(self, move):
        self.state = self.state.apply_move(move)

    def is_over(self):
        return self.state.is_over()


def scoring(game):
    """For the player to move."""
    if not game.is_over():
        return 0
    return 100 * game.state.result() * (1 - 2 * game.state.next_player.index)


def select_move(state):
    return Negamax(4, scoring)(OurGame(state))
