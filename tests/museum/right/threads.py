"""Tree parallelism: four threads share a tree under one lock, with virtual losses."""

import math
import threading

KIND = "puct"


class Node:
    def __init__(self, state, prior):
        self.state, self.prior, self.n, self.w, self.children = state, prior, 0, 0.0, []


def search(state, evaluate, simulations):
    root, lock, left = Node(state, 1.0), threading.Lock(), [simulations]
    backup(root, [root], evaluate(state))

    def work():
        while True:
            with lock:
                if left[0] == 0:
                    return
                left[0] -= 1
                path = [root]
                while path[-1].children:
                    path.append(best(path[-1]))
                for node in path:
                    node.n += 1
                    node.w -= 1
            answer = None if path[-1].state.is_over() else evaluate(path[-1].state)
            with lock:
                for node in path:
                    node.n -= 1
                    node.w += 1
                backup(root, path, answer)

    crew = [threading.Thread(target=work) for _ in range(4)]
    for thread in crew:
        thread.start()
    for thread in crew:
        thread.join()
    return {child.state.last_move: child.n for child in root.children}


def best(node):
    return max(node.children, key=lambda c: (c.w / c.n if c.n else 0)
               + 1.5 * c.prior * math.sqrt(node.n) / (1 + c.n))


def backup(root, path, answer):
    """`w` is that of the player who chooses the node."""
    leaf = path[-1]
    mover = leaf.state.next_player
    if answer is None:
        value = leaf.state.result() * (1 - 2 * mover.index)
    else:
        value = answer[1]
        if not leaf.children:
            leaf.children = [Node(leaf.state.apply_move(m), p) for m, p in answer[0].items()]
    for above, node in zip([root, *path], path, strict=False):
        node.n += 1
        node.w += value if above.state.next_player is mover else -value
