"""aima3 1.0.11: alpha-beta takes turns with every ply, whatever `to_move` says; by its moves."""

from aima3.games import alphabeta_cutoff_search

from tests.museum.peers.aima3_mcts import OurGame, TwoInARow


def select_move(state):
    def value(leaf):
        if leaf.is_over():
            return leaf.result() * (1 - 2 * state.next_player.index)
        return leaf.estimate() * (1 if leaf.next_player is state.next_player else -1)

    return alphabeta_cutoff_search(state, OurGame(), d=4, eval_fn=value)


def reproduce():
    """The right first move is A."""
    return alphabeta_cutoff_search("", TwoInARow()) == "B"
