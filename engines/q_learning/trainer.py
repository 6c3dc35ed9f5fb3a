"""Q-learning, on the shared training loop of engines/learning/reinforcement.

Chapter 11 of the book; Mnih et al. 2015.

The network says what every action is worth, Q(s, a), from -1 to 1. Games are played
epsilon-greedily: now and then a move at random, else the best. The network then learns the target
of each played move:

    td_lambda=1    the result of the game, as in the book
    td_lambda=0    the best value, by the target network, of the player's own next decision
    between        a mixture (Peng and Williams 1996)

The target network is an earlier self that changes every few iterations: a network that chases its
own latest opinion may run in circles. The player's next decision comes after the opponent's moves,
however many those are.

`form=pair` is the book's network: board and action are its inputs, one value its output. Here all
actions of a position go through it side by side, so that the board is looked at once.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engines.jobs import Executor
from engines.learning.data.experience import Decisions, Experience
from engines.learning.reinforcement.config import VARIED_GAMES, ReinforcementConfig
from engines.learning.reinforcement.learner import ReinforcementLearner
from engines.learning.runs import Curve, Run
from engines.learning.selfplay.policy_games import Side
from engines.learning.settings import setting

if TYPE_CHECKING:
    from engines.learning.networks.trainable import HeadLoss

MNIH = "Mnih et al. 2015"
_HEADS = {"head": "q", "pair": "q_pair"}
# Decisions that the target network is asked about at once.
_ASKED = 4096


@dataclass(frozen=True)
class QLearningConfig(ReinforcementConfig):
    """All that decides what Q-learning learns."""

    owner = "train q_learning"
    method = "q_learning"
    presets = {"connect4": VARIED_GAMES}

    form: str = setting(
        "head", "network output; head: one value per action; pair: one value, with the action as a "
        "second input, as in the book", choices=tuple(_HEADS))
    epsilon: float = setting(
        0.5, "probability of a random move at the start", low=0, high=1)
    last_epsilon: float = setting(0.1, "probability of a random move in the second half of the run",
                                  low=0, high=1)
    td_lambda: float = setting(
        0.8, "lambda of the target; 1: the game's result alone, as in the book; 0: the target "
        "network's value of the next decision alone", low=0, high=1)
    target_every: int = setting(
        5, "iterations between updates of the target network", low=1, source=MNIH)
    window_iterations: int = setting(
        4, "number of recent iterations to learn from", low=1, source=MNIH)

    @property
    def heads(self) -> tuple[str, ...]:  # type: ignore[override]
        """The heads of the network."""
        return (_HEADS[self.form],)

    def epsilon_of(self, history: Sequence[Mapping[str, float]]) -> float:
        """The chance of a random move after this history: it falls evenly to the middle of the
        run."""
        done = min(1.0, 2 * self.done(history))
        return self.epsilon + done * (self.last_epsilon - self.epsilon)


class QLearner(ReinforcementLearner):
    """A network that learns what its moves are worth."""

    config = QLearningConfig
    curves = (
        Curve("score against random play", {"": "score_random"}),
        Curve("squared error of Q", {"": "loss"}),
    )

    def __init__(
        self, config: QLearningConfig, folder: Path, jobs: Executor | None = None
    ) -> None:
        super().__init__(config, folder, jobs)
        self._target = self._network.copy()
        self.state = [*self._network.state, *self._target.model.variables]

    def _losses(self) -> dict[str, HeadLoss]:
        from engines.learning.networks.trainable import HeadLoss
        from engines.learning.reinforcement.losses import action_value_loss

        (head,) = self._config.heads
        return {head: HeadLoss(action_value_loss)}

    def _side(self, run: Run) -> Side:
        self._epsilon = self._config.epsilon_of(run.history)
        return dataclasses.replace(super()._side(run), temperature=0.0, epsilon=self._epsilon)

    def _prepared(self, iteration: int, experience: Experience) -> Experience:
        config = self._config
        if (iteration - 1) % config.target_every == 0:
            self._target.model.set_weights(self._network.model.get_weights())
        recent = self._recent(iteration, experience)
        if config.td_lambda < 1:
            recent = dataclasses.replace(recent, values=self._best_values(recent))
        return recent.with_returns(config.discount, config.td_lambda)

    def _best_values(self, experience: Experience) -> np.ndarray:
        """The value of each decision's best move by the target network: float32[plies]."""
        rows, values = experience.decisions, np.zeros_like(experience.values)
        (head,) = self._config.heads
        for start in range(0, len(rows), _ASKED):
            part = rows[start : start + _ASKED]
            batch = experience.encode(part, self._network.encoder)
            scores = self._target.evaluate(batch.planes)[head]
            values[part] = np.where(batch.legal, scores, -np.inf).max(axis=1)
        return values

    def _targets(self, decisions: Decisions, weights: np.ndarray) -> dict[str, np.ndarray]:
        from engines.learning.reinforcement.losses import packed

        (head,) = self._config.heads
        return {head: packed(decisions.actions, decisions.returns, decisions.probabilities, weights,
                             decisions.legal)}

    def _learned(self, row: Mapping[str, float]) -> str:
        return f"epsilon {self._epsilon:.2f}, squared error {row['loss']:.3f}"
