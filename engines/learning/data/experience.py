"""Experience: positions, actions and results of a learner's games (chapter 9 of the book).

Boards are not stored. Positions are replayed from the game's actions with the compiled rules
(`replay.py`), so a decision takes 14 bytes:

    action        the action played: 1 byte, or 2 on large boards
    flags         as in `records.py`: whether it is the learner's decision, which player made it,
                  under which symmetry of the board the network saw the position: 1 byte
    probability   of the action in the policy that it was drawn from: 4 bytes
    value         V, the critic's value of the position: 4 bytes
    return        R, the target for the value: 4 bytes

The advantage of an action is A = R - V: how much better it went than expected (chapter 12). Values,
returns and advantages are from the view of the player who decides, -1 to 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from dlgo.api import GameSpec
from dlgo.encoders.base import Encoder
from dlgo.errors import DataError
from dlgo.games import recorded_game
from dlgo.jit import kernel
from dlgo.readers import reading
from dlgo.symmetry import by_symmetry, symmetries
from engines.learning.data import checked_arrays
from engines.learning.data.batches import PositionArrays, chunks, cut
from engines.learning.data.checked_arrays import check_arrays, check_range
from engines.learning.data.records import (
    COLUMNS,
    LABELLED,
    NO_RESULT,
    PLAYER_1,
    SYMMETRY_SHIFT,
    Games,
    check_columns,
)
from engines.learning.data.replay import Replayer

FORMAT = "dlgo experience 2"
_ARRAYS = (*COLUMNS, "probability", "value", "return")


@dataclass(frozen=True, eq=False)
class Decisions(PositionArrays):
    """Decisions as a network learns from them: each under the symmetry under which it was made.

    A policy that is trained under another symmetry than that under which it played is another
    policy, as long as the network has not learned the symmetry: PPO would clip the difference.

    Attributes:
        planes: float32[n, rows, cols, planes], the positions.
        legal: bool[n, num_actions], the moves that could be drawn; with `actions` in the order in
            which the encoder shows them (`Encoder.to_network_order`).
        actions: int64[n], what was played.
        probabilities, values, returns: float32[n], see above.
    """

    planes: np.ndarray
    legal: np.ndarray
    actions: np.ndarray
    probabilities: np.ndarray
    values: np.ndarray
    returns: np.ndarray

    @property
    def advantages(self) -> np.ndarray:
        """A = R - V, float32[n]."""
        return self.returns - self.values


@dataclass(frozen=True, eq=False)
class Experience(Games):
    """Games with the decisions in them.

    Attributes, beside those of `Games`:
        encoder: what the learner saw, by name.
        probabilities, values, returns: float32[plies], 1, 0 and 0 where there is no decision.
        provenance: what made it: JSON values.
    """

    encoder: str
    probabilities: np.ndarray
    values: np.ndarray
    returns: np.ndarray
    provenance: dict[str, Any] = field(default_factory=dict)

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        """The arrays by field."""
        return {name: array for name, array in vars(self).items() if isinstance(array, np.ndarray)}

    @property
    def advantages(self) -> np.ndarray:
        """A = R - V of each ply, float32[plies]."""
        return self.returns - self.values

    def with_returns(
        self, discount: float = 1.0, gae_lambda: float = 1.0
    ) -> Experience:
        """The same experience with returns by these settings; see `fill_returns`."""
        returns = np.zeros_like(self.values)
        fill_returns(
            self.firsts, self.flags, self.results, self.values, discount, gae_lambda, returns)
        return replace(self, returns=returns)

    def encode(self, rows: np.ndarray, encoder: Encoder) -> Decisions:
        """The decisions in these rows of `decisions`, in any order, as an encoder shows them.
        Raises DataError if it is for another game, or a game breaks the rules."""
        legal = np.zeros((len(rows), self.game.num_actions), np.bool_)
        planes, players = Replayer(encoder, self).encode(rows, legal)
        actions = self.actions[rows].astype(np.int64)
        if encoder.turns is not None:
            one_hot = np.zeros_like(legal)
            one_hot[np.arange(len(rows)), actions] = True
            legal, actions = (encoder.to_network_order(legal, players),
                              encoder.to_network_order(one_hot, players).argmax(axis=1))
        board = symmetries(self.game)
        for k, turned in by_symmetry(self.flags[rows] >> SYMMETRY_SHIFT):
            planes[turned] = board.planes(k, planes[turned])
            legal[turned] = board.policy(k, legal[turned])
            actions[turned] = board.images(k, actions[turned])
        return Decisions(planes, legal, actions, self.probabilities[rows], self.values[rows],
                         self.returns[rows])


def merged(parts: Sequence[Experience]) -> Experience:
    """Experience of several runs or iterations as one, in their order. Raises DataError if there is
    none, or they are of different games or encoders."""
    if not parts:
        raise DataError("no experience to merge")
    for part in parts:
        for name in ("game", "encoder"):
            value, expected = getattr(part, name), getattr(parts[0], name)
            if value != expected:
                raise DataError(f"experience of {name} {value} cannot be merged with that of "
                                f"{name} {expected}")
    arrays: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in parts]) for name in parts[0].arrays}
    return replace(
        parts[0], **arrays, provenance={"parts": [part.provenance for part in parts]})


def shuffled_batches(
    experience: Experience, encoder: Encoder, size: int, rng: np.random.Generator
) -> Iterator[Decisions]:
    """All decisions once, in random order, `size` a batch; the last batch may be smaller."""
    rows = rng.permutation(experience.decisions)
    return cut((experience.encode(part, encoder) for part in chunks(rows, encoder, size)), size)


def write_experience(path: Path, experience: Experience) -> Path:
    """Write experience as a file, whole or not at all. Raises DataError, naming the file and why it
    cannot be written."""
    return checked_arrays.write_arrays(path, {
        "format": FORMAT, "game": experience.game.versioned, "encoder": experience.encoder,
        "provenance": experience.provenance,
    }, experience.columns() | {
        "probability": experience.probabilities, "value": experience.values,
        "return": experience.returns,
    }, compressed=False)


def read_experience(
    path: Path, game: GameSpec | None = None, encoder: str | None = None
) -> Experience:
    """The experience in a file; of this game and encoder, where they are given.

    Raises DataError, naming the file, if it is cut off, altered, of another game, size of board or
    encoder; else FileError.
    """
    with reading(path, "experience file", error=DataError, restore=""):
        header, arrays = checked_arrays.read_arrays(path, FORMAT, _ARRAYS)
        experience = _experience(recorded_game(header["game"]), header, arrays)
    for name, expected in (("game", game), ("encoder", encoder)):
        value = getattr(experience, name)
        if expected is not None and expected != value:
            raise DataError(f"{path}: is experience of {name} {value}, not of {expected}; choose "
                            "another file")
    return experience


def _experience(
    game: GameSpec, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]
) -> Experience:
    """Raises ValueError where the arrays contradict each other."""
    check_columns(game, arrays)
    plies = len(arrays["action"])
    check_arrays(arrays, dict.fromkeys(("probability", "value", "return"), plies), "f")
    check_range("probability", arrays["probability"], (1e-45, 1),
                "a number that is not above 0 and at most 1")
    return Experience(
        game, arrays["game_plies"], arrays["result"], arrays["action"], arrays["flags"],
        str(header["encoder"]), arrays["probability"], arrays["value"], arrays["return"],
        header["provenance"],
    )


@kernel
def fill_returns(firsts, flags, results, values, discount, gae_lambda, returns):
    """Write the return of each decision: generalised advantage + value (Schulman et al. 2016).

    Each player's decisions are a chain of their own: the opponent's moves in between belong to the
    environment. So turns need not alternate, and opponents need no values. The last decision of a
    chain is followed by the reward: 1, 0 or -1. With gae_lambda = 1 the return of a decision is the
    reward, times `discount` for each decision that came after it; the critic has no say.

    Args:
        firsts: int64[games + 1], where each game's plies begin and end.
        flags, results, values: as in `Experience`.
        discount: what a step into the future leaves of a reward.
        gae_lambda: below 1 the critic's later values replace a part of the result.
        returns: float32[plies], written where there is a decision.
    """
    for g in range(len(firsts) - 1):
        for player in range(2):
            reward = 0.0
            if results[g] != NO_RESULT:
                reward = np.float64(results[g] * (1 - 2 * player))
            following, advantage = reward / discount, 0.0
            for i in range(firsts[g + 1] - 1, firsts[g] - 1, -1):
                if flags[i] & LABELLED == 0 or (flags[i] & PLAYER_1 != 0) != (player == 1):
                    continue
                delta = discount * following - values[i]
                advantage = delta + discount * gae_lambda * advantage
                returns[i] = values[i] + advantage
                following = values[i]
