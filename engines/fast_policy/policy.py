"""The fast policy: a linear softmax over small features of moves (Silver et al. 2016).

    policy = FastPolicy.load("out/fast/go9.npz", game)
    actions, chances = policy.policy(state)
    evaluator = policy.rollout(temperature=1.0)     # for one thread of a tree search

The score of a move is the sum of the weights of its features, one for each slot
(`kernels.move_features`); its probability among the sensible moves is the softmax of the scores.
`training.py` learns the weights from recorded games.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec, GameState
from dlgo.errors import DataError
from dlgo.games import recorded_game
from dlgo.readers import reading
from engines.fast_policy.rollout import PolicyRollout
from engines.learning.data.checked_arrays import digest_of, read_arrays, write_arrays

FORMAT = "dlgo fast policy 1"
# Plies of a rollout for each action of the game, and at least; see `PolicyRollout.most_plies`.
# Nearly all games end long before: in Go, superko forbids cycles.
PLIES_PER_ACTION, LEAST_PLIES = 3, 500
# The logarithm of a rollout's shares stays below this in size, however small the temperature, so
# that sums of many of them are finite and none is 0.
_LARGEST = 600.0


def offsets_of(slots: Sequence[tuple[str, int]]) -> np.ndarray:
    """Start of each slot's values in the weights: int64[slots + 1]; the last is their number."""
    return np.cumsum([0, *(size for _, size in slots)])


@dataclass(frozen=True, eq=False)
class FastPolicy:
    """Weights of a linear policy for one game."""

    game: GameSpec
    weights: np.ndarray  # float32[ids], of all values of all slots
    training: dict[str, Any] = field(default_factory=dict)  # data, settings, cpu_seconds
    accuracy: dict[str, Any] = field(default_factory=dict)  # by the part of the data measured on

    def __post_init__(self) -> None:
        size = int(offsets_of(self.game.feature_slots)[-1])
        if self.weights.shape != (size,):
            raise ValueError(f"{self.game} needs {size} weights, not {self.weights.shape}")

    @classmethod
    def uniform(cls, game: GameSpec) -> FastPolicy:
        """The policy before training: equal probabilities."""
        return cls(game, np.zeros(int(offsets_of(game.feature_slots)[-1]), np.float32))

    @property
    def network_id(self) -> str:
        """Digest of the weights, which identifies the policy in a ledger."""
        return f"sha256:{digest_of({'weights': self.weights})[:32]}"

    @property
    def training_cpu_seconds(self) -> float | None:
        """CPU seconds of training and of making the data; None if unknown."""
        if "cpu_seconds" not in self.training:
            return None
        return float(self.training["cpu_seconds"]) + float(self.training.get("data_cpu_seconds", 0))

    def policy(self, state: GameState) -> tuple[np.ndarray, np.ndarray]:
        """The sensible actions of an unfinished game, int64[n], and their probabilities."""
        actions, scratch = (np.empty(self.game.num_actions, np.int64) for _ in range(2))
        slots = self.game.feature_slots
        features = np.empty((self.game.num_actions, len(slots)), np.int32)
        n = kernels.search_actions(state.kernel_state, actions)
        kernels.move_features(state.kernel_state, actions, n, scratch, features)
        ids = features[:n] + offsets_of(slots)[:-1]
        scores = self.weights[ids].sum(axis=1, dtype=np.float64)
        shares = np.exp(scores - scores.max())
        return actions[:n], shares / shares.sum()

    def rollout(self, temperature: float = 1.0) -> PolicyRollout:
        """An evaluator for one thread of a tree search, whose rollouts follow this policy.

        temperature: 1 draws by the policy, smaller values (above 0) favour likely moves.
        """
        if not temperature > 0:
            raise ValueError(f"temperature={temperature} must be above 0")
        slots, num_actions = self.game.feature_slots, self.game.num_actions
        limit = _LARGEST / len(slots)
        return PolicyRollout(
            factors=np.exp(np.clip(self.weights.astype(np.float64) / temperature, -limit, limit)),
            offsets=offsets_of(slots)[:-1],
            features=np.empty((num_actions, len(slots)), np.int32),
            sums=np.empty(num_actions), scratch=np.empty(num_actions, np.int64),
            pass_action=self.game.pass_action,
            most_plies=max(PLIES_PER_ACTION * num_actions, LEAST_PLIES),
        )

    def save(self, path: Path) -> Path:
        """Write the weights and their card under a temporary name, then rename it."""
        header = {
            "format": FORMAT, "game": str(self.game),
            "features_version": self.game.features_version,
            "slots": [[name, size] for name, size in self.game.feature_slots],
            "training": self.training, "accuracy": self.accuracy, "provenance": {},
        }
        return write_arrays(path, header, {"weights": self.weights})

    @classmethod
    def load(cls, path: str | Path, game: GameSpec | None = None) -> FastPolicy:
        """Read a policy; no code of the file runs.

        Args:
            game: the game to play; by default the one it was trained on. Options that do not
                change the features, such as komi in Go, may differ.

        Raises DataError, in one line, if the file is missing or damaged, or is for another game,
        board or set of features; FileError if it is not a fast policy, or cannot be read.
        """
        path = Path(path)
        with reading(path, "fast policy", error=DataError):
            header, arrays = read_arrays(path, FORMAT, ("weights",))
            trained = recorded_game(header["game"])
            game = trained if game is None else game
            if (trained.name, trained.board_rows, trained.board_cols) != (
                game.name, game.board_rows, game.board_cols
            ):
                raise DataError(f"it plays {trained}, not {game}; train one for {game}")
            slots = [[name, size] for name, size in game.feature_slots]
            if header["features_version"] != game.features_version or header["slots"] != slots:
                raise DataError(
                    f"it was trained on other features of {game}'s moves (version "
                    f"{header['features_version']}, this program has {game.features_version}); "
                    "train it again"
                )
            weights = arrays["weights"]
            if weights.dtype != np.float32 or not np.isfinite(weights).all():
                raise ValueError("its weights are not finite 32-bit numbers")
            return cls(game, weights, dict(header["training"]), dict(header["accuracy"]))
