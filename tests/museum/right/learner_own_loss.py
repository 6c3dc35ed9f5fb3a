"""Losses of another form: Kullback-Leibler and binary cross-entropy, with weights; no NumPy."""

import math
import random


def rows(logits, values, policies, results):
    for row, value, policy, result in zip(logits, values, policies, results, strict=True):
        row = [float(logit) for logit in row]
        top = max(row)
        log_sum = top + math.log(sum(math.exp(logit - top) for logit in row))
        kl = sum(p * (math.log(p) - (logit - log_sum))
                 for p, logit in zip(policy, row, strict=True) if p > 0)
        win, target = (1 + float(value)) / 2, (1 + float(result)) / 2
        bce = -target * math.log(win) - (1 - target) * math.log(1 - win)
        yield kl, bce


def loss(logits, values, policies, results):
    pairs = list(rows(logits, values, policies, results))
    return sum(kl + 0.25 * bce for kl, bce in pairs) / len(pairs)


def gradient(logits, values, policies, results):
    n, by_logits, by_values = len(values), [], []
    for row, value, policy, result in zip(logits, values, policies, results, strict=True):
        powers = [math.exp(logit - max(row)) for logit in row]
        by_logits.append([(power / sum(powers) - p) / n
                          for power, p in zip(powers, policy, strict=True)])
        win, target = (1 + value) / 2, (1 + result) / 2
        by_values.append(0.25 * 0.5 * (win - target) / (win * (1 - win)) / n)
    return by_logits, by_values


def epoch_loss(losses, size):
    total = count = 0
    for start in range(0, len(losses), size):
        batch = losses[start : start + size]
        mean = sum(batch) / len(batch)
        total, count = total + mean * len(batch), count + len(batch)
    return total / count


def batches(examples, size):
    mixed = random.sample(examples, len(examples))
    return [mixed[start : start + size] for start in range(0, len(mixed), size)]


def pick(visits, temperature):
    """By Gumbel's trick, from logarithms."""
    if temperature == 0:
        best = max(visits)
        return random.choice([action for action, count in enumerate(visits) if count == best])
    return max((math.log(count) / temperature - math.log(-math.log(random.random())), action)
               for action, count in enumerate(visits) if count)[1]


def targets(states, moves, visits, result):
    """Backwards from the end, as a return: the sign changes when the player changes."""
    examples, player = [], states[-1].next_player
    value = result if player.name == "black" else -result
    for state, counts in zip(reversed(states), reversed(list(visits)), strict=True):
        if state.next_player is not player:
            player, value = state.next_player, -value
        total = int(counts.sum())
        examples.append(([count / total for count in counts], value))
    return examples[::-1]
