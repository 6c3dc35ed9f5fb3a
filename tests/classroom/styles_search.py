"""Exercises of chapter 4: correct solutions in other styles, written by hand."""

from __future__ import annotations

SOLUTIONS = {
    "rules_of_thumb": ["""
WINS = ["012", "345", "678", "036", "147", "258", "048", "246"]
def winning_points(board, player):
    marks = [n for n in range(9) if board[n] == "."]
    return [n for n in marks if sum(all((board[:n] + player + board[n + 1:])[int(m)] == player
            for m in line) and str(n) in line for line in WINS)]
def choose(board, player):
    order = winning_points(board, player) + winning_points(board, "xo"["xo".index(player) - 1])
    order += [4, *range(8, -1, -1)]
    return next(point for point in order if board[point] == ".")
""", """
import numpy as np
LINES = np.array([[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8],
                  [2, 4, 6]])
def winning_points(board, player):
    marks = np.array([{player: 1, ".": 0}.get(mark, -9) for mark in board])[LINES]
    rows = marks.sum(axis=1) == 2
    return np.unique(LINES[rows][marks[rows] == 0])
def choose(board, player):
    for who in (player, "o" if player == "x" else "x"):
        points = winning_points(board, who)
        if points.size:
            return points[-1]
    return np.int64(4 if board[4] == "." else board.rindex("."))
""", """
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
"""],
    "minimax": ["""
def both(position, children, player, result):
    kids = children(position)
    if len(kids) == 0: return result(position), None
    pairs = [(both(kid, children, player, result)[0], -n) for n, kid in enumerate(kids)]
    value, number = max((player(position) * v, n) for v, n in pairs)
    return value * player(position), kids[-number]
def minimax(*game): return both(*game)[0]
def best_move(*game): return both(*game)[1]
""", """
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
""", """
import functools
import numpy as np
class Search:
    def __init__(self, children, player, result):
        self.children, self.player, self.result = children, player, result
        self.value = functools.cache(self.value)
    def value(self, position):
        kids = [self.value(kid) for kid in self.children(position)]
        if not kids: return np.int64(self.result(position))
        return np.max(kids) if self.player(position) == 1 else np.min(kids)
    def best(self, position):
        kids = self.children(position)
        values = np.array([self.value(kid) for kid in kids]) * self.player(position)
        return np.array(kids)[values.argmax()]
def minimax(position, *game): return Search(*game).value(position)
def best_move(position, *game): return Search(*game).best(position)
"""],
    "alpha_beta": ["""
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
""", """
from math import inf
def ordered(position, children, player, guess):
    return tuple(sorted(children(position), key=lambda kid: -player(position) * guess(kid)))
def nega(position, who, game, low, high):
    children, player, value, guess = game
    kids = ordered(position, children, player, guess)
    if not kids: return who * value(position)
    me, best = player(position), -inf
    if me != who: return -nega(position, me, game, -high, -low)
    for kid in kids:
        best = max(best, nega(kid, who, game, max(low, best), high))
        if best >= high: break
    return best
def alpha_beta(position, children, player, value, guess, alpha=-inf, beta=inf):
    return nega(position, 1, (children, player, value, guess), alpha, beta)
""", """
import numpy as np
def ordered(position, children, player, guess):
    kids = np.array(children(position), dtype=int)
    return kids[np.argsort([-player(position) * guess(int(kid)) for kid in kids])]
def alpha_beta(position, children, player, value, guess, alpha=-np.inf, beta=np.inf):
    def high(node, a, b):
        best = -np.inf
        for kid in ordered(node, children, player, guess):
            best = max(best, search(int(kid), max(a, best), b))
            if best >= b: return best
        return best
    def low(node, a, b):
        best = np.inf
        for kid in ordered(node, children, player, guess):
            best = min(best, search(int(kid), a, min(b, best)))
            if best <= a: return best
        return best
    def search(node, a, b):
        if len(children(node)) == 0: return float(value(node))
        return (high if player(node) == 1 else low)(node, a, b)
    return search(position, alpha, beta)
"""],
    "evaluation": ["""
def lines(board):
    for n in range(3):
        yield board[3 * n : 3 * n + 3]
        yield board[n::3]
    yield board[::4]
    yield board[2:7:2]
def open_lines(board, player):
    count = 0
    for line in lines(board):
        if set(line) <= {player, "."}: count += 1
    return count
def evaluate(board, to_move):
    opponent = "xo".replace(to_move, "")
    if to_move * 3 in lines(board): return 1
    if opponent * 3 in list(lines(board)): return -1
    if "." not in set(board): return 0
    return open_lines(board, to_move) / 10 - open_lines(board, opponent) / 10
""", """
import numpy as np
def sums(board, player):
    g = np.array([mark == player for mark in board]).reshape(3, 3)
    return np.array([*g.sum(0), *g.sum(1), g.trace(), g[::-1].trace()])
def open_lines(board, player):
    return np.count_nonzero(sums(board, "o" if player == "x" else "x") == 0)
def evaluate(board, to_move):
    own, other = sums(board, to_move), sums(board, "o" if to_move == "x" else "x")
    if 3 in own or 3 in other: return np.float32(1 if 3 in own else -1)
    return (np.sum(other == 0) - np.sum(own == 0)) * 0.1 * ("." in board)
""", """
from fractions import Fraction
class Board:
    masks = [0o7, 0o70, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124]
    def __init__(self, text):
        self.bits = {p: sum(1 << n for n in range(9) if text[n] == p) for p in "xo."}
    def free(self, player): return [m for m in self.masks if not m & self.bits["xo"[player == "x"]]]
    def won(self, player): return any(m & self.bits[player] == m for m in self.masks)
def open_lines(board, player): return len(Board(board).free(player))
def evaluate(board, to_move):
    other = {"x": "o", "o": "x"}[to_move]
    b = Board(board)
    won = b.won(to_move) - b.won(other)
    if won or not b.bits["."]: return float(won)
    return float(Fraction(len(b.free(to_move)) - len(b.free(other)), 10))
"""],
    "uct": ["""
import math
class Node:
    def __init__(self, position, mover):
        self.position, self.mover, self.visits, self.wins = position, mover, 0, 0
        self.children = None
    def expand(self, children, player):
        if self.children is None:
            who = player(self.position)
            self.children = [Node(child, who) for child in children(self.position)]
def uct_score(wins, visits, parent_visits, c):
    return wins / visits + c * (math.log(parent_visits) / visits) ** 0.5
def search(root, children, player, rollout, simulations, c):
    top = Node(root, 0)
    top.visits = 1
    def simulate(node):  # recursion; the result comes back
        if not node.visits or not children(node.position):
            result = rollout(node.position)
        else:
            node.expand(children, player)
            new = [child for child in node.children if not child.visits]
            result = simulate(new[-1] if new else max(node.children, key=lambda child: uct_score(
                child.wins, child.visits, node.visits, c)))
        node.visits += 1
        node.wins += (1 + result * node.mover) / 2
        return result
    for _ in range(simulations): simulate(top)
    return [child.visits for child in top.children]
""", """
import numpy as np
def uct_score(wins, visits, parent_visits, c):
    return np.divide(wins, visits) + c * np.sqrt(np.log(parent_visits) / visits)
def search(root, children, player, rollout, simulations, c):
    n, w = {}, {}  # arrays of the children of each position
    for _ in range(simulations):
        node, path = root, []
        while True:
            kids = children(node)
            if not kids: break
            n.setdefault(node, np.zeros(len(kids))); w.setdefault(node, np.zeros(len(kids)))
            new = n[node] == 0
            k = int(new.argmax()) if new.any() else int(
                uct_score(w[node], n[node], n[node].sum() + 1, c).argmax())
            path.append((node, k))
            node = kids[k]
            if new.any(): break
        result = rollout(node)
        for node, k in path:
            n[node][k] += 1
            w[node][k] += (1 + player(node) * result) / 2
    return n[root].astype(int)
""", """
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
"""],
    "rave": ["""
def amaf_moves(moves, start):
    mine, theirs = [], []
    for n in range(start, len(moves)):
        who, point = moves[n]
        if point not in mine and point not in theirs:
            (mine if who == moves[start][0] else theirs).append(point)
    return mine
def rave_value(wins, visits, rave_wins, rave_visits, k):
    if not visits: return rave_wins / rave_visits if rave_visits else 1 / 2
    if not rave_visits: return wins / visits
    b = (k / (3 * visits + k)) ** 0.5
    return wins / visits + b * (rave_wins / rave_visits - wins / visits)
""", """
import numpy as np
def amaf_moves(moves, start):
    players, points = (np.array(column) for column in zip(*moves[start:]))
    names, first = np.unique(points, return_index=True)
    return names[players[first] == players[0]]
def rave_value(wins, visits, rave_wins, rave_visits, k):
    with np.errstate(all="ignore"):
        shares = np.array([wins, rave_wins], float) / np.array([visits, rave_visits], float)
        b = np.sqrt(np.float64(k) / (3 * visits + k))
    if np.isnan(shares).all(): return np.float64(0.5)
    return np.nansum(shares * [1 - b, b]) if not np.isnan(shares).any() else np.nanmax(shares)
""", """
from math import sqrt
def amaf_moves(moves, start):
    me = moves[start][0]
    order = [point for _, point in moves[start:]]
    return frozenset(p for p in order if moves[start + order.index(p)][0] == me)
def rave_value(wins, visits, rave_wins, rave_visits, k):
    def share(won, games): return won / games if games else None
    match share(wins, visits), share(rave_wins, rave_visits):
        case None, None: return .5
        case None, other: return other
        case own, None: return own
        case own, other: return own * (1 - (b := sqrt(k / (3 * visits + k)))) + other * b
"""],
}
