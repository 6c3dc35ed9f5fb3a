"""Proof-number search (Allis 1994), asked twice: does the player win, and does it not lose?"""

import math


class Node:
    def __init__(self, state, parent, hero, goal):
        self.state, self.parent, self.children = state, parent, []
        self.is_or = state.next_player is hero
        self.pn = self.dn = 1
        if state.is_over():
            result = state.result() * (1 - 2 * hero.index)
            self.pn, self.dn = (0, math.inf) if result >= goal else (math.inf, 0)

    def update(self):
        proofs = [child.pn for child in self.children]
        refutations = [child.dn for child in self.children]
        self.pn = min(proofs) if self.is_or else sum(proofs)
        self.dn = sum(refutations) if self.is_or else min(refutations)


def proves(state, goal):
    hero = state.next_player
    root = Node(state, None, hero, goal)
    while root.pn and root.dn:
        node = root
        while node.children:
            node = next(child for child in node.children
                        if (child.pn == node.pn if node.is_or else child.dn == node.dn))
        node.children = [Node(node.state.apply_move(move), node, hero, goal)
                         for move in node.state.legal_moves()]
        while node:
            node.update()
            node = node.parent
    return root.pn == 0


def solve(state):
    return 1 if proves(state, 1) else 0 if proves(state, 0) else -1
