"""OnePly: wins at once if it can, avoids moves that let the opponent win, else plays at random.

    dlgo play connect4 --second one_ply.py
    dlgo tournament --ledger my.sqlite --game connect4 --pairs 20 \
        --engine one_ply.py --engine random --engine mcts:sims=100 --engine alphabeta:depth=2
    dlgo report my.sqlite --out my-report
"""

import random

from dlgo import GameState, Move


class OnePly:
    """Any class with `select_move(state)` is an engine; `game`, `seed` and options are optional."""

    def __init__(self, seed: int, careful: bool = True) -> None:
        self.random = random.Random(seed)  # the same seed, the same game
        self.careful = careful  # an option: one_ply.py:careful=no

    def select_move(self, state: GameState) -> Move:
        """A legal move: one of `state.legal_moves()`, or its text, such as "D3"."""
        moves = state.legal_moves()
        for move in moves:
            if self.wins(state, move):
                return move
        safe = [move for move in moves if not self.loses(state, move)]
        return self.random.choice(safe or moves)

    def wins(self, state: GameState, move: Move) -> bool:
        return state.apply_move(move).winner() is state.next_player

    def loses(self, state: GameState, move: Move) -> bool:
        """Whether the other player, if it is their turn after the move, wins at once."""
        after = state.apply_move(move)
        if not self.careful or after.is_over() or after.next_player is state.next_player:
            return False
        return any(self.wins(after, reply) for reply in after.legal_moves())
