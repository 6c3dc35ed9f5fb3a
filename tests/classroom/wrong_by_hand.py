"""Wrong solutions as students write them. Most pass the examples in the text.

Each is a pair: an expression with inputs that the text allows, whose value is wrong; and code that
replaces functions of the solution.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dlgo.text import replace_once

# Right functions, which some of the wrong ones change.
_PLAY = """
def group(board, r, c):
    seen, todo, free = set(), [(r, c)], False
    while todo:
        y, x = todo.pop()
        seen.add((y, x))
        for p, q in ((y, x + 1), (y, x - 1), (y + 1, x), (y - 1, x)):
            if 0 <= p < len(board) and 0 <= q < len(board[0]):
                if board[p][q] == ".": free = True
                elif board[p][q] == board[r][c] and (p, q) not in seen: todo.append((p, q))
    return seen, free
def play(board, color, point):
    r, c = point
    if board[r][c] != ".": return None
    rows = [list(row) for row in board]
    rows[r][c] = color
    for p, q in ((r, c + 1), (r, c - 1), (r + 1, c), (r - 1, c)):
        if 0 <= p < len(rows) and 0 <= q < len(rows[0]) and rows[p][q] not in (color, "."):
            stones, free = group(rows, p, q)
            if not free:
                for y, x in stones: rows[y][x] = "."
    return ["".join(row) for row in rows] if group(rows, r, c)[1] else None
"""
_FORBIDDEN = """
def forbidden(positions, after, to_move, rule):
    if rule == "simple": return len(positions) > 1 and positions[-2][0] == after
    return any(board == after and (rule == "positional" or color == to_move)
               for board, color in positions)
"""
_IS_EYE = """
def is_eye(board, point, color):
    r, c = point
    inside = lambda y, x: 0 <= y < len(board) and 0 <= x < len(board[0])
    sides = ((r, c + 1), (r, c - 1), (r + 1, c), (r - 1, c))
    corners = [board[r + y][c + x] for y in (1, -1) for x in (1, -1) if inside(r + y, c + x)]
    bad = sum(mark != color for mark in corners)
    return (board[r][c] == "." and {board[y][x] for y, x in sides if inside(y, x)} == {color}
            and bad <= (len(corners) == 4))
"""
_CHOOSE = """
import random
def choose(board, color, legal):
    good = [point for point in legal if not is_eye(board, point, color)]
    return random.choice(good) if good else None
"""
_ALPHA_BETA = """
def alpha_beta(position, children, player, value, guess, alpha=float("-inf"), beta=float("inf")):
    moves = ordered(position, children, player, guess)
    if not moves: return value(position)
    best = float("-inf") * player(position)
    for child in moves:
        v = alpha_beta(child, children, player, value, guess, alpha, beta)
        if player(position) == 1: best = max(best, v); alpha = max(alpha, v)
        else: best = min(best, v); beta = min(beta, v)
        if alpha >= beta: break
    return best
"""
_EVALUATE = """
def evaluate(board, to_move):
    other = "o" if to_move == "x" else "x"
    for a, b, c in LINES:
        if board[a] == board[b] == board[c] != ".": return 1.0 if board[a] == to_move else -1.0
    return OWN * open_lines(board, to_move) - THEIRS * open_lines(board, other)
"""
_TRACE = """
def trace():
    rows = []
    def search(n, alpha, beta):
        place = len(rows)
        rows.append(None)
        moves = [row for row in TREE if row[1] == n]
        best = -2.0 if moves else TREE[n][2] * TREE[n][3]
        for m, _, player, _ in moves:
            low = max(alpha, best)
            if player == TREE[n][2]: best = max(best, search(m, low, beta))
            else: best = max(best, -search(m, -beta, -low))
            if best >= beta: break
        rows[place] = (n, alpha, beta, best)
        return best
    search(0, -1.0, 1.0)
    return rows
"""
_RAVE_VALUE = """
def rave_value(wins, visits, rave_wins, rave_visits):
    if not visits and not rave_visits: return UNKNOWN
    if not visits: return rave_wins / rave_visits
    if not rave_visits: return wins / visits
    b = math.sqrt(K / (3 * visits + K))
    return (1 - b) * wins / visits + b * rave_wins / rave_visits
"""
_SEARCH = """
def search(root, children, player, rollout, simulations):
    visits, wins = {root: 1}, {}
    for _ in range(simulations):
        path = [root]
        while visits.get(path[-1]) and children(path[-1]):
            node = path[-1]
            new = [c for c in children(node) if c not in visits]
            path.append(new[0] if new else max(children(node), key=lambda c: uct_score(
                wins[c] if player(node) == 1 else visits[c] - wins[c], visits[c], visits[node])))
        result = rollout(path[-1])
        for node in path:
            visits[node] = visits.get(node, 0) + 1
            wins[node] = wins.get(node, 0) + (1 + result) / 2
    return [visits.get(c, 0) for c in children(root)]
"""
_SPLIT = """
import random
def split(games, test_share, seed):
    names = sorted(set(games))
    test_names = set(random.Random(seed).sample(names, round(test_share * len(names))))
    numbers = range(len(games))
    return ([n for n in numbers if games[n] not in test_names],
            [n for n in numbers if games[n] in test_names])
"""
_PUCT = """
def choose(totals, visits, priors, parent_value, reduction, c):
    scores = [puct_score(t / n if n else parent_value - reduction, p, n, sum(visits) + 1, c)
              for t, n, p in zip(totals, visits, priors)]
    return scores.index(max(scores))
"""
_TEMPERED = """
def tempered(visits, temperature):
    if temperature == 0: return (visits == visits.max()) / (visits == visits.max()).sum()
    p = (visits / visits.max()) ** (1 / temperature)
    return p / p.sum()
"""
_BEST_MOVE = """
def best_move(position, children, player, result):
    move = best = None
    for child in children(position):
        v = player(position) * minimax(child, children, player, result)
        if move is None or v > best: move, best = child, v
    return move
"""


def changed(code: str, *changes: tuple[str, str]) -> str:
    """Code with some of its text replaced."""
    for old, new in changes:
        code = replace_once(code, old, new)
    return code


def tree(children: dict[int, list[int]]) -> Callable[[int], list[int]]:
    return lambda position: children.get(position, [])


def leaves(
    alpha_beta: Callable[..., float], children: dict[int, list[int]], player: Callable[[int], int],
    value: Callable[[int], int], guess: Callable[[int], int],
) -> tuple[float, int]:
    """The value of position 0, and how many values of leaves were asked for."""
    positions: list[int] = []

    def counted(position: int) -> int:
        positions.append(position)
        return value(position)

    return alpha_beta(0, tree(children), player, counted, guess), len(positions)


def value(source: str, expression: str) -> Any:
    """The value of an expression that calls functions of `source`; of an error, its name."""
    names = {"__name__": "hand_in", "np": np, "tree": tree, "leaves": leaves}
    with np.errstate(all="ignore"):
        exec(source, names)
        try:
            return eval(expression, names)
        except Exception as error:
            return type(error).__name__


WRONG: dict[str, dict[str, tuple[str, str]]] = {
    "liberties": {
        "a shared liberty twice": (
            'sorted(liberties(["bb", "b."], (0, 0)))', """
def liberties(board, point):
    return [(r, c) for stone in sorted(chain(board, point))
            for r, c in sorted(neighbours(board, stone)) if board[r][c] == "."]
"""),
        "marks put back in black": (
            '[(board := ["ww"]), liberties(board, (0, 0)), board][2]', """
def liberties(board, point):
    color, todo, marked, free = board[point[0]][point[1]], [point], [], set()
    def put(p, mark): board[p[0]] = board[p[0]][:p[1]] + mark + board[p[0]][p[1] + 1:]
    if color == ".": return free
    while todo:
        p = todo.pop()
        if board[p[0]][p[1]] != color: continue
        put(p, "#"); marked.append(p)
        for r, c in neighbours(board, p):
            if board[r][c] == ".": free.add((r, c))
            todo.append((r, c))
    for p in marked: put(p, "b")
    return free
"""),
        "boards of nine lines": (
            'liberties(["." * 9 + "b" + "."], (0, 9))', """
