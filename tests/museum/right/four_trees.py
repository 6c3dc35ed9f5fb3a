"""Root parallelism: four searches of a quarter of the simulations, whose visits are added."""

import math
import random
from collections import Counter

KIND = "puct"


class Tree:
    def __init__(self, state, evaluate, rng):
        self.state, self.evaluate, self.rng = state, evaluate, rng
        self.children, self.visits, self.total, self.priors = {}, 0, 0.0, None

    def simulate(self):
        """For the player to move here."""
        self.visits += 1
        if self.state.is_over():
            value = (1 - 2 * self.state.next_player.index) * self.state.result()
        elif self.priors is None:
            self.priors, value = self.evaluate(self.state)
        else:
            moves = list(self.priors)
            self.rng.shuffle(moves)
            move = max(moves, key=self.score)
            if move not in self.children:
                self.children[move] = Tree(self.state.apply_move(move), self.evaluate, self.rng)
            child = self.children[move]
            value = child.simulate() * self.sign(child)
        self.total += value
        return value

    def sign(self, child):
        return 1 if child.state.next_player is self.state.next_player else -1

    def score(self, move):
        child = self.children.get(move)
        bonus = 1.4 * self.priors[move] * math.sqrt(self.visits)
        if child is None:
            return bonus
        return self.sign(child) * child.total / child.visits + bonus / (1 + child.visits)


def search(state, evaluate, simulations):
    counts = Counter()
    for number in range(4):
        tree = Tree(state, evaluate, random.Random(number))
        for _ in range(simulations // 4 + 1):
            tree.simulate()
        counts.update({move: child.visits for move, child in tree.children.items()})
    return counts
