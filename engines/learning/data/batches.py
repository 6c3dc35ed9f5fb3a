"""Games as batches of planes, policies and values; seed and epoch determine the order.

All positions are shuffled together, then encoded in chunks (`replay.py`).
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Self, TypeVar

import numpy as np

from dlgo.encoders.base import Encoder
from dlgo.errors import DataError
from dlgo.rng import derive_seed
from dlgo.symmetry import symmetries as symmetries_of
from engines.learning.data import records
from engines.learning.data.dataset import Dataset
from engines.learning.data.records import LabelledGames
from engines.learning.data.replay import Replayer

# Bytes of planes made at a time. The more positions at a time, the fewer times a game is replayed.
CHUNK_BYTES = 64 * 2**20
TARGETS = ("move", "policy")


@dataclass(frozen=True, eq=False)
class PositionArrays:
    """Base of dataclasses whose arrays have an element a position; a field may be None."""

    def __len__(self) -> int:
        return len(next(iter(vars(self).values())))

    def at(self, which: slice | np.ndarray) -> Self:
        """The positions selected by an index array or a slice."""
        arrays: dict[str, Any] = {
            name: array[which] for name, array in vars(self).items() if array is not None}
        return dataclasses.replace(self, **arrays)

    def followed_by(self, later: Self) -> Self:
        """These positions, then the later ones."""
        arrays: dict[str, Any] = {
            name: np.concatenate([array, getattr(later, name)])
            for name, array in vars(self).items() if array is not None}
        return dataclasses.replace(self, **arrays)


Arrays = TypeVar("Arrays", bound=PositionArrays)


@dataclass(frozen=True, eq=False)
class Batch(PositionArrays):
    """A batch of positions to learn from."""

    planes: np.ndarray  # float32[n, rows, cols, planes]
    # float32[n, num_actions], each sums to 1; in the order in which the encoder shows the actions
    # (`Encoder.to_network_order`).
    policies: np.ndarray
    # float32[n], for the player to move, -1 to 1: the game's result (0 if unknown), or a mixture of
    # the result and the value of the search.
    values: np.ndarray
    # float32[n], 0 if the policy comes from a shortened search and must not be learned, else 1.
    policy_weights: np.ndarray
    # float32[n, rows, cols], owner of each cell at the end of the game: +1 the player to move, -1
    # the opponent, 0 none. This field and the next two are None unless `finals` is set.
    ownership: np.ndarray | None = None
    # float32[n], final margin of the player to move in points, divided by the cells of the board.
    margins: np.ndarray | None = None
    # float32[n], 0 if the game has no final board (resigned, no result, or a result that differs
    # from that of its moves), else 1.
    final_weights: np.ndarray | None = None

    def target(self, head: str) -> np.ndarray:
        """The target of a network's head (`catalog.HEADS`): float32[n, ...]."""
        array = {
            "policy": self.policies, "value": self.values, "ownership": self.ownership,
            "score": self.margins,
        }[head]
        assert array is not None, f"these batches have no data for {head}"
        return array[:, None] if array.ndim == 1 else array


@dataclass(frozen=True)
class BatchOptions:
    """How games become batches.

    Attributes:
        size: number of positions in a batch.
        shuffle: False keeps games and plies in order.
        symmetries: show each position under a random symmetry of the board.
        targets: "move": the policy is the move that the engine chose; "policy": its visits, where
            they are stored.
        search_value_weight: weight of the search's value, where one is stored; the rest is the
            game's result.
        finals: add ownership, margins and final weights.
        margin_share: weight of the final margin (`worth_of_margin`) in each result, where the
            final board is known; needs `finals`.

    Raises:
        DataError: for a size or targets that do not exist.
    """

    size: int
    shuffle: bool = True
    symmetries: bool = False
    targets: str = "move"
    search_value_weight: float = 0.0
    finals: bool = False
    margin_share: float = 0.0

    def __post_init__(self) -> None:
        if self.targets not in TARGETS:
            raise DataError(f"targets={self.targets!r} is not one of {', '.join(TARGETS)}")
        if self.size < 1:
            raise DataError(f"size={self.size} is out of range: a batch has at least 1 position")


def batches(
    part: Dataset, encoder: Encoder, options: BatchOptions, seed: int = 0, epoch: int = 0
) -> Iterator[Batch]:
    """All positions of a data set once; the last batch may be smaller.

    Order and symmetries depend only on the seed and the epoch. Raises DataError if the encoder is
    for another game, or a game breaks the rules.
    """
    return cut(_chunks(part, encoder, options, seed, epoch), options.size)


def endless_batches(
    part: Dataset, encoder: Encoder, options: BatchOptions, seed: int, epoch: int
) -> Iterator[Batch]:
    """All positions repeatedly, in a new order each time, beginning with this epoch.

    All batches have the same size: a batch may join the last positions of an epoch and the first
    of the next. Keras compiles each size separately, with different rounding, so other sizes would
    make a resumed run differ.
    """
    epochs = (_chunks(part, encoder, options, seed, later) for later in itertools.count(epoch))
    return cut(itertools.chain.from_iterable(epochs), options.size)


