"""AlphaZero's search with eight leaves in a batch, by hand: virtual losses."""

import math

from engines.base import Decision

KIND = "puct"
BATCH, LOSS = 8, 1.0


class Node:
    """A position; `total` is as the player who chooses it sees it."""

    def __init__(self, state, prior, chooser):
        self.state, self.prior, self.chooser = state, prior, chooser
        self.visits, self.total, self.children = 0, 0.0, []


def search(state, evaluate, simulations):
    root = Node(state, 1.0, state.next_player)
    while root.visits < simulations:
        paths = [descend(root) for _ in range(min(BATCH, simulations - root.visits))]
        leaves = [path[-1].state for path in paths if not path[-1].state.is_over()]
        answers = iter(evaluate(leaves))
        for path in paths:
            leaf, mover = path[-1], path[-1].state.next_player
            if leaf.state.is_over():
                value = leaf.state.result() if mover.name == "black" else -leaf.state.result()
            else:
                priors, value = next(answers)
                leaf.children = leaf.children or [
                    Node(leaf.state.apply_move(move), prior, mover)
                    for move, prior in priors.items()]
            for node in path:
                node.total += LOSS + (value if node.chooser is mover else -value)
    visits = {child.state.last_move: child.visits for child in root.children}
    return Decision(max(visits, key=visits.get), root.total / root.visits, visits=visits)


def descend(root):
    """The path to a leaf; each of its nodes has lost until the value of the leaf is known."""
    path = [root]
    while path[-1].children:
        node = path[-1]
        path.append(max(node.children, key=lambda child: child.total / max(child.visits, 1)
                        + 1.5 * child.prior * math.sqrt(node.visits) / (1 + child.visits)))
    for node in path:
        node.visits += 1
        node.total -= LOSS
    return path
