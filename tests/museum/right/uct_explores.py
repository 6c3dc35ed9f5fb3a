"""UCT with the constant of the first papers, and the visits of the children for N."""

import math
import random

KIND = "uct"


def search(state, evaluate, simulations):
    visits, totals = {}, {}

    def simulate(state, path):
        key = tuple(path)
        if state.is_over():
            value = state.result()
        elif key and key not in visits:
            value = evaluate(state)[1] * (1 if state.next_player.name == "black" else -1)
        else:
            sign = 1 if state.next_player.name == "black" else -1
            moves = state.legal_moves()
            new = [move for move in moves if (*path, move) not in visits]
            if new:
                move = random.choice(new)
            else:
                total = sum(visits[*path, move] for move in moves)
                move = max(moves, key=lambda move: (
                    sign * totals[*path, move] / visits[*path, move]
                    + 1.4 * math.sqrt(math.log(total) / visits[*path, move])))
            value = simulate(state.apply_move(move), [*path, move])
        visits[key] = visits.get(key, 0) + 1
        totals[key] = totals.get(key, 0.0) + value
        return value

    for _ in range(simulations):
        simulate(state, [])
    return {move: visits[move,] for move in state.legal_moves() if (move,) in visits}
