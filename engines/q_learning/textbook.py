"""Q-learning in plain Python and NumPy, to be read (Watkins 1989; chapter 11 of the book).

    learner = TextbookQ(get_game("tictactoe"), seed=1)
    for games in learner.learn(batches=60): print(games, learner.score(20))

The network has two inputs, a position and a move, and one output: Q, the expected result for the
player who plays the move, from -1 to 1. To choose a move, the learner evaluates every legal move
and takes the best. Learning repeats two steps:

    play     games against itself; with probability epsilon a random legal move, else the best one
    learn    move Q of each move that was played towards the result of its game (squared error)

The target is the result of the whole game, as in the book. Watkins's target is the value of the
best next move instead (`experiments/chapters/ch11.py` compares them).

Without random moves the learner would play the same game again and again. With many random moves,
Q is the value of a move among careless players. So epsilon begins high and falls.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from dlgo.api import GameSpec
from engines.learning.from_scratch import Dense, Layer, MeanSquaredError, Network, ReLU
from engines.learning.from_scratch.layers import Floats
from engines.policy_gradient.textbook import Decision, TextbookReinforce


class Tanh(Layer):
    """Maps every number to one between -1 and 1, the range of results."""

    def forward(self, inputs: Floats) -> Floats:
        self._outputs = np.tanh(inputs)
        return self._outputs

    def backward(self, delta: Floats) -> Floats:
        return delta * (1 - self._outputs**2)


class TextbookQ(TextbookReinforce):
    """A network that learns the values of moves.

    Args:
        game, rate, more: as of `TextbookReinforce`.
        batch: number of decisions per training step.

    Attributes:
        epsilon: probability of a random move.
    """

    epsilon = 0.5

    def __init__(
        self, game: GameSpec, rate: float = 0.3, batch: int = 32, **more: Any
    ) -> None:
        super().__init__(game, rate=rate, **more)
        self.batch = batch

    def new_network(self, inputs: int, hidden: int) -> Network:
        """A network with planes and a move as its input, and one output."""
        return Network([Dense(inputs + self.game.num_actions, hidden, self.rng), ReLU(),
                        Dense(hidden, 1, self.rng), Tanh()], MeanSquaredError())

    def scores(self, planes: Floats) -> Floats:
        """Q of every action, legal or not, one evaluation each: float64[n, num_actions]."""
        actions = self.game.num_actions
        moves = np.tile(np.eye(actions), (len(planes), 1))
        pairs = np.column_stack([np.repeat(planes, actions, axis=0), moves])
        return self.network.forward(pairs).reshape(len(planes), actions)

    def policy_of(self, scores: Floats, legal: np.ndarray) -> Floats:
        """Epsilon-greedy: the best legal move; with probability epsilon a random one."""
        best = np.where(legal, scores, -np.inf).argmax(axis=-1)
        greedy = np.eye(len(legal))[best]
        return (1 - self.epsilon) * greedy + self.epsilon * legal / legal.sum()

    def learn(
        self, batches: int, games: int = 50, first: float = 0.5, last: float = 0.05
    ) -> Iterator[int]:
        """Learn from batches of games while epsilon falls from `first` to `last`, evenly."""
        for batch in range(batches):
            self.epsilon = first + (last - first) * batch / max(batches - 1, 1)
            for _ in super().learn(1, games):
                yield (batch + 1) * games

    def step(self, decisions: list[Decision], returns: Floats) -> None:
        """One epoch: move Q of the played moves towards the results of their games."""
        planes, _, moves = self.arrays(decisions, np.ones(len(decisions)))
        pairs, results = np.column_stack([planes, moves]), returns[:, None]
        for _ in self.network.train(pairs, results, epochs=1, batch=self.batch, rate=self.rate,
                                    rng=self.rng):
            pass

    def score(self, games: int) -> float:
        """The share of points against random play; the learner makes no random moves."""
        kept, self.epsilon = self.epsilon, 0.0
        points = super().score(games)
        self.epsilon = kept
        return points
