"""The search of AlphaZero: PUCT, guided by a network (chapter 14 of the book; Silver et al. 2017).

It is UCT (`engines/mcts/textbook.py`: nodes, select, back up) with three changes:

    expand     a leaf gets all its children at once, each with a prior: the probability of its
               move in the network's policy, scaled so that the legal moves sum to 1
    evaluate   the network's value replaces the random game
    score      the prior decides which moves are explored first and most

Values are shares of wins here, from 0 to 1. On a scale from -1 to 1, as in the papers, differences
are twice as large, and so is the constant of the same search: 1.8 instead of 0.9.

    textbook-puct:model=NAME,sims=100      any model with a policy and a value (`dlgo models`)
    textbook-puct:sims=100                 the model that comes with the game; without one, all
                                           priors are equal, and the game estimates the value

The compiled form is `alphazero` (`engine.py` and `engines/search`).
"""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from dlgo.api import GameState, Move, Player
from dlgo.errors import ModelError
from dlgo.specs import Option
from engines.base import Budget, finish_game
from engines.learning.networks.leaf_evaluator import RUNTIME_OPTION, encoder_of, model_for, softmax
from engines.learning.networks.runtimes import load_runtime
from engines.mcts.textbook import Node, TextbookMCTS
from engines.puct.base import FPU
from engines.watching.events import Evaluated


class TextbookPUCT(TextbookMCTS):
    """Predictor and upper confidence bounds applied to trees (PUCT), with a network."""

    name = "textbook-puct"
    summary = "AlphaZero's search in plain Python, to read and to watch"
    bare_option = "model"
    options: ClassVar[tuple[Option, ...]] = (
        Option("model", None, "network with a value head, by name (`dlgo models`) or folder; "
               "default: the one shipped for the game, if any", kind=str),
        RUNTIME_OPTION,
        Option("c_puct", 0.9, "weight of the prior; values count from 0 to 1", low=0, high=100),
        FPU,
    )
    default_budget = Budget(sims=50)

    def _set_up(self) -> None:
        try:
            name = self.settings["model"] or model_for(self.game, "alphazero")
        except ModelError:
            self._runtime = None
            return
        self._runtime = load_runtime(name, self.settings["runtime"])
        self._runtime.card.require("policy", "which guides a search")
        self._runtime.card.require("value", "which values the leaves")
        self._encoder = encoder_of(self._runtime.card, self.game)
        self.network_id, self.runtime = self._runtime.network_id, self._runtime.kind
        self.training_cpu_seconds = self._runtime.card.total_cpu_seconds

    def warm_up(self) -> None:
        super().warm_up()
        finish_game(self.game)

    def _simulation(self) -> None:
        leaf = self._select(self.root)
        if leaf.proven is None and leaf.state.is_over():
            self._prove(leaf, leaf.state.result())
        if leaf.proven is not None:
            self._back_up(leaf, leaf.proven)
            return
        priors, value = self._evaluate(leaf.state)
        value = value if leaf.mover is Player.black else -value
        if self.listener:
            self.listener(Evaluated(leaf.number, value))
        self._add_children(leaf, priors)
        leaf.untried = []
        self._back_up(leaf, value)

    def _score(self, node: Node, child: Node) -> float:
        """The share of wins, plus a bonus: large for a high prior, small after many visits.

        A child without visits counts as the position itself, less `fpu_reduction`.
        """
        if child.proven is not None:
            return (1 + child.mean(node.mover)) / 2
        if child.visits:
            wins = (1 + child.mean(node.mover)) / 2
        else:
            wins = (1 + node.mean(node.mover)) / 2 - self.settings["fpu_reduction"]
        explore = child.prior * math.sqrt(node.visits) / (1 + child.visits)
        return wins + self.settings["c_puct"] * explore

    def _evaluate(self, state: GameState) -> tuple[dict[Move, float], float]:
        """A prior for each sensible move (sum 1), and the value as the player to move sees it."""
        moves = state.sensible_moves()
        if self._runtime is None:
            return dict.fromkeys(moves, 1 / len(moves)), state.estimate()
        answers = self._runtime.evaluate(self._encoder.encode(state)[None])
        player = np.array([state.next_player.index])
        logits = self._encoder.to_network_order(answers["policy"], player)[0]
        # Softmax over these moves alone, so that their priors sum to 1.
        priors = softmax(logits[[self.game.action_of(move) for move in moves]].astype(float))
        return dict(zip(moves, priors.tolist(), strict=True)), float(answers["value"][0, 0])
