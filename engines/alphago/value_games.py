"""Games for the value network: one position of each (Silver et al. 2016, Methods).

Positions of one game differ by a stone and share a result. A network that learns from whole games
can recognise the game and remember its result, which says little about other games. So each game
gives one position, and a random move before it makes positions that no policy would choose:

    plies 1 .. U - 1     by the supervised policy: a variety of openings
    ply U                a random move; U itself is random
    plies U + 1 ..       by the reinforced policy, to the end

What is learned is the result of the position after ply U, for the player to move: how the
reinforced policy, playing itself, ends from there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dlgo.api import GameSpec
from dlgo.errors import DataError
from dlgo.files import make_folder, write_file
from dlgo.games import get_game
from dlgo.rng import derive_seed
from engines.jobs import Amount, Inline, Jobs, Portion
from engines.learning.data.records import LABELLED, NO_RESULT, NO_VALUE, GameData
from engines.learning.data.shards import shard_bytes, shard_path
from engines.learning.networks.runtimes import fastest_kind
from engines.learning.networks.store import load_card
from engines.learning.selfplay.policy_games import RANDOM, PolicyGames, network_side
from engines.learning.selfplay.schedule import Schedule

# Games of a shard: at most so much work is lost when a process is killed.
SHARD_GAMES = 2048
_ROWS = 512


@dataclass(frozen=True)
class ShardJob:
    """The games of a shard.

    Attributes:
        game: its canonical specification. number: of the shard. games: to be played.
        seed, last_ply, whole: see `make_value_games`.
        rows: how many are played at once.
        kinds: what runs the two networks.
        names: of the two networks, for the record.
    """

    game: str
    number: int
    games: int
    seed: int
    last_ply: int
    whole: bool
    rows: int
    kinds: tuple[str, str]
    names: tuple[str, str]


@dataclass(frozen=True)
class PlayedShard:
    """A shard's games.

    Attributes:
        shard: what belongs into its file.
        digest: of the games alone: equal games, equal digest.
    """

    shard: bytes
    digest: str


def make_value_games(
    folder: Path, game: GameSpec, supervised: str, reinforced: str, games: int, seed: int = 1,
    last_ply: int | None = None, whole: bool = False,
    progress: Callable[[int, int], None] = lambda done, of: None, jobs: Jobs | None = None,
) -> Path:
    """Play the games that are not there yet, as shards of training data.

    Args:
        folder: of the shards; made if it is not there.
        supervised, reinforced: models, by name or folder, with the head "policy".
        games: to be played. Those that end before their position is reached are left out.
        seed: game k depends on it, on k and on the models.
        last_ply: U is drawn from 1 to this; by default the cells of the board.
        whole: label all positions after ply U, for comparison.
        progress: called with the number of games played, and of how many.
        jobs: who plays, a shard at a time; by default this process. It is closed at the end.

    Returns:
        The folder.

    Raises:
        ModelError: if a model is not there, or not for the game.
        DataError: if a shard cannot be written.
    """
    make_folder(folder)
    with jobs or Inline() as jobs:
        missing = [
            n for n in range(-(-games // SHARD_GAMES)) if not shard_path(folder, n).exists()
        ]
        if not missing:
            return folder
        models = supervised, reinforced
        # Found out here, once: other machines may find another one the fastest.
        first, second = (fastest_kind(model, _ROWS) for model in models)
        portions = {}
        for number in missing:
            job = ShardJob(
                str(game), number, min(SHARD_GAMES, games - number * SHARD_GAMES), seed,
                last_ply or game.board_rows * game.board_cols, whole, min(_ROWS, games),
                (first, second), (Path(supervised).name, Path(reinforced).name),
            )
            needs = tuple(load_card(model)[0] for model in models)
            portions[f"value games {number}"] = Portion(
                f"value games {number}", play_shard, (job,), needs)
        there = games - sum(portion.arguments[0].games for portion in portions.values())
        outcomes = jobs.run(portions.values(), lambda done: progress(there + done.items, games))
        with closing(outcomes):
            for outcome in outcomes:
                number = outcome.portion.arguments[0].number
                write_file(shard_path(folder, number), outcome.value.shard, error=DataError)
    return folder


def play_shard(
    job: ShardJob, supervised: Path, reinforced: Path
) -> Generator[Amount, None, PlayedShard]:
    """Play the games of a shard.

    Args:
        supervised, reinforced: folders of the models.
    """
    start, game = time.process_time(), get_game(job.game)
    first, second = (
        network_side(str(model), game, kind)
        for model, kind in zip((supervised, reinforced), job.kinds, strict=True)
    )
    rng = np.random.default_rng(derive_seed(job.seed, "value position", job.number))
    plies = rng.integers(1, job.last_ply + 1, job.games)
    handovers = np.stack([np.zeros_like(plies), plies - 1, plies], axis=1)
    schedule = Schedule.with_handovers(handovers, derive_seed(job.seed, "value games", job.number))
    played = yield from PolicyGames(game, job.rows).steps([first, RANDOM, second], schedule)
    ends = np.cumsum(played.plies)
    kept = [
        _game(played.actions[end - n:end], int(ply), int(result), job.whole)
        for end, n, ply, result in zip(ends, played.plies, plies, played.results, strict=True)
        if n > ply and result != NO_RESULT
    ]
    return PlayedShard(*shard_bytes(game, kept, {
        "maker": "dlgo train alphago", "supervised": job.names[0], "reinforced": job.names[1],
        "seed": job.seed, "shard": job.number, "played": job.games,
        "cpu_seconds": round(time.process_time() - start, 3),
    }))


def _game(actions: np.ndarray, ply: int, result: int, whole: bool) -> GameData:
    n = len(actions)
    flags = np.zeros(n, np.uint8)
    flags[ply:n if whole else ply + 1] = LABELLED
    none: dict[str, Any] = {
        "policy_actions": np.empty(0, np.int64), "policy_shares": np.empty(0, np.uint8),
    }
    return GameData(
        actions=actions, chosen=actions, flags=flags, values=np.full(n, NO_VALUE, np.int8),
        counts=np.zeros(n, np.int64), result=result, **none,
    )
