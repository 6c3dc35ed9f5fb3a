"""SGF archives: every kind of container, handicap, filters, and what is wrong is named."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest

from dlgo import Player, Point, get_game
from dlgo.errors import DataError, NotationError
from dlgo.records.sgf import read_sgf, replay
from engines.learning.data import Dataset, batches, write_shard
from engines.learning.data.records import NO_RESULT
from engines.learning.data.replay import start_state
from engines.learning.data.sgf_games import (
    Filter,
    contents,
    describe,
    handicap_of,
    members,
    rank_number,
    result_of,
    to_game,
    with_handicap,
)
from tests.learning.data.encoders import history_encoder

HUMAN = Path(__file__).resolve().parents[4] / "shared/oracles/sgf/human_19x19"
FILES = {
    "2019/a.sgf": b"(;GM[1]SZ[9]RE[B+R]BR[5d]WR[6d];B[aa];W[bb];B[cc])",
    "2019/b.SGF": b"(;GM[1]SZ[9]RE[W+2.5];B[dd];W[ee])",
    "2019/readme.txt": b"not a game",
}


def containers(folder: Path) -> list[Path]:
    plain = folder / "plain"
    for name, data in FILES.items():
        path = plain / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    found = [plain]
    for ending, mode in (
        (".tar.gz", "w:gz"), (".tgz", "w:gz"), (".tar", "w"), (".tar.bz2", "w:bz2")
    ):
        found.append(folder / f"games{ending}")
        with tarfile.open(found[-1], mode) as tar:
            tar.add(plain / "2019", "2019")
    found.append(folder / "games.zip")
    with zipfile.ZipFile(found[-1], "w") as container:
        for name, data in FILES.items():
            container.writestr(name, data)
    return found


def test_all_containers_hold_the_same(tmp_path: Path) -> None:
    for archive in containers(tmp_path):
        names = members(archive)
        assert names == ["2019/a.sgf", "2019/b.SGF"], archive
        assert dict(contents(archive, names)) == {name: FILES[name] for name in names}
        assert [name for name, _ in contents(archive, names[1:])] == names[1:]
    single = tmp_path / "plain/2019/a.sgf"
    assert dict(contents(single, members(single))) == {"a.sgf": FILES["2019/a.sgf"]}


def test_broken_archives_are_one_line(tmp_path: Path) -> None:
    archives = containers(tmp_path)[1:]
    for archive in archives:
        whole = archive.read_bytes()
        for data in (b"", b"<html>not found</html>", whole[: len(whole) // 2]):
            archive.write_bytes(data)
            try:
                list(contents(archive, members(archive)))
            except DataError as error:
                assert str(archive) in str(error)
                assert "\n" not in str(error)
            else:  # a .tar cut between two files is one with fewer files
                assert archive.suffix == ".tar" or not data
    with pytest.raises(DataError, match="cannot be read"):
        members(tmp_path / "missing.zip")
    (tmp_path / "games.rar").write_bytes(b"Rar!")
    with pytest.raises(DataError, match="neither a folder nor"):
        members(tmp_path / "games.rar")


def test_files_outside_of_the_archive_are_never_touched(tmp_path: Path) -> None:
    evil = tmp_path / "evil.tar"
    secret = tmp_path / "secret.sgf"
    secret.write_text("secret")
    with tarfile.open(evil, "w") as tar:
        info = tarfile.TarInfo("../../escaped.sgf")
        info.size = 3
        tar.addfile(info, io.BytesIO(b"(;)"))
        link = tarfile.TarInfo("link.sgf")
        link.type, link.linkname = tarfile.SYMTYPE, str(secret)
        tar.addfile(link)
    before = sorted(tmp_path.rglob("*"))
    assert dict(contents(evil, members(evil))) == {"../../escaped.sgf": b"(;)"}
    assert sorted(tmp_path.rglob("*")) == before


def test_an_entry_says_what_the_file_says() -> None:
    data = b"(;SZ[19]HA[2]AB[dd][pp]PB[me]PW[you]BR[2k]WR[1d]RE[W+R]DT[2001];W[qd])"
    entry = describe("a.sgf", data)
    assert (entry.size, entry.handicap, entry.moves, entry.result) == (19, 2, 1, "W+R")
    assert (entry.black, entry.white, entry.ranks) == ("me", "you", ("2k", "1d"))
    assert entry.error == ""
    assert "b.sgf" in describe("b.sgf", b"nothing").error


def test_ranks_are_in_order() -> None:
    texts = ["30k", "12k", "2k?", "1k", "1d", "7D", "9段", "1p", "9p"]
    numbers = [rank_number(text) for text in texts]
    assert numbers == sorted(numbers)
    assert numbers[3] + 1 == numbers[4]
    assert [rank_number(text) for text in ("", "?", "dan", "-")] == [None] * 4


@pytest.mark.parametrize(("text", "result"), [
    ("B+3.5", 1), ("B+Resign", 1), ("W+T", -1), ("0", 0), ("Jigo", 0), ("Void", NO_RESULT),
    ("?", NO_RESULT), ("", NO_RESULT),
])
def test_results(text: str, result: int) -> None:
    assert result_of(read_sgf(f"(;RE[{text}];B[aa])".encode())) == result


@pytest.mark.parametrize(("wanted", "why"), [
    (Filter(19), "another board size"),
    (Filter(9, max_handicap=1), "too much handicap"),
    (Filter(9, min_moves=3), "too few moves"),
    (Filter(9, min_rank=5.0), "rank too low or unknown"),
    (Filter(9, decided=True), "no result"),
    (Filter(9, max_handicap=2, min_moves=2, min_rank=3.0), ""),
])
def test_filters(wanted: Filter, why: str) -> None:
    data = b"(;SZ[9]HA[2]AB[cc][gg]BR[3d]WR[9d];W[ee];B[ed])"
    assert wanted.refuses(read_sgf(data)) == why


# The same game of two handicap stones, as two servers write it.
SET_UP = b"(;SZ[9]HA[2]AB[cg][gc]RE[W+1];W[ee];B[ed];W[de])"
PLAYED = b"(;SZ[9]HA[2]RE[W+1];B[cg];B[gc];W[ee];B[ed];W[de])"


@pytest.mark.parametrize("data", [SET_UP, PLAYED])
def test_handicap_stones_are_on_the_board_before_the_first_move(data: bytes) -> None:
    game = to_game(read_sgf(data))
    assert len(game.actions) == game.n_positions == 3
    state = start_state(get_game("go9"), game.start)
    # SGF counts rows from the top: cg is column 3, row 7 from above, row 3 from below.
    for point, player in ((Point(3, 3), Player.black), (Point(7, 7), Player.black),
                          (Point(5, 5), None)):
        assert state.game.cell(state, *point) is player
    assert state.next_player is Player.white
    assert game.actions[0] == 4 * 9 + 4
    assert game.result == -1


def test_stones_in_a_row_without_handicap_are_no_handicap() -> None:
    record = read_sgf(b"(;SZ[9];B[cg];B[gc];W[ee])")
    assert with_handicap(record) is record
    with pytest.raises(NotationError, match="out of turn"):
        to_game(record)
    assert handicap_of(read_sgf(b"(;SZ[9]AB[cg][gc][cc];W[ee])")) == 3


def test_what_cannot_be_learned_is_named() -> None:
    for data, why in (
        (b"(;SZ[9];B[aa];W[aa])", "occupied"),
        (b"(;SZ[9];B[aa];AW[bb];W[cc])", "set up after move"),
        (b"(;SZ[9])", "no moves"),
    ):
        with pytest.raises(NotationError, match=f"x.sgf: .*{why}"):
            to_game(read_sgf(data, "x.sgf"))


def test_a_game_ends_with_two_passes() -> None:
    game = to_game(read_sgf(b"(;SZ[9];B[aa];W[];B[];W[cc];B[dd])"))
    assert game.actions.tolist() == [72, 81, 81]


def test_a_komi_in_quarters_does_no_harm() -> None:
    assert to_game(read_sgf(b"(;SZ[9]KM[3.75]RE[B+0.25];B[aa])")).result == 1


@pytest.mark.skipif(not HUMAN.is_dir(), reason="needs ../shared/oracles/sgf/human_19x19")
def test_games_of_people_come_back_move_by_move(tmp_path: Path) -> None:
    records = [
        read_sgf(data, name) for name, data in contents(HUMAN, members(HUMAN)[:30])
    ]
    games = [to_game(record) for record in records]
    game = records[0].game()
    folder = write_shard(tmp_path / "games-000000.npz", game, games, {}).parent
    data = Dataset.open(folder)
    encoder = history_encoder(data.game)
    made = iter(batches(data, encoder, 10_000, shuffle=False))
    planes, labels, values = (np.concatenate(parts) for parts in zip(
        *((b.planes, b.policies.argmax(1), b.values) for b in made), strict=True))
    i = 0
    for record in records:
        states = list(replay(record))
        for state, (player, move) in zip(states, record.moves, strict=False):
            # `keys` shows the low bits of the position's key, and whose turn it is.
            assert planes[i, 0, 0, 0] == state.key() & 0xFFFFF
            assert planes[i, 0, 1, 0] == 1 + player.index
            assert labels[i] == game.action_of(move)
            assert values[i] == (1 if record.winner is player else -1)
            i += 1
    assert i == len(labels) > 4000
