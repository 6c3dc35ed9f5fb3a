"""imparaai-montecarlo 1.3.1: where a search arrives at a finished game, its simulations do nothing.

A finished position has no children, so it is not expanded again and gets no further visits; the
move with the most visits is played, and that is not the one that wins at once.
"""

from montecarlo.montecarlo import MonteCarlo
from montecarlo.node import Node

KIND = "uct"


def child_finder(node, montecarlo):
    for move in node.state.legal_moves():
        child = Node(node.state.apply_move(move))
        child.player_number = child.state.next_player.value
        node.add_child(child)


def select_move(state):
    def node_evaluator(node, montecarlo):
        if node.state.is_over():
            return node.state.result() * (1 - 2 * state.next_player.index)
        return None

    root = Node(state)
    root.player_number = state.next_player.value
    montecarlo = MonteCarlo(root)
    montecarlo.child_finder, montecarlo.node_evaluator = child_finder, node_evaluator
    montecarlo.simulate(400)
    return montecarlo.make_choice().state.last_move


def reproduce():
    """Move "won" ends the game with 1, move "on" leads to 0: each has one visit of 1,000."""
    def children_of(node, montecarlo):
        for state in {"root": ("won", "on"), "on": ("0", "0")}.get(node.state, ()):
            node.add_child(Node(state))

    montecarlo = MonteCarlo(Node("root"))
    montecarlo.child_finder = children_of
    montecarlo.node_evaluator = lambda node, montecarlo: {"won": 1, "0": 0}.get(node.state)
    montecarlo.simulate(1000)
    return {child.state: child.visits for child in montecarlo.root_node.children} == {
        "won": 1, "on": 1}
