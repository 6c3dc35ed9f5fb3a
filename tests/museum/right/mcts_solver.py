"""MCTS-Solver (Winands et al. 2008): wins and losses are proven, a robust child is played."""

import math

KIND = "uct"
PROVEN = math.inf


class Node:
    def __init__(self, state, parent):
        self.state, self.parent, self.children = state, parent, []
        self.visits, self.total = 0, 0.0  # black's
        self.proof = PROVEN * state.result() if state.is_over() and state.result() else 0
        self.moves = [] if state.is_over() else state.legal_moves()

    def value(self, sign):
        return sign * self.proof if self.proof else sign * self.total / self.visits


def search(state, evaluate, simulations):
    root = Node(state, None)
    for _ in range(simulations):
        if root.proof:
            break
        node = root
        while not node.moves and node.children:
            sign = 1 - 2 * node.state.next_player.index
            node = max(node.children, key=lambda child: child.value(sign)
                       + math.sqrt(math.log(node.visits) / child.visits))
        if node.moves:
            node.children.append(Node(node.state.apply_move(node.moves.pop()), node))
            node = node.children[-1]
        if node.state.is_over():
            result = node.state.result()
        else:
            result = evaluate(node.state)[1] * (1 - 2 * node.state.next_player.index)
        prove(node.parent)
        while node:
            node.visits += 1
            node.total += result
            node = node.parent
    sign = 1 - 2 * state.next_player.index
    best = max(root.children, key=lambda child: (
        sign * child.proof, child.visits))
    return {child.state.last_move: child.visits for child in root.children}, best.state.last_move


def prove(node):
    while node:
        win = PROVEN * (1 - 2 * node.state.next_player.index)
        if any(child.proof == win for child in node.children):
            node.proof = win
        elif not node.moves and all(child.proof == -win for child in node.children):
            node.proof = -win
        node = node.parent
