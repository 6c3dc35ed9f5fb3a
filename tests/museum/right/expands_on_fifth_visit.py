"""UCT that adds the children of a leaf on its fifth visit; until then it samples it again."""

import math

KIND = "uct"


class Node:
    def __init__(self, state, parent=None):
        self.state, self.parent, self.children = state, parent, None
        self.visits, self.wins = 0, 0.0  # of the player who moved here


def ucb(node):
    mover = node.parent
    return math.inf if not node.visits else (
        node.wins / node.visits + 0.6 * math.sqrt(2 * math.log(mover.visits) / node.visits))


def search(state, evaluate, simulations):
    root = Node(state)
    root.children = [Node(state.apply_move(move), root) for move in state.legal_moves()]
    for _ in range(simulations):
        node = root
        while node.children:
            node = max(node.children, key=ucb)
        over = node.state.is_over()
        if not over and node.children is None and node.visits >= 5:
            node.children = [Node(node.state.apply_move(move), node)
                             for move in node.state.legal_moves()]
            node = node.children[0]
            over = node.state.is_over()
        if over:
            black = (node.state.result() + 1) / 2
        else:
            value = evaluate(node.state)[1]
            black = (1 + value) / 2 if node.state.next_player.name == "black" else (1 - value) / 2
        while node:
            if node.parent:
                mover = node.parent.state.next_player
                node.wins += black if mover.name == "black" else 1 - black
            node.visits += 1
            node = node.parent
    return {child.state.last_move: child.visits for child in root.children}
