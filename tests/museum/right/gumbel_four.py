"""Gumbel's search with four candidates and values from 0 to 1, written from the paper."""

import math

import numpy as np

KIND = "gumbel"
CANDIDATES, C_VISIT, C_SCALE = 4, 50, 1.0


class Node:
    """`value` and `total` are the points, 0 to 1, of the player to move here."""

    def __init__(self, state, answer):
        self.state, self.visits = state, 1
        self.moves, self.children = [], []
        if state.is_over():
            self.value = (1 + state.result() * (1 - 2 * state.next_player.index)) / 2
        else:
            priors, value = answer
            self.value, self.moves = (1 + value) / 2, list(priors)
            self.logits = np.log(np.array([priors[move] for move in self.moves]) + 1e-12)
            self.children = [None] * len(self.moves)
        self.total = self.value

    def q(self, i):
        child = self.children[i]
        mean = child.total / child.visits
        return mean if child.state.next_player is self.state.next_player else 1 - mean

    def completed(self):
        """Means of moves; those without visits have the mixed value."""
        seen = [i for i, child in enumerate(self.children) if child]
        mixed = self.value
        if seen:
            priors = np.exp(self.logits)
            weights = priors[seen] / priors[seen].sum()
            number = sum(self.children[i].visits for i in seen)
            mixed = (self.value + number * sum(
                w * self.q(i) for w, i in zip(weights, seen, strict=True))) / (1 + number)
        q = np.array([self.q(i) if child else mixed for i, child in enumerate(self.children)])
        most = max((child.visits for child in self.children if child), default=0)
        return (C_VISIT + most) * C_SCALE * q

    def improved(self):
        z = self.logits + self.completed()
        z = np.exp(z - z.max())
        return z / z.sum()


def search(state, evaluate, simulations):
    root = Node(state, evaluate(state))

    def simulate(node, choice):
        child = node.children[choice]
        if child is None:
            after = node.state.apply_move(node.moves[choice])
            child = node.children[choice] = Node(
                after, None if after.is_over() else evaluate(after))
            value = child.value
        elif not child.moves:
            value = child.value
            child.visits, child.total = child.visits + 1, child.total + value
        else:
            counts = np.array([c.visits if c else 0 for c in child.children])
            value = simulate(child, int(np.argmax(
                child.improved() - counts / (1 + counts.sum()))))
        same = child.state.next_player is node.state.next_player
        value = value if same else 1 - value
        node.visits, node.total = node.visits + 1, node.total + value
        return value

    ranked = sorted(range(len(root.moves)), key=lambda i: -root.logits[i])[:CANDIDATES]
    rounds, done = max(1, math.ceil(math.log2(len(ranked)))), 0
    while done < simulations:
        for _ in range(max(1, simulations // (rounds * len(ranked)))):
            for i in ranked:
                if done < simulations:
                    simulate(root, i)
                    done += 1
        scores = root.logits + root.completed()
        ranked = sorted(ranked, key=lambda i: -scores[i])[: max(2, len(ranked) // 2)]
    scores = root.logits + root.completed()
    most = max(root.children[i].visits for i in ranked if root.children[i])
    best = max((i for i in ranked if root.children[i] and root.children[i].visits == most),
               key=lambda i: scores[i])
    return {move: child.visits if child else 0
            for move, child in zip(root.moves, root.children, strict=True)}, root.moves[best]
