"""Games made for tests."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dlgo import GameSpec, get_game
from engines.learning.data import Dataset, GameBuilder, GameData, shard_path, write_shard


class ShardWriter:
    """Writes the games that are added in its `with` block as shards of a folder."""

    def __init__(
        self, folder: Path, game: GameSpec, provenance: dict[str, Any], shard_games: int = 64
    ) -> None:
        self._folder, self._game, self._provenance = Path(folder), game, provenance
        self._size, self._games = shard_games, []
        self.add = self._games.append

    def __enter__(self) -> ShardWriter:
        return self

    def __exit__(self, *error: object) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        for number, first in enumerate(range(0, len(self._games), self._size)):
            write_shard(shard_path(self._folder, number), self._game,
                        self._games[first : first + self._size], self._provenance)


def dataset(
    folder: Path, game: GameSpec, games: Iterable[GameData], shard_games: int = 64, **about: Any
) -> Dataset:
    """These games as a data set; `about` is its provenance."""
    with ShardWriter(folder, game, about, shard_games) as writer:
        for one in games:
            writer.add(one)
    return Dataset.open(folder)


def game_of(game: GameSpec, *actions: int, result: int = 0) -> GameData:
    """A game of these actions, all to be learned."""
    builder = GameBuilder(game)
    for action in actions:
        builder.add(action)
    return builder.finish(result)


def write_unlabelled(folder: Path) -> Path:
    """Nine games of tic-tac-toe in which no position teaches anything."""
    game = get_game("tictactoe")
    with ShardWriter(folder, game, {}) as writer:
        for first in range(9):
            builder = GameBuilder(game)
            builder.skip(first)
            writer.add(builder.finish(0))
    return folder
