"""MuZero's search: means are scaled to 0..1 by all values of the tree, the constant grows."""

import math

KIND = "puct"


class MinMax:
    def __init__(self):
        self.low, self.high = math.inf, -math.inf

    def update(self, value):
        self.low, self.high = min(self.low, value), max(self.high, value)

    def scaled(self, value):
        return (value - self.low) / (self.high - self.low) if self.high > self.low else value


class Node:
    def __init__(self, prior):
        self.prior, self.visit_count, self.value_sum, self.children = prior, 0, 0.0, {}
        self.to_play = self.state = None

    def value(self):
        return self.value_sum / self.visit_count if self.visit_count else 0.0


def search(state, evaluate, simulations):
    root, bounds = Node(1.0), MinMax()
    root.state = state
    expand(root, evaluate)
    for _ in range(simulations):
        path = [root]
        while path[-1].children:
            node = path[-1]
            move, child = max(node.children.items(), key=lambda item: ucb(node, item[1], bounds))
            if child.state is None:
                child.state = node.state.apply_move(move)
            path.append(child)
        leaf = path[-1]
        value = expand(leaf, evaluate)
        for node in reversed(path):
            node.value_sum += value if node.state.next_player is leaf.state.next_player else -value
            node.visit_count += 1
            if node is not root:
                bounds.update(node.value())
                bounds.update(-node.value())
    return {move: child.visit_count for move, child in root.children.items()}


def expand(node, evaluate):
    if node.state.is_over():
        return node.state.result() * (1 - 2 * node.state.next_player.index)
    priors, value = evaluate(node.state)
    node.children = {move: Node(prior) for move, prior in priors.items()}
    return value


def ucb(parent, child, bounds):
    c = math.log((parent.visit_count + 19653) / 19652) + 1.25
    prior = c * math.sqrt(parent.visit_count) / (child.visit_count + 1) * child.prior
    if not child.visit_count:
        return prior
    same = child.state.next_player is parent.state.next_player
    return prior + bounds.scaled(child.value() if same else -child.value())
