"""Shards: files of some games each, with a checksum and where they come from.

docs/data.md lists the arrays of a shard. Nothing in it is pickled, and reading it runs no code from
it. A truncated or altered shard, or another file, is refused with one line that names it.
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
from dlgo.files import write_file
from dlgo.games import recorded_game
from engines.learning.data import checked_arrays
from engines.learning.data.records import EXACT, FULL_SEARCH, LABELLED, SECOND, GameData, Start

FORMAT = "dlgo games 1"
PATTERN = "games-*.npz"
# Arrays with an element a ply: what `GameData` calls them.
_OF_PLIES = {"action": "actions", "chosen": "chosen", "flags": "flags", "value": "values",
             "policy_count": "counts"}
_ARRAYS = ("game_plies", "result", "start", "start_cells", "start_player", *_OF_PLIES,
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
    arrays = _columns(game, games)
    content, file = checked_arrays.digest_of(arrays), io.BytesIO()
    checked_arrays.save_arrays(file, {
        "format": FORMAT, "game": game.versioned, "content": content,
        "provenance": dict(provenance),
    }, arrays)
    return file.getvalue(), content


def write_shard(
    path: Path, game: GameSpec, games: Sequence[GameData], provenance: Mapping[str, Any]
) -> Path:
    """Write a shard, whole or not at all. Raises DataError with the file and the reason."""
    return write_file(path, shard_bytes(game, games, provenance)[0], error=DataError)


def read_shard(path: Path, verify: bool = True) -> Shard:
    """The games of a shard; `verify` compares its checksum.

    Raises DataError with the file and the fault.
    """
    with checked_arrays.refusing(path, "shard"):
        header, arrays = checked_arrays.read_arrays(path, FORMAT, _ARRAYS, verify)
        game = recorded_game(header["game"])
        return Shard(path, game, _games(game, arrays), header["provenance"], header["content"])


def existing_shard(folder: Path, number: int, log: Callable[[str], None]) -> Shard | None:
    """The shard of that number; None if it is missing or broken and has to be made."""
    path = shard_path(folder, number)
    if not path.exists():
        return None
    try:
        return read_shard(path)
    except DataError as error:
        log(f"{error}; it is made again")
        return None


def _small(numbers: np.ndarray, highest: int) -> np.ndarray:
    """Unsigned numbers in as few bytes as the highest possible one takes."""
    return numbers.astype(np.min_scalar_type(max(highest, 0)))


def _columns(game: GameSpec, games: Sequence[GameData]) -> dict[str, np.ndarray]:
    def joined(name: str) -> np.ndarray:
        parts = [getattr(data, name) for data in games]
        return np.concatenate(parts).astype(np.int64) if parts else np.empty(0, np.int64)

    starts = list(dict.fromkeys(data.start for data in games if data.start is not None))
    number_of: dict[Start | None, int] = {start: number for number, start in enumerate(starts)}
    number_of[None] = -1
    cells = [np.frombuffer(start.cells, np.uint8) for start in starts]
    counts, policy_actions = joined("counts"), joined("policy_actions")
    # Differences, because most of them are 1: they take half the room on disk.
    steps = np.diff(policy_actions, prepend=0)
    firsts = (np.cumsum(counts) - counts)[counts > 0]
    steps[firsts] = policy_actions[firsts]
    highest = game.num_actions - 1
    return {
        "game_plies": np.array([len(data.actions) for data in games], np.int32),
        "result": np.array([data.result for data in games], np.int8),
        "start": np.array([number_of[data.start] for data in games], np.int32),
        "start_cells": np.array(cells, np.uint8).reshape(len(starts), -1 if cells else 0),
        "start_player": np.array([start.player for start in starts], np.int8),
        "action": _small(joined("actions"), highest), "chosen": _small(joined("chosen"), highest),
        "flags": joined("flags").astype(np.uint8), "value": joined("values").astype(np.int8),
        "policy_count": _small(counts, game.num_actions), "policy_step": _small(steps, highest),
        "policy_share": joined("policy_shares").astype(np.uint8),
    }


def _games(game: GameSpec, arrays: Mapping[str, np.ndarray]) -> list[GameData]:
    """Cut the arrays into games. Raises ValueError where they contradict each other."""
    lengths, counts = (arrays[name].astype(np.int64) for name in ("game_plies", "policy_count"))
    checked_arrays.check_range("game_plies", lengths, (0, np.inf), "a negative length")
    n_starts, entries = len(arrays["start_player"]), int(counts.sum())
    checked_arrays.check_arrays(arrays, {
        "game_plies": len(lengths), "result": len(lengths), "start": len(lengths),
        "policy_step": entries, "policy_share": entries,
        **dict.fromkeys(_OF_PLIES, int(lengths.sum())),
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
    for name, numbers in (("action", arrays["action"]), ("chosen", arrays["chosen"]),
                          ("policy_step", policy_actions)):
        checked_arrays.check_range(name, numbers, *checked_arrays.actions_of(game))
    starts = [
        Start(row.astype(np.uint8).tobytes(), player)
        for row, player in zip(cells, arrays["start_player"].tolist(), strict=True)
    ]
    columns = {field: arrays[name] for name, field in _OF_PLIES.items()}
    columns["flags"] = columns["flags"] & np.uint8(LABELLED | FULL_SEARCH | SECOND | EXACT)
    policy_actions = _small(policy_actions, game.num_actions - 1)
    ends = np.cumsum(lengths)
    policy_ends = np.concatenate([[0], np.cumsum(counts)])
    games = []
    for first, end, result, start in zip(
        (ends - lengths).tolist(), ends.tolist(), arrays["result"].tolist(),
        arrays["start"].tolist(), strict=True,
    ):
        span = slice(policy_ends[first], policy_ends[end])
        games.append(GameData(
            **{field: column[first:end] for field, column in columns.items()},
            policy_actions=policy_actions[span], policy_shares=arrays["policy_share"][span],
            result=result, start=starts[start] if start >= 0 else None,
        ))
    return games
