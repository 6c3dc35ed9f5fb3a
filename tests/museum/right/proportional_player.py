"""A player by its own Monte Carlo search: random games, a decision with visits and a value."""

import math
import random

from engines.base import Decision


class Player:
    def select_move(self, state):
        rng, games = random.Random(5), {}

        def play(position):
            """A simulation; black's result."""
            entry = games.setdefault(position, [0, 0.0])
            entry[0] += 1
            if position.is_over():
                result = position.result()
            elif entry[0] == 1:
                while not position.is_over():
                    position = position.apply_move(rng.choice(position.legal_moves()))
                result = position.result()
            else:
                sign = 1 - 2 * position.next_player.index
                after = [position.apply_move(move) for move in position.legal_moves()]
                rng.shuffle(after)

                def bound(child):
                    count, total = games.get(child, (0, 0))
                    return math.inf if not count else (
                        sign * total / count + math.sqrt(2 * math.log(entry[0]) / count))

                result = play(max(after, key=bound))
            entry[1] += result
            return result

        for _ in range(200):
            play(state)
        visits = {move: games.get(state.apply_move(move), (0, 0))[0]
                  for move in state.legal_moves()}
        value = games[state][1] / games[state][0] * (1 - 2 * state.next_player.index)
        return Decision(max(visits, key=visits.get), value, visits=visits)
