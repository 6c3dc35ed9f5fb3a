"""PPO in plain Python and NumPy, to be read (Schulman et al. 2017).

    learner = TextbookPPO(get_game("tictactoe"), seed=1)
    for games in learner.learn(batches=30): print(games, learner.score(20))

Actor-critic (`engines/actor_critic/textbook.py`) uses a game for one step and throws it away:
after the step the policy is another one, and the old games no longer show how it plays. PPO takes
several steps from the same games. With pi the probability of a move now, p when it was played, and
the ratio r = pi / p, the actor's loss is

    -min(r A, clip(r, 1 - e, 1 + e) A)

The loss stops rewarding a good move once it is 1 + e times as probable as in the games, and stops
punishing a bad move once it is 1 - e times as probable. So the policy stays near the one that
played the games.

The return of a decision is a generalised one (Schulman et al. 2016): a mixture of the game's result
and the critic's value of the same player's next decision, which has less noise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dlgo.api import GameSpec, Player
from engines.actor_critic.textbook import TextbookActorCritic
from engines.learning.from_scratch import Loss
from engines.learning.from_scratch.layers import Floats
from engines.policy_gradient.textbook import Decision, softmax


class ClippedLoss(Loss):
    """-min(r A, clip(r, 1 - e, 1 + e) A), a mean over decisions.

    Labels are the advantages in the columns of the played actions; the other columns are 0.

    Args:
        legal: bool[decisions, num_actions].
        shares: float64[decisions], probability of each action when it was played.
        clip: e.
    """

    def __init__(self, legal: np.ndarray, shares: Floats, clip: float) -> None:
        self._legal, self._shares, self._clip = legal, shares, clip

    def value(self, outputs: Floats, labels: Floats) -> float:
        advantages, ratios, _ = self._ratios(outputs, labels)
        near = np.clip(ratios, 1 - self._clip, 1 + self._clip)
        return float(-np.minimum(ratios * advantages, near * advantages).mean())

    def delta(self, outputs: Floats, labels: Floats) -> Floats:
        advantages, ratios, policy = self._ratios(outputs, labels)
        # The derivative of a ratio by the logits is ratio (onehot(a) - pi); where clipped, 0.
        far = np.where(advantages > 0, ratios > 1 + self._clip, ratios < 1 - self._clip)
        slopes = np.where(far, 0, -advantages * ratios)[:, None]
        return slopes * ((labels != 0) - policy) / len(outputs)

    def _ratios(self, outputs: Floats, labels: Floats) -> tuple[Floats, Floats, Floats]:
        """A and r of each decision, and the policy now. Where A is 0, the action is unknown."""
        policy = softmax(outputs, self._legal)
        chances = (policy * (labels != 0)).sum(axis=1)
        return labels.sum(axis=1), chances / self._shares, policy


class TextbookPPO(TextbookActorCritic):
    """Actor-critic that learns from the same games several times.

    Args:
        game, rate, more: as of `TextbookActorCritic`.
        epochs: number of steps from the same games.
        clip: e.
        gae_lambda: 1: the result of the game; 0: the critic's next value.
    """

    def __init__(
        self, game: GameSpec, rate: float = 1.0, epochs: int = 4, clip: float = 0.2,
        gae_lambda: float = 0.95, **more: Any,
    ) -> None:
        super().__init__(game, rate=rate, **more)
        self.epochs, self.clip, self.gae_lambda = epochs, clip, gae_lambda

    def actor_loss(self, legal: np.ndarray, shares: Floats) -> Loss:
        """The clipped loss."""
        return ClippedLoss(legal, shares, self.clip)

    def credit(self, decisions: list[Decision], result: Callable) -> list[float]:
        """Generalised returns. Each player's decisions form a chain; the loop starts at its end.

        A step's surprise is the critic's value one decision later, or the result, minus its value
        now. The advantage is the sum of all surprises to come, fading by gae_lambda.
        """
        values = self.values(np.array([decision.planes for decision in decisions]))
        following: dict[Player, float] = {}
        advantage: dict[Player, float] = {}
        returns = []
        for decision, value in zip(reversed(decisions), values[::-1], strict=True):
            player = decision.player
            if player in following:
                surprise = self.discount * following[player] - value
            else:
                surprise = result(player) - value
            later = self.discount * self.gae_lambda * advantage.get(player, 0.0)
            following[player], advantage[player] = value, surprise + later
            returns.append(value + advantage[player])
        return returns[::-1]

    def step(self, decisions: list[Decision], returns: Floats) -> None:
        """Several steps; advantages have a mean of 0 and a spread of 1."""
        advantages = returns - self.values(np.array([decision.planes for decision in decisions]))
        advantages = (advantages - advantages.mean()) / max(float(advantages.std()), 1e-6)
        for _ in range(self.epochs):
            self.improve(decisions, returns, advantages)
