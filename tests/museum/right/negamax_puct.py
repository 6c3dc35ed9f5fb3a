"""AlphaZero's pseudocode by hand: a constant that grows, unvisited moves are draws."""

import math
import random

KIND = "puct"


class Node:
    def __init__(self, state, prior):
        self.state, self.prior, self.visits, self.total = state, prior, 0, 0.0
        self.children = {}


def search(state, evaluate, simulations):
    root = Node(state, 1.0)
    for _ in range(simulations + 1):
        simulate(root, evaluate)
    return {move: child.visits for move, child in root.children.items()}


def simulate(node, evaluate):
    """The value of a new leaf for the player to move at the node."""
    state = node.state
    if state.is_over():
        sign = 1 if state.next_player.name == "black" else -1
        value = sign * state.result()
    elif not node.children:
        priors, value = evaluate(state)
        moves = list(priors)
        random.shuffle(moves)
        node.children = {move: Node(state.apply_move(move), priors[move]) for move in moves}
    else:
        constant = math.log((node.visits + 19653) / 19652) + 1.25

        def score(child):
            same = child.state.next_player is state.next_player
            mean = (1 if same else -1) * child.total / max(child.visits, 1)
            return mean + constant * child.prior * math.sqrt(node.visits) / (1 + child.visits)

        best = max(node.children.values(), key=score)
        value = simulate(best, evaluate)
        if best.state.next_player is not state.next_player:
            value = -value
    node.visits += 1
    node.total += value
    return value
