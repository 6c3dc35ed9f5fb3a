"""Self-play's search as a generator that yields a leaf at a time, with noise at the root."""

import random

SELF_PLAY = True


def grow(node, path):
    state, children, stats = node
    player = state.next_player
    if state.is_over():
        value = {True: 1, False: -1}[state.winner() is player] if state.winner() else 0
        return value, player
    if children is None:
        priors, value = yield state
        node[1] = [[state.apply_move(move), None, [0, 0.0, p]] for move, p in priors.items()]
        return value, player
    if not path:
        for child in children:
            child[2].append(child[2][2]) if len(child[2]) == 3 else None
    total = (1 + sum(child[2][0] for child in children)) ** 0.5
    best = max(children, key=lambda c: c[2][1] / max(c[2][0], 1) + 1.5 * c[2][2] * total
               / (1 + c[2][0]))
    value, who = yield from grow(best, [*path, best])
    best[2][0] += 1
    best[2][1] += value if who is player else -value
    return value, who


def search(state, evaluate, simulations):
    root = [state, None, None]
    for number in range(simulations):
        steps = grow(root, [])
        try:
            leaf = next(steps)
            steps.send(evaluate(leaf))
        except StopIteration:
            pass
        if number == 0:
            gammas = [random.gammavariate(0.5, 1) + 1e-9 for _ in root[1]]
            for child, gamma in zip(root[1], gammas, strict=True):
                child[2][2] = 0.75 * child[2][2] + 0.25 * gamma / sum(gammas)
    return {child[0].last_move: child[2][0] for child in root[1]}
