"""Correct solutions that order, draw or count otherwise than ours, written by hand."""

from __future__ import annotations

SOLUTIONS = {
    "random_bot": """
import os
class Eye:
    def __init__(self, board, point, color):
        (self.r, self.c), self.rows, self.color = point, board, color
    def marks(self, shifts):
        for dr, dc in shifts:
            if 0 <= self.r + dr < len(self.rows) and 0 <= self.c + dc < len(self.rows[0]):
                yield self.rows[self.r + dr][self.c + dc]
    def __bool__(self):
        sides = list(self.marks([(0, 1), (0, -1), (1, 0), (-1, 0)]))
        corners = "".join(self.marks([(1, 1), (1, -1), (-1, 1), (-1, -1)]))
        if set(sides) - {self.color} or self.rows[self.r][self.c] != ".": return False
        return corners.count(self.color) + (len(corners) > 3) >= len(corners)
def is_eye(board, point, color): return bool(Eye(board, point, color))
def choose(board, color, legal):
    good = [point for point in legal if not Eye(board, point, color)]
    if good: return good[int.from_bytes(os.urandom(8), "big") % len(good)]
""",
    "rules_of_thumb": """
import random
def triples():
    for n in range(3):
        yield 3 * n, 3 * n + 1, 3 * n + 2
        yield n, n + 3, n + 6
    yield from ((0, 4, 8), (2, 4, 6))
def winning_points(board, player):
    return frozenset(line["".join(board[n] for n in line).index(".")] for line in triples()
                     if sorted(board[n] for n in line) == sorted([".", player, player]))
def choose(board, player):
    empty = {n for n, mark in enumerate(board) if mark == "."}
    opponent = ({"x", "o"} - {player}).pop()
    own, theirs = winning_points(board, player), winning_points(board, opponent)
    return random.choice(list(own or theirs or empty & {4} or empty))
""",
    "alpha_beta": """
def ordered(position, children, player, guess):
    kids = list(children(position))
    for n in range(1, len(kids)):  # insertion sort
        while n and player(position) * guess(kids[n]) > player(position) * guess(kids[n - 1]):
            kids[n], kids[n - 1] = kids[n - 1], kids[n]
            n -= 1
    return kids
def alpha_beta(position, children, player, value, guess, alpha=float("-inf"), beta=float("inf")):
    kids = ordered(position, children, player, guess)
    if not kids: return value(position)
    for kid in kids:  # what is returned stays between alpha and beta
        result = alpha_beta(kid, children, player, value, guess, alpha, beta)
        if player(position) == 1: alpha = max(alpha, result)
        else: beta = min(beta, result)
        if alpha >= beta: break
    return alpha if player(position) == 1 else beta
""",
    "encoder": """
import numpy as np
def encode(board, to_move):
    marks = np.frombuffer("".join(board).encode(), dtype=np.uint8).reshape(len(board), -1)
    own = ord(to_move)
    other = ord("b") + ord("w") - own
    return np.array([marks == own, marks == other, np.ones_like(marks) * (to_move == "b")],
                    dtype=np.float32)
def _moves(rows, columns):
    return [*np.ndindex(rows, columns), None]
def index_of(point, rows, columns):
    return _moves(rows, columns).index(point)
def point_of(index, rows, columns):
    return _moves(rows, columns)[index]
""",
    "advantages": """
def returns(rewards):  # the formula
    return tuple(sum(GAMMA ** (j - i) * rewards[j] for j in range(i, len(rewards)))
                 for i in range(len(rewards)))
def advantages(rewards, values):  # temporal differences
    after, more, out = 0.0, 0.0, []
    for reward, value in zip(rewards[::-1], values[::-1]):
        more = reward + GAMMA * after - value + GAMMA * LAMBDA * more
        after = value
        out.insert(0, more)
    return out
def game_advantages(players, values, winner):
    rewards = [0] * (len(players) - 1) + [winner * players[-1]]
    return [rewards[-1] * p * players[-1] - v for p, v in zip(players, values)]
""",
    "noise": """
from fractions import Fraction
import numpy as np
def mix(priors, noise, legal, share):
    masked = np.ma.array(noise, mask=~legal)
    return np.average([priors, (masked / masked.sum()).filled(0)], axis=0,
                      weights=[1 - share, share])
def tempered(visits, temperature):
    top = int(visits.max())
    ratios = [Fraction(int(n), top) for n in visits]
    powers = [float(r) ** (1 / temperature) if temperature else float(r == 1) for r in ratios]
    return np.array(powers) / np.array(powers).sum()
""",
}
