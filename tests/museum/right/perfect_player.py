"""Perfect play by the whole game tree, without a table: the fastest win, the slowest loss."""


class Perfect:
    def select_move(self, state):
        return max(state.legal_moves(), key=lambda move: after(state, move))


def score(state):
    """For the player to move: 100 minus the plies to a win, or the plies to a loss minus 100."""
    if state.is_over():
        winner = state.winner()
        return 0 if winner is None else 100 if winner is state.next_player else -100
    return max(after(state, move) for move in state.legal_moves())


def after(state, move):
    child = state.apply_move(move)
    points = score(child) if child.next_player is state.next_player else -score(child)
    return points - (points > 0) + (points < 0)