def liberties(board, point):
    stones = chain(board, point)
    return {(r, c) for r in range(min(9, len(board))) for c in range(min(9, len(board[0])))
            if board[r][c] == "." and neighbours(board, (r, c)) & stones}
"""),
        "two passes over the board": (
            'chain([".bbb", "bb.b", "...b", "bbbb"], (3, 0))', """
def chain(board, point):
    color = board[point[0]][point[1]]
    if color == ".": return set()
    found = {point}
    points = [(r, c) for r in range(len(board)) for c in range(len(board[0]))]
    for p in points + points[::-1]:
        if board[p[0]][p[1]] == color and neighbours(board, p) & found: found.add(p)
    return found
"""),
    },
    "captures": {
        "the new stone needs a liberty of its own": (
            'play(["b.w", ".b."], "b", (0, 1)) or play(["b.b", "..b"], "b", (0, 1))', """
def play(board, color, point, before=play):
    after = before(board, color, point)
    if after is None: return None
    r, c = point
    for p, q in ((r, c + 1), (r, c - 1), (r + 1, c), (r - 1, c)):
        if 0 <= p < len(board) and 0 <= q < len(board[0]) and after[p][q] == ".": return after
    return None
"""),
        "a chain on two sides counts twice": (
            'captured(["bww", "bw.", "bww", "bbb"], "b", (1, 2))', """
def captured(board, color, point):
    after, (r, c), total = play(board, color, point), point, 0
    if after is None: return 0
    def size(p, q, seen):
        if (p, q) in seen or not (0 <= p < len(board) and 0 <= q < len(board[0])): return 0
        if board[p][q] in (".", color): return 0
        seen.add((p, q))
        return 1 + sum(size(p + y, q + x, seen) for y, x in ((0, 1), (1, 0), (0, -1), (-1, 0)))
    for p, q in ((r, c + 1), (r, c - 1), (r + 1, c), (r - 1, c)):
        if 0 <= p < len(board) and 0 <= q < len(board[0]) and after[p][q] == ".":
            total += size(p, q, set())
    return total
"""),
        "only single stones are suicide": (
            'play(["b.w.", "www."], "b", (0, 1))',
            changed(_PLAY,
                    ('return ["".join(row) for row in rows] if group(rows, r, c)[1] else None',
                     'stones, free = group(rows, r, c)\n    return None if len(stones) == 1 '
                     'and not free else ["".join(row) for row in rows]'))),
        "own stones may be played on": (
            'play(["b."], "b", (0, 0))',
            changed(_PLAY,
                    ('!= "."', 'not in (color, ".")'))),
        "black alone must not be suicide": (
            'play([".b", "b."], "w", (0, 0))',
            changed(_PLAY,
                    ("group(rows, r", 'color == "w" or group(rows, r'))),
    },
    "counting": {
        "whole komi": (
            'winner(["bw"], 0.5)', """
def winner(board, komi):
    black, white = area(board)
    white += int(komi)
    return "b" if black > white else "w" if white > black else "draw"
"""),
        "regions kept by point": (
            '[region([row], (0, 0)) for row in (".b", ".w")]', """
REGIONS = {}
def region(board, point):
    name = (point, len(board), len(board[0]), sum(row.count(".") for row in board))
    if name not in REGIONS:
        points, colors, todo = set(), set(), [point]
        while todo:
            r, c = todo.pop()
            if not (0 <= r < len(board) and 0 <= c < len(board[0])) or (r, c) in points: continue
            if board[r][c] != ".":
                colors.add(board[r][c])
                continue
            points.add((r, c))
            todo += [(r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)]
        REGIONS[name] = points, colors
    points, colors = REGIONS[name]
    return set(points), set(colors)
"""),
        "only black surrounds": (
            'area(["w."])', """
def area(board):
    text = "".join(board)
    done, count = set(), {"b": text.count("b"), "w": text.count("w")}
    for r, row in enumerate(board):
        for c, mark in enumerate(row):
            if mark == "." and (r, c) not in done:
                points, colors = region(board, (r, c))
                done |= points
                count["b"] += len(points) * (colors == {"b"})
    return count["b"], count["w"]
"""),
        "white wins what is close": (
            'winner(["b.w"], 0.0)', """
def winner(board, komi):
    black, white = area(board)
    return "b" if black > white + komi else "w" if black < white + komi or not komi else "draw"
"""),
    },
    "ko": {
        "the last colour of each board": (
            'forbidden([(("...",), "b"), (("b..",), "w"), (("b..",), "b"), (("bb.",), "w"), '
            '(("..w",), "b"), (("b.w",), "w"), ((".ww",), "b")], ("b..",), "w", '
            '"situational")', """
def forbidden(positions, after, to_move, rule):
    if rule == "simple": return len(positions) > 1 and positions[-2][0] == after
    colors = dict(positions)
    return after in colors and rule == "positional" or colors.get(after) == to_move
"""),
        "the first ko of a game": (
            'forbidden([(("b.",), "b"), ((".w",), "w")], ("b.",), "b", "simple")',
            changed(_FORBIDDEN,
                    ("1", "2"))),
        "a game of one position": (
            'forbidden([(("..",), "b")], ("b.",), "w", "simple")',
            changed(_FORBIDDEN,
                    ("len(positions) > 1 and positions", "positions"))),
        "positional for the opponent's boards": (
            'forbidden([(("..",), "w"), (("w.",), "b"), ((".b",), "w")], ("..",), "w", '
            '"positional")', """
def forbidden(positions, after, to_move, rule):
    if rule == "simple": return len(positions) > 1 and positions[-2][0] == after
    if rule == "positional": return any(b == after and c != to_move for b, c in positions)
    return (after, to_move) in positions
"""),
        "white is next": (
            'forbidden([(("..",), "w"), (("w.",), "b"), ((".b",), "w")], ("..",), "b", '
            '"situational")',
            changed(_FORBIDDEN,
                    ("to_move)", '"w")'))),
    },
    "zobrist": {
        "white's number is added": (
            'key_of(["b"], "w", {("b", 0, 0): 3, ("w", 0, 0): 5, "white to move": 1})', """
def key_of(board, to_move, table):
    key = 0
    for r, row in enumerate(board):
        for c, mark in enumerate(row):
            if mark != ".": key ^= table[mark, r, c]
    return key | table["white to move"] if to_move == "w" else key
"""),
        "captured stones are black": (
            'key_after(0, "b", (0, 0), [(0, 1)], {("b", 0, 0): 1, ("b", 0, 1): 2, ("w", 0, '
            '0): 4, ("w", 0, 1): 8, "white to move": 16})', """
def key_after(key, color, point, captured, table):
    key ^= table[(color, *point)] ^ table["white to move"]
    for r, c in captured: key ^= table["b", r, c]
    return key
"""),
        "one captured stone": (
            'key_after(16, "w", (0, 0), [(0, 1), (1, 0)], {("w", 0, 0): 1, ("b", 0, 1): 2, '
            '("b", 1, 0): 4, "white to move": 16})', """
def key_after(key, color, point, captured, table):
    key ^= table[(color, *point)] ^ table["white to move"]
    if captured: key ^= table[("w" if color == "b" else "b", *captured[0])]
    return key
"""),
        "the empty board is 0 for both": (
            'key_of([".."], "w", {"white to move": 7})', """
def key_of(board, to_move, table, before=key_of):
    return before(board, to_move, table) if any(set(row) - {"."} for row in board) else 0
"""),
        "64 bits in NumPy": (
            'key_of(["b"], "b", {("b", 0, 0): 2 ** 63, "white to move": 1})', """
import numpy as np
def key_of(board, to_move, table):
    numbers = [table[mark, r, c] for r, row in enumerate(board) for c, mark in enumerate(row)
               if mark != "."] + [table["white to move"]] * (to_move == "w")
    return int(np.bitwise_xor.reduce(np.array([0, *numbers], dtype=np.int64)))
"""),
        "keys are kept by board": (
            '[key_of(["b"], "b", {("b", 0, 0): n, "white to move": 1}) for n in (2, 4)]', """
KEYS = {}
def key_of(board, to_move, table):
    name = "/".join(board) + to_move
    if name not in KEYS:
        key = table["white to move"] if to_move == "w" else 0
        for r, row in enumerate(board):
            for c, mark in enumerate(row):
                if mark != ".": key ^= table[mark, r, c]
        KEYS[name] = key
    return KEYS[name]
