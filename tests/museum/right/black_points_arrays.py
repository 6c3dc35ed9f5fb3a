"""UCT in arrays; rewards are black's points from 0 to 1, whoever moves."""

import numpy as np

KIND = "uct"
C = 1.0


def search(state, evaluate, simulations):
    size = simulations + 2
    visits, points = np.zeros(size, int), np.zeros(size)
    parent = np.full(size, -1)
    states, children, untried = [state], [[]], [state.legal_moves()]
    for _ in range(simulations):
        node = 0
        while not untried[node] and children[node]:
            ids = np.array(children[node])
            means = points[ids] / visits[ids]
            if states[node].next_player.name == "white":
                means = 1 - means
            node = ids[np.argmax(means + C * np.sqrt(np.log(visits[node]) / visits[ids]))]
        if untried[node]:
            move = untried[node].pop()
            states.append(states[node].apply_move(move))
            children.append([])
            untried.append([] if states[-1].is_over() else states[-1].legal_moves())
            children[node].append(len(states) - 1)
            parent[len(states) - 1] = node
            node = len(states) - 1
        leaf = states[node]
        if leaf.is_over():
            reward = {None: 0.5}.get(leaf.winner(), float(leaf.result() > 0))
        else:
            reward = (1 + (1 - 2 * leaf.next_player.index) * evaluate(leaf)[1]) / 2
        while node >= 0:
            visits[node] += 1
            points[node] += reward
            node = parent[node]
    return {states[child].last_move: int(visits[child]) for child in children[0]}
