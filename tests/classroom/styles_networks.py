"""Exercises of chapters 5 to 8: correct solutions in other styles, written by hand."""

from __future__ import annotations

SOLUTIONS = {
    "dense": ["""
def forward(x, w, b):  # loops
    y = []
    for row in x:
        y.append([])
        for j in range(len(b)):
            total = b[j]
            for i in range(len(row)):
                total += row[i] * w[i][j]
            y[-1].append(total)
    return y
def backward(x, w, gradient):
    batch, inputs, outputs = range(len(x)), range(len(w)), range(len(w[0]))
    by_x = [[sum(gradient[n][j] * w[i][j] for j in outputs) for i in inputs] for n in batch]
    by_w = [[sum(x[n][i] * gradient[n][j] for n in batch) for j in outputs] for i in inputs]
    return by_x, by_w, [sum(gradient[n][j] for n in batch) for j in outputs]
def sigmoid_backward(y, gradient):
    return [[g * s * (1 - s) for s, g in zip(*rows)] for rows in zip(y, gradient)]
""", """
import numpy as np
def forward(x, w, b):
    return np.einsum("ni,ij->nj", x, w) + b[None, :]
def backward(x, w, gradient):
    return [np.einsum("nj,ij->ni", gradient, w), np.einsum("ni,nj->ij", x, gradient),
            np.einsum("nj->j", gradient)]
def sigmoid_backward(y, gradient):
    return (y - np.square(y)) * gradient
""", """
from numpy import *
class Layer:
    def __init__(self, w, b): self.m = vstack([w, b])
    def __call__(self, x): return hstack([x, ones((len(x), 1))]) @ self.m
    def back(self, x, g):
        both = hstack([x, ones((len(x), 1))]).T @ g
        return dot(g, transpose(self.m[:-1])), both[:-1], both[-1]
forward = lambda x, w, b: Layer(w, b)(x)
backward = lambda x, w, gradient: Layer(w, zeros(w.shape[1])).back(x, gradient)
sigmoid_backward = lambda y, gradient: multiply(gradient, y) - gradient * y ** 2
""", """
import numpy as np
def forward(x, w, b):
    return np.array([row.dot(w) + b for row in x])
def backward(x, w, gradient):  # a row at a time
    by_w, by_b = np.zeros_like(w), np.zeros(w.shape[1])
    for row, g in zip(x, gradient):
        by_w += np.outer(row, g)
        by_b += g
    return np.array([w.dot(g) for g in gradient]), by_w, by_b
def sigmoid_backward(y, gradient):
    return gradient * (0.25 - (y - 0.5) ** 2)
"""],
    "encoder": ["""
import numpy as np
def encode(board, to_move):  # loops
    planes = np.zeros((3, len(board), len(board[0])), dtype="f4")
    for r, row in enumerate(board):
        for c, mark in enumerate(row):
            if mark != ".":
                planes[0 if mark == to_move else 1, r, c] = 1
    if to_move == "b":
        planes[2] += 1
    return planes
def index_of(point, rows, columns):
    if not point:
        return rows * columns
    row, col = point
    return row * columns + col
def point_of(index, rows, columns):
    return (index // columns, index % columns) if index < rows * columns else None
""", """
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
""", """
import numpy as np
def encode(board, to_move):  # text
    turn = "wb".index(to_move)
    planes = [[[float(mark == who) for mark in row] for row in board]
              for who in (to_move, "bw"[turn])]
    return np.float32([*planes, [[turn] * len(row) for row in board]])
def index_of(point, rows, columns):
    return np.ravel_multi_index(point, (rows, columns)) if point is not None else columns * rows
def point_of(index, rows, columns):
    if index != columns * rows:
        return list(np.unravel_index(index, (rows, columns)))
"""],
    "leaking_split": ["""
import numpy as np
def split(games, test_share, seed):
    g = np.array(games); names = np.unique(g)
    test = np.random.RandomState(seed).choice(names, int(test_share * len(names) + .5), False)
    m = np.isin(g, test)
    return np.flatnonzero(~m), np.flatnonzero(m)
def leaks(games, train, test):
    g = np.array(games)
    return np.intersect1d(g[list(train)] if train else [], g[list(test)] if test else [])
""", """
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
""", """
import random
def split(games, test_share, seed):
    random.seed(seed)
    names = list(dict.fromkeys(games))
    chosen = random.sample(names, k=int(round(test_share * len(names), 0)))
    sides = [], []
    for number, game in enumerate(games):
        sides[game in chosen].append(number)
    return list(sides)
def leaks(games, train, test):
    found = set()
    for n in train:
        for m in test:
            if games[n] == games[m]:
                found.add(games[m])
    return found
""", """
import numpy as np
def split(games, test_share, seed):
    names, of = np.unique(games, return_inverse=True)
    order = np.random.default_rng(seed).permutation(len(names))
    rank = np.empty(len(names), int)
    rank[order] = np.arange(len(names))
    test = rank[of] + 0.5 < test_share * len(names)
    return [np.where(~test)[0].tolist(), np.where(test)[0].tolist()]
def leaks(games, train, test):
    side = {}
    for sign, numbers in ((1, train), (2, test)):
        for n in numbers:
            side[games[n]] = side.get(games[n], 0) | sign
    return {game for game, sides in side.items() if sides == 3}
"""],
    "elo": ["""
from math import log, inf, exp
def expected_score(rating, opponent):
    return 1 / (1 + exp((opponent - rating) * log(10) / 400))
def difference(wins, draws, losses):
    good, bad = 2 * wins + draws, 2 * losses + draws
    if bad == 0: return inf
    if good == 0: return -inf
    return 400 * log(good / bad) / log(10)
def updated(rating, opponents, scores, k):
    new = rating
    for o, s in zip(opponents, scores): new += k * (s - expected_score(rating, o))
    return new
""", """
import numpy as np
def expected_score(rating, opponent):
    return (1 + np.tanh(np.log(10) * (np.subtract(rating, opponent)) / 800)) / 2
def difference(wins, draws, losses):
    with np.errstate(divide="ignore"):
        return 400 * (np.log10(wins + 0.5 * draws) - np.log10(losses + 0.5 * draws))
def updated(rating, opponents, scores, k):
    return rating + k * np.sum(np.array(scores) - expected_score(rating, np.array(opponents)))
""", """
import math
def expected_score(rating, opponent):
    strengths = 10 ** (rating / 400), 10 ** (opponent / 400)
    return strengths[0] / sum(strengths)
def difference(wins, draws, losses):
    points = wins * 1.0 + draws * 0.5
    lost = wins + draws + losses - points
    try:
        return math.log(points / lost, 10) * 400
    except ZeroDivisionError:
        return float("inf")
    except ValueError:
        return float("-inf")
def updated(rating, opponents, scores, k):  # recursion
    def more(n):
        if n == len(scores): return 0
        return scores[n] - expected_score(rating, opponents[n]) + more(n + 1)
    return rating + k * more(0)
"""],
    "better": ["""
from functools import lru_cache
@lru_cache(None)
def ways(games, wins):  # Pascal's triangle
    row = [1]
    for _ in range(games):
        row = [a + b for a, b in zip([0] + row, row + [0])]
    return sum(row[wins:])
def chance_of_luck(wins, losses):
    return ways(wins + losses, wins) / (1 << wins + losses)
def is_better(wins, losses, level):
    return not chance_of_luck(wins, losses) >= level
def wins_needed(games, level):
    return next((w for w in range(games + 1) if is_better(w, games - w, level)), None)
""", """
from math import lgamma, log, exp, fsum
def chance_of_luck(wins, losses):
    n = wins + losses
    return fsum(exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) - n * log(2))
                for k in range(n, wins - 1, -1))
def is_better(wins, losses, level):
    return chance_of_luck(wins, losses) < level - 1e-12
def wins_needed(games, level):
    wins = games
    if not is_better(wins, 0, level):
        return None
    while wins and is_better(wins - 1, games - wins + 1, level):
        wins -= 1
    return wins
""", """
import numpy as np
def distribution(games):
    chances = np.ones(1)
    for _ in range(games):
        chances = (np.append(chances, 0) + np.append(0, chances)) / 2
    return chances
def chance_of_luck(wins, losses):
    return distribution(wins + losses)[wins:].sum()
def is_better(wins, losses, level):
    return chance_of_luck(wins, losses) < level
def wins_needed(games, level):
    chances = np.cumsum(distribution(games)[::-1])[::-1]
    good = np.flatnonzero(chances < level)
    return good.min() if len(good) else None
""", """
from fractions import Fraction
from math import comb
def luck(wins, losses):
    n = wins + losses
    return Fraction(2 ** n - sum(comb(n, k) for k in range(wins)), 2 ** n)
def chance_of_luck(wins, losses): return float(luck(wins, losses))
def is_better(wins, losses, level): return luck(wins, losses) < level
def wins_needed(games, level):
    low, high = 0, games + 1  # halving
    while low < high:
        middle = (low + high) // 2
        if is_better(middle, games - middle, level): high = middle
        else: low = middle + 1
    return low if low <= games else None
"""],
}
