"""A folder of shards as one data set: open it, split it, take a part of it.

    data = Dataset.open("out/data/go9")
    train, test = data.split(test=0.1)
    for batch in batches(train, encoder, BatchOptions(256), seed=1, epoch=0): ...

`split` splits by games. The positions of one game differ by a stone or two, so a split by positions
would test on training data (chapter 7). For the same reason, games with equal moves stay together.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dlgo.api import GameSpec
from dlgo.digests import hex_digest
from dlgo.errors import DataError, ForeignFileError
from dlgo.text import number_of
from engines.learning.data.records import GameData
from engines.learning.data.shards import PATTERN, Shard, read_shard


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """All games of a folder, or some of them, in memory (docs/data.md: memory use).

    Attributes:
        folder: the folder of the games. paths: its shards, including skipped ones.
        skipped: a line for each skipped shard.
        shards: int64[n_games], the shard of each game, an index into `paths`.
        places: int64[n_games], the number of each game in its shard.
        costs: float64[n_games], CPU seconds that each game took to make, if its shard has them.
    """

    folder: Path
    game: GameSpec
    paths: Sequence[Path]
    skipped: tuple[str, ...]
    shards: np.ndarray
    places: np.ndarray
    costs: np.ndarray
    _games: Sequence[GameData]
    _read: Mapping[Path, Shard]

    @classmethod
    def open(
        cls, folder: str | Path, report: Callable[[str], None] | None = None,
        paths: Sequence[Path] | None = None, earlier: Dataset | None = None,
    ) -> Dataset:
        """Open all shards of a folder; each is read once and checked.

        Args:
            report: called with a line for each skipped file (truncated, altered, or of another
                game than the first); by default the line goes to standard error.
            paths: read only these files of the folder.
            earlier: a data set of the same folder; files that it has read are not read again.

        Raises DataError if the folder is not there or holds no readable shard, FileError for a
        shard that the system does not give, or that another version of dlgo wrote.
        """
        folder = Path(folder)
        if not folder.is_dir():
            raise DataError(f"{folder}: no such folder of training data; `dlgo generate` makes one")
        paths = sorted(folder.glob(PATTERN)) if paths is None else list(paths)
        shards_read = {} if earlier is None else earlier._read
        read: dict[Path, Shard] = {}
        skipped: list[str] = []
        game: GameSpec | None = None
        for path in paths:
            try:
                shard = shards_read.get(path) or read_shard(path)
                if game is not None and shard.game != game:
                    raise DataError(f"{path}: holds games of {shard.game}, not of {game}")
                game, read[path] = shard.game, shard
            except (DataError, ForeignFileError) as error:
                skipped.append(str(error))
                (report or _warn)(f"{error}; it is skipped")
        games = [data for shard in read.values() for data in shard.games]
        if game is None or not games:
            raise DataError(f"{folder}: holds no readable games ({PATTERN}); make some with "
                            "`dlgo generate`")
        sizes = [len(shard.games) for shard in read.values()]
        numbers = [number for number, path in enumerate(paths) if path in read]
        return cls(
            folder, game, paths, tuple(skipped),
            np.repeat(numbers, sizes),
            np.concatenate([np.arange(size) for size in sizes]),
            np.repeat([_cost(shard) for shard in read.values()], sizes), games, read,
        )

    def __repr__(self) -> str:
        return (f"<{number_of(self.n_games, 'game')} of {self.game} in {self.folder}, "
                f"{number_of(self.n_positions, 'position')}>")

    @property
    def n_games(self) -> int:
        """The number of games."""
        return len(self._games)

    @functools.cached_property
    def n_positions(self) -> int:
        """The number of positions to learn from."""
        return sum(game.n_positions for game in self._games)

    @property
    def cpu_seconds(self) -> float:
        """CPU seconds that these games took to make."""
        return float(self.costs.sum())

    @functools.cached_property
    def digests(self) -> np.ndarray:
        """bytes16[n_games]: games with equal starts and moves have equal digests."""
        return np.array([_digest(game) for game in self._games], "V16")

    @property
    def digest(self) -> str:
        """A digest of the games in their order."""
        return hex_digest(self.digests.tobytes(), 16)

    def split(self, test: float = 0.1, seed: int = 0) -> tuple[Dataset, Dataset]:
        """Split into (train, test) with disjoint games; `test` is the share of the test games.

        The split depends on the seed and the games, not on their order. Games with equal moves
        stay together, so the test part may be slightly larger. Raises DataError if a part would be
        empty.
        """
        if not 0 < test < 1:
            raise DataError(f"test={test} leaves one part empty; choose a share between 0 and 1")
        order = self._drawn("split", seed)
        test_games = max(1, round(test * self.n_games))
        # Equal games stand next to each other: the border must not fall between them.
        while test_games < self.n_games and (
            self.digests[order[test_games]] == self.digests[order[test_games - 1]]
        ):
            test_games += 1
        if test_games >= self.n_games:
            raise DataError(
                f"{self.folder}: {number_of(self.n_games, 'game')}: too few to hold some out; "
                "generate more games"
            )
        return self._part(order[test_games:]), self._part(order[:test_games])

    def subset(self, n_games: int, seed: int = 0) -> Dataset:
        """`n_games` games; a smaller subset is part of a larger one with the same seed. Raises
        DataError if there are fewer games."""
        if not 1 <= n_games <= self.n_games:
            raise DataError(f"{n_games} games is out of range: {self.folder} has 1 to "
                            f"{self.n_games}")
        return self._part(self._drawn("subset", seed)[:n_games])

    def check_positions(self) -> None:
        """Raises DataError if there is nothing to learn from."""
        if not self.n_positions:
            raise DataError(
                f"{self.folder}: {number_of(self.n_games, 'game')} without a position to learn "
                "from; use games with labelled moves, or more games"
            )

    def games(self, indices: np.ndarray | None = None) -> list[GameData]:
        """The games with these indices; by default all."""
        numbers = range(self.n_games) if indices is None else indices.tolist()
        return [self._games[i] for i in numbers]

    def source(self, index: int) -> str:
        """The file and number of a game, for messages."""
        return f"{self.paths[self.shards[index]]}, game {self.places[index]}"

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
            costs=self.costs[indices], _games=self.games(indices),
        )


def _cost(shard: Shard) -> float:
    """CPU seconds per game, from the total of the shard."""
    seconds = shard.provenance.get("cpu_seconds", 0.0)
    is_number = isinstance(seconds, int | float) and 0 <= seconds < 1e15
    return float(seconds) / max(len(shard.games), 1) if is_number else 0.0


def _digest(game: GameData) -> bytes:
    digest = hashlib.blake2b(game.actions.astype("<i8").tobytes(), digest_size=16)
    if game.start is not None:
        digest.update(game.start.cells + bytes([game.start.player]))
    return digest.digest()


def _warn(text: str) -> None:
    print(f"warning: {text}", file=sys.stderr, flush=True)
