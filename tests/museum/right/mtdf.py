"""MTD(f) (Plaat 1995): zero-width windows around a guess; black's values, bounds in a dict."""

import math

STEP = 1e-4


def solve(state, depth=None, evaluate=None):
    depth, guess, bounds = depth or 60, 0.0, {}
    low, high = -math.inf, math.inf
    while low < high - 1e-9:
        beta = guess + STEP if guess == low else guess
        guess = memory(state, beta - STEP, beta, depth, evaluate, bounds)
        if guess < beta:
            high = guess
        else:
            low = guess
    return guess if state.next_player.name == "black" else -guess


def memory(state, alpha, beta, depth, evaluate, bounds):
    """Alpha-beta with memory, fail-soft: a bound of black's value."""
    if state.is_over():
        return state.result()
    black = state.next_player.name == "black"
    if depth == 0:
        return evaluate(state)[1] * (1 if black else -1)
    low, high = bounds.get((state, depth), (-math.inf, math.inf))
    if low >= beta or low == high:
        return low
    if high <= alpha:
        return high
    alpha, beta = max(alpha, low), min(beta, high)
    value, a, b = (-math.inf, alpha, beta) if black else (math.inf, alpha, beta)
    for move in state.legal_moves():
        successor = memory(state.apply_move(move), a, b, depth - 1, evaluate, bounds)
        if black:
            value, a = max(value, successor), max(a, successor)
        else:
            value, b = min(value, successor), min(b, successor)
        if (black and value >= beta) or (not black and value <= alpha):
            break
    if value <= alpha:
        high = value
    elif value >= beta:
        low = value
    else:
        low = high = value
    bounds[state, depth] = low, high
    return value
