"""Best-first minimax and descent in plain Python, to be read (Cohen-Solal 2020).

    search = BestFirst(get_game("tictactoe"))         # it knows the rules alone
    search.choose(search.search(state, iterations=500)).last_move

    learner = TextbookDescent(get_game("tictactoe"), seed=1)
    for loss in learner.learn(batches=30): print(loss)

Alpha-beta searches to a fixed depth. Best-first minimax always continues below the move that looks
best now, at any depth. An iteration has three steps:

    walk     from the root, always to the best child, to a leaf
    expand   give the leaf its children, and a value to each: exact if the game is over
    update   back on the path: a node's value is that of its best child (minimax)

If a move turns out bad, its value falls, and the next iteration takes another path. Best-first
minimax ends an iteration at the first leaf; it plays. Descent goes on until the game is over, so
that its values come from results; it learns.

Completion: a node whose result is certain is marked, and no iteration enters it again.

All values are those of black, the first player, from -1 to 1. Turns need not alternate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from dlgo.api import GameSpec, GameState, Player
from dlgo.encoders import default_encoder, get_encoder
from engines.learning.from_scratch import Dense, Network, ReLU
from engines.q_learning.textbook import Tanh


class Node:
    """A position in the tree."""

    def __init__(self, state: GameState, value: float, result: int | None = None) -> None:
        self.state, self.value = state, value
        self.result = result  # 1, 0 or -1 if it is certain
        self.children: list[Node] = []
        self.visits = 1  # iterations that passed, plus one
        self.sign = 1 if state.next_player is Player.black else -1

    def completion(self, child: Node) -> int:
        """1 if the child is surely won for the player to move here, -1 if lost, else 0."""
        return self.sign * (child.result or 0)

    def best(self) -> Node:
        """The best child: a sure win, else the highest value, else a sure loss."""
        return max(self.children, key=lambda child: (self.completion(child),
                                                     self.sign * child.value))

    def best_open(self) -> Node:
        """The best child whose result is not certain; if equal, with fewer visits."""
        return max((child for child in self.children if child.result is None),
                   key=lambda child: (self.sign * child.value, -child.visits))

    def update(self) -> None:
        """Minimax: take over the best child's value, and the result if it is certain now."""
        self.value = self.best().value
        if self.completion(self.best()) == 1:
            self.result = self.sign
        elif all(child.result is not None for child in self.children):
            self.result = self.best().result

    def expanded(self) -> Iterator[Node]:
        """The nodes with children in this part of the tree."""
        if self.children:
            yield self
        for child in self.children:
            yield from child.expanded()


class BestFirst:
    """Best-first minimax, or with `to_end` descent. `evaluate` values a game that is not over."""

    def __init__(
        self, game: GameSpec, evaluate: Callable[[GameState], float] = lambda state: 0.0,
        to_end: bool = False,
    ) -> None:
        self.game, self.evaluate, self.to_end = game, evaluate, to_end

    def search(self, start: GameState | Node, iterations: int) -> Node:
        """The tree after some iterations from a position, or from a node of a tree."""
        root = start if isinstance(start, Node) else Node(start, 0.0)
        for _ in range(iterations):
            if root.result is None:
                self.iterate(root)
        return root

    def iterate(self, root: Node) -> None:
        path = [root]
        while path[-1].result is None:
            while path[-1].children:
                path.append(path[-1].best_open())
            self.expand(path[-1])
            if not self.to_end:
                break
        for node in reversed(path):
            node.visits += 1
            node.update()

    def expand(self, leaf: Node) -> None:
        """Give a leaf its children, with their values."""
        for move in leaf.state.sensible_moves():
            state = leaf.state.apply_move(move)
            if not state.is_over():
                leaf.children.append(Node(state, self.evaluate(state)))
                continue
            # A win when the board is full is worth half: quick wins are better.
            full = len(state.moves()) / (self.game.board_rows * self.game.board_cols)
            value = state.result() * (1 - 0.5 * min(full, 1))
            leaf.children.append(Node(state, value, state.result()))
        leaf.update()

    def choose(self, root: Node) -> GameState:
        """The position after the best move: a sure win, else the most visited (safe decision)."""
        best = root.best()
        if best.result is None:
            best = max(root.children, key=lambda child: (root.completion(child), child.visits))
        return best.state


class TextbookDescent:
    """A network that learns the values of descent's trees."""

    games, sims, batch, rate = 10, 10, 64, 0.1  # a batch; a move; positions a step, and its size

    def __init__(self, game: GameSpec, seed: int = 1, hidden: int = 64) -> None:
        self.game, self.rng = game, np.random.default_rng(seed)
        self._encoder = get_encoder(default_encoder(game), game)
        inputs = int(np.prod(self._encoder.shape))
        self.network = Network([Dense(inputs, hidden, self.rng), ReLU(),
                                Dense(hidden, 1, self.rng), Tanh()])

    def evaluate(self, state: GameState) -> float:
        """The network's value; it answers for the player to move."""
        planes = self._encoder.encode(state).reshape(1, -1).astype(float)
        value = float(self.network.forward(planes)[0, 0])
        return value if state.next_player is Player.black else -value

    def self_play(self, exploitation: float) -> list[Node]:
        """Play a game; the expanded nodes of its tree (tree learning)."""
        search = BestFirst(self.game, self.evaluate, to_end=True)
        first = node = Node(GameState.new_game(self.game), 0.0)
        while not node.state.is_over():
            search.search(node, self.sims)
            ranked = sorted(node.children, reverse=True, key=lambda child: (
                node.completion(child), node.sign * child.value, child.visits))
            # Ordinal choice: the rank decides how likely a move is, not the value.
            while len(ranked) > 1 and self.rng.random() >= (
                exploitation + (1 - exploitation) / len(ranked)
            ):
                ranked.pop(0)
            node = ranked[0]
        return list(first.expanded())

    def learn(self, batches: int) -> Iterator[float]:
        """Play and train, while exploitation grows from 0 to 1; yields the loss of each batch."""
        for done in range(batches):
            games = [self.self_play(done / max(batches - 1, 1)) for _ in range(self.games)]
            nodes = sum(games, [])
            planes = np.array([self._encoder.encode(node.state).ravel() for node in nodes])
            values = np.array([[node.sign * node.value] for node in nodes])
            losses = self.network.train(planes.astype(float), values, epochs=2, batch=self.batch,
                                        rate=self.rate, rng=self.rng)
            yield list(losses)[-1]
