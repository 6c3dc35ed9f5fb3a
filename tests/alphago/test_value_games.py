"""Games with handovers: who plays when, and which position is learned from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dlgo import get_game
from dlgo.encoders import get_encoder
from engines.alphago import value_games
from engines.alphago.bundle import find_bundle
from engines.alphago.value_games import make_value_games
from engines.jobs import Processes
from engines.learning.data import Dataset
from engines.learning.data.records import LABELLED
from engines.learning.data.shards import read_shard
from engines.learning.selfplay.policy_games import Side, play
from engines.learning.selfplay.schedule import Schedule

GAME = get_game("connect4")
ENCODER = get_encoder("planes", GAME)


class Column:
    """Always wants the same column."""

    def __init__(self, column: int) -> None:
        self._column = column

    def __call__(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        scores = np.zeros((len(planes), GAME.num_actions), np.float32)
        scores[:, self._column] = 50.0
        return scores, np.zeros(len(planes), np.float32)


def test_sides_take_over_from_one_another() -> None:
    sides = [Side(Column(0), ENCODER), Side(Column(3), ENCODER), Side(Column(6), ENCODER)]
    handovers = np.array([[0, 2, 3], [0, 0, 5], [0, 4, 4]])
    played = play(GAME, sides, Schedule.with_handovers(handovers, seed=1), 2)
    starts = np.cumsum(played.plies) - played.plies
    for row, start in zip(handovers, starts.tolist(), strict=True):
        for ply in range(6):
            wanted = (0, 3, 6)[max(k for k in range(3) if row[k] <= ply)]
            assert played.actions[start + ply] == wanted, (row, ply)


@pytest.fixture(autouse=True)
def one_runtime(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is fastest changes with the load of the machine, and each rounds in its own way."""
    monkeypatch.setattr(value_games, "fastest_kind", lambda model, rows: "onnx")


@pytest.fixture(scope="module")
def bundle() -> tuple[str, str]:
    parts = find_bundle("tictactoe-alphago", get_game("tictactoe"))
    return parts.network("supervised"), parts.network("reinforced")


def test_each_game_gives_one_position_after_its_random_ply(
    bundle: tuple[str, str], tmp_path: Path
) -> None:
    games = Dataset.open(make_value_games(tmp_path, get_game("tictactoe"), bundle, 300, seed=5))
    assert 100 < games.n_games == games.n_positions < 300
    plies = []
    for data in games.games():
        [ply] = np.flatnonzero(data.flags & LABELLED)
        plies.append(int(ply))
    assert min(plies) == 1 and max(plies) >= 7, "U is 1 at least"


def test_the_same_seed_makes_the_same_games_and_what_is_there_stays(
    bundle: tuple[str, str], tmp_path: Path
) -> None:
    game = get_game("tictactoe")
    digests = [
        Dataset.open(make_value_games(tmp_path / name, game, bundle, 120, seed=seed)).digest
        for name, seed in (("a", 1), ("b", 1), ("c", 2))
    ]
    assert digests[0] == digests[1] != digests[2]
    [shard] = (tmp_path / "a").glob("*.npz")
    before = shard.stat().st_mtime_ns
    make_value_games(tmp_path / "a", game, bundle, 120, seed=1)
    assert shard.stat().st_mtime_ns == before


def test_a_damaged_shard_is_played_again(bundle: tuple[str, str], tmp_path: Path) -> None:
    game, said = get_game("tictactoe"), []
    make_value_games(tmp_path, game, bundle, 120, seed=1)
    [shard] = tmp_path.glob("*.npz")
    digest = read_shard(shard).content
    shard.write_bytes(shard.read_bytes()[:-20])
    make_value_games(tmp_path, game, bundle, 120, seed=1, log=said.append)
    assert read_shard(shard).content == digest
    assert len(said) == 1 and str(shard) in said[0]


@pytest.mark.slow
def test_processes_make_the_shards_of_this_process(
    bundle: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(value_games, "SHARD_GAMES", 50)
    game, said = get_game("tictactoe"), []
    digests = [
        Dataset.open(make_value_games(
            tmp_path / name, game, bundle, 120, seed=1, jobs=jobs,
            progress=lambda done, of: said.append((done, of)),
        )).digest
        for name, jobs in (("here", None), ("there", Processes(2)))
    ]
    assert digests[0] == digests[1] and said[-1] == (120, 120)
    assert len(list((tmp_path / "there").glob("*.npz"))) == 3
