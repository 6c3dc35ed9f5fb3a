"""AlphaGo's search, to be read (chapter 13.4; Silver et al. 2016).

It is the search of `engines/alphazero/textbook.py` with other sources of priors and values:

    priors   from the policy network, which learned to predict the moves of recorded games
    v        the value network's estimate of the result
    z        the result of one game from the leaf to the end, by the fast policy

    value of a leaf = (1 - lambda) v + lambda z

v can be wrong in positions that are unlike those the network has learned; z comes from one game of
weak moves. They mostly err in the same positions, and the mixture gains from the few others
(notebooks/13_alphago.py measures how much).

    textbook-alphago:sims=50              the networks shipped for the game
    textbook-alphago:model=FOLDER         networks of a `dlgo train alphago` run
"""

from __future__ import annotations

import numpy as np

from dlgo.api import GameState, Move, Player
from engines.alphago.bundle import find_bundle
from engines.alphago.engine import LAMBDA_OPTION, MODEL_OPTION, PRIOR_OPTION, SEARCH_OPTIONS
from engines.alphazero.textbook import TextbookPUCT
from engines.base import Budget
from engines.fast_policy.policy import FastPolicy
from engines.learning.networks.leaf_evaluator import RUNTIME_OPTION, encoder_of, softmax
from engines.learning.networks.runtimes import load_runtime
from engines.learning.selfplay.drawing import draw


class TextbookAlphaGo(TextbookPUCT):
    """PUCT with a policy network, a value network and a fast policy."""

    name = "textbook-alphago"
    summary = "AlphaGo's search in plain Python, to read and to watch"
    options = (MODEL_OPTION, LAMBDA_OPTION, PRIOR_OPTION, RUNTIME_OPTION, *SEARCH_OPTIONS)
    default_budget = Budget(sims=50)

    def _set_up(self) -> None:
        bundle, kind = find_bundle(self.settings["model"], self.game), self.settings["runtime"]
        self._policy_network = load_runtime(bundle.network(self.settings["prior"]), kind)
        self._value_network = load_runtime(bundle.network("value"), kind)
        self._encoder = encoder_of(self._policy_network.card, self.game)
        self._value_encoder = encoder_of(self._value_network.card, self.game)
        self._fast_policy = FastPolicy.load(bundle.fast, self.game)
        self.network_id = self._policy_network.network_id
        self.training_cpu_seconds = bundle.cpu_seconds

    def _evaluate(self, state: GameState) -> tuple[dict[Move, float], float]:
        """Priors of the sensible moves, and the leaf's value as the player to move sees it."""
        mixing = self.settings["lambda"]
        value = 0.0
        if mixing < 1:
            value += (1 - mixing) * self._expected(state)
        if mixing > 0:
            value += mixing * self._rollout(state)
        return self._priors(state), value

    def _priors(self, state: GameState) -> dict[Move, float]:
        """A prior for each sensible move: the softmax of their logits, so they sum to 1."""
        answers = self._policy_network.evaluate(self._encoder.encode(state)[None])
        logits = self._encoder.to_network_order(answers["policy"], _player(state))[0]
        moves = state.sensible_moves()
        priors = softmax(logits[[self.game.action_of(move) for move in moves]].astype(float))
        return dict(zip(moves, priors.tolist(), strict=True))

    def _expected(self, state: GameState) -> float:
        """v: the value network's estimate for the player to move."""
        planes = self._value_encoder.encode(state)[None]
        return float(self._value_network.evaluate(planes)["value"][0, 0])

    def _rollout(self, state: GameState) -> float:
        """z: the result of one game by the fast policy, for the player to move at its start.

        Moves are drawn at random, so that rollouts from the same position differ.
        """
        player = state.next_player
        while not state.is_over():
            actions, chances = self._fast_policy.policy(state)
            if len(actions) > 1:  # a player passes only without another sensible move
                chances = np.where(actions == self.game.pass_action, 0, chances)
            action = int(actions[draw(chances, 1.0, self._rng)])
            state = state.apply_move(self.game.move_of(action))
        return state.result() if player is Player.black else -state.result()


def _player(state: GameState) -> np.ndarray:
    return np.array([state.next_player.index])
