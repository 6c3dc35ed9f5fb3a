"""Correct solutions in other styles get all points; those with real bugs lose some, with a hint."""

from __future__ import annotations

import pytest

from experiments.classroom.exercise import exercises
from experiments.classroom.mutants import outcomes
from tests.command import ROOT

EXERCISES = exercises()
CASES = ROOT.parent / "shared/cases/class/grading"


@pytest.mark.skipif(not CASES.is_dir(), reason="needs ../shared/cases/class/grading")
@pytest.mark.parametrize("folder", sorted(CASES.glob("*")), ids=lambda folder: folder.name)
def test_hand_ins_of_others(folder) -> None:
    """`ko-bug-...` has a bug, `ko-alt-...` is right."""
    name, kind, _ = folder.name.split("-", 2)
    failed = outcomes(EXERCISES[name], (folder / f"{name}.py").read_text(encoding="utf-8"))
    problems = [text for text in failed.values() if text]
    assert bool(problems) == (kind == "bug"), problems


SOLUTIONS = {
    "liberties": ["""
def neighbours(board, point):  # a generator inside, lists outside
    def near():
        for dr, dc in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            if point[0] + dr in range(len(board)) and point[1] + dc in range(len(board[0])):
                yield [point[0] + dr, point[1] + dc]
    return list(near())
def chain(board, point):  # recursion
    def grow(r, c, found):
        if (r, c) not in found:
            found.append((r, c))
            for a, b in neighbours(board, (r, c)):
                if board[a][b] == board[r][c]:
                    grow(a, b, found)
        return found
    return [] if board[point[0]][point[1]] == "." else grow(*point, [])
def liberties(board, point):
    result = []
    for stone in chain(board, point):
        for r, c in neighbours(board, stone):
            if board[r][c] == "." and [r, c] not in result:
                result.append([r, c])
    return result
""", """
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
""", """
def neighbours(board, point):
    whole = [(r, c) for r in range(len(board)) for c in range(len(board[0]))]
    return tuple(p for p in whole if abs(p[0] - point[0]) + abs(p[1] - point[1]) == 1)
def chain(board, point):  # grows until nothing changes
    mark = board[point[0]][point[1]]
    old, new = set(), {point} if mark != "." else set()
    while old != new:
        old = new
        edge = [p for stone in old for p in neighbours(board, stone)]
        new = old.union(p for p in edge if board[p[0]][p[1]] == mark)
    return new
def liberties(board, point):
    near = set().union(*[neighbours(board, stone) for stone in chain(board, point)])
    return set(filter(lambda p: board[p[0]][p[1]] == ".", near))
"""],
    "captures": ["""
import copy
def group(grid, r, c, seen):
    seen.add((r, c))
    free = False
    for a, b in [(r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)]:
        if a < 0 or b < 0 or a == len(grid) or b == len(grid[0]) or (a, b) in seen:
            continue
        if grid[a][b] == ".":
            free = True
        elif grid[a][b] == grid[r][c]:
            free = group(grid, a, b, seen) or free
    return free
def move(board, color, point):
    grid, taken = copy.deepcopy([list(row) for row in board]), 0
    r, c = point
    if grid[r][c] != ".": return None, 0
    grid[r][c] = color
    for a, b in [(r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)]:
        if 0 <= a < len(grid) and 0 <= b < len(grid[0]) and grid[a][b] not in "." + color:
            stones = set()
            if not group(grid, a, b, stones):
                taken += len(stones)
                for x, y in stones: grid[x][y] = "."
    return (grid, taken) if group(grid, r, c, set()) else (None, 0)
def play(board, color, point):
    grid, _ = move(board, color, point)
    return grid and tuple(map("".join, grid))
def captured(board, color, point): return move(board, color, point)[1]
""", """
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
""", """
def stones(position, start):
    todo, chain = {start}, set()
    while todo:
        here = todo.pop()
        chain.add(here)
        todo |= {p for p in beside(here) if position.get(p) == position[start]} - chain
    return chain
def beside(p): return (p[0] - 1, p[1]), (p[0] + 1, p[1]), (p[0], p[1] - 1), (p[0], p[1] + 1)
def alive(position, chain): return any(position.get(n) == "." for p in chain for n in beside(p))
def captured(board, color, point):
    new = play(board, color, point)
    return sum(a != b for a, b in zip("".join(new), "".join(board))) - 1 if new else 0
def play(board, color, point):
    position = {(r, c): board[r][c] for r in range(len(board)) for c in range(len(board[r]))}
    if position[point] != ".":
        return
    position[point] = color
    for p in beside(point):
        if position.get(p, color) not in (color, "."):
            if not alive(position, dead := stones(position, p)):
                position.update(dict.fromkeys(dead, "."))
    if alive(position, stones(position, point)):
        width = len(board[0])
        text = "".join(position.values())
        return [text[n : n + width] for n in range(0, len(text), width)]
"""],
    "ko": ["""
def forbidden(positions, after, to_move, rule):
    if rule == "simple":
        before = positions[-2:-1]
    elif rule == "positional":
        before = positions
    else:
        before = [position for position in positions if position[1] == to_move]
    for board, _ in before:
        if list(board) == list(after):
            return True
    return False
""", """
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
""", """
import numpy as np
def forbidden(positions, after, to_move, rule):
    text = lambda board: "/".join(board)
    boards = np.array([text(board) for board, _ in positions])
    same = boards == text(after)
    if rule == "simple":
        return same[-2] if len(same) > 1 else np.bool_(False)
    if rule == "situational":
        same = same & np.array([who == to_move for _, who in positions])
    return same.any()
"""],
    "counting": ["""
def region(board, point):
    points, colors = [], []
    def visit(r, c):
        if not (0 <= r < len(board) and 0 <= c < len(board[0])) or [r, c] in points:
            return
        if board[r][c] != ".":
            if board[r][c] not in colors: colors.append(board[r][c])
            return
        points.append([r, c])
        visit(r + 1, c); visit(r - 1, c); visit(r, c + 1); visit(r, c - 1)
    visit(*point)
    return points, colors
def area(board):
    totals = {"b": 0, "w": 0}
    for r in range(len(board)):
        for c in range(len(board[0])):
            if board[r][c] in totals:
                totals[board[r][c]] += 1
            else:
                colors = region(board, (r, c))[1]
                if len(colors) == 1: totals[colors[0]] += 1
    return list(totals.values())
def winner(board, komi):
    lead = area(board)[0] - area(board)[1] - komi
    if lead == 0: return "draw"
    return "b" if lead > 0 else "w"
""", """
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
""", """
def region(board, point):
    points, edge = {point}, set()
    while True:
        near = {(r + a, c + b) for r, c in points for a, b in ((0, 1), (1, 0), (0, -1), (-1, 0))}
        near = {(r, c) for r, c in near if 0 <= r < len(board) and 0 <= c < len(board[0])}
        edge = {board[r][c] for r, c in near} - {"."}
        empty = {(r, c) for r, c in near if board[r][c] == "."}
        if empty <= points:
            return frozenset(points), frozenset(edge)
        points |= empty
def area(board):
    regions = {}
    for r, row in enumerate(board):
        for c, mark in enumerate(row):
            if mark == ".":
                points, colors = region(board, (r, c))
                regions[points] = colors
    return tuple(sum(row.count(mark) for row in board) +
                 sum(len(points) for points, colors in regions.items() if colors == {mark})
                 for mark in ("b", "w"))
def winner(board, komi):
    b, w = area(board)
    return max((b, "b"), (w + komi, "w"))[1] if b != w + komi else "draw"
"""],
    "zobrist": ["""
from functools import reduce
from operator import xor
def key_of(board, to_move, table):
    stones = [table[mark, r, c] for r, row in enumerate(board) for c, mark in enumerate(row)
              if mark in "bw"]
    return reduce(xor, stones, table["white to move"] if to_move == "w" else 0)
def key_after(key, color, point, captured, table):
    other = {"b": "w", "w": "b"}[color]
    changes = [(color, *point), "white to move", *((other, r, c) for r, c in captured)]
    return reduce(xor, map(table.__getitem__, changes), key)
""", """
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
""", """
class Key:
    def __init__(self, key, table): self.key, self.table = key, table
    def flip(self, *what): self.key = (self.key | self.table[what]) - (self.key & self.table[what])
    def turn(self): self.key ^= self.table["white to move"]
def key_of(board, to_move, table):
    key = Key(0, table)
    for r in range(len(board)):
        for c in range(len(board[r])):
            if board[r][c] != ".": key.flip(board[r][c], r, c)
    if to_move == "w": key.turn()
    return key.key
def key_after(key, color, point, captured, table):
    key = Key(key, table)
    key.turn()
    key.flip(color, point[0], point[1])
    for r, c in captured: key.flip("b" if color == "w" else "w", r, c)
    return key.key
"""],
    "random_bot": ["""
import numpy as np
generator = np.random.default_rng()
def is_eye(board, point, color):
    g = np.pad(np.array([list(row) for row in board]), 1, constant_values="#")
    r, c = point
    around = g[r : r + 3, c : c + 3]
    sides, corners = around[[0, 1, 1, 2], [1, 0, 2, 1]], around[[0, 0, 2, 2], [0, 2, 0, 2]]
    missing = ((corners != color) & (corners != "#")).sum()
    free = around[1, 1] == "." and np.isin(sides, [color, "#"]).all()
    return np.bool_(free and missing <= ("#" not in corners))
def choose(board, color, legal):
    good = [point for point in legal if not is_eye(board, point, color)]
    return generator.choice(good) if good else None
""", """
import secrets
def is_eye(board, point, color):
    rows, columns = range(len(board)), range(len(board[0]))
    def at(r, c): return board[r][c] if r in rows and c in columns else None
    r, c = point
    if at(r, c) != ".": return False
    for dr, dc in (0, 1), (1, 0), (0, -1), (-1, 0):
        if at(r + dr, c + dc) not in (color, None): return False
    corners = [at(r + dr, c + dc) for dr in (1, -1) for dc in (1, -1)]
    wrong = len([mark for mark in corners if mark not in (color, None)])
    return wrong == 0 or wrong == 1 and None not in corners
def choose(board, color, legal):
    left = list(legal)
    while left:
        point = left.pop(secrets.randbelow(len(left)))
        if not is_eye(board, point, color):
            return list(point)
""", """
from random import shuffle
def is_eye(board, point, color):
    r, c = point
    ring = [(r + a, c + b) for a in (-1, 0, 1) for b in (-1, 0, 1)]
    ring = {p: board[p[0]][p[1]] for p in ring
            if 0 <= p[0] < len(board) and 0 <= p[1] < len(board[0])}
    own = [p for p in ring if ring[p] == color]
    straight = lambda p: p[0] == r or p[1] == c
    if ring.pop(point) != "." or not all(p in own for p in ring if straight(p)): return False
    return len(own) >= len(ring) - (len(ring) == 8)
def choose(board, color, legal):
    points = [*legal]
    shuffle(points)
    return next((p for p in points if not is_eye(board, p, color)), None)
"""],
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


@pytest.mark.parametrize("name, number", [
    (name, number) for name, sources in SOLUTIONS.items() for number in range(len(sources))])
def test_a_solution_in_another_style_earns_all_points(name, number) -> None:
    failed = outcomes(EXERCISES[name], SOLUTIONS[name][number])
    assert not any(failed.values()), failed
