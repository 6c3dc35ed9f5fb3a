"""Shards: files of some games each, with a checksum and where they come from.

A shard is a NumPy `.npz` file (docs/data.md lists its arrays). `write_shard` makes it whole
or not at all; `read_shard` refuses one that is cut off, altered or something else, with one
line that names it. Nothing in a shard is pickled, and reading one runs no code from it.

`ShardWriter` is for a stream of games.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from dlgo.api import GameSpec
from dlgo.errors import DataError
from dlgo.files import make_folder
from dlgo.games import recorded_game
from engines.learning.data.checked_arrays import (
    digest_of,
    read_arrays,
    refusing,
    save_arrays,
    write_arrays,
)
from engines.learning.data.records import EXACT, FULL_SEARCH, LABELLED, SECOND, GameData, Start

FORMAT = "dlgo games 1"
PATTERN = "games-*.npz"
_ARRAYS = (
    "game_plies", "result", "start", "start_cells", "start_player",
    "action", "chosen", "flags", "value", "policy_count", "policy_step", "policy_share",
)


@dataclass(frozen=True)
class Shard:
    """The games of a file.

    Attributes:
        path: the file.
        game: what is played.
        games: in the order of the file.
        provenance: what made them; see `write_shard`.
        content: digest of the games alone: equal games, equal digest, wherever and whenever
            they were made.
    """

    path: Path
    game: GameSpec
    games: list[GameData]
    provenance: dict[str, Any]
    content: str


def shard_path(folder: Path, number: int) -> Path:
    """The file of shard `number` of a folder."""
    return folder / f"games-{number:06d}.npz"


def write_shard(
    path: Path, game: GameSpec, games: Sequence[GameData], provenance: Mapping[str, Any]
) -> Path:
    """Write a shard under a temporary name, then rename it.

    Args:
        provenance: JSON values: engine, seed, code version, machine, date, CPU seconds, ...

    Raises:
        DataError: naming the file and why it cannot be written.
    """
    return write_arrays(path, *_file(game, games, provenance))


def shard_bytes(
    game: GameSpec, games: Sequence[GameData], provenance: Mapping[str, Any]
) -> tuple[bytes, str]:
    """What is in a shard's file, and the digest of its games (`Shard.content`).

    Args: see `write_shard`.
    """
    header, arrays = _file(game, games, provenance)
    file = io.BytesIO()
    save_arrays(file, header, arrays)
    return file.getvalue(), header["content"]


def _file(
    game: GameSpec, games: Sequence[GameData], provenance: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Header and arrays of a shard's file."""
    arrays = _arrays(game, games)
    return {
        "format": FORMAT, "game": game.versioned, "content": digest_of(arrays),
        "provenance": dict(provenance),
    }, arrays


def read_shard(path: Path, verify: bool = True) -> Shard:
    """The games of a shard.

    Args:
        verify: compare the checksum; a shard that has just been checked needs no second time.

    Raises:
        DataError: naming the file and what is wrong with it.
    """
    with refusing(path, "shard"):
        header, arrays = read_arrays(path, FORMAT, _ARRAYS, verify)
        game = recorded_game(header["game"])
        return Shard(path, game, _games(game, arrays), header["provenance"], header["content"])


def _small(numbers: np.ndarray, highest: int) -> np.ndarray:
    """Unsigned numbers in as few bytes as the highest possible one takes."""
    return numbers.astype(np.min_scalar_type(max(highest, 0)))


def _joined(parts: Sequence[np.ndarray], dtype: type) -> np.ndarray:
    return np.concatenate(parts).astype(dtype) if parts else np.empty(0, dtype)


def _arrays(game: GameSpec, games: Sequence[GameData]) -> dict[str, np.ndarray]:
    starts = list(dict.fromkeys(data.start for data in games if data.start is not None))
    number_of = {start: number for number, start in enumerate(starts)}
    counts = _joined([data.counts for data in games], np.int64)
    policy_actions = _joined([data.policy_actions for data in games], np.int64)
    # Differences, because most of them are 1: they take half the room on disk.
    steps = np.diff(policy_actions, prepend=0)
    firsts = (np.cumsum(counts) - counts)[counts > 0]
    steps[firsts] = policy_actions[firsts]
    cells = np.frombuffer(b"".join(start.cells for start in starts), np.uint8)
    return {
        "game_plies": np.array([len(data.actions) for data in games], np.int32),
        "result": np.array([data.result for data in games], np.int8),
        "start": np.array(
            [-1 if data.start is None else number_of[data.start] for data in games], np.int32
        ),
        "start_cells": cells.reshape(len(starts), -1) if starts else np.empty((0, 0), np.uint8),
        "start_player": np.array([start.player for start in starts], np.int8),
        "action": _small(_joined([data.actions for data in games], np.int64), game.num_actions - 1),
        "chosen": _small(_joined([data.chosen for data in games], np.int64), game.num_actions - 1),
        "flags": _joined([data.flags for data in games], np.uint8),
        "value": _joined([data.values for data in games], np.int8),
        "policy_count": _small(counts, game.num_actions),
        "policy_step": _small(steps, game.num_actions - 1),
        "policy_share": _joined([data.policy_shares for data in games], np.uint8),
    }


