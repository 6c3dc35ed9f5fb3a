"""Exercises of chapters 9 to 14: correct solutions in other styles, written by hand."""

from __future__ import annotations

SOLUTIONS = {
    "masking": ["""
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
""", """
import numpy as np
def mask(policy, legal):
    result = policy * legal
    total = np.sum(result)
    return np.divide(result, total) if total else legal / np.count_nonzero(legal)
def mask_logits(logits, legal):
    shifted = logits - 1e9 * ~legal
    shares = np.exp(shifted - np.max(shifted))
    return shares / np.sum(shares)
""", """
import math
def scaled(numbers):
    total = math.fsum(numbers)
    return tuple(number / total for number in numbers)
def mask(policy, legal):
    if not any(p > 0 for p, ok in zip(policy, legal) if ok):
        policy = [1] * len(legal)
    return scaled([float(p) * bool(ok) for p, ok in zip(policy, legal)])
def mask_logits(logits, legal):
    top = max(x for x, ok in zip(logits.tolist(), legal.tolist()) if ok)
    return scaled([math.exp(x - top) if ok else 0 for x, ok in zip(logits, legal)])
"""],
    "reinforce": ["""
import numpy as np
def softmax(logits):
    e = np.exp(logits - np.max(logits))
    return e / np.sum(e)
def log_gradient(logits, action):
    return np.eye(len(logits))[action] - softmax(logits)
def weights(players, winner):
    return np.array(players) * winner
def step(logits, actions, players, winner, rate):
    one_hot = np.eye(len(logits))[actions] - softmax(logits)
    return logits + rate * (weights(players, winner) @ one_hot) / len(actions)
""", """
from math import exp
def log_gradient(logits, action):  # lists
    top = max(logits)
    e = [exp(x - top) for x in logits]
    return [(i == action) - x / sum(e) for i, x in enumerate(e)]
def weights(players, winner):
    return [0 if not winner else 1 if player == winner else -1 for player in players]
def step(logits, actions, players, winner, rate):
    total = [0.0] * len(logits)
    for weight, action in zip(weights(players, winner), actions):
        for i, g in enumerate(log_gradient(logits, action)):
            total[i] += weight * g
    return [x + rate * t / len(actions) for x, t in zip(logits, total)]
""", """
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
"""],
    "q_update": ["""
def target(reward, next_values, same_player, discount):
    if len(next_values) == 0: return reward
    m = sorted(next_values)[-1]
    return reward + discount * m if same_player else reward - discount * m
def update(q, wanted, rate): return (1 - rate) * q + rate * wanted
def policy(values, epsilon):
    n, top = len(values), max(values)
    k = list(values).count(top)
    return tuple(epsilon / n + ((1 - epsilon) / k if v == top else 0) for v in values)
""", """
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
""", """
from functools import reduce
def target(reward, next_values, same_player, discount):
    signed = [v if same_player else -v for v in next_values]
    best = (max if same_player else min)(signed, default=0.0)
    return reward + discount * best
def update(q, wanted, rate):
    return wanted + (q - wanted) * (1 - rate)
def policy(values, epsilon):
    best = reduce(lambda a, b: a if a > b else b, values)
    where = [i for i in range(len(values)) if values[i] == best]
    chances = [epsilon * 1 / len(values)] * len(values)
    for i in where:
        chances[i] += (1 - epsilon) / len(where)
    return chances
"""],
    "advantages": ["""
def returns(rewards, discount):  # recursion
    if not rewards:
        return []
    later = returns(rewards[1:], discount)
    return [rewards[0] + discount * (later[0] if later else 0)] + later
def advantages(rewards, values, discount):
    return list(map(lambda a, b: a - b, returns(rewards, discount), values))
def game_advantages(players, values, winner):
    results = [0 if winner == 0 else 1 if player == winner else -1 for player in players]
    return [r - v for r, v in zip(results, values)]
""", """
import numpy as np
def returns(rewards, discount):  # a matrix
    n = np.arange(len(rewards))
    distance = n[None, :] - n[:, None]
    return np.where(distance >= 0, float(discount) ** np.maximum(distance, 0), 0.0) @ rewards
def advantages(rewards, values, discount):
    return returns(rewards, discount) - values
def game_advantages(players, values, winner):
    return np.multiply(players, winner) - np.array(values)
""", """
from itertools import accumulate
def returns(rewards, discount):
    return [*accumulate(rewards[::-1], lambda later, r: r + discount * later)][::-1]
def advantages(rewards, values, discount):
    return [a - b for a, b in zip(returns(rewards, discount), values)]
def game_advantages(players, values, winner):
    def each():
        for n in range(len(players)):
            yield winner * players[n] - values[n]
    return list(each())
""", """
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
"""],
    "puct": ["""
import numpy as np
def puct_score(q, prior, visits, parent_visits, c):
    return q + c * prior * parent_visits ** .5 / (visits + 1)
def choose(totals, visits, priors, parent_value, reduction, c):
    t, n, p = map(np.asarray, (totals, visits, priors))
    q = np.where(n > 0, t / np.maximum(n, 1), parent_value - reduction)
    return np.argmax(puct_score(q, p, n, n.sum() + 1, c))
""", """
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
""", """
def puct_score(q, prior, visits, parent_visits, c):
    bonus = c * prior
    bonus *= pow(parent_visits, 0.5)
    return q + bonus / (1.0 + visits)
def choose(totals, visits, priors, parent_value, reduction, c):
    parent = 1
    for n in visits: parent += n
    best, best_score = None, float("-inf")
    for i in range(len(visits)):
        try: q = totals[i] / visits[i]
        except ZeroDivisionError: q = parent_value - reduction
        s = puct_score(q, priors[i], visits[i], parent, c)
        if s > best_score: best, best_score = i, s
    return best
"""],
    "back_up": ["""
def back_up(players, visits, totals, value):  # copies
    visits, totals = visits[:], list(totals)
    for i, p in enumerate(players):
        visits[i] += 1
        totals[i] += value if p == players[-1] else -value
    return visits, totals
def mean_for_parent(parent_player, player, visits, total, unvisited):
    return parent_player * player * total / visits if visits else unvisited
""", """
import numpy as np
def back_up(players, visits, totals, value):
    players = np.array(players)
    return np.array(visits) + 1, np.add(totals, players * players[-1] * value)
def mean_for_parent(parent_player, player, visits, total, unvisited):
    with np.errstate(all="ignore"):
        mean = np.float64(total) / visits * (player * parent_player)
    return np.where(visits, mean, unvisited)[()]
""", """
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
"""],
    "noise": ["""
import numpy as np
def mix(priors, noise, legal, share):
    where = np.flatnonzero(legal)
    out = np.zeros(len(priors))
    out[where] = priors[where] + share * (noise[where] / noise[where].sum() - priors[where])
    return out
def tempered(visits, temperature):
    if not temperature:
        best = np.flatnonzero(visits == np.max(visits))
        return np.isin(np.arange(len(visits)), best) / len(best)
    with np.errstate(divide="ignore"):
        logs = np.log(visits) / temperature
    shares = np.exp(logs - logs.max())
    return shares / shares.sum()
""", """
def mix(priors, noise, legal, share):  # lists
    total = sum(n for n, ok in zip(noise, legal) if ok)
    return [(1 - share) * p + share * n / total if ok else 0.0
            for p, n, ok in zip(priors, noise, legal)]
def tempered(visits, temperature):
    top = max(visits.tolist())
    if temperature == 0.0:
        shares = [1 if n == top else 0 for n in visits]
    else:
        shares = [(n / top) ** (1 / temperature) for n in visits.tolist()]
    return tuple(share / sum(shares) for share in shares)
""", """
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
"""],
}