"""),
    },
    "random_bot": {
        "one bad corner at the edge": (
            'is_eye(["b.b", "wbb"], (0, 1), "b")',
            changed(_IS_EYE,
                    ("(len(corners) == 4)", "1"))),
        "the edge is at the top and left": (
            'is_eye(["bbb", "b.b"], (1, 1), "b") is is_eye(["wbb", "b.b"], (1, 1), "b")',
            changed(_IS_EYE,
                    ("len(corners) == 4", "r > 0 and c > 0"))),
        "twenty draws": (
            'sum(choose([("." + "b") * 9 + ".", "b" * 19] * 9, "b", [(r, c) for r in '
            'range(0, 18, 2) for c in range(0, 19, 2)] + [(0, 1)]) is None for _ in '
            'range(50)) > 9', """
import random
def choose(board, color, legal):
    for _ in range(20):
        point = random.choice(legal) if legal else None
        if point and not is_eye(board, point, color): return point
    return None
"""),
        "a seed in each call": (
            'len({choose(["...."], "b", [(0, 0), (0, 1), (0, 2)]) for _ in range(99)})',
            changed(_CHOOSE,
                    ("good =", "random.seed(7)\n    good ="))),
        "shuffles the legal points": (
            '[(legal := [(0, n) for n in range(50)]), choose(["." * 50], "b", legal), legal '
            '== sorted(legal)][2]', """
import random
def choose(board, color, legal):
    random.shuffle(legal)
    for point in legal:
        if not is_eye(board, point, color): return point
    return None
"""),
        "a row first, then a point": (
            'sum(choose(["....", "...."], "b", [(0, 0), (1, 0), (1, 1), (1, 2)])[0] == 0 for '
            '_ in range(4000)) > 1400', """
import random
def choose(board, color, legal):
    good = [point for point in legal if not is_eye(board, point, color)]
    if not good: return None
    row = random.choice(sorted({r for r, _ in good}))
    return random.choice([point for point in good if point[0] == row])
"""),
        "the first of a set": (
            'len({choose(["...."], "b", [(0, 0), (0, 1), (0, 2)]) for _ in range(99)})', """
def choose(board, color, legal):
    good = {point for point in legal if not is_eye(board, point, color)}
    return good.pop() if good else None
"""),
        "the clock's seconds": (
            'len({choose(["...."], "b", [(0, 0), (0, 1), (0, 2)]) for _ in range(99)})',
            changed(_CHOOSE,
                    ("import random", "import time"),
                    ("random.choice(good)", "good[int(time.time()) % len(good)]"))),
        "never the last choice again": (
            'any(choose(["...."], "b", [(0, 0), (0, 1), (0, 2)]) == choose(["...."], "b", '
            '[(0, 0), (0, 1), (0, 2)]) for _ in range(99))', """
import random
LAST = [None]
def choose(board, color, legal):
    good = [point for point in legal if not is_eye(board, point, color)]
    if not good: return None
    LAST[0] = random.choice([point for point in good if point != LAST[0]] or good)
    return LAST[0]
"""),
        "corners of black stones": (
            'is_eye(["w.w", "www"], (0, 1), "w")',
            changed(_IS_EYE,
                    ("color for", '"b" for'))),
        "only black keeps eyes": (
            'choose(["w.", "ww"], "w", [(0, 1)])',
            changed(_CHOOSE,
                    ("not is_eye(board, point, color",
                     'color != "b" or not is_eye(board, point, "b"'))),
        "two corners at an edge": (
            'is_eye(["b.b"], (0, 1), "b")',
            changed(_IS_EYE,
                    ("bad = sum(mark != color for mark in corners",
                     "edges = (r in (0, len(board) - 1)) + (c in (0, len(board[0]) - 1)"),
                    ("bad <= (len(corners) == 4)", "corners.count(color) >= (3, 2, 1)[edges]"))),
        "eyes on square boards": (
            'is_eye(["bbbb", "bbb.", "bbwb"], (1, 3), "b")', """
def is_eye(board, point, color):
    (r, c), n = point, len(board)
    at = lambda y, x: board[y][x] if 0 <= y < n and 0 <= x < len(board[0]) else color
    sides = {at(r, c + 1), at(r, c - 1), at(r + 1, c), at(r - 1, c)}
    bad = sum(at(r + y, c + x) != color for y in (1, -1) for x in (1, -1))
    edge = r in (0, n - 1) or c in (0, n - 1)
    return board[r][c] == "." and sides == {color} and bad <= (not edge)
"""),
        "no legal point": (
            'choose(["b"], "b", [])', """
import random
def choose(board, color, legal):
    point = random.choice(legal)
    good = [p for p in legal if not is_eye(board, p, color)]
    while good and point not in good: point = random.choice(legal)
    return point if good else None
"""),
        "the edge is at the top and bottom": (
            'is_eye(["bbb", "bb.", "bbb"], (1, 2), "b") is is_eye(["wbb", "bb.", "bbb"], (1, '
            '2), "b") is is_eye(["bwb", "bb.", "bbb"], (1, 2), "b")',
            changed(_IS_EYE,
                    ("len(corners) == 4", "0 < r < len(board) - 1"))),
    },
    "rules_of_thumb": {
        "the opponent is x": (
            'choose("o..ox....", "x")', """
def choose(board, player):
    for points in (winning_points(board, player), winning_points(board, "x")):
        if points: return min(points)
    return 4 if board[4] == "." else board.index(".")
"""),
        "corners at last": (
            'choose("x.ooxxx.o", "o") in (1, 7)', """
def choose(board, player):
    other = "o" if player == "x" else "x"
    for points in (winning_points(board, player), winning_points(board, other)):
        if points: return min(points)
    return next(n for n in (4, 0, 2, 6, 8) if board[n] == ".")
"""),
        "a point of two lines twice": (
            'sorted(winning_points("xx.ooxo.x", "x"))', """
def winning_points(board, player):
    found = []
    for line in LINES:
        marks = [board[n] for n in line]
        if marks.count(player) == 2 and "." in marks: found.append(line[marks.index(".")])
    return found
"""),
        "the middle before a block": (
            'choose("xx......o", "o")', """
def choose(board, player):
    other = "o" if player == "x" else "x"
    if winning_points(board, player): return min(winning_points(board, player))
    if board[4] == ".": return 4
    return min(winning_points(board, other)) if winning_points(board, other) else board.index(".")
"""),
        "o's lines first": (
            'choose("oo.xx....", "x")', """
def choose(board, player):
    for who in "ox":
        if winning_points(board, who): return min(winning_points(board, who))
    return 4 if board[4] == "." else board.index(".")
"""),
    },
    "alpha_beta": {
        "cuts only above beta": (
            "leaves(alpha_beta, {0: [1, 2], 1: [3, 4], 2: [5, 6]}, {0: 1, 1: -1, 2: -1}.get, "
            "{3: 4, 4: 3, 5: 3, 6: 9}.get, {1: 9, 2: 0, 3: 0, 4: 1, 5: 0, 6: 1}.get)",
            changed(_ALPHA_BETA,
                    ("= beta", " beta"))),
        "the mover of the first child": (
            "alpha_beta(0, tree({0: [1, 2], 1: [3, 4], 2: [5, 6]}), {0: 1, 1: 1, 2: -1, 3: "
            "1, 4: 1, 5: 1, 6: 1}.get, {3: 1, 4: 2, 5: 5, 6: 7}.get, lambda p: 0)", """
def alpha_beta(position, children, player, value, guess, alpha=float("-inf"), beta=float("inf")):
    def negamax(p, a, b):
        moves = ordered(p, children, player, guess)
        if not moves: return value(p) * player(p)
        sign = 1 if player(moves[0]) == player(p) else -1
        best = float("-inf")
        for child in moves:
            v = negamax(child, a, b) if sign == 1 else -negamax(child, -b, -a)
            best = max(best, v)
            a = max(a, v)
            if a >= b: break
        return best
    if player(position) == 1: return negamax(position, alpha, beta)
    return -negamax(position, -beta, -alpha)
