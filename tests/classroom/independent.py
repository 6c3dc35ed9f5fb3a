"""Right solutions of short exercises, each written without the others: none is a copy."""

from __future__ import annotations

INDEPENDENT = {
    "ko": ["""
def forbidden(positions, after, to_move, rule):
    boards = [p[0] for p in positions]
    if rule == "simple":
        if len(boards) < 2:
            return False
        return boards[-2] == after
    elif rule == "positional":
        return after in boards
    else:
        for board, player in positions:
            if board == after and player == to_move:
                return True
        return False
""", """
def forbidden(positions, after, to_move, rule):
    if rule == "simple":
        return bool(positions[-2:-1]) and positions[-2][0] == after
    elif rule == "positional":
        return after in {board for board, _ in positions}
    elif rule == "situational":
        return (after, to_move) in positions
""", """
def forbidden(positions, after, to_move, rule):
    result = False
    if rule == "simple":
        if len(positions) >= 2:
            board, colour = positions[len(positions) - 2]
            if board == after:
                result = True
    if rule == "positional":
        for position in positions:
            if position[0] == after:
                result = True
    if rule == "situational":
        for position in positions:
            if position[0] == after and position[1] == to_move:
                result = True
    return result
""", """
def forbidden(positions, after, to_move, rule):
    match rule:
        case "simple":
            return any(b == after for b, _ in positions[-2:-1])
        case "positional":
            return any(b == after for b, _ in positions)
        case "situational":
            return any(b == after and c == to_move for b, c in positions)
"""],
    "dense": ["""
import numpy as np
def forward(x, w, b):
    return np.dot(x, w) + b
def backward(x, w, gradient):
    dx = np.dot(gradient, w.T)
    dw = np.dot(x.T, gradient)
    db = np.sum(gradient, axis=0)
    return dx, dw, db
def sigmoid_backward(y, gradient):
    return y * (1 - y) * gradient
""", """
import numpy as np
def forward(x, w, b):
    y = x @ w + b
    return y
def backward(x, w, gradient):
    grad_b = gradient.sum(axis=0)
    grad_w = x.T @ gradient
    grad_x = gradient @ w.T
    return grad_x, grad_w, grad_b
def sigmoid_backward(y, gradient):
    derivative = y * (1.0 - y)
    return gradient * derivative
""", """
import numpy as np
def forward(x, w, b):
    return np.matmul(x, w) + b[None, :]
def backward(x, w, gradient):
    return (np.einsum("bo,io->bi", gradient, w), np.einsum("bi,bo->io", x, gradient),
            np.einsum("bo->o", gradient))
def sigmoid_backward(y, gradient):
    return gradient * (y - y ** 2)
"""],
    "masking": ["""
import numpy as np
def mask(policy, legal):
    result = policy * legal
    total = result.sum()
    if total > 0:
        return result / total
    return legal / legal.sum()
def mask_logits(logits, legal):
    biggest = logits[legal].max()
    e = np.exp(np.where(legal, logits - biggest, -np.inf))
    return e / np.sum(e)
""", """
import numpy as np
def mask(policy, legal):
    masked = policy.copy()
    masked[~legal] = 0
    s = np.sum(masked)
    if s == 0:
        masked[legal] = 1
        s = np.sum(masked)
    masked /= s
    return masked
def mask_logits(logits, legal):
    out = np.zeros(len(logits))
    z = logits[legal]
    z = np.exp(z - np.max(z))
    out[legal] = z / np.sum(z)
    return out
""", """
import math
import numpy as np
def mask(policy, legal):
    total = sum(p for p, ok in zip(policy, legal) if ok)
    n = sum(1 for ok in legal if ok)
    out = []
    for p, ok in zip(policy, legal):
        if not ok:
            out.append(0.0)
        elif total == 0:
            out.append(1 / n)
        else:
            out.append(p / total)
    return np.array(out)
def mask_logits(logits, legal):
    top = max(x for x, ok in zip(logits, legal) if ok)
    weights = [math.exp(x - top) if ok else 0.0 for x, ok in zip(logits, legal)]
    return np.array(weights) / sum(weights)
"""],
    "back_up": ["""
def back_up(players, visits, totals, value):
    new_visits = []
    new_totals = []
    leaf_player = players[-1]
    for i in range(len(players)):
        new_visits.append(visits[i] + 1)
        if players[i] == leaf_player:
            new_totals.append(totals[i] + value)
        else:
            new_totals.append(totals[i] - value)
    return new_visits, new_totals
def mean_for_parent(parent_player, player, visits, total, unvisited):
    if visits == 0:
        return unvisited
    if parent_player == player:
        return total / visits
    return -total / visits
""", """
def back_up(players, visits, totals, value):
    leaf = players[-1]
    new_visits = [v + 1 for v in visits]
    new_totals = [t + value * p * leaf for p, t in zip(players, totals)]
    return new_visits, new_totals
def mean_for_parent(parent_player, player, visits, total, unvisited):
    if not visits:
        return unvisited
    return total / visits * parent_player * player
""", """
def back_up(players, visits, totals, value):
    visits, totals = list(visits), list(totals)
    for i, p in enumerate(players):
        visits[i] += 1
        sign = 1 if p == players[-1] else -1
        totals[i] += sign * value
    return visits, totals
def mean_for_parent(parent_player, player, visits, total, unvisited):
    if visits > 0:
        mean = total / visits
        if player != parent_player:
            mean = -mean
        return mean
    else:
        return unvisited
"""],
    "puct": ["""
import math
def puct_score(q, prior, visits, parent_visits, c):
    u = c * prior * math.sqrt(parent_visits) / (1 + visits)
    return q + u
def choose(totals, visits, priors, parent_value, reduction, c):
    n = sum(visits) + 1
    best, best_score = 0, -math.inf
    for i in range(len(visits)):
        if visits[i] > 0:
            q = totals[i] / visits[i]
        else:
            q = parent_value - reduction
        score = puct_score(q, priors[i], visits[i], n, c)
        if score > best_score:
            best, best_score = i, score
    return best
""", """
import numpy as np
def puct_score(q, prior, visits, parent_visits, c):
    return q + c * prior * (parent_visits ** 0.5) / (visits + 1)
def choose(totals, visits, priors, parent_value, reduction, c):
    w, n, p = np.array(totals), np.array(visits), np.array(priors)
    q = np.where(n > 0, w / np.maximum(n, 1), parent_value - reduction)
    return int(np.argmax(puct_score(q, p, n, n.sum() + 1, c)))
""", """
from math import sqrt
def puct_score(q, prior, visits, parent_visits, c):
    exploration = c * prior * sqrt(parent_visits) / (1 + visits)
    return q + exploration
def choose(totals, visits, priors, parent_value, reduction, c):
    parent_visits = 1 + sum(visits)
    def score(i):
        q = totals[i] / visits[i] if visits[i] else parent_value - reduction
        return puct_score(q, priors[i], visits[i], parent_visits, c)
    return max(range(len(totals)), key=score)
"""],
    "noise": ["""
import numpy as np
def mix(priors, noise, legal, share):
    masked = noise * legal
    masked = masked / masked.sum()
    return (1 - share) * priors + share * masked
def tempered(visits, temperature):
    if temperature == 0:
        result = np.zeros(len(visits))
        result[visits == visits.max()] = 1
        return result / result.sum()
    logs = np.where(visits > 0, np.log(np.maximum(visits, 1)) / temperature, -np.inf)
    e = np.exp(logs - logs.max())
    return e / e.sum()
""", """
import numpy as np
def mix(priors, noise, legal, share):
    out = np.zeros_like(priors)
    total = noise[legal].sum()
    for i in range(len(priors)):
        if legal[i]:
            out[i] = priors[i] * (1 - share) + share * noise[i] / total
    return out
def tempered(visits, temperature):
    top = np.max(visits)
    if temperature == 0:
        winners = visits == top
        return winners / np.sum(winners)
    p = np.power(visits / top, 1 / temperature)
    return p / np.sum(p)
"""],
    "minimax": ["""
def minimax(position, children, player, result):
    kids = children(position)
    if len(kids) == 0:
        return result(position)
    if player(position) == 1:
        best = -2
        for kid in kids:
            best = max(best, minimax(kid, children, player, result))
    else:
        best = 2
        for kid in kids:
            best = min(best, minimax(kid, children, player, result))
    return best
def best_move(position, children, player, result):
    best, best_kid = None, None
    for kid in children(position):
        value = player(position) * minimax(kid, children, player, result)
        if best is None or value > best:
            best, best_kid = value, kid
    return best_kid
""", """
def minimax(position, children, player, result):
    successors = children(position)
    if not successors:
        return result(position)
    pick = max if player(position) == 1 else min
    return pick(minimax(s, children, player, result) for s in successors)
def best_move(position, children, player, result):
    pick = max if player(position) == 1 else min
    return pick(children(position), key=lambda s: minimax(s, children, player, result))
""", """
def minimax(position, children, player, result):
    if not children(position):
        return result(position)
    scores = []
    for child in children(position):
        scores.append(minimax(child, children, player, result))
    if player(position) == 1:
        return max(scores)
    return min(scores)
def best_move(position, children, player, result):
    moves = children(position)
    sign = player(position)
    best = moves[0]
    for move in moves[1:]:
        if sign * minimax(move, children, player, result) > sign * minimax(
                best, children, player, result):
            best = move
    return best
"""],
}
