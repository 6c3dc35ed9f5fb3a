"""Exercises of chapters 2 and 3: correct solutions in other styles, written by hand."""

from __future__ import annotations

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
""", """
def key_of(board, to_move, table):  # one call for each stone
    keys = {"b": 0, "w": table["white to move"]}
    def add(number, rest):
        if not rest: return number
        (r, c, mark), *rest = rest
        return add(number ^ (table[mark, r, c] if mark != "." else 0), rest)
    return add(keys[to_move], [(r, c, mark) for r, row in enumerate(board)
                               for c, mark in enumerate(row)])
def key_after(key, color, point, captured, table):
    taken = [(["w", "b"][color == "w"], *stone) for stone in captured]
    return eval("^".join(map(str, [key, table["white to move"], *map(table.get, taken),
                                   table[color, point[0], point[1]]])))
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
""", """
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
"""],
}
