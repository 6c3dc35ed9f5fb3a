"""Leaves are gathered under virtual losses, then evaluated one after the other."""

import math

KIND = "puct"


class Node:
    """`total` is black's; `pending` simulations have not come back yet and count as losses."""

    def __init__(self, state, prior=1.0):
        self.state, self.prior = state, prior
        self.visits, self.pending, self.total, self.children = 0, 0, 0.0, []

    def score(self, parent):
        sign = 1 - 2 * parent.state.next_player.index
        count = self.visits + self.pending
        mean = (sign * self.total - self.pending) / count if count else 0.0
        number = parent.visits + parent.pending
        return mean + 1.5 * self.prior * math.sqrt(number) / (1 + count)


def search(state, evaluate, simulations):
    root, queue = Node(state), []
    while root.visits < simulations:
        while len(queue) < 6 and root.visits + len(queue) < simulations:
            path = [root]
            while path[-1].children:
                path.append(max(path[-1].children, key=lambda child: child.score(path[-1])))
            for node in path:
                node.pending += 1
            queue.append(path)
            if root.visits == 0:
                break
        for path in queue:
            leaf = path[-1].state
            if leaf.is_over():
                value = leaf.result()
            else:
                priors, value = evaluate(leaf)
                value *= 1 - 2 * leaf.next_player.index
                if not path[-1].children:
                    path[-1].children = [Node(leaf.apply_move(move), prior)
                                         for move, prior in priors.items()]
            for node in path:
                node.pending -= 1
                node.visits += 1
                node.total += value
        queue.clear()
    return {child.state.last_move: child.visits for child in root.children}
