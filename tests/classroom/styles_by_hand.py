"""Correct solutions that order, draw or count otherwise than ours, written by hand."""

from __future__ import annotations

SOLUTIONS = {
    "liberties": """
from collections import deque
class Board:
    def __init__(self, rows):
        self.at = {(r, c): mark for r, row in enumerate(rows) for c, mark in enumerate(row)}
    def near(self, point):
        r, c = point
        return {p for p in ((r, c + 1), (r, c - 1), (r + 1, c), (r - 1, c)) if p in self.at}
    def flood(self, point):
        chain, edge, queue = set(), set(), deque([tuple(point)])
        while queue:
            here = queue.popleft()
            (chain if self.at[here] == self.at[point] else edge).add(here)
            if here in chain:
                queue.extend(self.near(here) - chain - edge)
        return (chain, edge) if self.at[point] != "." else (set(), set())
def neighbours(board, point): return Board(board).near(point)
def chain(board, point): return frozenset(Board(board).flood(point)[0])
def liberties(board, point):
    whole = Board(board)
    return {p for p in whole.flood(point)[1] if whole.at[p] == "."}
""",
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
    "minimax": """
def minimax(position, children, player, result):  # without recursion
    order, waiting = [], [position]
    while waiting:
        order.append(waiting.pop())
        waiting.extend(children(order[-1]))
    values = {}
    for node in reversed(order):
        kids = [values[kid] for kid in children(node)]
        values[node] = (max, min)[player(node) < 0](kids) if kids else float(result(node))
    return values[position]
def best_move(position, children, player, result):
    key = lambda kid: minimax(kid, children, player, result) * player(position)
    return max(children(position), key=key)
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
    "uct": """
import math, random
from collections import Counter, defaultdict
def uct_score(wins, visits, parent_visits, c):
    exploration = math.sqrt(math.log(parent_visits) / visits)
    return (wins + c * visits * exploration) / visits
def search(root, children, player, rollout, simulations, c):  # the first rollout is the root's
    visits, points = Counter(), defaultdict(lambda: {1: 0.0, -1: 0.0})
    for number in range(simulations):
        path = [root]
        while visits[path[-1]] and children(path[-1]):
            here, kids = path[-1], list(children(path[-1]))
            random.shuffle(kids)
            path.append(max(kids, key=lambda kid: math.inf if not visits[kid] else uct_score(
                points[kid][player(here)], visits[kid], visits[here], c)))
        result = rollout(path[-1])
        visits.update(path)
        for node in path:
            for who in (1, -1): points[node][who] += {1: 1.0, 0: 0.5, -1: 0.0}[result * who]
    return tuple(visits[kid] for kid in children(root))
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
    "leaking_split": """
import hashlib
from collections import defaultdict
def split(games, test_share, seed):  # games in the order of a hash
    where = defaultdict(list)
    for number, game in enumerate(games):
        where[game].append(number)
    names = sorted(where, key=lambda game: hashlib.sha256(f"{seed} {game}".encode()).digest())
    k = round(test_share * len(names))
    return (sorted(n for game in names[k:] for n in where[game]),
            sorted(n for game in names[:k] for n in where[game]))
def leaks(games, train, test):
    return [game for game in dict.fromkeys(games)
            if any(games[n] == game for n in train) and any(games[n] == game for n in test)]
""",
    "advantages": """
def returns(rewards, discount):  # the formula
    return tuple(sum(discount ** (j - i) * rewards[j] for j in range(i, len(rewards)))
                 for i in range(len(rewards)))
def advantages(rewards, values, discount):  # temporal differences
    after, more, out = 0.0, 0.0, []
    for reward, value in zip(rewards[::-1], values[::-1]):
        more = reward + discount * after - value + discount * more
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
