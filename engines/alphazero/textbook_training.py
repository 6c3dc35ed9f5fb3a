"""AlphaZero in plain Python and NumPy: how it learns (Silver et al. 2018; chapter 14 of the book).

    learner = TextbookAlphaZero(get_game("tictactoe"), seed=1)
    for loss in learner.learn(iterations=30): print(loss)
    learner.select_move(state)

The search is that of `textbook.py`. The rest follows the paper; `self_play.py` and `train.py` are
the compiled form and have the same targets:

    self-play    the search plays both players; noise and drawn moves make games differ
    targets      for each position: the policy of its search, and the winner of the game
    symmetries   a turned or mirrored board is an example, too
    learning     the network learns to predict the targets
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from dlgo.api import GameSpec, GameState, Move, Player
from dlgo.encoders import default_encoder, get_encoder
from dlgo.symmetry import symmetries
from engines.alphazero.textbook import TextbookPUCT
from engines.base import Budget
from engines.learning.from_scratch import CrossEntropy, Dense, Loss, Network, ReLU
from engines.learning.from_scratch.layers import Floats
from engines.mcts.textbook import Node

NOISE, ALPHA = 0.25, 1.0  # share of noise in the root's priors; alpha for about ten moves


class Example(NamedTuple):
    """A position and its targets, as the player to move sees them."""

    planes: np.ndarray  # float32[rows, cols, planes]
    policy: Floats  # float64[num_actions], the search's; sums to 1
    value: float  # the result of the game: 1 won, 0 drawn, -1 lost


class PolicyValueNetwork(Network):
    """The last output is the value before its tanh, the others are the policy's logits."""

    def evaluate(self, planes: np.ndarray) -> dict[str, Floats]:
        """The answers for float32[n, rows, cols, planes], for a search."""
        outputs = self.forward(planes.reshape(len(planes), -1).astype(float))
        return {"policy": outputs[:, :-1], "value": np.tanh(outputs[:, -1:])}


class AlphaZeroLoss(Loss):
    """(z - v)^2 - pi log p: of the network's p and v, and of the targets pi and z."""

    def value(self, outputs: Floats, labels: Floats) -> float:
        errors = labels[:, -1] - np.tanh(outputs[:, -1])
        policy = CrossEntropy().value(outputs[:, :-1], labels[:, :-1])
        return policy + float((errors**2).mean())

    def delta(self, outputs: Floats, labels: Floats) -> Floats:
        values = np.tanh(outputs[:, -1])
        value = -2 * (labels[:, -1] - values) * (1 - values**2) / len(outputs)
        policy = CrossEntropy().delta(outputs[:, :-1], labels[:, :-1])
        return np.column_stack([policy, value])


def policy_target(root: Node, game: GameSpec) -> Floats:
    """The share of each move in the visits of a search, float64[num_actions].

    Moves proven to lose get nothing. If the result of the root is proven, all moves that keep it
    have equal shares; if all visits went to moves that lose, all others have.
    """
    lost = -1 if root.mover is Player.black else 1
    shares = np.zeros(game.num_actions)
    only_lost = all(child.proven == lost for child in root.children if child.visits)
    for child in root.children:
        if root.proven is not None:
            share = float(child.proven == root.proven)
        else:
            share = (child.proven != lost) * (1 if only_lost else child.visits)
        if child.move is not None:
            shares[game.action_of(child.move)] = share
    return shares / shares.sum()


class TextbookAlphaZero(TextbookPUCT):
    """The textbook's search with a NumPy network that learns from self-play."""

    games, sample_plies = 20, 6  # of an iteration; plies of a game in which moves are drawn
    window, batch, rate = 4000, 64, 0.3  # newest positions, those of a step, and its size

    def __init__(self, game: GameSpec, sims: int = 32, seed: int = 1, hidden: int = 64) -> None:
        self.rng, self.noise = np.random.default_rng(seed), 0.0
        self._encoder = get_encoder(default_encoder(game), game)
        self.network = PolicyValueNetwork([
            Dense(int(np.prod(self._encoder.shape)), hidden, self.rng), ReLU(),
            Dense(hidden, hidden, self.rng), ReLU(), Dense(hidden, game.num_actions + 1, self.rng),
        ], AlphaZeroLoss())
        self.examples: list[Example] = []
        super().__init__(game, Budget(sims=sims), seed)

    def _set_up(self) -> None:
        # The search evaluates by the network that is being trained: no model is loaded.
        self._runtime: Any = self.network

    def _evaluate(self, state: GameState) -> tuple[dict[Move, float], float]:
        """Priors and value of a leaf; at the root of self-play, the priors have noise."""
        priors, value = super()._evaluate(state)
        if self.noise and state is self.root.state:
            noise = self.rng.dirichlet(np.full(len(priors), ALPHA))
            priors = {move: (1 - self.noise) * prior + self.noise * random
                      for (move, prior), random in zip(priors.items(), noise, strict=True)}
        return priors, value

    def self_play(self, start: GameState | None = None, explore: bool = True) -> list[Example]:
        """Play a game; return its positions with their targets."""
        state = start or GameState.new_game(self.game)
        searched: list[Any] = []
        self.noise = NOISE if explore else 0.0
        while not state.is_over():
            move = self.select_move(state).move
            policy = policy_target(self.root, self.game)
            if explore and len(searched) < self.sample_plies:
                move = self.game.move_of(int(self.rng.choice(len(policy), p=policy)))
            searched.append((state, policy))
            state = state.apply_move(move)
        self.noise = 0.0
        players = np.array([one.next_player.index for one, _ in searched])
        values = state.result() * (1 - 2 * players)  # black's result, turned where white moves
        # An encoder may turn the board for one of the players, and then the actions with it.
        policies = np.array([policy for _, policy in searched])
        policies = self._encoder.to_network_order(policies, players)
        planes = (self._encoder.encode(one) for one, _ in searched)
        return list(map(Example, planes, policies, values.tolist()))

    def train(self) -> float:
        """A step for each batch of the window, on examples drawn from it; the mean loss."""
        board, losses = symmetries(self.game), []
        for _ in range(max(1, len(self.examples) // self.batch)):
            chosen = self.rng.integers(len(self.examples), size=self.batch)
            planes, policies, values = map(
                np.array, zip(*(self.examples[i] for i in chosen), strict=True))
            side = int(self.rng.integers(len(board)))
            inputs = board.planes(side, planes).reshape(self.batch, -1).astype(float)
            labels = np.column_stack([board.policy(side, policies), values])
            losses.append(self.network.step(inputs, labels, self.rate))
        return float(np.mean(losses))

    def learn(self, iterations: int) -> Iterator[float]:
        """Play and train in each iteration; yields the mean loss of each."""
        for _ in range(iterations):
            games = [self.self_play() for _ in range(self.games)]
            self.examples = sum(games, self.examples)[-self.window:]
            yield self.train()
