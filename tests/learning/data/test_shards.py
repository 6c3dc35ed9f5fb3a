"""Shards: what goes in comes out; what is cut off, altered or foreign is named."""

from __future__ import annotations

import io
import json
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest

from dlgo import GameState, Player, Point, get_game
from dlgo.errors import DataError, ForeignFileError, VersionError
from engines.learning.data import Dataset, GameBuilder, GameData, Start, read_shard
from engines.learning.data.checked_arrays import digest_of
from engines.learning.data.records import FULL_SEARCH, LABELLED, NO_RESULT, NO_VALUE, SECOND
from engines.learning.data.shards import write_shard
from tests.conftest import one_line_error
from tests.learning.data.games import ShardWriter

GO = get_game("go", size=5)


def a_game(*actions: int, result: int = 1, start: Start | None = None) -> GameData:
    builder = GameBuilder(GO, start)
    for action in actions:
        builder.add(action, policy={action: 3, (action + 1) % 25: 1}, value=0.5)
    return builder.finish(result)


def a_shard(folder: Path, *games: GameData) -> Path:
    return write_shard(folder / "games-000000.npz", GO, games or [a_game(3, 7)], {"maker": "test"})


def test_a_game_comes_back_as_it_went_in(tmp_path: Path) -> None:
    builder = GameBuilder(GO)
    builder.skip(0)
    builder.add(24, chosen=12, policy={12: 400, 24: 100, 3: 1, 5: 0}, value=-1.0)
    builder.add(25, second=True, full_search=False)  # a pass; no policy, no value
    shard = read_shard(a_shard(tmp_path / "not" / "there yet", builder.finish(-1)))
    (game,) = shard.games
    assert shard.game == GO
    assert shard.provenance == {"maker": "test"}
    assert game.actions.tolist() == [0, 24, 25]
    assert game.chosen.tolist() == [0, 12, 25]
    assert game.flags.tolist() == [
        0, LABELLED | FULL_SEARCH, LABELLED | SECOND,
    ]
    assert game.values.tolist() == [NO_VALUE, -127, NO_VALUE]
    # Shares in proportion to the largest, which is 255: 400 visits, 100 a quarter of it.
    assert game.counts.tolist() == [0, 3, 0]
    assert game.policy_actions.tolist() == [3, 12, 24]
    assert game.policy_shares.tolist() == [1, 255, 64]
    assert (game.result, game.start, game.n_positions) == (-1, None, 2)


def test_policies_of_many_plies_and_games_do_not_mix(tmp_path: Path) -> None:
    rng, games = np.random.default_rng(1), []
    for _ in range(20):
        builder = GameBuilder(GO)
        for _ in range(rng.integers(0, 30)):
            actions = rng.choice(26, size=rng.integers(0, 26), replace=False)
            builder.add(int(rng.integers(26)), policy={int(a): rng.random() for a in actions})
        games.append(builder.finish(NO_RESULT))
    for before, after in zip(games, read_shard(a_shard(tmp_path, *games)).games, strict=True):
        for name in ("actions", "counts", "policy_actions", "policy_shares", "flags"):
            assert np.array_equal(getattr(before, name), getattr(after, name)), name


def test_starts_are_kept_and_shared(tmp_path: Path) -> None:
    start = Start.of(GO.position([Point(1, 1), Point(2, 2)], [Point(5, 5)], Player.white))
    assert start is not None
    shard = read_shard(a_shard(tmp_path, a_game(3, start=start), a_game(4), a_game(5, start=start)))
    assert [game.start for game in shard.games] == [start, None, start]
    with np.load(shard.path) as arrays:
        assert arrays["start_cells"].shape == (1, 25)
    assert Start.of(GameState.new_game(GO)) is None
    assert Start.of(GameState.new_game(get_game("go:size=9,handicap=2"))) is None


def test_equal_games_have_equal_content_whoever_made_them(tmp_path: Path) -> None:
    one = read_shard(write_shard(tmp_path / "one.npz", GO, [a_game(1)], {"machine": "here"}))
    other = read_shard(write_shard(tmp_path / "other.npz", GO, [a_game(1)], {"machine": "there"}))
    third = read_shard(write_shard(tmp_path / "third.npz", GO, [a_game(2)], {"machine": "here"}))
    assert one.content == other.content != third.content


@pytest.mark.parametrize("keep", [0, 10, 300, -40, -1])
def test_a_shard_that_is_cut_off_is_named(tmp_path: Path, keep: int) -> None:
    path = a_shard(tmp_path)
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(DataError, match="games-000000.npz is a damaged shard") as caught:
        read_shard(path)
    assert "\n" not in str(caught.value)


