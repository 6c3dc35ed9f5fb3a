"""Actor-critic in plain Python and NumPy, to be read (chapter 12 of the book; Mnih et al. 2016).

    learner = TextbookActorCritic(get_game("tictactoe"), seed=1)
    for games in learner.learn(batches=60): print(games, learner.score(20))

REINFORCE (`engines/policy_gradient/textbook.py`) gives all moves of a won game the same credit.
Here the network has one more output: V, the expected result of a position for the player to move.
A move counts by its advantage

    A = R - V

which says how much better the game ended than the critic expected before the move. If it expected
a loss (V = -1) and the game was won (R = 1), then A = 2, for every move of that player until the
critic noticed. To credit the one right move, see the generalised advantages of
`engines/ppo/textbook.py`.

One loss trains three things:

    the actor     -A log pi, as in REINFORCE with A instead of R; A is a fixed number here
    the critic    (R - V)^2
    entropy       -H(pi): a policy that is sure too early stops exploring
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dlgo.api import GameSpec
from engines.learning.from_scratch import Dense, Loss, Network, ReLU
from engines.learning.from_scratch.layers import Floats
from engines.policy_gradient.textbook import (
    Decision,
    PolicyGradientLoss,
    TextbookReinforce,
    softmax,
)


class ActorCriticLoss(Loss):
    """The actor's loss, minus the weighted entropy, plus the critic's weighted squared error.

    Outputs are a logit for each action, and V before its tanh. Labels are the advantages in the
    columns of the played actions, and R.

    Args:
        actor: the actor's loss of logits and advantages. legal: bool[decisions, num_actions].
        entropy, value_weight: weights of the policy's entropy and of the critic's error.
    """

    def __init__(
        self, actor: Loss, legal: np.ndarray, entropy: float, value_weight: float
    ) -> None:
        self._actor, self._legal = actor, legal
        self._entropy, self._value_weight = entropy, value_weight

    def value(self, outputs: Floats, labels: Floats) -> float:
        nats, _ = self._nats(outputs[:, :-1])
        errors = (np.tanh(outputs[:, -1]) - labels[:, -1]) ** 2
        return (self._actor.value(outputs[:, :-1], labels[:, :-1])
                - self._entropy * float(nats.mean()) + self._value_weight * float(errors.mean()))

    def delta(self, outputs: Floats, labels: Floats) -> Floats:
        nats, slopes = self._nats(outputs[:, :-1])
        actor = self._actor.delta(outputs[:, :-1], labels[:, :-1])
        actor -= self._entropy * slopes / len(outputs)
        values = np.tanh(outputs[:, -1])
        critic = 2 * (values - labels[:, -1]) * (1 - values**2) / len(outputs)
        return np.column_stack([actor, self._value_weight * critic])

    def _nats(self, logits: Floats) -> tuple[Floats, Floats]:
        """The policy's entropy, float64[decisions], and its derivative by the logits."""
        shares = softmax(logits, self._legal)
        logs = np.log(np.where(shares > 0, shares, 1))
        nats = -(shares * logs).sum(axis=1)
        return nats, -shares * (logs + nats[:, None])


class TextbookActorCritic(TextbookReinforce):
    """A policy and a value that learn together.

    Args:
        game, rate, more: as of `TextbookReinforce`.
        entropy: weight of the policy's entropy, in nats. With 0 the policy is sure too early and
            stops learning: `experiments/chapters/ch12.py`.
        value_weight: weight of the critic's squared error; the book halves it as well.
    """

    def __init__(
        self, game: GameSpec, rate: float = 2.0, entropy: float = 0.1, value_weight: float = 0.5,
        **more: Any,
    ) -> None:
        super().__init__(game, rate=rate, **more)
        self.entropy, self.value_weight = entropy, value_weight

    def new_network(self, inputs: int, hidden: int) -> Network:
        """Both heads share one hidden layer; the last output is the critic's."""
        return Network([Dense(inputs, hidden, self.rng), ReLU(),
                        Dense(hidden, self.game.num_actions + 1, self.rng)])

    def scores(self, planes: Floats) -> Floats:
        """The actor's logits: float64[n, num_actions]."""
        return self.network.forward(planes)[:, :-1]

    def values(self, planes: Floats) -> Floats:
        """V, the expected result for the player to move: float64[n], from -1 to 1."""
        return np.tanh(self.network.forward(planes)[:, -1])

    def actor_loss(self, legal: np.ndarray, shares: Floats) -> Loss:
        """The loss that makes moves with a positive advantage more probable.

        Args:
            shares: float64[decisions], probabilities of the actions when they were played.
        """
        return PolicyGradientLoss(legal)

    def step(self, decisions: list[Decision], returns: Floats) -> None:
        """One step: the actor learns from R - V, the critic from R."""
        planes = np.array([decision.planes for decision in decisions])
        self.improve(decisions, returns, returns - self.values(planes))

    def improve(self, decisions: list[Decision], returns: Floats, advantages: Floats) -> None:
        """One step of gradient descent on the common loss."""
        planes, legal, labels = self.arrays(decisions, advantages)
        shares = np.array([decision.share for decision in decisions])
        self.network.loss = ActorCriticLoss(
            self.actor_loss(legal, shares), legal, self.entropy, self.value_weight)
        self.network.step(planes, np.column_stack([labels, returns]), self.rate)
