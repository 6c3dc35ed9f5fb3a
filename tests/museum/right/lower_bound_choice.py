"""KataGo's choice: of moves with enough visits, the one with the best lower confidence bound."""

import math

KIND = "puct"


class Node:
    def __init__(self, state, prior):
        self.state, self.prior, self.children = state, prior, []
        self.visits, self.total, self.squares = 0, 0.0, 0.0  # black's


def search(state, evaluate, simulations):
    root = Node(state, 1.0)
    for _ in range(simulations + 1):
        path = [root]
        while path[-1].children:
            node = path[-1]
            sign = 1 - 2 * node.state.next_player.index
            total = math.sqrt(max(node.visits - 1, 1))
            path.append(max(node.children, key=lambda child: sign * child.total
                        / max(child.visits, 1) + child.prior * 1.1 * total / (1 + child.visits)))
        leaf = path[-1]
        if leaf.state.is_over():
            value = leaf.state.result()
        else:
            priors, value = evaluate(leaf.state)
            value *= 1 - 2 * leaf.state.next_player.index
            leaf.children = [Node(leaf.state.apply_move(move), p) for move, p in priors.items()]
        for node in path:
            node.visits += 1
            node.total += value
            node.squares += value * value
    most = max(child.visits for child in root.children)
    sign = 1 - 2 * state.next_player.index
    enough = [child for child in root.children if child.visits >= max(0.15 * most, 2)]
    best = max(enough or root.children, key=lambda child: bound(child, sign))
    return {child.state.last_move: child.visits for child in root.children}, best.state.last_move


def bound(child, sign):
    n = max(child.visits, 1)
    mean = child.total / n
    deviation = math.sqrt(max(child.squares / n - mean * mean, 0.01) / n)
    return sign * mean - 1.96 * deviation - (child.visits < 2)
