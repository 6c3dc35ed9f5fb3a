"""A folder of shards as one collection of games: opened, split, cut down.

    data = Dataset.open("out/data/go9")
    train, test = data.split(test=0.1)
    for batch in batches(train, encoder, 256, seed=1, epoch=0): ...

A split is by games. The positions of one game differ by a stone or two, so that a split by
positions tests on what has been trained on (`ch07_leak.py` shows it); for the same reason
games with equal moves stay on the same side.

`batches.py` makes planes of the games.
"""

from __future__ import annotations

import dataclasses
import hashlib
import sys
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dlgo.api import GameSpec
from dlgo.errors import DataError
from engines.learning.data.records import GameData
from engines.learning.data.shards import PATTERN, Shard, read_shard

# Bytes of games kept in memory; more are read again when they are needed.
_CACHE_BYTES = 512 * 2**20


class _Shelf:
    """The shards of a folder, those used last in memory."""

    def __init__(self, paths: list[Path], sizes: list[int]) -> None:
        self.paths, self.sizes = paths, sizes
        self._kept: OrderedDict[int, list[GameData]] = OrderedDict()

    def games(self, number: int) -> list[GameData]:
        """The games of a shard. Raises DataError if it has gone bad since it was opened."""
        if number in self._kept:
            self._kept.move_to_end(number)
        else:
            self.keep(number, read_shard(self.paths[number], verify=False))
        return self._kept[number]

    def keep(self, number: int, shard: Shard) -> None:
        """Remember a shard, forget the ones used least lately."""
        self._kept[number] = shard.games
        while len(self._kept) > 1 and sum(self.sizes[i] for i in self._kept) > _CACHE_BYTES:
            self._kept.popitem(last=False)


