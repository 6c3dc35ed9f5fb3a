"""Batches with virtual losses; a leaf that a batch reaches twice is evaluated once."""

import math

KIND = "puct"
BATCH, VIRTUAL_LOSS = 8, 1.0


class Edge:
    """A move: `total` is as its player sees it, virtual losses included."""

    def __init__(self, prior):
        self.prior, self.visits, self.total, self.node = prior, 0, 0.0, None


class Node:
    def __init__(self, state):
        self.state, self.edges = state, {}


def descend(root):
    path, node = [], root
    while node.edges:
        total = math.sqrt(1 + sum(edge.visits for edge in node.edges.values()))
        move, edge = max(node.edges.items(), key=lambda item: (
            item[1].total / item[1].visits if item[1].visits else 0)
            + 1.25 * item[1].prior * total / (1 + item[1].visits))
        edge.visits += 1
        edge.total -= VIRTUAL_LOSS
        edge.node = edge.node or Node(node.state.apply_move(move))
        path.append((node, edge))
        node = edge.node
    return path, node


def search(state, evaluate, simulations):
    root = Node(state)
    root.edges = {move: Edge(prior) for move, prior in evaluate(state)[0].items()}
    done = 0
    while done < simulations:
        batch = [descend(root) for _ in range(min(BATCH, simulations - done))]
        leaves = {id(leaf): leaf for _, leaf in batch if not leaf.state.is_over()}
        answers = dict(zip(leaves, evaluate([leaf.state for leaf in leaves.values()]), strict=True))
        for path, leaf in batch:
            player = leaf.state.next_player
            if leaf.state.is_over():
                value = leaf.state.result() * (1 - 2 * player.index)
            else:
                priors, value = answers[id(leaf)]
                leaf.edges = leaf.edges or {move: Edge(p) for move, p in priors.items()}
            for node, edge in path:
                edge.total += VIRTUAL_LOSS + (value if node.state.next_player is player else -value)
        done += len(batch)
    return {move: edge.visits for move, edge in root.edges.items()}
