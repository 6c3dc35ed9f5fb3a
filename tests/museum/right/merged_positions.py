"""AlphaZero's search in tables by position, so that transpositions are one entry; no tree."""

import math

KIND = "puct"


def search(state, evaluate, simulations):
    priors, visits, totals = {}, {}, {}  # by position; by position and move

    def simulate(position):
        """A simulation from here; its value for the player to move."""
        if position.is_over():
            winner = position.winner()
            return 0 if winner is None else 1 if winner is position.next_player else -1
        key = position.key()
        if key not in priors:
            priors[key], value = evaluate(position)
            return value
        number = sum(visits.get((key, move), 0) for move in priors[key])

        def score(move):
            count = visits.get((key, move), 0)
            mean = totals[key, move] / count if count else 0
            return mean + 1.1 * priors[key][move] * math.sqrt(number + 1e-8) / (1 + count)

        move = max(priors[key], key=score)
        after = position.apply_move(move)
        value = simulate(after)
        if after.next_player is not position.next_player:
            value = -value
        visits[key, move] = visits.get((key, move), 0) + 1
        totals[key, move] = totals.get((key, move), 0.0) + value
        return value

    for _ in range(simulations):
        simulate(state)
    return {move: visits.get((state.key(), move), 0) for move in priors[state.key()]}
