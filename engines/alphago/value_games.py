"""Games for the value network: one position of each (Silver et al. 2016, Methods).

Positions of one game differ by a stone and share a result. A network that learns from whole games
can memorise the results of games, which says little about other games. So each game gives one
position. A random move before it makes positions that no policy would choose:

    plies 1 .. U - 1     by the supervised policy: a variety of openings
    ply U                a random move; U itself is random
    plies U + 1 ..       by the reinforced policy, to the end

The target is the result of the position after ply U for the player to move, when the reinforced
policy plays both sides.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dlgo.api import GameSpec
from dlgo.errors import DataError
from dlgo.files import make_folder, write_file
from dlgo.games import get_game
from dlgo.rng import derive_seed
from engines.jobs import Amount, Executor, Inline, Task
from engines.learning.data.records import LABELLED, NO_RESULT, NO_VALUE, GameData
from engines.learning.data.shards import existing_shard, shard_bytes, shard_path
from engines.learning.networks.runtimes import fastest_kind
from engines.learning.networks.store import load_card
from engines.learning.selfplay.policy_games import RANDOM, network_side, play_steps
from engines.learning.selfplay.schedule import Schedule

# Games in a shard; when a process is killed, at most this much work is lost.
SHARD_GAMES = 2048
_ROWS = 512  # games that are played at once


@dataclass(frozen=True)
class PlayedShard:
    """A shard's games."""

    shard: bytes  # the content of its file
    digest: str  # of the games alone: equal games, equal digest


def make_value_games(
    folder: Path, game: GameSpec, models: tuple[str, str], games: int, seed: int = 1,
    progress: Callable[[int, int], None] = lambda done, of: None, jobs: Executor | None = None,
    log: Callable[[str], None] = print,
) -> Path:
    """Play the missing games, as shards of training data; returns the folder.

    Args:
        models: the supervised and the reinforced one, by name or folder, with the head "policy".
        games: number of games to play. Games that end before their position is reached are left
            out.
        seed: game k depends on the seed, on k and on the models.
        progress: called with the number of games played and their total.
        jobs: workers that play a shard each; by default this process. Closed at the end.
        log: called with a line for each damaged shard, which is played again.

    Raises ModelError if a model is missing or for another game; DataError if a shard cannot be
    written.
    """
    make_folder(folder)
    with jobs or Inline() as jobs:
        missing = {
            n: min(SHARD_GAMES, games - n * SHARD_GAMES)
            for n in range(-(-games // SHARD_GAMES)) if existing_shard(folder, n, log) is None
        }
        if not missing:
            return folder
        # Chosen here for all workers: another runtime may be the fastest on other machines.
        kinds = tuple(fastest_kind(model, _ROWS) for model in models)
        needs = tuple(load_card(model)[0] for model in models)
        rows, names = min(_ROWS, games), tuple(Path(model).name for model in models)
        tasks = [
            Task(f"value games {number}", play_shard,
                 (ShardRecipe(str(game), number, count, seed, rows, kinds, names),), needs)
            for number, count in missing.items()
        ]
        stored_games = games - sum(missing.values())
        outcomes = jobs.run(tasks, lambda done: progress(stored_games + done.items, games))
        with closing(outcomes):
            for outcome in outcomes:
                number = outcome.task.arguments[0].number
                write_file(shard_path(folder, number), outcome.value.shard, error=DataError)
    return folder


class ShardRecipe(NamedTuple):
    """How a shard's games are played."""

    game: str
    number: int  # of the shard
    games: int
    seed: int
    rows: int  # games that are played at once
    kinds: tuple[str, ...]  # the runtimes of the two networks
    names: tuple[str, ...]  # the names of the two networks in the record


def play_shard(
    recipe: ShardRecipe, supervised: Path, reinforced: Path
) -> Generator[Amount, None, PlayedShard]:
    """Play the games of a shard with the models in the folders `supervised` and `reinforced`."""
    start, game = time.process_time(), get_game(recipe.game)
    seed, number, games = recipe.seed, recipe.number, recipe.games
    first, second = (
        network_side(str(model), game, kind)
        for model, kind in zip((supervised, reinforced), recipe.kinds, strict=True)
    )
    rng = np.random.default_rng(derive_seed(seed, "value position", number))
    plies = rng.integers(1, game.board_rows * game.board_cols + 1, games)
    handovers = np.stack([np.zeros_like(plies), plies - 1, plies], axis=1)
    schedule = Schedule.with_handovers(handovers, derive_seed(seed, "value games", number))
    data = yield from play_steps(game, [first, RANDOM, second], schedule, recipe.rows)
    ends = np.cumsum(data.plies)
    shard_games = [
        _game(data.actions[end - n:end], int(ply), int(result))
        for end, n, ply, result in zip(ends, data.plies, plies, data.results, strict=True)
        if n > ply and result != NO_RESULT
    ]
    return PlayedShard(*shard_bytes(game, shard_games, {
        "maker": "dlgo train alphago", "supervised": recipe.names[0],
        "reinforced": recipe.names[1],
        "seed": seed, "shard": number, "played": games,
        "cpu_seconds": round(time.process_time() - start, 3),
    }))


def _game(actions: np.ndarray, ply: int, result: int) -> GameData:
    n = len(actions)
    flags = np.zeros(n, np.uint8)
    flags[ply] = LABELLED
    return GameData(
        actions=actions, chosen=actions, flags=flags, values=np.full(n, NO_VALUE, np.int8),
        counts=np.zeros(n, np.int64), result=result, policy_actions=np.empty(0, np.int64),
        policy_shares=np.empty(0, np.uint8),
    )