def _games(game: GameSpec, arrays: Mapping[str, np.ndarray]) -> list[GameData]:
    """Cut the arrays into games. Raises ValueError where they contradict each other."""
    lengths = arrays["game_plies"].astype(np.int64)
    counts = arrays["policy_count"].astype(np.int64)
    plies, n_starts = int(lengths.sum()), len(arrays["start_player"])
    shapes = {
        "result": (len(lengths),), "start": (len(lengths),), "action": (plies,),
        "chosen": (plies,), "flags": (plies,), "value": (plies,), "policy_count": (plies,),
        "policy_step": (int(counts.sum()),), "policy_share": (int(counts.sum()),),
        "start_cells": (n_starts, game.num_actions - 1 if n_starts else 0),
    }
    for name, shape in shapes.items():
        if arrays[name].shape != shape or arrays[name].dtype.kind not in "iu":
            raise ValueError(f"array {name} is {arrays[name].shape} instead of {shape}")
    if lengths.min(initial=0) < 0:
        raise ValueError("a game has a negative length")
    firsts = np.cumsum(counts) - counts
    steps = np.cumsum(arrays["policy_step"].astype(np.int64))
    before = np.concatenate([[0], steps])[firsts]
    policy_actions = steps - np.repeat(before, counts)
    for name, numbers in (
        ("action", arrays["action"]), ("chosen", arrays["chosen"]),
        ("policy_step", policy_actions),
    ):
        if numbers.size and not 0 <= numbers.min() <= numbers.max() < game.num_actions:
            raise ValueError(f"array {name} names an action that {game} does not have")
    if n_starts and (not hasattr(game, "position") or arrays["start_cells"].max(initial=0) > 2
                     or not set(arrays["start_player"].tolist()) <= {0, 1}):
        raise ValueError("a start position is not valid")
    if not np.all((arrays["start"] >= -1) & (arrays["start"] < n_starts)):
        raise ValueError("a game names a start position that is not there")
    policy_actions = _small(policy_actions, game.num_actions - 1)
    starts = [
        Start(cells.tobytes(), player)
        for cells, player in zip(
            arrays["start_cells"].astype(np.uint8), arrays["start_player"].tolist(), strict=True)
    ]
    games = []
    ply = entry = 0
    for i, length in enumerate(lengths.tolist()):
        span = slice(ply, ply + length)
        entries = int(counts[span].sum())
        policy = slice(entry, entry + entries)
        number = int(arrays["start"][i])
        games.append(GameData(
            actions=arrays["action"][span], chosen=arrays["chosen"][span],
            flags=arrays["flags"][span] & np.uint8(LABELLED | FULL_SEARCH | SECOND | EXACT),
            values=arrays["value"][span], counts=arrays["policy_count"][span],
            policy_actions=policy_actions[policy], policy_shares=arrays["policy_share"][policy],
            result=int(arrays["result"][i]), start=starts[number] if number >= 0 else None,
        ))
        ply, entry = ply + length, entry + entries
    return games


class ShardWriter:
    """Writes a stream of games into shards of a folder, after those that are there.

    Use it in a `with` block: the last, smaller shard is written at its end.

    Args:
        folder: made if it is not there.
        game: what is played.
        provenance: as in `write_shard`.
        shard_games: games a shard.
    """

    def __init__(
        self, folder: str | Path, game: GameSpec, provenance: Mapping[str, Any],
        shard_games: int = 64,
    ) -> None:
        self._folder = make_folder(Path(folder), error=DataError)
        self._game, self._provenance, self._shard_games = game, dict(provenance), shard_games
        self._games: list[GameData] = []
        taken = [int(path.stem[6:]) for path in self._folder.glob(PATTERN)
                 if path.stem[6:].isdecimal()]
        self._number = max(taken, default=-1) + 1

    def add(self, game: GameData) -> None:
        """Another game. Raises DataError if a shard is full and cannot be written."""
        self._games.append(game)
        if len(self._games) >= self._shard_games:
            self.flush()

    def flush(self) -> None:
        """Write what has been added since the last shard."""
        if self._games:
            path = shard_path(self._folder, self._number)
            write_shard(path, self._game, self._games, self._provenance)
            self._number += 1
            self._games = []

    def __enter__(self) -> ShardWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.flush()
