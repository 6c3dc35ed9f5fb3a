"""Training of the fast policy: softmax cross-entropy over the sensible moves of recorded games.

    policy = train(*Dataset.open("out/data/go9").split(test=0.1), seed=1)
    policy.save(Path("out/fast/go9.npz"))

Each epoch replays the games by the compiled rules, and each labelled position changes the weights
of its features (stochastic gradient descent with Adagrad; Duchi, Hazan and Singer 2011: rare
features take larger steps). Features are computed each time, which takes microseconds and no
memory.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec
from dlgo.errors import DataError
from dlgo.jit import inline_kernel, kernel
from dlgo.rng import make_rng, shuffle
from engines.fast_policy.policy import FastPolicy, offsets_of
from engines.learning.data.dataset import Dataset
from engines.learning.data.records import LABELLED, GameData, LabelledGames
from engines.learning.data.replay import DONE, LaidOut, laid_out

# Added to the sums of squares, so that the first step of a weight is finite.
_EPSILON = 1e-8
# No label: a random ply, or one that another engine chose.
_UNLABELLED = -1


class Work(NamedTuple):
    """Scratch arrays; they hold nothing between positions (`gradient` is zero)."""

    actions: np.ndarray  # int64[num_actions], as `spare`
    spare: np.ndarray
    features: np.ndarray  # int32[num_actions, slots]
    chances: np.ndarray  # float64[num_actions]
    gradient: np.ndarray  # float64[ids]
    touched: np.ndarray  # int64[num_actions * slots], the weights of a position's features


def new_work(game: GameSpec) -> Work:
    """Scratch arrays for a game."""
    n, slots = game.num_actions, game.feature_slots
    return Work(
        np.empty(n, np.int64), np.empty(n, np.int64), np.empty((n, len(slots)), np.int32),
        np.empty(n), np.zeros(int(offsets_of(slots)[-1])), np.empty(n * len(slots), np.int64),
    )


@dataclass(frozen=True)
class Measured:
    """How well a policy predicts moves, compared with equal probabilities."""

    positions: int
    left_out: int  # labelled positions whose move is not among the sensible ones
    accuracy: float  # share of moves that are the policy's likeliest; ties count in part
    cross_entropy: float  # mean of -log of the move's probability, in nats
    uniform_accuracy: float
    uniform_cross_entropy: float

    def __str__(self) -> str:
        return (
            f"{self.accuracy:.1%} of {self.positions:,} moves predicted (uniform "
            f"{self.uniform_accuracy:.1%}), cross-entropy {self.cross_entropy:.3f} (uniform "
            f"{self.uniform_cross_entropy:.3f})"
        )


class Labelled(NamedTuple):
    """Games with a move to predict in some of their plies."""

    games: LaidOut
    labels: np.ndarray  # int64, like the actions: the move to predict, or -1


class Weights(NamedTuple):
    """The weights of a linear policy in training."""

    weights: np.ndarray  # float64[ids]
    squares: np.ndarray  # float64[ids], Adagrad's sums of squared gradients
    offsets: np.ndarray  # int64[slots], the first id of each slot


class Recorded:
    """Recorded games; the labels are the engine's chosen moves, in plies with `LABELLED`."""

    def __init__(self, game: GameSpec, games: Sequence[GameData]) -> None:
        self.game = game
        columns = LabelledGames.of(game, games)
        self._games = Labelled(laid_out(columns), np.where(
            columns.flags & LABELLED, columns.chosen.astype(np.int64), _UNLABELLED))
        longest = int(columns.plies.max(initial=0))
        self._state = game.scratch_state(game.new_kernel_state(), room=longest + 1)
        self._work = new_work(game)
        self._offsets = offsets_of(game.feature_slots)[:-1]

    def sweep(
        self, weights: np.ndarray, squares: np.ndarray, order: np.ndarray, rate: float, l2: float
    ) -> Measured:
        """Replay the games in the given order, and learn unless `rate` is 0; see `sweep`."""
        counts = np.zeros(6)
        failed = sweep(
            self._state, self._games, order, Weights(weights, squares, self._offsets),
            self._work, rate, l2, counts,
        )
        if failed != DONE:
            raise DataError(f"game {failed} of the data breaks the rules of {self.game}")
        n, loss, hits, uniform_loss, uniform_hits, left_out = counts.tolist()
        if not n:
            raise DataError(f"the games of {self.game} have no position to learn from")
        return Measured(
            int(n), int(left_out), hits / n, loss / n, uniform_hits / n, uniform_loss / n)


def measure(policy: FastPolicy, games: Sequence[GameData]) -> Measured:
    """How well a policy predicts the labels of games. Raises DataError as `train` does."""
    weights = policy.weights.astype(np.float64)
    recorded = Recorded(policy.game, games)
    return recorded.sweep(weights, np.zeros_like(weights), np.arange(len(games)), 0.0, 0.0)


