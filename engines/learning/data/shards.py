"""Shards: files of some games each, with a checksum and where they come from.

docs/data.md lists the arrays of a shard. Nothing in it is pickled, and reading it runs no code from
it. A truncated or altered shard, or another file, is rejected with one line that names it.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dlgo.api import GameSpec
from dlgo.errors import DataError
from dlgo.files import make_folder, write_file
from dlgo.games import recorded_game
from dlgo.readers import reading
from engines.learning.data import checked_arrays
from engines.learning.data.checked_arrays import check_arrays, smallest
from engines.learning.data.records import (
    COLUMNS,
    GameData,
    LabelledGames,
    Start,
    check_actions,
    check_columns,
)

FORMAT = "dlgo games 1"
PATTERN = "games-*.npz"
_ARRAYS = (*COLUMNS, "start", "start_cells", "start_player", "chosen", "value", "policy_count",
           "policy_step", "policy_share")


@dataclass(frozen=True)
class Shard:
    """The games of a file."""

    path: Path
    game: GameSpec
    games: list[GameData]
    provenance: dict[str, Any]  # how they were made; see `shard_bytes`
    # Digest of the games alone: equal games, equal digest, wherever and whenever they were made.
    content: str


def shard_path(folder: Path, number: int) -> Path:
    """The file of shard `number` of a folder."""
    return folder / f"games-{number:06d}.npz"


def shard_bytes(
    game: GameSpec, games: Sequence[GameData], provenance: Mapping[str, Any]
) -> tuple[bytes, str]:
    """The content of a shard's file, and the digest of its games (`Shard.content`). The provenance
    is JSON: engine, seed, code version, machine, date, CPU seconds, ..."""
    arrays = _arrays(LabelledGames.of(game, games))
    content, file = checked_arrays.digest_of(arrays), io.BytesIO()
    checked_arrays.save_arrays(file, {
        "format": FORMAT, "game": game.versioned, "content": content,
        "provenance": dict(provenance),
    }, arrays)
    return file.getvalue(), content


def write_shard(
    path: Path, game: GameSpec, games: Sequence[GameData], provenance: Mapping[str, Any]
) -> Path:
    """Write a shard, whole or not at all, into a folder that is made if need be. Raises DataError
    with the file and the reason."""
    make_folder(path.parent, error=DataError)
    return write_file(path, shard_bytes(game, games, provenance)[0], error=DataError)


def read_shard(path: Path, verify: bool = True) -> Shard:
    """The games of a shard; `verify` compares its checksum.

    Raises DataError, with the file and the fault, if it is damaged or missing; else FileError.
    """
    with reading(path, "shard", error=DataError, restore=""):
        header, arrays = checked_arrays.read_arrays(path, FORMAT, _ARRAYS, verify)
        games = _games(recorded_game(header["game"]), arrays)
        return Shard(path, games.game, list(games), header["provenance"], header["content"])


def existing_shard(folder: Path, number: int, log: Callable[[str], None]) -> Shard | None:
    """The shard of that number; None if it is missing or damaged and has to be made. Raises
    FileError if it may be good: then nothing may replace it."""
    path = shard_path(folder, number)
    if not path.exists():
        return None
    try:
        return read_shard(path)
    except DataError as error:
        log(f"{error}; it is made again")
        return None


def _arrays(games: LabelledGames) -> dict[str, np.ndarray]:
    """The arrays of a shard."""
    starts = list(dict.fromkeys(start for start in games.starts if start is not None))
    number_of: dict[Start | None, int] = {start: number for number, start in enumerate(starts)}
    number_of[None] = -1
    cells = [np.frombuffer(start.cells, np.uint8) for start in starts]
    counts, policy_actions = games.counts, games.policy_actions.astype(np.int64)
    # Differences, because most of them are 1: they take half the room on disk.
    steps = np.diff(policy_actions, prepend=0)
    firsts = (np.cumsum(counts) - counts)[counts > 0]
    steps[firsts] = policy_actions[firsts]
    highest = games.game.num_actions - 1
    return games.columns() | {
        "start": np.array([number_of[start] for start in games.starts], np.int32),
        "start_cells": np.array(cells, np.uint8).reshape(len(starts), -1 if cells else 0),
        "start_player": np.array([start.player for start in starts], np.int8),
        "chosen": smallest(games.chosen, highest), "value": games.values.astype(np.int8),
        "policy_count": smallest(counts, highest + 1), "policy_step": smallest(steps, highest),
        "policy_share": games.policy_shares.astype(np.uint8),
    }


def _games(game: GameSpec, arrays: Mapping[str, np.ndarray]) -> LabelledGames:
    """The games in a shard's arrays. Raises ValueError where they contradict each other."""
    check_columns(game, arrays)
    plies, counts = len(arrays["action"]), arrays["policy_count"].astype(np.int64)
    n_starts, entries = len(arrays["start_player"]), int(counts.sum())
    check_arrays(arrays, {
        "start": len(arrays["result"]), "chosen": plies, "value": plies, "policy_count": plies,
        "policy_step": entries, "policy_share": entries,
    })
    cells = arrays["start_cells"]
    if n_starts and not (
        hasattr(game, "position") and cells.shape == (n_starts, game.num_actions - 1)
        and cells.max() <= 2 and set(arrays["start_player"].tolist()) <= {0, 1}
    ):
        raise ValueError("a start position is not valid")
    if not np.all((arrays["start"] >= -1) & (arrays["start"] < n_starts)):
        raise ValueError("a game names a start position that is not there")
    steps = np.cumsum(arrays["policy_step"].astype(np.int64))
    offsets = np.concatenate([[0], steps])[np.cumsum(counts) - counts]
    policy_actions = steps - np.repeat(offsets, counts)
    check_actions(game, "chosen", arrays["chosen"])
    check_actions(game, "policy_step", policy_actions)
    starts: list[Start | None] = [
        Start(row.astype(np.uint8).tobytes(), player)
        for row, player in zip(cells, arrays["start_player"].tolist(), strict=True)
    ]
    starts.append(None)  # of number -1
    return LabelledGames(
        game, arrays["game_plies"], arrays["result"], arrays["action"], arrays["flags"],
        arrays["chosen"], arrays["value"], counts,
        smallest(policy_actions, game.num_actions - 1), arrays["policy_share"],
        starts=[starts[number] for number in arrays["start"].tolist()],
    )
