"""Leela's search: edges become nodes when they are visited; first-play urgency is reduced."""

import math

KIND = "puct"
C, REDUCTION = 0.8, 0.25


class Node:
    """Value sums are those of the player to move at the node."""

    def __init__(self, state, edges, value):
        self.state, self.edges, self.total, self.visits = state, edges, value, 1
        self.children = {}

    def q(self, move):
        child = self.children[move]
        mean = child.total / child.visits
        return mean if child.state.next_player is self.state.next_player else -mean


def search(state, evaluate, simulations):
    def create(position):
        if position.is_over():
            return Node(position, [], position.result() * (1 - 2 * position.next_player.index))
        priors, value = evaluate(position)
        return Node(position, sorted(priors.items(), key=lambda item: -item[1]), value)

    root = create(state)
    for _ in range(simulations):
        node, path = root, [root]
        while node.edges:
            tried = sum(prior for move, prior in node.edges if move in node.children)
            urgency = node.total / node.visits - REDUCTION * math.sqrt(tried)
            explore = C * math.sqrt(max(node.visits - 1, 1))
            best = max(node.edges, key=lambda edge: edge[1] * explore / (
                1 + node.children[edge[0]].visits) + node.q(edge[0])
                if edge[0] in node.children else edge[1] * explore + urgency)[0]
            if best not in node.children:
                node.children[best] = new = create(node.state.apply_move(best))
                value, player = new.total, new.state.next_player
                break
            node = node.children[best]
            path.append(node)
        else:
            value = node.state.result() * (1 - 2 * node.state.next_player.index)
            player = node.state.next_player
        for node in path:
            node.visits += 1
            node.total += value if node.state.next_player is player else -value
    return {move: child.visits for move, child in root.children.items()}
