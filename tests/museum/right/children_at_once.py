"""On expansion, all children are evaluated in one call: no move is without a value."""

import math

KIND = "puct"


class Node:
    """`value` and `total` are black's."""

    def __init__(self, state, prior):
        self.state, self.prior, self.visits, self.total, self.children = state, prior, 0, 0.0, []
        self.answer, self.value = None, float(state.result()) if state.is_over() else 0.0

    def hear(self, answer):
        self.answer = answer
        self.value = answer[1] * (1 - 2 * self.state.next_player.index)


def search(state, evaluate, simulations):
    root = Node(state, 1.0)
    root.hear(evaluate(state))
    for _ in range(simulations):
        path = [root]
        while path[-1].children:
            node = path[-1]
            sign = 1 - 2 * node.state.next_player.index
            path.append(max(node.children, key=lambda child: sign * (
                child.value + child.total) / (1 + child.visits)
                + 1.3 * child.prior * math.sqrt(1 + node.visits) / (1 + child.visits)))
        leaf = path[-1]
        if not leaf.state.is_over():
            leaf.children = [Node(leaf.state.apply_move(move), prior)
                             for move, prior in leaf.answer[0].items()]
            asked = [child for child in leaf.children if not child.state.is_over()]
            answers = evaluate([child.state for child in asked])
            for child, answer in zip(asked, answers, strict=True):
                child.hear(answer)
        for node in path:
            node.visits += 1
            node.total += leaf.value
    return {child.state.last_move: child.visits for child in root.children}