@dataclass(frozen=True, eq=False)
class Dataset:
    """Games, all of a folder or some of them.

    Attributes:
        folder: where they are.
        game: what is played.
        skipped: files of the folder that are left out, one line each.
        shards: int64[n_games], shard of each game; `places`: its number in there.
        positions: int64[n_games], positions with a label in each.
        digests: bytes16[n_games]; games with equal starts and moves have equal digests.
        costs: float64[n_games], CPU seconds that making each game took, as far as its shard
            says so.
    """

    folder: Path
    game: GameSpec
    skipped: tuple[str, ...]
    shards: np.ndarray
    places: np.ndarray
    positions: np.ndarray
    digests: np.ndarray
    costs: np.ndarray
    _shelf: _Shelf = dataclasses.field(repr=False)

    @classmethod
    def open(
        cls, folder: str | Path, report: Callable[[str], None] | None = None,
        paths: Sequence[Path] | None = None,
    ) -> Dataset:
        """Open all shards of a folder; each is read once and checked.

        Args:
            paths: only these files of the folder.
            report: told about every file that is left out: one cut off, altered, or of
                another game than the first; by default a line on standard error.

        Raises:
            DataError: if the folder is not there or holds no readable shard.
        """
        folder = Path(folder)
        if not folder.is_dir():
            raise DataError(f"{folder}: no such folder of training data; `dlgo generate` makes one")
        paths = sorted(folder.glob(PATTERN)) if paths is None else list(paths)
        shelf = _Shelf(paths, [0] * len(paths))
        skipped: list[str] = []
        game: GameSpec | None = None
        rows: list[tuple[int, int, int, bytes, float]] = []
        for number, path in enumerate(paths):
            try:
                shard = read_shard(path)
                if game is not None and shard.game != game:
                    raise DataError(f"{path}: holds games of {shard.game}, not of {game}")
            except DataError as error:
                skipped.append(str(error))
                (report or _warn)(f"{error}; it is skipped")
                continue
            game = shard.game
            shelf.sizes[number] = sum(map(_bytes, shard.games))
            shelf.keep(number, shard)
            cost = _cost(shard)
            rows += [
                (number, place, game_data.n_positions, _digest(game_data), cost)
                for place, game_data in enumerate(shard.games)
            ]
        if game is None or not rows:
            raise DataError(f"{folder}: holds no readable games ({PATTERN}); see dlgo generate")
        shards, places, positions, digests, costs = zip(*rows, strict=True)
        return cls(
            folder, game, tuple(skipped), np.array(shards), np.array(places),
            np.array(positions), np.array(digests, "V16"), np.array(costs), shelf,
        )

    def __repr__(self) -> str:
        return (f"<{self.n_games:,} games of {self.game} in {self.folder}, "
                f"{self.n_positions:,} positions>")

    @property
    def n_games(self) -> int:
        """How many games."""
        return len(self.shards)

    @property
    def n_positions(self) -> int:
        """How many positions there are to learn from."""
        return int(self.positions.sum())

    @property
    def cpu_seconds(self) -> float:
        """What making these games has cost."""
        return float(self.costs.sum())

    @property
    def digest(self) -> str:
        """Equal for the same games in the same order."""
        return hashlib.sha256(self.digests.tobytes()).hexdigest()[:16]

    def split(self, test: float = 0.1, seed: int = 0) -> tuple[Dataset, Dataset]:
        """(train, test): two parts with disjoint games.

        Who is where depends on the seed and on the games themselves, not on their order.
        Games with equal moves count as one here, so that the test part may be a little larger.

        Args:
            test: share of the games, 0 to 1.

        Raises:
            DataError: if a part would be empty.
        """
        if not 0 < test < 1:
            raise DataError(f"a test share of {test} leaves one part empty; take one within 0 to 1")
        order = self._drawn("split", seed)
        wanted = max(1, round(test * self.n_games))
        # Equal games stand next to each other: the border must not fall between them.
        while wanted < self.n_games and (
            self.digests[order[wanted]] == self.digests[order[wanted - 1]]
        ):
            wanted += 1
        if wanted >= self.n_games:
            raise DataError(
                f"{self.folder}: {self.n_games} games are too few to be split into parts; "
                "make more of them"
            )
        return self._part(order[wanted:]), self._part(order[:wanted])

    def subset(self, n_games: int, seed: int = 0) -> Dataset:
        """Some of the games; a smaller subset is part of a larger one with the same seed.

        Raises:
            DataError: if there are not so many.
        """
        if not 1 <= n_games <= self.n_games:
            raise DataError(f"{n_games} games were asked for; {self.folder} has {self.n_games}")
        return self._part(self._drawn("subset", seed)[:n_games])

    def check_positions(self) -> None:
        """Raises DataError if there is nothing to learn from."""
        if not self.n_positions:
            raise DataError(
                f"{self.folder}: {self.n_games} games without a position to learn from; take "
                "games whose moves are labelled, or more of them"
            )

    def games(self, indices: np.ndarray | None = None) -> list[GameData]:
        """The games themselves; all by default."""
        chosen = range(self.n_games) if indices is None else indices.tolist()
        return [self._shelf.games(int(self.shards[i]))[self.places[i]] for i in chosen]

    def shard_bytes(self, number: int) -> int:
        """About how much memory a shard's games take."""
        return self._shelf.sizes[number]

    def source(self, index: int) -> str:
        """Where a game stands, for messages."""
        return f"{self._shelf.paths[self.shards[index]]}, game {self.places[index]}"

    def _drawn(self, purpose: str, seed: int) -> np.ndarray:
        """All games in an order drawn by seed, equal games next to each other."""
        salt = f"{purpose} {seed} ".encode()
        ranks = [hashlib.blake2b(salt + digest.tobytes(), digest_size=16).digest()
                 for digest in self.digests]
        return np.argsort(np.array(ranks, "S16"), kind="stable")

    def _part(self, indices: np.ndarray) -> Dataset:
        indices = np.sort(indices)
        return dataclasses.replace(
            self, shards=self.shards[indices], places=self.places[indices],
            positions=self.positions[indices], digests=self.digests[indices],
            costs=self.costs[indices],
        )


def _cost(shard: Shard) -> float:
    """CPU seconds a game, of what the shard as a whole is said to have taken."""
    seconds = shard.provenance.get("cpu_seconds", 0.0)
    known = isinstance(seconds, int | float) and 0 <= seconds < 1e15
    return float(seconds) / max(len(shard.games), 1) if known else 0.0


def _digest(game: GameData) -> bytes:
    digest = hashlib.blake2b(game.actions.astype("<i8").tobytes(), digest_size=16)
    if game.start is not None:
        digest.update(game.start.cells + bytes([game.start.player]))
    return digest.digest()


def _bytes(game: GameData) -> int:
    arrays = (value for value in vars(game).values() if isinstance(value, np.ndarray))
    return sum(array.nbytes for array in arrays)


def _warn(text: str) -> None:
    print(f"warning: {text}", file=sys.stderr, flush=True)
