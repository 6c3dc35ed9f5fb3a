"""Games as batches of planes, policies and values; seed and epoch determine the order.

All positions are shuffled together, then encoded in chunks (`replay.py`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from dlgo.encoders.base import Encoder
from dlgo.errors import DataError
from dlgo.rng import derive_seed
from dlgo.symmetry import symmetries as symmetries_of
from engines.learning.data import records
from engines.learning.data.dataset import Dataset
from engines.learning.data.replay import Replayer

# Bytes of planes made at a time. The more positions at a time, the fewer times a game is replayed.
CHUNK_BYTES = 64 * 2**20
TARGETS = ("move", "policy")


@dataclass(frozen=True, eq=False)
class Batch:
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

    def __len__(self) -> int:
        return len(self.values)

    def target(self, head: str) -> np.ndarray:
        """The target of a network's head (`catalog.HEADS`): float32[n, ...]."""
        array = {
            "policy": self.policies, "value": self.values, "ownership": self.ownership,
            "score": self.margins,
        }[head]
        assert array is not None, f"these batches have no data for {head}"
        return array[:, None] if array.ndim == 1 else array

    def at(self, which: slice | np.ndarray) -> Batch:
        """The positions selected by an index array or a slice."""
        arrays: list[Any] = [getattr(self, field.name) for field in fields(self)]
        selected: list[Any] = [None if array is None else array[which] for array in arrays]
        return Batch(*selected)


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
    return _cut(_chunks(part, encoder, options, seed, epoch), options.size)


def endless_batches(
    part: Dataset, encoder: Encoder, options: BatchOptions, seed: int, epoch: int
) -> Iterator[Batch]:
    """All positions repeatedly, in a new order each time, beginning with this epoch.

    All batches have the same size: a batch may join the last positions of an epoch and the first
    of the next. Keras compiles each size separately, with different rounding, so other sizes would
    make a resumed run differ.
    """
    epochs = (_chunks(part, encoder, options, seed, later) for later in itertools.count(epoch))
    return _cut(itertools.chain.from_iterable(epochs), options.size)


def _cut(chunks: Iterable[Batch], size: int) -> Iterator[Batch]:
    """The same positions in batches of one size; the remainder comes last."""
    remainder: Batch | None = None
    for chunk in chunks:
        if remainder is not None and len(remainder):
            pairs = ((getattr(part, field.name) for part in (remainder, chunk))
                     for field in fields(Batch))
            joined: list[Any] = [
                None if first is None else np.concatenate([first, second])
                for first, second in pairs]
            chunk = Batch(*joined)
        full = len(chunk) - len(chunk) % size
        for start in range(0, full, size):
            yield chunk.at(slice(start, start + size))
        remainder = chunk.at(slice(full, None))
    if remainder is not None and len(remainder):
        yield remainder


def _chunks(
    part: Dataset, encoder: Encoder, options: BatchOptions, seed: int, epoch: int
) -> Iterator[Batch]:
    """The positions of an epoch, many at a time."""
    if encoder.game != part.game:
        raise DataError(f"{part.folder} has games of {part.game}, but the encoder is for "
                        f"{encoder.game}; use get_encoder(name, data.game)")
    rng = np.random.default_rng(derive_seed("batches", seed, epoch))
    positions = _Positions(part, encoder, options)
    order = np.arange(len(positions.rows))
    if options.shuffle:
        rng.permutation(np.unique(part.shards))  # an earlier draw: seeds keep their orders
        order = rng.permutation(len(order))
    batch_bytes = 4 * int(np.prod(encoder.shape)) * options.size
    size = max(1, CHUNK_BYTES // batch_bytes) * options.size
    for begin in range(0, len(order), size):
        batch = positions.encode(order[begin : begin + size])
        if options.symmetries:
            _apply_symmetries(batch, encoder, rng)
        yield batch


def worth_of_margin(points: np.ndarray, cells: int) -> np.ndarray:
    """A margin as a value between -1 and 1 (Wu 2019): half of it at twice the board's length."""
    return 2 / np.pi * np.arctan(points / (2 * np.sqrt(cells)))


class _Positions:
    """The labelled positions of a data set: `rows` of all its plies."""

    def __init__(self, part: Dataset, encoder: Encoder, options: BatchOptions) -> None:
        self._part, self._options = part, options
        self._replayer = Replayer(encoder, part.source)
        games = part.games()
        self._games = [(game.actions, game.start) for game in games]
        self._plies = records.Plies(games)
        self.rows = np.flatnonzero(self._plies.flags & records.LABELLED)
        if options.finals:
            owners, margins, results = self._replayer.finals(self._games)
            ended = (results == [game.result for game in games]) & (results != records.NO_RESULT)
            self._finals = owners, margins, ended

    def encode(self, indices: np.ndarray) -> Batch:
        """The positions with these numbers."""
        plies, rows, encoder = self._plies, self.rows[indices], self._replayer.encoder
        which, options = plies.which[rows], self._options
        planes, players = self._replayer.encode(self._games, which, plies.ply[rows])
        results, flags = plies.results[rows], plies.flags[rows]
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
        scaled = plies.values[rows].astype(np.int64)
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
        plies, actions = self._plies, self._part.game.num_actions
        if self._options.targets == "policy":
            policies = plies.policies(rows, actions)
            bare = np.flatnonzero(plies.counts[rows] == 0)
        else:
            policies, bare = np.zeros((len(rows), actions), np.float32), np.arange(len(rows))
        policies[bare, plies.chosen[rows[bare]]] = 1.0
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