"""),
        "values up to 1,000": (
            "alpha_beta(0, tree({0: [1]}), lambda p: 1, lambda p: -5000, lambda p: 0)",
            changed(_ALPHA_BETA,
                    ('float("-inf") ', "-1000 "))),
        "the second player never cuts deeper": (
            "leaves(alpha_beta, {0: [1, 2], 2: [3, 4]}, {0: -1, 2: 1}.get, {1: 2, 3: 5, 4: "
            "1}.get, {1: 0, 2: 1, 3: 9, 4: 0}.get)", """
def alpha_beta(position, children, player, value, guess, alpha=float("-inf"), beta=float("inf")):
    moves = ordered(position, children, player, guess)
    if not moves: return value(position)
    best = float("-inf") * player(position)
    for child in moves:
        v = alpha_beta(child, children, player, value, guess, alpha, beta)
        if player(position) == 1:
            best = max(best, v); alpha = max(alpha, best)
            if best >= beta: break
        else:
            best = min(best, v)
            if best <= alpha: break
    return best
"""),
    },
    "evaluation": {
        "a full board is a draw": (
            'evaluate("xxxooxoxo", "o")',
            changed(_EVALUATE,
                    ("for", 'if "." not in board: return 0.0\n    for'))),
        "no line for me is a draw": (
            'evaluate("xxooxx.oo", "x")', """
def evaluate(board, to_move):
    other = "o" if to_move == "x" else "x"
    for a, b, c in LINES:
        if board[a] == board[b] == board[c] != ".": return 1.0 if board[a] == to_move else -1.0
    mine = open_lines(board, to_move)
    return OWN * mine - THEIRS * open_lines(board, other) if mine else 0.0
"""),
        "wins in rows": (
            'evaluate("xo.xo.x..", "o")', """
def evaluate(board, to_move):
    other = "o" if to_move == "x" else "x"
    for r in (0, 3, 6):
        if board[r:r + 3] in ("xxx", "ooo"): return 1.0 if board[r] == to_move else -1.0
    return OWN * open_lines(board, to_move) - THEIRS * open_lines(board, other)
"""),
        "one empty point is a draw": (
            'evaluate("xxoxxooo.", "x")', """
def evaluate(board, to_move, before=evaluate):
    for a, b, c in LINES:
        if board[a] == board[b] == board[c] != ".": return before(board, to_move)
    return 0.0 if board.count(".") <= 1 else before(board, to_move)
"""),
        "o wins nothing": (
            'evaluate("ooo.xx.x.", "x")', """
def evaluate(board, to_move):
    other = "o" if to_move == "x" else "x"
    if any(board[a] + board[b] + board[c] == "xxx" for a, b, c in LINES):
        return 1.0 if to_move == "x" else -1.0
    return OWN * open_lines(board, to_move) - THEIRS * open_lines(board, other)
"""),
        "lines with an empty point": (
            'open_lines("xxx.oo...", "x")', """
def open_lines(board, player):
    other = "o" if player == "x" else "x"
    return sum(other not in (marks := [board[n] for n in line]) and "." in marks for line in LINES)
"""),
        "no lines on a full board": (
            'open_lines("xoxoxoxox"[:6] + "xxx", "x")', """
def open_lines(board, player):
    other = "o" if player == "x" else "x"
    if "." not in board: return 0
    return sum(all(board[n] != other for n in line) for line in LINES)
"""),
        "only the opponent can have won": (
            'evaluate("xxxoo....", "x")', """
def evaluate(board, to_move):
    other = "o" if to_move == "x" else "x"
    if any(board[a] + board[b] + board[c] == 3 * other for a, b, c in LINES): return -1.0
    return OWN * open_lines(board, to_move) - THEIRS * open_lines(board, other)
"""),
    },
    "minimax": {
        "the mover of the first child": (
            "minimax(0, tree({0: [1, 2], 1: [3], 2: [4]}), {0: 1, 1: 1, 2: -1, 3: 1, 4: "
            "1}.get, {3: -1, 4: 1}.get)", """
def negamax(position, children, player, result):
    moves = children(position)
    if not moves: return result(position) * player(position)
    sign = 1 if player(moves[0]) == player(position) else -1
    return max(sign * negamax(child, children, player, result) for child in moves)
def minimax(position, children, player, result):
    return player(position) * negamax(position, children, player, result)
def best_move(position, children, player, result):
    return max(children(position), key=lambda c: player(position) * minimax(c, children, player,
                                                                            result))
"""),
        "the last of the best": (
            "best_move(0, tree({0: [1, 2]}), lambda p: 1, lambda p: 0)",
            changed(_BEST_MOVE,
                    ("move = best", "best = move"),
                    ("move is None or v > best: move, best = child, v",
                     "best is None or v >= best: best, move = v, child"))),
        "no move when all lose": (
            "best_move(0, tree({0: [1, 2]}), lambda p: 1, lambda p: -1)",
            changed(_BEST_MOVE,
                    ("move = best =", "best, move = -1,"),
                    ("move is None or v > best: move, best = child, v",
                     "v > best: best, move = v, child"))),
        "the smallest number of the best": (
            "best_move(0, tree({0: [2, 1]}), lambda p: 1, lambda p: 0)", """
def best_move(position, children, player, result):
    return max(sorted(children(position)),
               key=lambda child: player(position) * minimax(child, children, player, result))
"""),
        "values kept between calls": (
            "[best_move(0, tree({0: [1, 2]}), lambda p: 1, {1: n, 2: -n}.get) for n in (1, "
            "-1)]", """
VALUES = {}
def best_move(position, children, player, result):
    def value(child):
        if child not in VALUES: VALUES[child] = minimax(child, children, player, result)
        return VALUES[child] * player(position)
    return max(children(position), key=value)
"""),
        "a draw is no value": (
            "minimax(0, tree({0: [1, 2]}), lambda p: 1, {1: 0, 2: -1}.get)", """
def minimax(position, children, player, result):
    best = None
    for child in children(position):
        v = minimax(child, children, player, result)
        if not best or (v > best if player(position) == 1 else v < best): best = v
    return result(position) if best is None else best
"""),
        "any win is taken": (
            "best_move(0, tree({0: [1, 2]}), lambda p: -1, {1: 1, 2: -1}.get)", """
def best_move(position, children, player, result):
    values = {}
    for child in children(position):
        values[child] = minimax(child, children, player, result)
        if values[child] == 1: return child
    return max(values, key=lambda child: player(position) * values[child])
"""),
        "move 0 is no move": (
            "best_move(9, tree({9: [0, 1]}), lambda p: 1, {0: 1, 1: 0}.get)",
            changed(_BEST_MOVE,
                    ("best = None", "None"),
                    ("move is None", "not move"))),
        "the last of the best for player 1": (
            "best_move(0, tree({0: [1, 2]}), lambda p: 1, lambda p: 0)", """
def best_move(position, children, player, result):
    value = lambda child: minimax(child, children, player, result)
    moves = sorted(children(position), key=value)
    return moves[-1] if player(position) == 1 else moves[0]
"""),
        "a set of moves": (
            "best_move(0, tree({0: [2, 1]}), lambda p: 1, lambda p: 0)", """
def best_move(position, children, player, result):
    values = {child: minimax(child, children, player, result) for child in {*children(position)}}
    return max(values, key=lambda child: player(position) * values[child])
"""),
    },
    "predict_alpha_beta": {
        "cuts above beta only": (
            "trace()",
            changed(_TRACE,
                    ("= beta", " beta"))),
        "windows as player 1 sees them": (
            "trace()", """
def trace():
    rows = []
    def search(n, alpha, beta):
        place, a, b = len(rows), alpha, beta
        rows.append(None)
        moves = [row[0] for row in TREE if row[1] == n]
        best = -2.0 * TREE[n][2] if moves else TREE[n][3]
        for m in moves:
            v = search(m, a, b)
            if TREE[n][2] == 1: best = max(best, v); a = max(a, v)
            else: best = min(best, v); b = min(b, v)
            if a >= b: break
        rows[place] = (n, alpha, beta, best)
        return best
    search(0, -1.0, 1.0)
    return rows
"""),
        "values are at least alpha": (
            "trace()",
            changed(_TRACE,
                    ("-2.0", "alpha"))),
        "alpha of the position for all moves": (
            "trace()",
            changed(_TRACE,
                    ("max(alpha, best)", "alpha"))),
    },
    "predict_uct": {
        "the path without the new child": (
            "means()", """
