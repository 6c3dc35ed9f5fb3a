"""REINFORCE in plain Python and NumPy, to be read (Williams 1992; chapters 9 and 10 of the book).

    learner = TextbookReinforce(get_game("tictactoe"), seed=1)
    for games in learner.learn(batches=60): print(games, learner.score(20))

The network is that of chapter 5 (`engines/learning/from_scratch`). It sees a position and gives a
logit for each action; the policy is their softmax over the legal moves. Learning repeats three
steps:

    play     games against itself, each move drawn from the policy, and remember every decision
    credit   a decision's return is the game's result for the player who made it
    learn    one step along the gradient of  return * log(probability of the move that was played)

so that moves of won games become more probable, and moves of lost games less probable. No label
says which move won a game. Over many games good moves are more often on the winner's side.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from dlgo.api import GameSpec, GameState, Player
from dlgo.encoders import default_encoder, get_encoder
from engines.learning.from_scratch import Dense, Loss, Network, ReLU
from engines.learning.from_scratch.layers import Floats

_NEVER = -1e9  # the logit of an illegal action: its probability is 0


class Decision(NamedTuple):
    """The stored data of a move.

    Attributes:
        planes: what the network saw.
        legal: bool[num_actions], the legal actions.
        action: the action that was played.
        player: the player who played it.
        share: the probability of the action in the policy that was played.
    """

    planes: Floats
    legal: np.ndarray
    action: int
    player: Player
    share: float


def softmax(logits: Floats, legal: np.ndarray) -> Floats:
    """The policy over the legal actions: float64[..., num_actions], each row sums to 1."""
    logits = np.where(legal, logits, _NEVER)
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


class PolicyGradientLoss(Loss):
    """-return * log(probability of the action), a mean over decisions.

    Labels are the returns, in the columns of the played actions; the other columns are 0. It is the
    cross-entropy with returns instead of ones. Its derivative by the logits is
    return * (policy - onehot(action)).

    Args:
        legal: bool[decisions, num_actions].
    """

    def __init__(self, legal: np.ndarray) -> None:
        self._legal = legal

    def value(self, outputs: Floats, labels: Floats) -> float:
        logs = np.log(np.maximum(softmax(outputs, self._legal), 1e-30))
        return float(-(labels * logs).sum() / len(outputs))

    def delta(self, outputs: Floats, labels: Floats) -> Floats:
        # d log pi(a) / d logits = onehot(a) - pi; the loss has the opposite sign.
        returns = labels.sum(axis=1, keepdims=True)
        return (returns * softmax(outputs, self._legal) - labels) / len(outputs)


class BoundedLoss(PolicyGradientLoss):
    """-return * pi / p where the return is negative: never below 0, and its gradient fades with pi.

    `shares` are p, float64[decisions]: the probability of each action when it was played.
    """

    def __init__(self, legal: np.ndarray, shares: Floats) -> None:
        super().__init__(legal)
        self._shares = shares[:, None]

    def value(self, outputs: Floats, labels: Floats) -> float:
        losses = np.minimum(labels, 0) * softmax(outputs, self._legal) / self._shares
        return super().value(outputs, np.maximum(labels, 0)) - float(losses.sum() / len(outputs))

    def delta(self, outputs: Floats, labels: Floats) -> Floats:
        ratios = softmax(outputs, self._legal) / self._shares
        return super().delta(outputs, np.where(labels < 0, labels * ratios, labels))


class TextbookReinforce:
    """A policy that learns from its own games.

    Args:
        game: the game to learn.
        hidden: units of the hidden layer.
        rate: learning rate.
        discount: factor of the return for each later decision of the player.
        seed: seed of all random numbers.
    """

    def __init__(self, game: GameSpec, hidden: int = 64, rate: float = 0.5,
                 discount: float = 1.0, seed: int = 1) -> None:
        self.game, self.rate, self.discount = game, rate, discount
        self.encoder = get_encoder(default_encoder(game), game)
        self.rng = np.random.default_rng(seed)
        self.network = self.new_network(int(np.prod(self.encoder.shape)), hidden)

    def new_network(self, inputs: int, hidden: int) -> Network:
        """A network of one hidden layer, from planes to a logit for each action."""
        return Network([Dense(inputs, hidden, self.rng), ReLU(),
                        Dense(hidden, self.game.num_actions, self.rng)])

    def scores(self, planes: Floats) -> Floats:
        """A logit for each action, in the network's order: float64[n, num_actions]."""
        return self.network.forward(planes)

    def policy_of(self, scores: Floats, legal: np.ndarray) -> Floats:
        """The policy over the legal actions that follows from the scores."""
        return softmax(scores, legal)

    def policy(self, state: GameState) -> tuple[Floats, Floats, np.ndarray]:
        """The policy in a position, the input of the network, and the legal actions."""
        planes = self.encoder.encode(state).ravel().astype(np.float64)
        legal = np.zeros(self.game.num_actions, bool)
        actions: list[Any] = [self.game.action_of(move) for move in state.sensible_moves()]
        legal[actions] = True
        # Encoders that turn the board for the second player turn the actions as well.
        player = np.array([state.next_player.index])
        scores = self.encoder.to_network_order(self.scores(planes[None]), player)[0]
        return self.policy_of(scores, legal), planes, legal

    def play(self, opponent: Player | None = None) -> tuple[list[Decision], Callable]:
        """A game against itself, or against random play.

        Args:
            opponent: the player who plays at random; None: the policy plays both sides.

        Returns:
            The policy's decisions, and a function that gives the result for a player.
        """
        state, decisions = GameState.new_game(self.game), []
        while not state.is_over():
            policy, planes, legal = self.policy(state)
            if state.next_player is opponent:
                policy = legal / legal.sum()
            action = int(self.rng.choice(len(policy), p=policy))
            if state.next_player is not opponent:
                decisions.append(
                    Decision(planes, legal, action, state.next_player, float(policy[action])))
            state = state.apply_move(self.game.move_of(action))
        result = state.result()  # as black sees it
        return decisions, lambda player: result if player is Player.black else -result

    def credit(self, decisions: list[Decision], result: Callable) -> list[float]:
        """The return of each decision of a game: its result for the player who made it."""
        returns: list[float] = []
        later: Counter[Player] = Counter()
        for decision in reversed(decisions):
            returns.append(result(decision.player) * self.discount ** later[decision.player])
            later[decision.player] += 1
        return returns[::-1]

    def learn(self, batches: int, games: int = 50) -> Iterator[int]:
        """Learn from batches of games; after each one, yield the number of games so far."""
        for batch in range(1, batches + 1):
            decisions, returns = [], []
            for _ in range(games):
                game, result = self.play()
                decisions += game
                returns += self.credit(game, result)
            self.step(decisions, np.array(returns, float))
            yield batch * games

    def step(self, decisions: list[Decision], returns: Floats) -> None:
        """One step along the policy gradient."""
        planes, legal, labels = self.arrays(decisions, returns)
        self.network.loss = PolicyGradientLoss(legal)
        self.network.step(planes, labels, self.rate)

    def arrays(self, decisions: list[Decision], numbers: Floats) -> tuple[Floats, ...]:
        """Planes, legal actions, and labels: a decision's number in the column of its action."""
        rows = np.arange(len(decisions))
        labels = np.zeros((len(rows), self.game.num_actions))
        labels[rows, [decision.action for decision in decisions]] = numbers
        legal = np.array([decision.legal for decision in decisions])
        players = np.array([decision.player.index for decision in decisions])
        planes = np.array([decision.planes for decision in decisions])
        order = self.encoder.to_network_order
        return planes, order(legal, players), order(labels, players)

    def score(self, games: int) -> float:
        """The share of points in an even number of games against random play."""
        points = 0.0
        for learner in (Player.black, Player.white) * (games // 2):
            _, result = self.play(opponent=learner.other)
            points += (1 + result(learner)) / 2
        return points / games
