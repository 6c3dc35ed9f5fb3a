"""The network alone, without any search, about many positions at once.

For learners whose policy plays by itself, and for matches between such policies.
"""

from __future__ import annotations

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec
from dlgo.jit import kernel
from dlgo.rng import make_rng
from engines.learning.selfplay.drawing import Sampling, draw
from engines.learning.selfplay.match import MatchPlayer
from engines.treesearch.leaf_evaluator import LeafEvaluator


class BatchedPolicy:
    """`n` positions, each valued by one evaluation; a `BatchThinker`.

    Args:
        game: what is played. n: how many positions.
        evaluator: gives policies and values.
        room: plies that the longest game may have.

    Attributes:
        roots: batch of n states; set a row and call `start`.
        remaining: int64[n], 1 for a position that waits for its evaluation, else 0.
        policies: float64[n, num_actions], over sensible moves only; each row sums to 1.
        values: float64[n], -1 to 1, seen by the player to move.
    """

    def __init__(self, game: GameSpec, n: int, evaluator: LeafEvaluator, room: int) -> None:
        state = game.scratch_state(game.new_kernel_state(), room)
        self.roots, self._waiting = kernels.make_batch(state, n), kernels.make_batch(state, n)
        self.remaining = np.zeros(n, np.int64)
        self.policies, self.values = np.zeros((n, game.num_actions)), np.zeros(n)
        self._evaluator = evaluator
        self._rngs = np.zeros((n, len(make_rng(0))), np.uint64)
        self._actions = np.empty(game.num_actions, np.int64)

    def __len__(self) -> int:
        return len(self.remaining)

    def seed(self, i: int, seed: int) -> np.ndarray:
        """Give row `i` a generator, which is returned."""
        self._rngs[i] = make_rng(seed)
        return self._rngs[i]

    def start(self, i: int) -> None:
        """Have the position in row `i` evaluated by the next step."""
        self.remaining[i] = 1

    def step(self) -> None:
        """Evaluate all positions that wait, in one call."""
        rows = np.flatnonzero(self.remaining)
        if not len(rows):
            return
        gather(self.roots, rows, self._waiting)
        policies, values = self._evaluator.evaluate(self._waiting, len(rows))
        self.values[rows] = values
        mask_policies(self.roots, rows, policies, self._actions, self.policies)
        self.remaining[rows] = 0


class PolicyPlayer(MatchPlayer):
    """A network that plays its policy in a match: drawn in the first plies, then the best move."""

    def __init__(self, batch: BatchedPolicy, sampling: Sampling) -> None:
        self.thinker, self._sampling = batch, sampling

    def start_turn(self, i: int, ply: int) -> None:
        self.thinker.start(i)

    def choose(self, i: int, ply: int, rng: np.ndarray) -> int:
        policy = self.thinker.policies[i]
        if self._sampling.applies(ply):
            return draw(policy, self._sampling.temperature, rng)
        return int(policy.argmax())


@kernel
def gather(states, rows, out):
    """Copy the states of these rows to the first rows of another batch."""
    for k in range(len(rows)):
        kernels.copy_into(kernels.row(out, k), kernels.row(states, rows[k]))


@kernel
def mask_policies(states, rows, policies, actions, out):
    """Cut policies down to sensible moves.

    Args:
        states: batch; `rows`: int64[n], the positions in it.
        policies: float32[n, num_actions], not negative.
        actions: int64[num_actions], scratch.
        out: float64[..., num_actions]; row `rows[k]` becomes policy k, summing to 1 (all sensible
            moves alike if the policy has nothing for them).
    """
    for k in range(len(rows)):
        n = kernels.search_actions(kernels.row(states, rows[k]), actions)
        row = out[rows[k]]
        row[:] = 0.0
        total = 0.0
        for j in range(n):
            total += policies[k, actions[j]]
        for j in range(n):
            row[actions[j]] = policies[k, actions[j]] / total if total > 0.0 else 1.0 / n
