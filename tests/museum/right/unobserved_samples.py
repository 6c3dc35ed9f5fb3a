"""WU-UCT with priors (Liu et al. 2020): simulations under way count as visits, not as losses."""

import math

KIND = "puct"
BATCH = 4


class Node:
    def __init__(self, state, prior):
        self.state, self.prior, self.mean = state, prior, 0.0  # mean: for the player to move here
        self.visits, self.unobserved, self.children = 0, 0, []


def search(state, evaluate, simulations):
    root = Node(state, 1.0)
    expand(root, *evaluate(state))
    while root.visits < simulations:
        paths = []
        for _ in range(min(BATCH, simulations - root.visits)):
            path = [root]
            while path[-1].children:
                path.append(select(path[-1]))
            for node in path:
                node.unobserved += 1
            paths.append(path)
        answers = iter(evaluate([p[-1].state for p in paths if not p[-1].state.is_over()]))
        for path in paths:
            leaf = path[-1]
            if leaf.state.is_over():
                value = leaf.state.result() * (1 - 2 * leaf.state.next_player.index)
            else:
                value = expand(leaf, *next(answers))
            for node in path:
                same = node.state.next_player is leaf.state.next_player
                node.unobserved -= 1
                node.visits += 1
                node.mean += ((value if same else -value) - node.mean) / node.visits
    return {child.state.last_move: child.visits for child in root.children}


def expand(node, priors, value):
    if not node.children:
        node.children = [Node(node.state.apply_move(move), p) for move, p in priors.items()]
    return value


def select(node):
    total = math.sqrt(node.visits + node.unobserved + 1)

    def score(child):
        mean = child.mean if child.state.next_player is node.state.next_player else -child.mean
        return mean + 1.5 * child.prior * total / (1 + child.visits + child.unobserved)

    return max(node.children, key=score)