def test_every_altered_byte_of_content_is_noticed(tmp_path: Path) -> None:
    path = a_shard(tmp_path)
    whole = path.read_bytes()
    before = _meaning(path)
    rng = np.random.default_rng(2)
    noticed = 0
    for position in rng.choice(len(whole), 200, replace=False).tolist():
        path.write_bytes(
            whole[:position] + bytes([whole[position] ^ 0x55]) + whole[position + 1:])
        try:
            after = _meaning(path)
        except DataError as error:
            assert "\n" not in str(error)
            noticed += 1
        else:  # a byte that means nothing, such as the time of a member of the zip file
            assert after == before
    assert noticed > 100


def _meaning(path: Path) -> tuple:
    shard = read_shard(path)
    return shard.content, str(shard.provenance), [game.actions.tolist() for game in shard.games]


def _rewrite(path: Path, **changed: np.ndarray) -> None:
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    np.savez(path, **{**arrays, **changed})


def test_a_shard_of_contradictions_is_refused_even_with_a_right_checksum(tmp_path: Path) -> None:
    for change in (
        {"action": np.array([3, 26])},  # 5x5 has 26 actions, 0 to 25
        {"policy_count": np.array([9, 9])},
        {"policy_step": np.array([3, 1, 20, 9])},
        {"chosen": np.array([3])},
        {"game_plies": np.array([3, -1])},
        {"start": np.array([0])},
    ):
        path = a_shard(tmp_path)
        with np.load(path) as file:
            arrays = {name: file[name] for name in file.files if name != "checksum"}
        arrays.update(change)
        checksum = np.frombuffer(bytes.fromhex(digest_of(arrays)), np.uint8)
        np.savez(path, **arrays, checksum=checksum)
        with pytest.raises(DataError, match="is a damaged shard: [ae]") as caught:
            read_shard(path)
        assert "checksum" not in str(caught.value)


def test_nothing_is_ever_unpickled(tmp_path: Path) -> None:
    class Bomb:
        def __reduce__(self):
            return pytest.fail, ("unpickled",)

    path = a_shard(tmp_path)
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    data = io.BytesIO()
    np.lib.format.write_array(data, np.array([0], object))
    evil = data.getvalue()[: -len(pickle.dumps(np.array([0], object)))] + pickle.dumps(Bomb())
    with zipfile.ZipFile(path, "w") as container:
        for name, array in arrays.items():
            plain = io.BytesIO()
            np.save(plain, array)
            container.writestr(f"{name}.npy", evil if name == "action" else plain.getvalue())
    with pytest.raises(DataError, match="is a damaged shard"):
        read_shard(path)


def test_other_formats_are_named(tmp_path: Path) -> None:
    path = a_shard(tmp_path)
    header = {"format": "dlgo games 99", "game": "go:size=5", "content": "", "provenance": {}}
    _rewrite(path, header=np.frombuffer(json.dumps(header).encode(), np.uint8))
    with pytest.raises(VersionError, match="has format 99, .* reads format 1; use"):
        read_shard(path)
    np.savez(path, planes=np.zeros(3))
    with pytest.raises(ForeignFileError, match="is not a shard: it has none of the arrays"):
        read_shard(path)


def test_a_folder_skips_what_it_cannot_read_and_says_so(tmp_path: Path) -> None:
    with ShardWriter(tmp_path, GO, {}, shard_games=2) as writer:
        for i in range(5):
            writer.add(a_game(i, i + 1))
    paths = sorted(tmp_path.glob("*.npz"))
    assert [len(read_shard(path).games) for path in paths] == [2, 2, 1]
    paths[1].write_bytes(paths[1].read_bytes()[:-30])
    (tmp_path / "games-notes.txt").write_text("not a shard")
    write_shard(tmp_path / "games-000009.npz", get_game("tictactoe"), [], {})
    lines: list[str] = []
    data = Dataset.open(tmp_path, lines.append)
    assert (data.n_games, data.n_positions) == (3, 6)
    assert len(lines) == len(data.skipped) == 2
    assert "games-000001.npz" in lines[0]
    assert "tictactoe" in lines[1]


def test_folders_without_data_are_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such folder"):
        Dataset.open(tmp_path / "nowhere")
    with pytest.raises(DataError, match="holds no readable games"):
        Dataset.open(tmp_path)
    (tmp_path / "file").touch()
    with one_line_error(DataError, "file"):
        a_shard(tmp_path / "file")
