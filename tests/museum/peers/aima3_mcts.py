"""aima3 1.0.11: in MCTS, signs change with every ply, whatever `to_move` says."""

from aima3.games import Game
from aima3.mcts import MCTS

KIND = "puct"


class OurGame(Game):
    """The positions of a game; `utility` is asked about finished ones."""

    def actions(self, state):
        return state.legal_moves()

    def result(self, state, move):
        return state.apply_move(move)

    def utility(self, state, player):
        return state.result() * (1 - 2 * player.index)

    def terminal_test(self, state):
        return state.is_over()

    def to_move(self, state):
        return state.next_player


def search(state, evaluate, simulations):
    def policy(game, leaf):
        priors, value = evaluate(leaf)
        return list(priors.items()), value

    searcher = MCTS(OurGame(), policy, n_playout=simulations)
    searcher.get_move_probs(state)
    return {move: child.n_visits for move, child in searcher.root.children.items()}


class TwoInARow(Game):
    """The first player moves twice: A then C wins, A then D loses, B draws at once."""

    initial = ""

    def actions(self, state):
        return {"": "AB", "A": "CD"}.get(state, "")

    def result(self, state, move):
        return state + move

    def utility(self, state, player):
        return {"AC": 1, "AD": -1}.get(state, 0) * (1 if player == "first" else -1)

    def to_move(self, state):
        return "first" if state in ("", "A") else "second"


def reproduce():
    """The right first move is A."""
    game = TwoInARow()
    searcher = MCTS(game, lambda game, state: ([(move, 0.5) for move in game.actions(state)], 0),
                    n_playout=1000)
    moves, shares = searcher.get_move_probs(game.initial)
    return dict(zip(moves, shares, strict=True))["B"] > 0.9