def _chunks(
    part: Dataset, encoder: Encoder, options: BatchOptions, seed: int, epoch: int
) -> Iterator[Batch]:
    """The positions of an epoch, many at a time."""
    rng = np.random.default_rng(derive_seed("batches", seed, epoch))
    positions = _Positions(part, encoder, options)
    rows = positions.games.decisions
    if options.shuffle:
        rng.permutation(np.unique(part.shards))  # an earlier draw: seeds keep their orders
        rows = rng.permutation(rows)
    for chunk in chunks(rows, encoder, options.size):
        batch = positions.encode(chunk)
        if options.symmetries:
            _apply_symmetries(batch, encoder, rng)
        yield batch


def chunks(rows: np.ndarray, encoder: Encoder, size: int) -> Iterator[np.ndarray]:
    """The rows in parts to encode at a time: whole batches of this size, the last part's rest."""
    batch_bytes = 4 * int(np.prod(encoder.shape)) * size
    step = max(1, CHUNK_BYTES // batch_bytes) * size
    for first in range(0, len(rows), step):
        yield rows[first : first + step]


def cut(parts: Iterable[Arrays], size: int) -> Iterator[Arrays]:
    """The same positions in batches of one size; the remainder comes last."""
    remainder: Arrays | None = None
    for part in parts:
        if remainder is not None and len(remainder):
            part = remainder.followed_by(part)
        full = len(part) - len(part) % size
        for first in range(0, full, size):
            yield part.at(slice(first, first + size))
        remainder = part.at(slice(full, None))
    if remainder is not None and len(remainder):
        yield remainder


def worth_of_margin(points: np.ndarray, cells: int) -> np.ndarray:
    """A margin as a value between -1 and 1 (Wu 2019): half of it at twice the board's length."""
    return 2 / np.pi * np.arctan(points / (2 * np.sqrt(cells)))


class _Positions:
    """The games of a data set, and how their positions are encoded."""

    def __init__(self, part: Dataset, encoder: Encoder, options: BatchOptions) -> None:
        self.games, self._options = LabelledGames.of(part.game, part.games()), options
        self._replayer = Replayer(encoder, self.games, part.source)
        if options.finals:
            owners, margins, results = self._replayer.finals()
            ended = (results == self.games.results) & (results != records.NO_RESULT)
            self._finals = owners, margins, ended

    def encode(self, rows: np.ndarray) -> Batch:
        """The positions before these plies, which are numbered through all games."""
        games, encoder, options = self.games, self._replayer.encoder, self._options
        which = games.games_of(rows)
        planes, players = self._replayer.encode(rows)
        results, flags = games.results[which].astype(np.int64), games.flags[rows]
        signs = 1 - 2 * players.astype(np.int64)
        values = np.where(results == records.NO_RESULT, 0, results * signs)
        finals: tuple[np.ndarray, ...] = ()
        if options.finals:
            owners, margins, ended = (array[which] for array in self._finals)
            cells = owners[0].size
            share = options.margin_share * ended
            values = (1 - share) * values + share * signs * worth_of_margin(margins, cells)
            known_signs = signs * ended  # nothing is said of ends that do not count
            owned = (owners * known_signs[:, None, None]).astype(np.float32)
            finals = (encoder.cells_as_seen(owned, players),
                      (margins * known_signs / cells).astype(np.float32), ended.astype(np.float32))
        scaled = games.values[rows].astype(np.int64)
        share = np.where(scaled == records.NO_VALUE, 0.0, options.search_value_weight)
        share[flags & records.EXACT > 0] = 1.0
        values = (1 - share) * values + share * scaled / records.VALUE_SCALE
        return Batch(
            planes, encoder.to_network_order(self._policies(rows), players),
            values.astype(np.float32),
            (flags & records.FULL_SEARCH > 0).astype(np.float32), *finals,
        )

    def _policies(self, rows: np.ndarray) -> np.ndarray:
        """The targets of learning; without a policy, all is on the move chosen."""
        games = self.games
        if self._options.targets == "policy":
            policies = games.policies(rows)
            bare = np.flatnonzero(games.counts[rows] == 0)
        else:
            policies = np.zeros((len(rows), games.game.num_actions), np.float32)
            bare = np.arange(len(rows))
        policies[bare, games.chosen[rows[bare]]] = 1.0
        return policies / policies.sum(axis=1, keepdims=True)


def _apply_symmetries(batch: Batch, encoder: Encoder, rng: np.random.Generator) -> None:
    """Show each position under a random symmetry of the board, in place."""
    board = symmetries_of(encoder.game)
    for k, turned in board.drawn(len(batch), rng):
        batch.planes[turned] = board.planes(k, batch.planes[turned])
        batch.policies[turned] = board.policy(k, batch.policies[turned])
        if batch.ownership is not None:
            owners = batch.ownership[turned][..., None]
            batch.ownership[turned] = board.planes(k, owners)[..., 0]