def means():
    return [TREE[node][4] / TREE[node][3] for node in path()] + [RESULT]
"""),
        "means for the player who chooses": (
            "means()", """
def means():
    rows = [TREE[node] for node in path()]
    return [row[2] * (row[4] + RESULT) / (row[3] + 1) for row in rows] + [RESULT]
"""),
        "visits of the root for all": (
            "[scores(node) for node in path()[:-1]]", """
def scores(node):
    return [(1 + TREE[node][2] * row[4] / row[3]) / 2 + C * math.sqrt(math.log(TREE[0][3]) / row[3])
            for row in TREE if row[1] == node]
"""),
        "visits and the new one": (
            "[scores(node) for node in path()[:-1]]", """
def scores(node):
    n = TREE[node][3] + 1
    return [(1 + TREE[node][2] * row[4] / row[3]) / 2 + C * math.sqrt(math.log(n) / row[3])
            for row in TREE if row[1] == node]
"""),
        "the result for the one who chooses": (
            "means()", """
def means():
    rows = [TREE[node] for node in path()]
    return [(row[4] + row[2] * RESULT) / (row[3] + 1) for row in rows] + [RESULT]
"""),
        "the old means": (
            "means()", """
def means():
    return [TREE[node][4] / TREE[node][3] if TREE[node][3] else 0 for node in path()] + [
        float(RESULT)]
"""),
    },
    "rave": {
        "every second move": (
            'amaf_moves([(1, "A"), (1, "B")], 0)', """
def amaf_moves(moves, start):
    own = {}
    for n, (_, point) in enumerate(moves[start:]): own.setdefault(point, n % 2 == 0)
    return {point for point, mine in own.items() if mine}
"""),
        "the weight by the second count": (
            "rave_value(1, 2, 30, 40)",
            changed(_RAVE_VALUE,
                    ("visits + K", "rave_visits + K"))),
        "no wins means no visits": (
            "rave_value(0, 4, 3, 4)", """
def rave_value(wins, visits, rave_wins, rave_visits):
    if not wins and not rave_wins: return UNKNOWN
    if not wins: return rave_wins / rave_visits
    if not rave_wins: return wins / visits
    b = math.sqrt(K / (3 * visits + K))
    return (1 - b) * wins / visits + b * rave_wins / rave_visits
"""),
        "the second count is never empty": (
            "rave_value(1, 4, 0, 0)", """
def rave_value(wins, visits, rave_wins, rave_visits):
    if not visits: return rave_wins / rave_visits if rave_visits else UNKNOWN
    b = math.sqrt(K / (3 * visits + K))
    return (1 - b) * wins / visits + b * rave_wins / rave_visits
"""),
        "an empty second count is unknown": (
            "rave_value(1, 4, 0, 0)", """
def rave_value(wins, visits, rave_wins, rave_visits):
    if not rave_visits: return UNKNOWN
    b = math.sqrt(K / (3 * visits + K))
    return (1 - b) * (wins / visits if visits else 0) + b * rave_wins / rave_visits if visits else (
        rave_wins / rave_visits)
"""),
        "half points are no wins": (
            "rave_value(0.5, 1, 1, 2)",
            changed(_RAVE_VALUE,
                    ("wins / visits + b * rave_wins", "int(wins) / visits + b * int(rave_wins)"))),
        "stops at a point of the other": (
            'amaf_moves([(1, "A"), (-1, "B"), (1, "B"), (1, "C")], 0)', """
def amaf_moves(moves, start):
    own, taken = set(), set()
    for player, point in moves[start:]:
        if player != moves[start][0]: taken.add(point)
        elif point in taken: break
        else: own.add(point)
    return own
"""),
        "the weight by both counts": (
            "rave_value(4, 4, 1, 4)", """
def rave_value(wins, visits, rave_wins, rave_visits):
    if not visits and not rave_visits: return UNKNOWN
    total = visits + rave_visits
    if not visits or not rave_visits: return (wins + rave_wins) / total
    b = math.sqrt(K / (3 * total + K))
    return (1 - b) * wins / visits + b * rave_wins / rave_visits
"""),
    },
    "uct": {
        "the mover of the first child": (
            "search(0, tree({0: [1, 2, 3]}), {0: 1, 1: -1, 2: 1, 3: 1}.get, {1: -1, 2: 1, 3: "
            "0}.get, 40)", """
def search(root, children, player, rollout, simulations):
    visits, wins = {root: 1}, {}
    for _ in range(simulations):
        path = [root]
        while visits.get(path[-1]) and children(path[-1]):
            node = path[-1]
            moves = children(node)
            sign = 1 if player(moves[0]) == player(node) else -1
            new = [c for c in moves if c not in visits]
            path.append(new[0] if new else max(moves, key=lambda c: uct_score(
                wins[c] if sign == 1 else visits[c] - wins[c], visits[c], visits[node])))
        result = rollout(path[-1])
        for node in path:
            visits[node] = visits.get(node, 0) + 1
            wins[node] = wins.get(node, 0) + (1 + player(node) * result) / 2
    return [visits.get(c, 0) for c in children(root)]
"""),
        "visits of the root for all": (
            "search(0, tree({0: [1, 2], 1: [3, 4, 5]}), {0: 1, 1: -1, 2: 1}.get, {0: 1, 1: "
            "1, 2: -1, 3: 1, 4: 0, 5: -1}.get, 100)",
            changed(_SEARCH,
                    ("node])", "root])"))),
        "turns alternate below the root": (
            "search(0, tree({0: [1, 2], 1: [3, 4]}), lambda p: 1, {1: 0, 2: 0, 3: 1, 4: "
            "-1}.get, 100)",
            changed(_SEARCH,
                    (" if player(node) == 1 else visits[c] - wins[c], visits[c], "
                     "visits[node])))\n        result = rollout(path[-1])\n        for node in "
                     "path",
                     ", visits[c], visits[node])))\n        result = rollout(path[-1]) * "
                     "player(root)\n        for depth, node in enumerate(path)"),
                    ("result)", "(result if depth % 2 else -result))"))),
        "the root is not visited at first": (
            "search(0, tree({0: [1, 2], 1: [3, 4, 5]}), {0: -1, 1: 1, 2: -1}.get, {0: -1, 1: "
            "1, 2: 0, 3: -1, 4: -1, 5: -1}.get, 100)",
            changed(_SEARCH,
                    ("1}", "0}"),
                    ("visits.get(path[-1", "(visits.get(path[-1]) or path == [root"))),
        "visited children only": (
            "search(0, tree({0: [1, 2, 3]}), lambda p: 1, lambda p: 0, 2)", """
def search(root, children, player, rollout, simulations, before=search):
    return [n for n in before(root, children, player, rollout, simulations) if n]
"""),
        "three moves deep": (
            "search(0, tree({0: [1, 2], 1: [3], 3: [4, 5]} | {4: [6, 7]}), lambda p: 1, {1: "
            "0, 2: 0, 3: 0, 4: -1, 5: -1, 6: 1, 7: 1}.get, 100)",
            changed(_SEARCH,
                    ("1]):", "1]) and len(path) < 4:"))),
    },
    "dense": {
        "reshape for transpose": (
            "[a.tolist() for a in backward(np.array([[1., 2.], [3., 4.]]), np.array([[1., "
            "2.], [3., 4.]]), np.array([[1., 0.], [0., 1.]]))]", """
def backward(x, w, gradient):
    turned = lambda a: a.reshape(a.shape[1], a.shape[0])
    return gradient @ turned(w), turned(x) @ gradient, gradient.sum(axis=0)
"""),
        "sigmoid in place": (
            "[(g := np.ones((1, 1))), sigmoid_backward(np.full((1, 1), .5), g), "
            "g.tolist()][2]", """
def sigmoid_backward(y, gradient):
    gradient *= y * (1 - y)
    return gradient
"""),
        "reshape for the transpose of a product": (
            "[a.tolist() for a in backward(np.array([[1., 2.]]), np.eye(2), np.array([[3., "
            "5.]]))]", """
def backward(x, w, gradient):
    return gradient @ w.T, (gradient.T @ x).reshape(w.shape), gradient.sum(axis=0)
"""),
    },
    "encoder": {
        "float64 for white": (
            'str(encode(["b"], "w").dtype)', """
