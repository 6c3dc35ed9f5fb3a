"""A folder of shards as one collection of games: opened, split, cut down.

    data = Dataset.open("out/data/go9")
    train, test = data.split(test=0.1)
    for batch in batches(train, encoder, 256, seed=1, epoch=0): ...

A split is by games. The positions of one game differ by a stone or two, so that a split by
positions tests on what has been trained on (chapter 7 shows it); for the same reason
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
from typing import NamedTuple

import numpy as np

from dlgo.api import GameSpec
from dlgo.errors import DataError
from engines.learning.data.records import GameData
from engines.learning.data.shards import PATTERN, Shard, read_shard

# Bytes of games kept in memory; more are read again when they are needed.
_CACHE_BYTES = 512 * 2**20


class _Contents(NamedTuple):
    """What is in a shard: its game, what `Dataset` knows of each of its games, bytes in memory."""

    game: GameSpec
    positions: np.ndarray
    digests: np.ndarray
    costs: np.ndarray
    size: int


class _Shelf:
    """Shards that have been read, the games of those used last in memory."""

    def __init__(self) -> None:
        self._contents: dict[Path, _Contents] = {}
        self._kept: OrderedDict[Path, list[GameData]] = OrderedDict()

    def part(self, paths: Sequence[Path]) -> _Shelf:
        """A shelf with those of these files that have been read."""
        part = _Shelf()
        part._contents = {path: self._contents[path] for path in paths if path in self._contents}
        part._kept = OrderedDict(
            (path, games) for path, games in self._kept.items() if path in part._contents)
        return part

    def contents(self, path: Path) -> _Contents:
        """What is in a shard; it is read and checked once. Raises DataError if it is not one."""
        if path not in self._contents:
            shard = read_shard(path)
            games = shard.games
            self._contents[path] = _Contents(
                shard.game, np.array([game.n_positions for game in games], np.int64),
                np.array([_digest(game) for game in games], "V16"),
                np.full(len(games), _cost(shard)), sum(map(_bytes, games)),
            )
            self._keep(path, games)
        return self._contents[path]

    def games(self, path: Path) -> list[GameData]:
        """The games of a shard. Raises DataError if it has gone bad since it was read."""
        if path in self._kept:
            self._kept.move_to_end(path)
        else:
            self._keep(path, read_shard(path, verify=False).games)
        return self._kept[path]

    def _keep(self, path: Path, games: list[GameData]) -> None:
        """Remember a shard's games, forget those used least lately."""
        self._kept[path] = games
        while len(self._kept) > 1 and (
            sum(self._contents[kept].size for kept in self._kept) > _CACHE_BYTES
        ):
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
    _paths: Sequence[Path] = dataclasses.field(repr=False)
    _shelf: _Shelf = dataclasses.field(repr=False)

    @classmethod
    def open(
        cls, folder: str | Path, report: Callable[[str], None] | None = None,
        paths: Sequence[Path] | None = None, earlier: Dataset | None = None,
    ) -> Dataset:
        """Open all shards of a folder; each is read once and checked.

        Args:
            report: told about every file that is left out: one cut off, altered, or of
                another game than the first; by default a line on standard error.
            paths: only these files of the folder.
            earlier: a data set of the same folder; what it has read is not read again.

        Raises:
            DataError: if the folder is not there or holds no readable shard.
        """
        folder = Path(folder)
        if not folder.is_dir():
            raise DataError(f"{folder}: no such folder of training data; `dlgo generate` makes one")
        paths = sorted(folder.glob(PATTERN)) if paths is None else list(paths)
        shelf = _Shelf() if earlier is None else earlier._shelf.part(paths)
        skipped: list[str] = []
        read: dict[int, _Contents] = {}
        game: GameSpec | None = None
        for number, path in enumerate(paths):
            try:
                contents = shelf.contents(path)
                if game is not None and contents.game != game:
                    raise DataError(f"{path}: holds games of {contents.game}, not of {game}")
            except DataError as error:
                skipped.append(str(error))
                (report or _warn)(f"{error}; it is skipped")
                continue
            game, read[number] = contents.game, contents
        sizes = [len(contents.costs) for contents in read.values()]
        if game is None or not sum(sizes):
            raise DataError(f"{folder}: holds no readable games ({PATTERN}); see dlgo generate")
        shards = np.repeat(list(read), sizes)
        places = np.concatenate([np.arange(size) for size in sizes])
        positions, digests, costs = (
            np.concatenate([getattr(contents, name) for contents in read.values()])
            for name in ("positions", "digests", "costs")
        )
        return cls(folder, game, tuple(skipped), shards, places, positions, digests, costs,
                   paths, shelf)

    def __repr__(self) -> str:
        return (f"<{self.n_games:,} games of {self.game} in {self.folder}, "
                f"{self.n_positions:,} positions>")

    @property
    def n_games(self) -> int:
        """How many games."""
        return len(self.shards)

    @property
    def n_shards(self) -> int:
        """How many files, those that are skipped included."""
        return len(self._paths)

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
            DataError: if there are fewer games.
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
        return [self._shelf.games(self._paths[self.shards[i]])[self.places[i]] for i in chosen]

    def shard_bytes(self, number: int) -> int:
        """About how much memory a shard's games take."""
        return self._shelf.contents(self._paths[number]).size

    def source(self, index: int) -> str:
        """Where a game stands, for messages."""
        return f"{self._paths[self.shards[index]]}, game {self.places[index]}"

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