def train(
    data: Dataset, held_out: Dataset | None = None, epochs: int = 5, learning_rate: float = 0.1,
    l2: float = 0.0003, seed: int = 0, report: Callable[[str], None] = lambda line: None,
) -> FastPolicy:
    """Train a policy that predicts the moves of games; equal data and settings give equal weights.

    Args:
        held_out: other games, for the accuracy at the end.
        epochs: number of passes over the games.
        learning_rate: Adagrad's step size.
        l2: weight decay of the features in a position.
        seed: seed of the order of the games.
        report: called with one line after each epoch.

    Raises DataError if there is no labelled position, or if a game breaks the rules.
    """
    cpu, game, games = time.process_time(), data.game, data.games()
    recorded = Recorded(game, games)
    weights = np.zeros(int(offsets_of(game.feature_slots)[-1]))
    squares = np.zeros_like(weights)
    order, rng = np.arange(len(games)), make_rng(seed)
    for epoch in range(1, epochs + 1):
        shuffle(order, len(order), rng)
        measured = recorded.sweep(weights, squares, order, learning_rate, l2)
        report(f"epoch {epoch} of {epochs}: {measured}")
    policy = FastPolicy(game, weights.astype(np.float32), {
        "games": data.n_games, "positions": measured.positions, "data": data.digest,
        "data_cpu_seconds": round(data.cpu_seconds, 1), "epochs": epochs,
        "learning_rate": learning_rate, "l2": l2, "seed": seed,
        "cpu_seconds": round(time.process_time() - cpu, 2),
    })
    if held_out is not None:
        measured = measure(policy, held_out.games())
        policy.accuracy["held_out"] = {
            name: round(value, 5) for name, value in asdict(measured).items()}
        report(f"held out: {measured}")
    return policy


@inline_kernel
def forward(state, weights, offsets, work):
    """Write the probabilities of the sensible moves into `work`; returns the number of moves."""
    features, chances = work.features, work.chances
    n = kernels.search_actions(state, work.actions)
    kernels.move_features(state, work.actions, n, work.spare, features)
    largest = -np.inf
    for i in range(n):
        score = 0.0
        for slot in range(len(offsets)):
            score += weights[offsets[slot] + features[i, slot]]
        chances[i] = score
        largest = max(largest, score)
    total = 0.0
    for i in range(n):
        chances[i] = math.exp(chances[i] - largest)
        total += chances[i]
    for i in range(n):
        chances[i] /= total
    return n


@inline_kernel
def backward(n, label, offsets, work):
    """Add the gradient of -log(probability of move `label`) to `work.gradient`, after `forward`.

    Returns the number of entries in `work.touched`, the weights concerned (with repetitions).
    """
    touched = 0
    for i in range(n):
        error = work.chances[i] - (1.0 if i == label else 0.0)
        for slot in range(len(offsets)):
            feature = offsets[slot] + work.features[i, slot]
            work.gradient[feature] += error
            work.touched[touched] = feature
            touched += 1
    return touched


@kernel
def sweep(state, labelled, order, learned, work, rate, l2, counts):
    """Replay games and learn from their labelled positions.

    Args:
        state: scratch, with room for the longest game.
        labelled: `Labelled`.
        order: int64, the games to replay.
        learned: `Weights`.
        work: `Work`.
        rate: Adagrad's step size; 0 changes nothing.
        l2: weight decay.
        counts: float64[6], increased by: positions, their losses, hits, losses and hits of the
            uniform policy, and positions that are left out.

    Returns -1, or the number of the game with an illegal action.
    """
    games, labels, actions = labelled.games, labelled.labels, labelled.games.actions
    weights, squares, offsets = learned.weights, learned.squares, learned.offsets
    for g in order:
        kernels.copy_into(state, kernels.row(games.starts, games.start_of[g]))
        for at in range(games.firsts[g], games.firsts[g + 1]):
            if kernels.terminal(state) or not kernels.is_legal(state, actions[at]):
                return g
            if labels[at] >= 0:
                n = forward(state, weights, offsets, work)
                label = -1
                for i in range(n):
                    if work.actions[i] == labels[at]:
                        label = i
                if label < 0:
                    counts[5] += 1
                else:
                    _count(n, label, work.chances, counts)
                    if rate > 0:
                        touched = backward(n, label, offsets, work)
                        _step(touched, weights, squares, work, rate, l2)
            kernels.play(state, actions[at])
    return DONE


@inline_kernel
def _count(n, label, chances, counts):
    likeliest, equal = 0.0, 0
    for i in range(n):
        if chances[i] > likeliest:
            likeliest, equal = chances[i], 1
        elif chances[i] == likeliest:
            equal += 1
    counts[0] += 1
    counts[1] -= math.log(max(chances[label], 1e-300))
    if chances[label] == likeliest:
        counts[2] += 1.0 / equal
    counts[3] += math.log(n)
    counts[4] += 1.0 / n


@inline_kernel
def _step(touched, weights, squares, work, rate, l2):
    """One step of Adagrad; leaves the gradient zero."""
    for k in range(touched):
        feature = work.touched[k]
        slope = work.gradient[feature]
        if slope == 0.0:  # done already, or the moves cancel
            continue
        work.gradient[feature] = 0.0
        slope += l2 * weights[feature]
        squares[feature] += slope * slope
        weights[feature] -= rate * slope / math.sqrt(squares[feature] + _EPSILON)