def encode(board, to_move):
    cells = np.array([list(row) for row in board])
    black, white = (cells == "b").astype(np.float32), (cells == "w").astype(np.float32)
    if to_move == "b": return np.stack([black, white, np.ones_like(black)])
    return np.stack([white, black, np.zeros(cells.shape)])
"""),
        "float64": (
            'str(encode(["b"], "b").dtype)', """
def encode(board, to_move):
    other = "w" if to_move == "b" else "b"
    return np.array([[[float(mark == to_move) for mark in row] for row in board],
                     [[float(mark == other) for mark in row] for row in board],
                     [[float(to_move == "b") for mark in row] for row in board]])
"""),
        "columns first on tall boards": (
            "index_of((1, 0), 3, 2)", """
def index_of(point, rows, columns):
    if point is None: return rows * columns
    return point[0] * max(rows, columns) + point[1]
"""),
        "planes kept between calls": (
            '[encode([b], "b").tolist() for b in ("b.", "..")]', """
PLANES = np.zeros((3, 25, 25), dtype=np.float32)
def encode(board, to_move):
    rows, columns = len(board), len(board[0])
    for r in range(rows):
        for c in range(columns):
            mark = board[r][c]
            if mark != ".":
                PLANES[0, r, c] = mark == to_move
                PLANES[1, r, c] = mark != to_move
            PLANES[2, r, c] = to_move == "b"
    return PLANES[:, :rows, :columns].copy()
"""),
        "an empty board is all 0": (
            'encode(["."], "b").tolist()', """
def encode(board, to_move, before=encode):
    planes = before(board, to_move)
    return planes if planes[:2].any() else np.zeros_like(planes)
"""),
    },
    "leaking_split": {
        "seed 0 is no seed": (
            'split([*"abcdefghij"], 0.5, 0) == split([*"abcdefghij"], 0.5, 1)',
            changed(_SPLIT,
                    ("seed).sample", "seed or 1).sample"))),
        "seed 0 is the clock": (
            'len({tuple(split([*"abcdefghij"], 0.5, 0)[1]) for _ in range(20)})',
            changed(_SPLIT,
                    ("test_names = set(random.Random(seed)",
                     "random.seed(seed or None)\n    test_names = set(random"))),
        "neighbouring games": (
            'len({tuple(split(list("abcd"), 0.5, s)[1]) for s in range(300)})', """
def split(games, test_share, seed):
    names = sorted(set(games))
    count, start = round(test_share * len(names)), seed % len(names)
    test_names = set((names + names)[start:start + count])
    numbers = range(len(games))
    return ([n for n in numbers if games[n] not in test_names],
            [n for n in numbers if games[n] in test_names])
"""),
        "positions in the order of games": (
            '[part == sorted(part) for part in map(list, split(list("abab"), 1.0, 1))]', """
import random
def split(games, test_share, seed):
    names = sorted(set(games))
    random.Random(seed).shuffle(names)
    count = round(test_share * len(names))
    find = lambda chosen: [n for name in chosen for n, game in enumerate(games) if game == name]
    return find(names[count:]), find(names[:count])
"""),
        "games drawn twice": (
            '{len(split(list("abcdef"), 0.5, s)[1]) for s in range(50)}',
            changed(_SPLIT,
                    ("sample(names, round", "choices(names, k=round"))),
        "the rest trains": (
            'leaks(["a", "a", "b"], [2], [0])', """
def leaks(games, train, test):
    rest = {game for n, game in enumerate(games) if n not in test}
    return rest & {games[n] for n in test}
"""),
        "a leak for each position": (
            'sorted(leaks(["a", "a", "a"], [0, 1], [2]))', """
def leaks(games, train, test):
    test_games = [games[n] for n in test]
    return [games[n] for n in train if games[n] in test_games]
"""),
        "seeds of one digit": (
            '[split(list("abcdefghijkl"), 0.5, s) for s in (3, 13)]',
            changed(_SPLIT,
                    ("seed).sample", "seed % 10).sample"))),
        "the first game always trains": (
            'any(0 in split(list("abcd"), 0.5, s)[1] for s in range(99))', """
import random
def split(games, test_share, seed):
    names = list(dict.fromkeys(games))
    count = round(test_share * len(names))
    rest = names[1:] if count < len(names) else names
    test_names = set(random.Random(seed).sample(rest, count))
    numbers = range(len(games))
    return ([n for n in numbers if games[n] not in test_names],
            [n for n in numbers if games[n] in test_names])
"""),
        "one game must train": (
            'len(split([*"abc"], 1.0, 1)[1])', """
import random
def split(games, test_share, seed):
    names = sorted(set(games))
    count = min(round(test_share * len(names)), len(names) - 1)
    test_names = set(random.Random(seed).sample(names, count))
    numbers = range(len(games))
    return ([n for n in numbers if games[n] not in test_names],
            [n for n in numbers if games[n] in test_names])
"""),
        "a generator for each seed": (
            'len({tuple(split([*"abcdefghij"], 0.5, 7)[1]) for _ in range(20)})',
            changed(_SPLIT,
                    ("def", "GENERATORS = {}\ndef"),
                    ("test_names = set(random.Random(seed)",
                     "generator = GENERATORS.setdefault(seed, random.Random(seed))\n    "
                     "test_names = set(generator"))),
        "long games are drawn more often": (
            'sum(split(["long"] * 9 + ["a"], 0.5, s)[1] == [9] for s in range(400)) > 120', """
import random
def split(games, test_share, seed):
    drawn = list(dict.fromkeys(random.Random(seed).sample(games, len(games))))
    test_names = drawn[:round(test_share * len(drawn))]
    numbers = range(len(games))
    return ([n for n in numbers if games[n] not in test_names],
            [n for n in numbers if games[n] in test_names])
"""),
        "at most half for testing": (
            'len(split([*"abcd"], 0.75, 1)[1])', """
