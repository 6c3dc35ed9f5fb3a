"""A correct solution of each exercise in another style, written by hand."""

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
    "captures": """
import numpy as np
def grown(mask):
    wide = np.pad(mask, 1)
    return wide[1:-1, 1:-1] | wide[2:, 1:-1] | wide[:-2, 1:-1] | wide[1:-1, 2:] | wide[1:-1, :-2]
def chain(g, r, c):
    mask = np.zeros(g.shape, bool)
    mask[r, c] = True
    while (more := grown(mask) & (g == g[r, c])).sum() > mask.sum():
        mask = more
    return mask
def after(board, color, point):
    g = np.array([list(row) for row in board])
    if g[point] != ".": return None
    g[point] = color
    others = np.zeros(g.shape, bool)
    others[point] = True
    for r, c in np.argwhere(grown(others) & (g != color) & (g != ".")):
        if g[r, c] != ".":
            dead = chain(g, r, c)
            if not (grown(dead) & (g == ".")).any(): g[dead] = "."
    return g if (grown(chain(g, *point)) & (g == ".")).any() else None
def play(board, color, point):
    g = after(board, color, point)
    return None if g is None else np.array(["".join(row) for row in g])
def captured(board, color, point):
    g = after(board, color, point)
    return np.int64(0) if g is None else (g == ".").sum() + 1 - "".join(board).count(".")
""",
    "ko": """
class Simple:
    def __init__(self, positions): self.boards = [b for b, _ in positions]
    def __call__(self, after, to_move): return after in self.boards[-2:][:-1]
class Positional(Simple):
    def __call__(self, after, to_move): return self.boards.count(after) > 0
class Situational(Simple):
    def __init__(self, positions): self.all = {(tuple(b), who) for b, who in positions}
    def __call__(self, after, to_move): return (tuple(after), to_move) in self.all
RULES = {"simple": Simple, "positional": Positional, "situational": Situational}
def forbidden(positions, after, to_move, rule): return RULES[rule](positions)(after, to_move)
""",
    "counting": """
import numpy as np
def grown(mask):
    wide = np.pad(mask, 1)
    return wide[1:-1, 1:-1] | wide[2:, 1:-1] | wide[:-2, 1:-1] | wide[1:-1, 2:] | wide[1:-1, :-2]
def reach(start, free):
    while (more := grown(start) & free | start).sum() > start.sum(): start = more
    return start
def grid(board): return np.array([list(row) for row in board])
def region(board, point):
    g = grid(board)
    mask = np.zeros(g.shape, bool)
    mask[point] = True
    mask = reach(mask, g == ".")
    return np.argwhere(mask), set(g[grown(mask) & ~mask].tolist())
def area(board):  # points that only one player reaches
    g = grid(board)
    b, w = (reach(g == color, g == ".") for color in "bw")
    return (b & ~w).sum(), (w & ~b).sum()
def winner(board, komi):
    b, w = area(board)
    return np.array(["w", "draw", "b"])[int(np.sign(b - w - komi)) + 1]
""",
    "zobrist": """
import numpy as np
def key_of(board, to_move, table):
    rows, columns = len(board), len(board[0])
    numbers = [np.int64(table[board[i // columns][i % columns], i // columns, i % columns])
               for i in range(rows * columns) if board[i // columns][i % columns] != "."]
    numbers.append(np.int64((to_move == "w") * table["white to move"]))
    return np.bitwise_xor.reduce(np.array(numbers))
def key_after(key, color, point, captured, table):
    for r, c in [tuple(p) for p in captured] + [point]:
        key = np.bitwise_xor(key, table["bw"[(color == "b") != ((r, c) == point)], r, c])
    return key ^ table["white to move"]
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
    "evaluation": """
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
    "rave": """
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
""",
    "dense": """
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
    "elo": """
import numpy as np
def expected_score(rating, opponent):
    return (1 + np.tanh(np.log(10) * (np.subtract(rating, opponent)) / 800)) / 2
def difference(wins, draws, losses):
    with np.errstate(divide="ignore"):
        return 400 * (np.log10(wins + 0.5 * draws) - np.log10(losses + 0.5 * draws))
def updated(rating, opponents, scores, k):
    return rating + k * np.sum(np.array(scores) - expected_score(rating, np.array(opponents)))
""",
    "better": """
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
""",
    "masking": """
import numpy as np
def mask(policy, legal):  # lists
    out = [p if ok else 0.0 for p, ok in zip(policy, legal)]
    s = sum(out)
    if not s > 0: out, s = [float(ok) for ok in legal], sum(legal)
    return [p / s for p in out]
def mask_logits(logits, legal):
    idx = np.flatnonzero(legal); out = np.zeros(len(logits))
    z = logits[idx] - np.logaddexp.reduce(logits[idx])
    out[idx] = np.exp(z)
    return out
""",
    "reinforce": """
import numpy as np
def log_gradient(logits, action):
    shares = np.exp(logits - np.logaddexp.reduce(logits))
    result = np.negative(shares)
    result[action] = 1 - shares[action]
    return result
def weights(players, winner):
    return list(map(winner.__mul__, players))
def step(logits, actions, players, winner, rate):  # a running mean
    mean = np.zeros(len(logits))
    for n, (weight, action) in enumerate(zip(weights(players, winner), actions), 1):
        mean += (weight * log_gradient(logits, action) - mean) / n
    new = np.array(logits)
    new += rate * mean
    return new
""",
    "q_update": """
import numpy as np
def target(reward, next_values, same_player, discount):
    sign = 2 * same_player - 1
    return reward + discount * sign * np.max(next_values) if next_values else np.float64(reward)
def update(q, wanted, rate):
    return np.interp(rate, [0, 1], [q, wanted])
def policy(values, epsilon):
    values = np.asarray(values)
    greedy = np.equal(values, values.max())
    return np.full(values.shape, epsilon / values.size) + (1 - epsilon) * greedy / greedy.sum()
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
    "puct": """
from math import sqrt
class Move:
    def __init__(self, total, visits, prior, unvisited):
        self.visits, self.prior = visits, prior
        self.q = unvisited if visits == 0 else total / visits
    def score(self, parent, c):
        return puct_score(self.q, self.prior, self.visits, parent, c)
def puct_score(q, prior, visits, parent_visits, c):
    return (sqrt(parent_visits) * prior / (visits + 1)) * c + q
def choose(totals, visits, priors, parent_value, reduction, c):
    unvisited = parent_value - reduction
    moves = [Move(*row, unvisited) for row in zip(totals, visits, priors)]
    parent = 1 + sum(move.visits for move in moves)
    return max(range(len(moves)), key=lambda i: moves[i].score(parent, c))
""",
    "back_up": """
def back_up(players, visits, totals, value):  # from the leaf up
    if not players:
        return [], []
    def up(i, who, value):
        if i < 0:
            return [], []
        if players[i] != who:
            value = -value
        n, t = up(i - 1, players[i], value)
        return n + [visits[i] + 1], t + [totals[i] + value]
    return up(len(players) - 1, players[-1], value)
def mean_for_parent(parent_player, player, visits, total, unvisited):
    if not visits:
        return unvisited
    if parent_player != player:
        total = -total
    return total / visits
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
