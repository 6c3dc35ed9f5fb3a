"""UCT over a graph: equal positions share one node, whose key is the position."""

import math
import random

KIND = "uct"


class Position:
    def __init__(self, state):
        self.visits, self.points, self.moves = 0, 0.0, state.legal_moves()  # points: black's, 0..1
        random.shuffle(self.moves)


def search(state, evaluate, simulations):
    graph = {}

    for _ in range(simulations):
        position, path = state, []
        while True:
            node = graph.get(position)
            if position.is_over():
                node = graph.setdefault(position, Position(position))
                path.append(node)
                points = (position.result() + 1) / 2
                break
            if node is None:
                node = graph[position] = Position(position)
                path.append(node)
                sign = 1 - 2 * position.next_player.index
                points = (1 + sign * evaluate(position)[1]) / 2
                break
            path.append(node)
            black = position.next_player.name == "black"
            successors = [position.apply_move(move) for move in node.moves]
            known = [graph.get(after) for after in successors]
            if None in known:
                position = successors[known.index(None)]
                continue
            scores = [(child.points if black else child.visits - child.points) / child.visits
                      + 0.7 * math.sqrt(math.log(node.visits) / child.visits) for child in known]
            position = successors[scores.index(max(scores))]
        for node in path:
            node.visits += 1
            node.points += points
    return {move: graph[after].visits for move in state.legal_moves()
            if (after := state.apply_move(move)) in graph}
