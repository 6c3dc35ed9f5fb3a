"""Correct solutions that order, draw or count otherwise than ours, written by hand."""

from __future__ import annotations

SOLUTIONS = {
    "advantages": ["""
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
""", """
from itertools import accumulate, pairwise
def returns(rewards):
    return list(accumulate(reversed(rewards), lambda later, reward: reward + GAMMA * later))[::-1]
def advantages(rewards, values):
    n = len(rewards)
    surprise = [r + GAMMA * b - a for r, (a, b) in zip(rewards, pairwise([*values, 0.0]))]
    weight = [[(GAMMA * LAMBDA) ** (j - i) if j >= i else 0.0 for j in range(n)] for i in range(n)]
    return [sum(w * s for w, s in zip(row, surprise)) for row in weight]
def game_advantages(players, values, winner):
    return [(1.0 if player == winner else -1.0 if winner else 0.0) - value
            for player, value in zip(players, values)]
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
import heapq
def ordered(position, children, player, guess):
    sign = player(position)
    heap = [(-sign * guess(child), place, child) for place, child in enumerate(children(position))]
    heapq.heapify(heap)
    return [heapq.heappop(heap)[2] for _ in range(len(heap))]
def alpha_beta(position, children, player, value, guess, alpha=float("-inf"), beta=float("inf")):
    # A negamax whose windows are those of a player, without recursion of that player's moves.
    def search(node, who, low, high):
        # The value of `node` for `who`, in (low, high).
        moves = ordered(node, children, player, guess)
        if not moves: return who * value(node)
        mover = player(node)
        if mover != who: return -search(node, mover, -high, -low)
        best = None
        for child in moves:
            score = search(child, who, low, high)
            best = score if best is None else max(best, score)
            low = max(low, score)
            if low >= high: return best
        return best
    return search(position, 1, alpha, beta)
""", """
import random
def ordered(position, children, player, guess):
    moves = random.sample(children(position), len(children(position)))
    return sorted(moves, key=lambda c: -player(position) * guess(c))
def alpha_beta(position, children, player, value, guess, alpha=float("-inf"), beta=float("inf")):
    moves = ordered(position, children, player, guess)
    if not moves: return value(position)
    best = float("-inf") * player(position)
    for child in moves:
        v = alpha_beta(child, children, player, value, guess, alpha, beta)
        if player(position) > 0: best = max(best, v); alpha = max(alpha, v)
        else: best = min(best, v); beta = min(beta, v)
        if alpha >= beta: break
    return best
"""],
    "back_up": ["""
import numpy as np
def back_up(players, visits, totals, value):
    signs = np.array(players) * players[-1]
    return np.array(visits) + 1, np.array(totals, dtype=float) + signs * value
def mean_for_parent(parent_player, player, visits, total, unvisited):
    try: return parent_player * player * total / visits
    except ZeroDivisionError: return unvisited
"""],
    "better": ["""
from fractions import Fraction
from functools import lru_cache
@lru_cache(maxsize=None)
def _tail(games):
    # Sums of Pascal's row from each place to the end.
    row, term = [], 1
    for k in range(games + 1):
        row.append(term)
        term = term * (games - k) // (k + 1)
    total, tails = 0, []
    for value in reversed(row):
        total += value
        tails.append(total)
    return tails[::-1]
def chance_of_luck(wins, losses):
    return float(Fraction(_tail(wins + losses)[wins], 2 ** (wins + losses)))
def is_better(wins, losses, level):
    return Fraction(_tail(wins + losses)[wins], 2 ** (wins + losses)) < Fraction(level)
def wins_needed(games, level):
    low, high = 0, games + 1
    while low < high:
        middle = (low + high) // 2
        if is_better(middle, games - middle, level): high = middle
        else: low = middle + 1
    return low if low <= games else None
""", """
import math
def chance_of_luck(wins, losses):
    n = wins + losses
    log = lambda k: math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    logs = [log(k) - n * math.log(2) for k in range(wins, n + 1)]
    return math.fsum(map(math.exp, logs))
def is_better(wins, losses, level):
    n = wins + losses
    return sum(math.comb(n, k) for k in range(wins, n + 1)) / 2 ** n < level
def wins_needed(games, level):
    wins = games
    if not is_better(games, 0, level): return None
    while wins > 0 and is_better(wins - 1, games - wins + 1, level): wins -= 1
    return wins
""", """
from decimal import Decimal, getcontext
getcontext().prec = 60
def chance_of_luck(wins, losses):
    term = Decimal(2) ** -(wins + losses); n = wins + losses; total = Decimal(0)
    for k in range(n, wins - 1, -1):
        total += term
        term = term * k / (n - k + 1)
    return float(total)
def is_better(wins, losses, level): return chance_of_luck(wins, losses) < level
def wins_needed(games, level):
    return next((w for w in range(games + 1) if is_better(w, games - w, level)), None)
"""],
    "captures": ["""
class Grid:
    # A board as a dict from complex numbers to marks.
    def __init__(self, board):
        self.width = len(board[0]) if board else 0
        self.marks = {complex(r, c): m for r, row in enumerate(board) for c, m in enumerate(row)}
    def around(self, p):
        return [q for q in (p + 1, p - 1, p + 1j, p - 1j) if q in self.marks]
    def chain(self, p):
        found, new = {p}, {p}
        while new:
            new = {q for x in new for q in self.around(x) if self.marks[q] == self.marks[p]} - found
            found |= new
        return found
    def dead(self, p):
        stones = self.chain(p)
        free = any(self.marks[q] == "." for x in stones for q in self.around(x))
        return set() if free else stones
    def rows(self):
        points = sorted(self.marks, key=lambda p: (p.real, p.imag))
        text = "".join(self.marks[p] for p in points)
        return tuple(text[i:i + self.width] for i in range(0, len(text), self.width))
def _move(board, color, point):
    grid, p = Grid(board), complex(*point)
    if grid.marks[p] != ".": return None, set()
    grid.marks[p] = color
    gone = set().union(*(grid.dead(q) for q in grid.around(p) if grid.marks[q] not in (color, ".")))
    for q in gone: grid.marks[q] = "."
    return (None, set()) if grid.dead(p) else (grid, gone)
def play(board, color, point):
    grid, _ = _move(board, color, point)
    return list(grid.rows()) if grid is not None else None
def captured(board, color, point):
    return len(_move(board, color, point)[1])
"""],
    "counting": ["""
def _union(board):
    # Union-find of empty points.
    parent = {(r, c): (r, c) for r, row in enumerate(board) for c, m in enumerate(row) if m == "."}
    def find(p):
        while parent[p] != p:
            parent[p] = parent[parent[p]]
            p = parent[p]
        return p
    for r, c in list(parent):
        for q in ((r + 1, c), (r, c + 1)):
            if q in parent: parent[find(q)] = find((r, c))
    return parent, find
def _touch(board, points):
    for r, c in points:
        for y, x in ((r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)):
            if y in range(len(board)) and x in range(len(board[y])): yield board[y][x]
def region(board, point):
    parent, find = _union(board)
    root = find(tuple(point))
    points = {p for p in parent if find(p) == root}
    return points, {*_touch(board, points)} - {"."}
def area(board):
    score = {"b": sum(row.count("b") for row in board), "w": sum(row.count("w") for row in board)}
    parent, find = _union(board)
    for root in {find(p) for p in parent}:
        points, colors = region(board, root)
        match sorted(colors):
            case [only]: score[only] += len(points)
    return [score["b"], score["w"]]
def winner(board, komi):
    from fractions import Fraction
    black, white = area(board)
    margin = Fraction(black) - Fraction(white) - Fraction(komi)
    return ["draw", "b", "w"][(margin > 0) - (margin < 0)]
"""],
    "dense": ["""
import numpy as np
def forward(x, w, b):
    return np.einsum("ni,io->no", x, w) + b[None, :]
def backward(x, w, gradient):
    batch = len(x)
    gx = np.stack([w @ gradient[n] for n in range(batch)]) if batch else np.zeros_like(x)
    gw = np.add.reduce([np.outer(x[n], gradient[n]) for n in range(batch)])
    gb = np.ones(batch) @ gradient
    return [gx, gw, gb]
def sigmoid_backward(y, gradient):
    return gradient * (y - y ** 2)
"""],
    "elo": ["""
import math
def expected_score(rating, opponent):
    return 0.5 * (1 + math.tanh((rating - opponent) * math.log(10) / SCALE / 2))
def difference(wins, draws, losses):
    ours, theirs = 2 * wins + draws, 2 * losses + draws
    logs = [math.log(n, 10) if n else -math.inf for n in (ours, theirs)]
    return SCALE * (logs[0] - logs[1])
def updated(rating, opponents, scores):
    surprises = map(lambda o, s: s - expected_score(rating, o), opponents, scores)
    return math.fsum([rating, *(K * surprise for surprise in surprises)])
"""],
    "encoder": ["""
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
def encode(board, to_move):
    codes = np.frombuffer("".join(board).encode(), dtype=np.uint8).reshape(len(board), -1)
    order = [to_move, {"b": "w", "w": "b"}[to_move]]
    planes = np.zeros((3, *codes.shape), dtype=np.float32)
    for plane, mark in zip(planes, order): plane[codes == ord(mark)] = 1
    planes[2] += to_move == "b"
    return planes
def index_of(point, rows, columns):
    return rows * columns if point is None else int(np.ravel_multi_index(point, (rows, columns)))
def point_of(index, rows, columns):
    moves = [*np.ndindex(rows, columns), None]
    return moves[index]
""", """
import numpy as np
def encode(board, to_move):
    return np.float32([[[m == to_move for m in row] for row in board],
        [[m == {"b": "w", "w": "b"}[to_move] for m in row] for row in board],
        [[to_move == "b"] * len(board[0])] * len(board)])
def index_of(point, rows, columns):
    return range(rows * columns)[point[0] * columns:][point[1]] if point else columns * rows
def point_of(index, rows, columns):
    return divmod(np.int64(index), columns) if index < rows * columns else None
"""],
    "evaluation": ["""
LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
import re
ROWS = [tuple(line) for line in LINES]
def open_lines(board, player):
    blocked = {"x": "o", "o": "x"}[player]
    total = 0
    for a, b, c in ROWS: total += blocked not in board[a] + board[b] + board[c]
    return total
def evaluate(board, to_move):
    lines = " ".join(board[a] + board[b] + board[c] for a, b, c in ROWS)
    won = re.search("xxx|ooo", lines)
    if won: return 1 if won[0][0] == to_move else -1
    if board.find(".") < 0: return 0
    weight = {player: OWN if player == to_move else -THEIRS for player in "ox"}
    return sum(weight[player] * open_lines(board, player) for player in "ox")
""", """
LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
def open_lines(board, player):
    return len([1 for l in LINES if {board[n] for n in l} <= {player, "."}])
def evaluate(board, to_move):
    other = "o" if to_move == "x" else "x"
    for who, value in ((to_move, 1.0), (other, -1.0)):
        if any(all(board[n] == who for n in l) for l in LINES): return value
    return round(OWN * open_lines(board, to_move) - THEIRS * open_lines(board, other), 4)
"""],
    "ko": ["""
def forbidden(positions, after, to_move, rule):
    def simple():
        *_, before, _ = [(None, None)] + positions
        return before[0] == after
    history = reversed(positions)
    rules = {"simple": simple,
             "positional": lambda: any(board == after for board, _ in history),
             "situational": lambda: (after, to_move) in set(positions)}
    return rules[rule]()
""", """
def forbidden(positions, after, to_move, rule):
    if rule == "simple": return after in [board for board, _ in positions[-2:-1]]
    for board, color in positions:
        if board == after and (rule[0] == "p" or color == to_move): return True
    return False
"""],
    "leaking_split": ["""
import hashlib
from decimal import Decimal, ROUND_HALF_UP
def split(games, test_share, seed):
    # The games with the smallest digests are for testing.
    names = sorted(set(games), key=lambda g: hashlib.sha256(f"{seed}/{g}".encode()).digest())
    count = int((Decimal(str(test_share)) * len(names)).to_integral_value(ROUND_HALF_UP))
    testing = frozenset(names[:count])
    sides = [], []
    for number, game in enumerate(games): sides[game in testing].append(number)
    return sides
def leaks(games, train, test):
    side = {}
    for part, numbers in (("train", train), ("test", test)):
        for n in numbers: side.setdefault(games[n], set()).add(part)
    return {game for game, parts in side.items() if len(parts) == 2}
""", """
import numpy as np
def split(games, test_share, seed):
    names, inverse = np.unique(np.array(games, dtype=object).astype(str), return_inverse=True)
    order = np.random.default_rng(seed).permutation(len(names))
    chosen = order[:int(np.rint(test_share * len(names)))]
    mask = np.isin(inverse, chosen)
    return np.flatnonzero(~mask), np.flatnonzero(mask)
def leaks(games, train, test):
    return frozenset(games[n] for n in train).intersection(games[n] for n in test)
""", """
import math, random
def split(games, test_share, seed):
    names = list(dict.fromkeys(games))
    k = math.ceil(test_share * len(names) - 0.5)
    rng = random.Random(seed)
    test = set()
    while len(test) < k: test.add(rng.choice(names))
    number = lambda inside: [n for n, game in enumerate(games) if (game in test) == inside]
    return number(False), number(True)
def leaks(games, train, test):
    return {a for a in {games[i] for i in train} for b in {games[i] for i in test} if a == b}
"""],
    "liberties": ["""
import numpy as np
from collections import deque
def _grid(board):
    return np.pad(np.array([list(row) for row in board]), 1, constant_values="#")
def neighbours(board, point):
    shape = (len(board), len(board[0]))
    inside = np.ones(shape, dtype=bool)
    return {(int(r), int(c)) for r, c in np.argwhere(inside)
            if abs(r - point[0]) + abs(c - point[1]) == 1}
def _mask(board, point):
    # The chain as a mask on the padded board: grow it until it no longer changes.
    grid = _grid(board)
    mask = np.zeros(grid.shape, dtype=bool)
    mask[point[0] + 1, point[1] + 1] = True
    while True:
        grown = mask | np.logical_or.reduce([np.roll(mask, n, axis) for n in (1, -1)
                                             for axis in (0, 1)])
        new = grown & (grid == board[point[0]][point[1]])
        if (new == mask).all(): return grid, mask, grown
        mask = new
def chain(board, point):
    if board[point[0]][point[1]] == ".": return frozenset()
    return frozenset((r - 1, c - 1) for r, c in np.argwhere(_mask(board, point)[1]).tolist())
def liberties(board, point):
    if board[point[0]][point[1]] == ".": return []
    grid, mask, grown = _mask(board, point)
    return [(r - 1, c - 1) for r, c in np.argwhere(grown & (grid == ".")).tolist()]
"""],
    "masking": ["""
import numpy as np
def mask(policy, legal):
    allowed = np.flatnonzero(legal)
    answer = np.zeros(len(policy))
    part = policy[allowed]
    answer[allowed] = part / part.max() if part.any() else 1
    return answer / np.sum(answer)
def mask_logits(logits, legal):
    masked = np.ma.masked_array(logits, mask=~np.asarray(legal))
    top = float(masked.max())
    log_sum = top + np.log(np.exp(masked - top).sum())
    return np.ma.filled(np.exp(masked - log_sum), 0.0)
"""],
    "minimax": ["""
def minimax(position, children, player, result):
    # Without recursion: positions in an order in which children come after their parents.
    order, todo = [], [position]
    while todo:
        order.append(todo.pop())
        todo.extend(children(order[-1]))
    values = {}
    for p in reversed(order):
        moves = children(p)
        if not moves: values[p] = result(p)
        else: values[p] = player(p) * max(player(p) * values[c] for c in moves)
    return values[position]
def best_move(position, children, player, result):
    sign = player(position)
    ranked = [(sign * minimax(c, children, player, result), -n, c)
              for n, c in enumerate(children(position))]
    return max(ranked)[2]
"""],
    "noise": ["""
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
""", """
import numpy as np
def mix(priors, noise, legal, share):
    only = [float(n) if ok else 0.0 for n, ok in zip(noise, legal)]
    total = sum(only)
    return [(1 - share) * float(p) + share * n / total if ok else 0.0
            for p, n, ok in zip(priors, only, legal)]
def tempered(visits, temperature):
    visits = np.asarray(visits, dtype=float)
    if temperature == 0:
        return np.where(visits == visits.max(), 1 / np.count_nonzero(visits == visits.max()), 0)
    logs = np.full(len(visits), -np.inf)
    logs[visits > 0] = np.log(visits[visits > 0]) / temperature
    return np.exp(logs - np.logaddexp.reduce(logs))
""", """
import numpy as np
def mix(priors, noise, legal, share):
    z = np.zeros(len(priors)); z[legal] = noise[legal] / noise[legal].sum()
    return priors + share * (z - priors)
def tempered(visits, temperature):
    if temperature == 0:
        best = np.max(visits); p = [float(v == best) for v in visits]
    else:
        p = [(float(v) / float(max(visits))) ** (1 / temperature) for v in visits]
    return [x / sum(p) for x in p]
"""],
    "predict_alpha_beta": ["""
from types import SimpleNamespace as Visit
def trace():
    kids = {}
    for number, parent, *_ in TREE: kids.setdefault(parent, []).append(number)
    visits = []
    def enter(number, window, mover):
        # The value for player 1; `window` is as player 1 sees it: (what 1 has, what -1 has).
        low, high = window
        own = (low, high) if mover == 1 else (-high, -low)
        visit = Visit(number=number, window=own)
        visits.append(visit)
        if number not in kids:
            visit.value = mover * TREE[number][3]
            return TREE[number][3]
        best = None
        for kid in kids[number]:
            score = enter(kid, (low, high), TREE[kid][2])
            if best is None or mover * score > mover * best: best = score
            if mover == 1: low = max(low, best)
            else: high = min(high, best)
            if low >= high: break
        visit.value = mover * best
        return best
    enter(0, (-1.0, 1.0), TREE[0][2])
    return [(v.number, *v.window, v.value) for v in visits]
"""],
    "predict_uct": ["""
import numpy as np
def _children(node): return np.array([row[0] for row in TREE if row[1] == node])
def scores(node):
    kids = _children(node)
    visits = np.array([TREE[k][3] for k in kids], dtype=float)
    totals = np.array([TREE[k][4] for k in kids])
    wins = (visits + TREE[node][2] * totals) / 2
    return wins / visits + C * np.sqrt(np.log(TREE[node][3]) / visits)
def path():
    def walk(node):
        yield node
        if TREE[node][5] == 0 and len(_children(node)):
            yield from walk(int(_children(node)[np.argmax(scores(node))]))
    return tuple(walk(0))
def means():
    rows = [TREE[n] for n in path()]
    return np.array([(row[4] + RESULT) / (row[3] + 1) for row in rows] + [float(RESULT)])
"""],
    "puct": ["""
import math
def puct_score(q, prior, visits, parent_visits, c):
    return q + c * prior * math.sqrt(parent_visits) / (visits + 1)
def choose(totals, visits, priors, parent_value, reduction, c):
    def best(n):
        # The best move among those from n on: (score, number).
        if n == len(visits): return -math.inf, n
        q = totals[n] / visits[n] if visits[n] > 0 else parent_value - reduction
        own = puct_score(q, priors[n], visits[n], sum(visits) + 1, c)
        later = best(n + 1)
        return (own, n) if own >= later[0] else later
    return best(0)[1]
""", """
import numpy as np
def puct_score(q, prior, visits, parent_visits, c):
    return np.float64(q) + c * prior * parent_visits ** .5 / (1 + visits)
def choose(totals, visits, priors, parent_value, reduction, c):
    t, n, p = map(np.array, (totals, visits, priors))
    q = np.divide(t, n, out=np.full(len(n), parent_value - reduction, dtype=float), where=n > 0)
    return np.argmax(puct_score_all(q, p, n, n.sum() + 1, c))
def puct_score_all(q, p, n, total, c): return q + c * p * np.sqrt(total) / (1 + n)
"""],
    "q_update": ["""
def target(reward, next_values, same_player):
    ranked = sorted(next_values)
    following = ranked[-1] if ranked else 0
    return reward + (GAMMA if same_player else -GAMMA) * following
def update(q, wanted):
    return (1 - ALPHA) * q + ALPHA * wanted
def policy(values):
    from collections import Counter
    count = Counter(values)
    top = max(count)
    each = EPSILON / len(values)
    share = {value: each for value in count}
    share[top] = each + (1 - EPSILON) / count[top]
    return tuple(map(share.get, values))
""", """
import numpy as np
def target(reward, next_values, same_player):
    if len(next_values) == 0: return reward
    return GAMMA * np.max(next_values) * (2 * same_player - 1) + reward
def update(q, wanted): return q + ALPHA * (wanted - q)
def policy(values):
    v = np.array(values)
    best = np.isclose(v, v.max(), rtol=0, atol=1e-12)
    return EPSILON / len(v) + (1 - EPSILON) * best / best.sum()
"""],
    "random_bot": ["""
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
""", """
import secrets
import numpy as np
def is_eye(board, point, color):
    if board[point[0]][point[1]] != ".": return False
    grid = np.full((len(board) + 2, len(board[0]) + 2), "#")
    grid[1:-1, 1:-1] = [list(row) for row in board]
    window = grid[point[0]:point[0] + 3, point[1]:point[1] + 3]
    sides, corners = window.flat[1::2], window.flat[::2][[0, 1, 3, 4]]
    if any(mark not in ("#", color) for mark in sides): return False
    if not (sides == color).any() and len(board) * len(board[0]) > 1: return False
    strangers = int(np.isin(corners, ["#", color], invert=True).sum())
    return strangers == 0 or strangers == 1 and "#" not in window
def choose(board, color, legal):
    # Reservoir sampling: the n-th good point replaces the choice with probability 1 / n.
    choice, seen = None, 0
    for point in legal:
        if is_eye(board, point, color): continue
        seen += 1
        if secrets.randbelow(seen) == 0: choice = tuple(point)
    return choice
"""],
    "rave": ["""
def amaf_moves(moves, start):
    chooser, _ = moves[start]
    owner = {}
    for who, point in reversed(moves[start:]): owner[point] = who
    return {point for point in owner if owner[point] == chooser}
def rave_value(wins, visits, rave_wins, rave_visits):
    match bool(visits), bool(rave_visits):
        case False, False: return UNKNOWN
        case True, False: return wins / visits
        case False, True: return rave_wins / rave_visits
    b = (K / (3 * visits + K)) ** 0.5
    own, second = wins / visits, rave_wins / rave_visits
    return own + b * (second - own)
"""],
    "reinforce": ["""
import numpy as np
def _softmax(logits):
    z = [float(x) - max(map(float, logits)) for x in logits]
    total = sum(np.e ** x for x in z)
    return [np.e ** x / total for x in z]
def log_gradient(logits, action):
    return [(i == action) - p for i, p in enumerate(_softmax(logits))]
def weights(players, winner):
    return tuple(player * winner for player in players)
def step(logits, actions, players, winner, rate):
    # The mean gradient is the weighted counts of actions minus the mean weight times softmax.
    w = np.asarray(weights(players, winner), dtype=float)
    counts = np.bincount(actions, weights=w, minlength=len(logits))
    mean = (counts - w.sum() * np.array(_softmax(logits))) / len(actions)
    return np.add(logits, rate * mean)
"""],
    "rules_of_thumb": ["""
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
""", """
LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
BITS = [sum(1 << n for n in line) for line in LINES]
def _bits(board, mark): return sum(1 << n for n in range(9) if board[n] == mark)
def winning_points(board, player):
    mine, empty = _bits(board, player), _bits(board, ".")
    return {n for n in range(9) if empty >> n & 1
            and any(line & ~(mine | 1 << n) == 0 and line >> n & 1 for line in BITS)}
def choose(board, player):
    def rules():
        yield from sorted(winning_points(board, player), reverse=True)
        yield from sorted(winning_points(board, "xo"[player == "x"]), reverse=True)
        yield from (n for n in (4, 8, 7, 6, 5, 3, 2, 1, 0) if board[n] == ".")
    return next(rules())
""", """
LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
import random
def winning_points(board, player):
    wins = lambda n: any(n in line and {board[m] for m in line if m != n} == {player}
                         for line in LINES)
    return {n for n in range(9) if board[n] == "." and wins(n)}
def choose(board, player):
    for who in (player, {"x": "o", "o": "x"}[player]):
        if winning_points(board, who): return random.choice(tuple(winning_points(board, who)))
    if board[4] == ".": return 4
    while board[n := random.randrange(9)] != ".": pass
    return n
""", """
LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
def _put(board, n, player): return board[:n] + player + board[n + 1:]
def _wins(board, player): return any(all(board[n] == player for n in l) for l in LINES)
def winning_points(board, player):
    return {n for n in range(9) if board[n] == "." and _wins(_put(board, n, player), player)}
def choose(board, player):
    other = "o" if player == "x" else "x"
    for who in (player, other):
        for n in range(9):
            if board[n] == "." and _wins(_put(board, n, who), who): return n
    return 4 if board[4] == "." else board.rfind(".")
"""],
    "uct": ["""
import math
class Node:
    def __init__(self, position, moves, mover):
        self.position, self.mover, self.visits, self.total = position, mover, 0, 0
        self.untried = [*moves]
        self.kids = {}
def uct_score(wins, visits, parent_visits):
    return (wins + C * (math.log(parent_visits) * visits) ** 0.5) / visits
def search(root, children, player, rollout, simulations):
    def node_of(position):
        moves = children(position)
        return Node(position, moves, player(position) if moves else 0)
    top = node_of(root)
    top.visits = 1
    def simulate(node):
        # One simulation below `node`; the result for the first player.
        if not node.visits or not (node.untried or node.kids): result = rollout(node.position)
        elif node.untried:
            kid = node_of(node.untried.pop(0))
            node.kids[kid.position] = kid
            result = simulate(kid)
        else:
            def score(kid):
                wins = (kid.visits + node.mover * kid.total) / 2
                return uct_score(wins, kid.visits, node.visits)
            result = simulate(max(node.kids.values(), key=score))
        node.visits += 1
        node.total += result
        return result
    for _ in range(simulations): simulate(top)
    return [top.kids[c].visits if c in top.kids else 0 for c in children(root)]
""", """
import math
import random
def uct_score(wins, visits, parent_visits):
    return wins / visits + C * math.sqrt(math.log(parent_visits) / visits)
def search(root, children, player, rollout, simulations):
    n, w = {root: 1}, {}
    for _ in range(simulations):
        path = [root]
        while n.get(path[-1], 0) and children(path[-1]):
            p = path[-1]
            moves = list(children(p)); random.shuffle(moves)
            new = [c for c in moves if not n.get(c)]
            path.append(new[0] if new else max(moves, key=lambda c: uct_score(
                (n[c] + player(p) * w[c]) / 2, n[c], n[p])))
        r = rollout(path[-1])
        for p in path: n[p] = n.get(p, 0) + 1; w[p] = w.get(p, 0) + r
    return [n.get(c, 0) for c in children(root)]
"""],
    "zobrist": ["""
from functools import reduce
from itertools import chain
from operator import xor
def key_of(board, to_move, table):
    stones = ((mark, r, c) for r, row in enumerate(board) for c, mark in enumerate(row))
    names = chain((s for s in stones if s in table), ["white to move"] * "bw".index(to_move))
    return reduce(xor, map(table.__getitem__, names), 0)
def key_after(key, color, point, captured, table):
    def numbers():
        yield table["white to move"]
        yield table[(color,) + tuple(point)]
        yield from (table[({"b": "w", "w": "b"}[color], r, c)] for r, c in captured)
    for number in numbers(): key = (key | number) & ~(key & number)
    return key
""", """
def key_of(board, to_move, table):
    total = 0
    for name, number in table.items():
        if name == "white to move": total ^= number if to_move == "w" else 0
        else:
            c, row, col = name
            if row < len(board) and col < len(board[0]) and board[row][col] == c: total ^= number
    return total
def key_after(key, color, point, captured, table):
    other = next(iter({"b", "w"} - {color}))
    names = [(color, *point), "white to move", *[(other, *p) for p in captured]]
    for name in names: key ^= table[name]
    return key
"""],
}
