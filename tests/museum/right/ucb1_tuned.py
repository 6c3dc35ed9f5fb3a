"""UCB1-Tuned (Auer et al. 2002): the bonus follows the variance of a move's values."""

import math

KIND = "uct"


class Node:
    def __init__(self, state, parent=None):
        self.state, self.parent, self.children = state, parent, []
        self.untried = [] if state.is_over() else state.legal_moves()
        self.n, self.w, self.w2 = 0, 0.0, 0.0  # points of who moved here, 0 to 1

    def tuned(self, child):
        log = math.log(self.n) / child.n
        mean = child.w / child.n
        variance = child.w2 / child.n - mean * mean + math.sqrt(2 * log)
        return mean + math.sqrt(log * min(0.25, variance))


def search(state, evaluate, simulations):
    root = Node(state)
    for _ in range(simulations):
        node = root
        while not node.untried and node.children:
            node = max(node.children, key=node.tuned)
        if node.untried:
            child = Node(node.state.apply_move(node.untried.pop(0)), node)
            node.children.append(child)
            node = child
        leaf = node.state
        black = leaf.result() if leaf.is_over() else (
            evaluate(leaf)[1] * (1 if leaf.next_player.name == "black" else -1))
        while node:
            mover = node.parent and node.parent.state.next_player.name
            reward = (1 + (black if mover == "black" else -black)) / 2
            node.n, node.w, node.w2 = node.n + 1, node.w + reward, node.w2 + reward**2
            node = node.parent
    return {child.state.last_move: child.n for child in root.children}