import random
def split(games, test_share, seed):
    names = sorted(set(games))
    count = min(round(test_share * len(names)), len(names) // 2)
    test_names = set(random.Random(seed).sample(names, count))
    numbers = range(len(games))
    return ([n for n in numbers if games[n] not in test_names],
            [n for n in numbers if games[n] in test_names])
"""),
    },
    "better": {
        "more than half the games": (
            "wins_needed(20, 0.9)", """
def wins_needed(games, level):
    for wins in range(games // 2 + 1, games + 1):
        if is_better(wins, games - wins, level): return wins
    return None
"""),
        "the level is 0.05": (
            "wins_needed(20, 0.01)", """
def wins_needed(games, level):
    for wins in range(games + 1):
        if chance_of_luck(wins, games - wins) < 0.05: return wins
    return None
"""),
        "luck on two sides": (
            "is_better(14, 6, 0.06)", """
def is_better(wins, losses, level):
    return 2 * chance_of_luck(wins, losses) < level
"""),
        "the level itself is enough": (
            "wins_needed(1, 0.5)", """
def wins_needed(games, level):
    for wins in range(games + 1):
        if chance_of_luck(wins, games - wins) <= level: return wins
    return None
"""),
        "no wins, no luck": (
            "chance_of_luck(0, 3)", """
def chance_of_luck(wins, losses):
    if wins == 0: return 0.0
    n = wins + losses
    return sum(math.comb(n, k) for k in range(wins, n + 1)) / 2 ** n
"""),
    },
    "elo": {
        "no losses is infinity": (
            "difference(3, 2, 0)", """
def difference(wins, draws, losses):
    if losses == 0: return math.inf
    if wins == 0: return -math.inf
    share = (wins + draws / 2) / (wins + draws + losses)
    return SCALE * math.log10(share / (1 - share))
"""),
        "all games lost": (
            "difference(0, 0, 3)", """
def difference(wins, draws, losses):
    score, games = wins + draws / 2, wins + draws + losses
    return math.inf if score == games else SCALE * math.log10(score / (games - score))
"""),
        "one game after the other": (
            "updated(1500, [1400, 1900], [1.0, 0.0])", """
def updated(rating, opponents, scores):
    for opponent, score in zip(opponents, scores):
        rating += K * (score - expected_score(rating, opponent))
    return rating
"""),
        "whole points": (
            "difference(2, 1, 2)", """
def difference(wins, draws, losses):
    games, score = wins + draws + losses, wins + draws // 2
    if score == games: return math.inf
    if score == 0: return -math.inf
    return SCALE * math.log10(score / (games - score))
"""),
        "opponents of equal ratings once": (
            "updated(1500, [1600, 1600], [1.0, 0.0])", """
def updated(rating, opponents, scores):
    results = dict(zip(opponents, scores))
    return rating + K * sum(s - expected_score(rating, o) for o, s in results.items())
"""),
        "at most 800 points of difference": (
            "difference(999, 0, 1)", """
def difference(wins, draws, losses):
    share = (wins + draws / 2) / (wins + draws + losses)
    if share in (0, 1): return math.inf if share else -math.inf
    return max(-800, min(800, SCALE * math.log10(share / (1 - share))))
"""),
    },
    "masking": {
        "the largest of all logits": (
            "mask_logits(np.array([1000.0, -1000.0]), np.array([False, True])).tolist()", """
def mask_logits(logits, legal):
    e = np.exp(logits - logits.max()) * legal
    return e / e.sum()
"""),
        "softmax first, then the mask": (
            "mask_logits(np.array([1000.0, 1.0, 0.0]), np.array([False, True, "
            "True])).tolist()", """
def mask_logits(logits, legal):
    e = np.exp(logits - logits.max())
    return mask(e / e.sum(), legal)
"""),
        "-1,000 for illegal": (
            "mask_logits(np.array([-1000.0, 0.0]), np.array([True, False])).tolist()", """
def mask_logits(logits, legal):
    z = np.where(legal, logits, -1000.0)
    e = np.exp(z - z.max())
    return e / e.sum()
"""),
        "logits times legal": (
            "mask_logits(np.array([-1000.0, 0.0, -999.0]), np.array([True, False, "
            "True])).tolist()", """
def mask_logits(logits, legal):
    z = logits * legal
    e = np.exp(z - z.max())
    return mask(e / e.sum(), legal)
"""),
        "small sums are nothing": (
            "mask(np.array([0.999, 0.0009, 0.0001]), np.array([False, True, True])).tolist()", """
def mask(policy, legal):
    p = np.where(legal, policy, 0)
    return p / p.sum() if p.sum() > 0.005 else legal / legal.sum()
"""),
        "a small number against division by zero": (
            "mask(np.array([1 - 1e-7, 5e-8, 5e-8]), np.array([False, True, True])).tolist()", """
def mask(policy, legal):
    if not (policy * legal).any(): return legal / legal.sum()
    return policy * legal / ((policy * legal).sum() + 1e-8)
"""),
        "illegal moves set to 0 in place": (
            "[(p := np.array([.5, .5])), mask(p, np.array([True, False])), p.tolist()][2]", """
def mask(policy, legal):
    policy[~legal] = 0
    return policy / policy.sum() if policy.sum() else legal / legal.sum()
"""),
        "the smallest float": (
            "mask_logits(np.array([-1000.0, -1001.0]), np.array([True, True])).tolist()", """
def mask_logits(logits, legal):
    e = np.exp(np.minimum(logits - logits[legal].max(), logits - max(0.0, logits[legal].max())))
    e = e * legal
    return e / (e.sum() or 1)
"""),
        "equally likely if one is 0": (
            "mask(np.array([0.5, 0.0, 0.5]), np.array([True, True, True])).tolist()", """
def mask(policy, legal):
    if not policy[legal].all(): return legal / legal.sum()
    return policy * legal / (policy * legal).sum()
"""),
    },
    "reinforce": {
        "logits changed in place": (
            "[(z := np.array([0.0, 1.0])), step(z, [0], [1], 1, 1.0), z.tolist()][2]", """
def step(logits, actions, players, winner, rate):
    total = sum(w * log_gradient(logits, a) for w, a in zip(weights(players, winner), actions))
    logits += rate * total / len(actions)
    return logits
"""),
        "each action once": (
            "step(np.array([0.0, 0.0, 0.0]), [0, 1, 0], [1, -1, 1], 1, 1.0).tolist()", """
def step(logits, actions, players, winner, rate):
    last = dict(zip(actions, weights(players, winner)))
    total = sum(w * log_gradient(logits, a) for a, w in last.items())
    return logits + rate * total / len(actions)
"""),
        "turns alternate": (
            "step(np.array([0.0, 0.0]), [0, 0], [1, 1], 1, 1.0).tolist()", """
def step(logits, actions, players, winner, rate):
    signs = [players[0] * winner * (-1) ** n for n in range(len(actions))]
    total = sum(w * log_gradient(logits, a) for w, a in zip(signs, actions))
    return logits + rate * total / len(actions)
"""),
        "a draw is a small loss": (
            "step(np.array([0.0, 0.0]), [0, 0], [1, -1], 0, 1.0).tolist()", """
def step(logits, actions, players, winner, rate):
    total = sum((1 if p == winner else -1) * log_gradient(logits, a)
                for p, a in zip(players, actions))
    return logits + rate * total / len(actions)
"""),
        "the move's place for the action": (
            "step(np.array([0.0, 0.0, 0.0]), [2, 0, 1], [1, -1, 1], 1, 1.0).tolist()", """
def step(logits, actions, players, winner, rate):
    total = np.zeros(len(logits))
    for n, w in enumerate(weights(players, winner)):
        total += w * log_gradient(logits, sorted(actions)[n])
    return logits + rate * total / len(actions)
"""),
    },
    "q_update": {
        "near values are equal": (
            "policy([0.5, 0.5004])", """
def policy(values):
    best = [v for v in values if abs(v - max(values)) < 1e-3]
    return [EPSILON / len(values) + (1 - EPSILON) / len(best) * (v in best) for v in values]
"""),
        "values rounded": (
            "policy([0.50, 0.503])", """
def policy(values):
    rounded = [round(v, 2) for v in values]
    top = max(rounded)
    share = (1 - EPSILON) / rounded.count(top)
    return [EPSILON / len(values) + (v == top) * share for v in rounded]
"""),
        "stops at a sure win": (
            "policy([1.0, 0.5, 1.0])", """
def policy(values):
    best = []
    for n, v in enumerate(values):
        if not best or v > values[best[0]]: best = [n]
        elif v == values[best[0]]: best.append(n)
        if v == 1: break
    return [EPSILON / len(values) + (n in best) * (1 - EPSILON) / len(best)
            for n in range(len(values))]
"""),
        "the best is above 0": (
            "policy([-0.5, -0.1])", """
def policy(values):
    top = 0.0
    for v in values: top = v if v > top else top
    best = [v == top for v in values]
    return [EPSILON / len(values) + b * (1 - EPSILON) / max(1, sum(best)) for b in best]
"""),
        "the best of the largest size": (
            "policy([-0.9, 0.5])", """
def policy(values):
    top = max(values, key=abs)
    return [EPSILON / len(values) + (v == top) * (1 - EPSILON) / values.count(top) for v in values]
"""),
    },
    "advantages": {
        "rewards end a game": (
            "advantages([1.0, 0.0, 1.0], [0.0, 0.0, 0.0])", """
def advantages(rewards, values):
    out, after, running = [], 0.0, 0.0
    for r, v in zip(reversed(rewards), reversed(values)):
        if r: after = running = 0.0
        running = r + GAMMA * after - v + GAMMA * LAMBDA * running
        after = v
        out.append(running)
    return out[::-1]
"""),
        "returns in place": (
            "[(r := [0.0, 1.0]), returns(r), r][2]", """
def returns(rewards):
    for n in range(len(rewards) - 2, -1, -1): rewards[n] += GAMMA * rewards[n + 1]
    return rewards
"""),
        "rewards only at the end": (
            "advantages([1.0, 0.0], [0.0, 0.0])", """
def advantages(rewards, values):
    out, running, after = [], 0.0, 0.0
    for n in range(len(values) - 1, -1, -1):
        reward = rewards[n] if n == len(values) - 1 else 0.0
        running = reward + GAMMA * after - values[n] + GAMMA * LAMBDA * running
        after = values[n]
        out.insert(0, running)
    return out
"""),
        "player 1 moves first": (
            "game_advantages([-1, 1], [0.0, 0.0], 1)", """
def game_advantages(players, values, winner):
    return [(winner if p == players[0] else -winner) - v for p, v in zip(players, values)]
"""),
        "lambda once": (
            "advantages([0.0, 0.0, 1.0], [0.0, 0.0, 0.0])", """
def advantages(rewards, values):
    after = [*values[1:], 0.0]
    s = [r + GAMMA * b - a for r, a, b in zip(rewards, values, after)]
    return [s[i] + LAMBDA * sum(GAMMA ** n * x for n, x in enumerate(s[i:]) if n)
            for i in range(len(s))]
"""),
    },
    "puct": {
        "the reduction is added": (
            "choose([0.1, 0.0], [1, 0], [0.5, 0.5], 0.0, 0.5, 0.1)",
            changed(_PUCT,
                    ("-", "+"))),
        "scores are above 0": (
            "choose([-3.0, -1.0], [4, 4], [0.5, 0.5], 0.0, 0.0, 0.1)", """
def choose(totals, visits, priors, parent_value, reduction, c):
    best, top = 0, 0.0
    for n in range(len(visits)):
        q = totals[n] / visits[n] if visits[n] else parent_value - reduction
        score = puct_score(q, priors[n], visits[n], sum(visits) + 1, c)
        if score > top: best, top = n, score
    return best
"""),
        "scores are above -1": (
            "choose([0.0, 0.0], [0, 0], [0.1, 0.9], -0.9, 0.5, 0.1)", """
def choose(totals, visits, priors, parent_value, reduction, c):
    best, top = 0, -1.0
    for n in range(len(visits)):
        q = totals[n] / visits[n] if visits[n] else parent_value - reduction
        score = puct_score(q, priors[n], visits[n], sum(visits) + 1, c)
        if score > top: best, top = n, score
    return best
"""),
        "unvisited values down to -1": (
            "choose([-1.0, 0.0], [1, 0], [0.5, 0.5], -0.9, 0.6, 0.1)", """
def choose(totals, visits, priors, parent_value, reduction, c):
    scores = [puct_score(t / n if n else max(-1.0, parent_value - reduction), p, n, sum(visits) + 1,
                         c) for t, n, p in zip(totals, visits, priors)]
    return scores.index(max(scores))
"""),
        "the reduction by visited priors": (
            "choose([0.4, 0.0], [1, 0], [0.1, 0.9], 0.7, 0.9, 0.2)", """
def choose(totals, visits, priors, parent_value, reduction, c):
    seen = sum(p for p, n in zip(priors, visits) if n)
    scores = [puct_score(t / n if n else parent_value - reduction * math.sqrt(seen), p, n,
                         sum(visits) + 1, c) for t, n, p in zip(totals, visits, priors)]
    return scores.index(max(scores))
"""),
        "scores rounded": (
            "choose([0.100, 0.1004], [1, 1], [0.5, 0.5], 0.0, 0.0, 1.0)",
            changed(_PUCT,
                    ("return", "scores = [round(score, 3) for score in scores]\n    return"))),
        "random among equal moves": (
            "{choose([0.0] * 2, [1, 1], [0.5, 0.5], 0.0, 0.0, 1.0) for _ in range(99)}",
            changed(_PUCT,
                    ("def", "import random\ndef"),
                    ("scores.index(max(scores)",
                     "random.choice([n for n, score in enumerate(scores) if score == "
                     "max(scores)]"))),
        "at least one visit": (
            "choose([0.3, 0.0], [1, 0], [0.5, 0.5], 0.0, 0.0, 0.9)",
            changed(_PUCT,
                    ("sum(visits) + 1", "max(1, sum(visits))"))),
        "moves without a prior are impossible": (
            "choose([-1.0, 0.0], [1, 0], [1.0, 0.0], 0.0, 0.0, 0.1)", """
def choose(totals, visits, priors, parent_value, reduction, c):
    best, top = 0, -math.inf
    for n in range(len(visits)):
        if priors[n] == 0: continue
        q = totals[n] / visits[n] if visits[n] else parent_value - reduction
        score = puct_score(q, priors[n], visits[n], sum(visits) + 1, c)
        if score > top: best, top = n, score
    return best
"""),
        "the largest prior of equal moves": (
            "choose([1.0, 0.0], [1, 0], [0.5, 0.75], 0.0, 0.0, 0.0) + choose([0.0] * 2, [1, "
            "1], [0.25, 0.75], 0.0, 0.0, 0.0)",
            changed(_PUCT,
                    ("scores.index(max(scores",
                     "max(range(len(scores)), key=lambda n: (scores[n], priors[n]"))),
        "the fewest visits of equal moves": (
            "choose([0.0, 0.0, 0.0], [3, 1, 1], [1.0, 0.5, 0.5], 0.0, 0.0, 1.0)",
            changed(_PUCT,
                    ("scores.index(max(scores",
                     "max(range(len(scores)), key=lambda n: (scores[n], -visits[n]"))),
    },
    "back_up": {
        "totals in place": (
            "[(t := [0.0]), back_up([1], [0], t, 0.5), t][2]", """
def back_up(players, visits, totals, value):
    visits = [n + 1 for n in visits]
    for n, player in enumerate(players):
        totals[n] += value if player == players[-1] else -value
    return visits, totals
"""),
        "a sum of 0 is unvisited": (
            "mean_for_parent(1, 1, 4, 0.0, 0.5)", """
def mean_for_parent(parent_player, player, visits, total, unvisited):
    if not total: return unvisited
    return total / visits * (1 if player == parent_player else -1)
"""),
        "the mean for player 1": (
            "mean_for_parent(-1, 1, 4, 2.0, 0.0)", """
def mean_for_parent(parent_player, player, visits, total, unvisited):
    return player * total / visits if visits else unvisited
"""),
        "the path in place": (
            "[(v := [0]), back_up([1], v, [0.0], 0.5), v][2]", """
def back_up(players, visits, totals, value):
    for n in range(len(visits)): visits[n] += 1
    return visits, [t + players[-1] * p * value for t, p in zip(totals, players)]
"""),
    },
    "noise": {
        "scaled after mixing": (
            "mix(np.array([0.8, 0.2, 0.0]), np.array([0.1, 0.1, 0.8]), np.array([True, True, "
            "False]), 0.5).tolist()", """
def mix(priors, noise, legal, share):
    mixed = ((1 - share) * priors + share * noise) * legal
    return mixed / mixed.sum()
"""),
        "noise set to 0 in place": (
            "[(z := np.array([.5, .5])), mix(np.array([1., 0.]), z, np.array([True, False]), "
            ".5), z.tolist()][2]", """
def mix(priors, noise, legal, share):
    noise[~legal] = 0
    return (1 - share) * priors + share * noise / noise.sum()
"""),
        "powers of visits": (
            "tempered(np.array([1000000, 999999]), 0.01).tolist()",
            changed(_TEMPERED,
                    ("(visits / visits.max()", "visits.astype(float"))),
        "low temperatures are 0": (
            "tempered(np.array([100, 99]), 0.01).tolist()",
            changed(_TEMPERED,
                    ("== 0", "< 0.1"))),
        "whole powers": (
            "tempered(np.array([3, 1]), 0.8).tolist()",
            changed(_TEMPERED,
                    ("(1", "round(1"))),
        "temperatures above 1 are 1": (
            "tempered(np.array([9, 1]), 2.0).tolist()",
            changed(_TEMPERED,
                    ("/ temperature", "/ min(1.0, temperature)"))),
        "the largest visits for all temperatures": (
            "tempered(np.array([1000, 999]), 0.0).tolist()", """
def tempered(visits, temperature):
    t = temperature or 1e-3
    p = (visits / visits.max()) ** (1 / t)
    return p / p.sum()
"""),
        "nearly the most visits": (
            "tempered(np.array([1000000, 999999]), 0.0).tolist()", """
def tempered(visits, temperature):
    if temperature == 0:
        best = np.isclose(visits, visits.max())
        return best / best.sum()
    p = (visits / visits.max()) ** (1 / temperature)
    return p / p.sum()
"""),
        "the logarithm of nearly 0": (
            "tempered(np.array([9, 0]), 10.0).tolist()", """
def tempered(visits, temperature):
    if temperature == 0: return (visits == visits.max()) / (visits == visits.max()).sum()
    z = np.log(visits + 1e-10) / temperature
    p = np.exp(z - z.max())
    return p / p.sum()
"""),
    },
}
