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
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from dlgo.api import GameSpec
from dlgo.files import make_folder
from dlgo.rng import derive_seed
from engines.learning.data.records import LABELLED, NO_RESULT, NO_VALUE, GameData
from engines.learning.data.shards import shard_path, write_shard
from engines.learning.networks.leaf_evaluator import encoder_of
from engines.learning.networks.runtimes import NetworkRuntime, fastest_kind, load_runtime
from engines.learning.selfplay.policy_games import RANDOM, PolicyGames, Schedule, Side

# Games of a shard: at most so much work is lost when a process is killed.
SHARD_GAMES = 2048
_ROWS = 512


class RuntimeScorer:
    """A model as a `Scorer` of positions, without Keras."""

    def __init__(self, runtime: NetworkRuntime) -> None:
        self._runtime = runtime

    def score(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self._runtime.evaluate(planes)["policy"], np.zeros(len(planes), np.float32)


def make_value_games(
    folder: Path, game: GameSpec, supervised: str, reinforced: str, games: int, seed: int = 1,
    last_ply: int | None = None, whole: bool = False,
    progress: Callable[[int, int], None] = lambda done, of: None,
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

    Returns:
        The folder.

    Raises:
        ModelError: if a model is not there, or not for the game.
        DataError: if a shard cannot be written.
    """
    make_folder(folder)
    missing = [n for n in range(-(-games // SHARD_GAMES)) if not shard_path(folder, n).exists()]
    if not missing:
        return folder
    sides = [_side(supervised, game), RANDOM, _side(reinforced, game)]
    player = PolicyGames(game, min(_ROWS, games))
    last_ply = last_ply or game.board_rows * game.board_cols
    for number in missing:
        start = time.process_time()
        first = number * SHARD_GAMES
        count = min(SHARD_GAMES, games - first)
        rng = np.random.default_rng(derive_seed(seed, "value position", number))
        plies = rng.integers(1, last_ply + 1, count)
        relay = np.stack([np.zeros_like(plies), plies - 1, plies], axis=1)
        played = player.play(
            sides, Schedule.relayed(relay, derive_seed(seed, "value games", number)),
            lambda done, _, first=first: progress(first + done, games),
        )
        ends = np.cumsum(played.plies)
        kept = [
            _game(played.actions[end - n:end], int(ply), int(result), whole)
            for end, n, ply, result in zip(ends, played.plies, plies, played.results, strict=True)
            if n > ply and result != NO_RESULT
        ]
        write_shard(shard_path(folder, number), game, kept, {
            "maker": "dlgo train alphago", "supervised": Path(supervised).name,
            "reinforced": Path(reinforced).name, "seed": seed, "shard": number, "played": count,
            "cpu_seconds": round(time.process_time() - start, 3),
        })
    return folder


def _side(model: str, game: GameSpec) -> Side:
    """A policy that draws its moves."""
    runtime = load_runtime(model, fastest_kind(model, _ROWS))
    return Side(RuntimeScorer(runtime), encoder_of(runtime.card, game))


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
