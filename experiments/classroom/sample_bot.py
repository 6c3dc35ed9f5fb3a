"""A bot for any game without chance, as a student might write it: looks some moves ahead."""

import random

# Plies to look ahead; 0: any move. `make_class.py` writes others.
DEPTH = 1


class Bot:
    """Searches to a depth and chooses at random among equal moves."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def select_move(self, state):
        moves = list(state.legal_moves())
        self.random.shuffle(moves)
        if DEPTH == 0:
            return moves[0]
        me = state.next_player
        return max(moves, key=lambda move: self.value(state.apply_move(move), me, DEPTH - 1))

    def value(self, state, me, depth):
        """From -1 to 1, as `me` sees it."""
        if state.is_over():
            winner = state.winner()
            return 0 if winner is None else (1 if winner is me else -1)
        if depth == 0:
            return 0
        values = [self.value(state.apply_move(move), me, depth - 1)
                  for move in state.legal_moves()]
        return max(values) if state.next_player is me else min(values)
