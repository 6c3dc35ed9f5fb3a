"""SGF files as training data: handicap, filters, and what is wrong is named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dlgo import Player, Point, get_game
from dlgo.encoders import get_encoder
from dlgo.errors import NotationError
from dlgo.records.sgf import read_sgf, replay
from engines.learning.data import BatchOptions, Dataset, batches, write_shard
from engines.learning.data.archives import contents, listing
from engines.learning.data.records import NO_RESULT
from engines.learning.data.replay import start_state
from experiments.datasets import sgf_import

HUMAN = Path(__file__).resolve().parents[3] / "shared/oracles/sgf/human_19x19"


def test_an_entry_says_what_the_file_says() -> None:
    data = b"(;SZ[19]HA[2]AB[dd][pp]PB[me]PW[you]BR[2k]WR[1d]RE[W+R]DT[2001];W[qd])"
    (entry,) = sgf_import.describe("a.sgf", data)
    assert (entry.size, entry.handicap, entry.moves, entry.result) == (19, 2, 1, "W+R")
    assert (entry.black, entry.white, entry.black_rank, entry.white_rank) == (
        "me", "you", "2k", "1d")
    assert entry.error == ""
    assert "b.sgf" in sgf_import.describe("b.sgf", b"nothing")[0].error
    two, broken = sgf_import.describe("c.sgf", b"(;SZ[9];B[aa];W[bb])(;GM[2];B[aa])")[::-1]
    assert (two.name, two.moves, broken.name) == ("c.sgf, game 1", 2, "c.sgf")
    assert "game 2" in broken.error


def test_ranks_are_in_order() -> None:
    texts = ["30k", "12k", "2k?", "1k", "1d", "7D", "9段", "1p", "9p"]
    numbers = [sgf_import.rank_number(text) for text in texts]
    assert numbers == sorted(numbers)
    assert numbers[3] + 1 == numbers[4]
    assert [sgf_import.rank_number(text) for text in ("", "?", "dan", "-")] == [None] * 4


@pytest.mark.parametrize(("text", "result"), [
    ("B+3.5", 1), ("B+Resign", 1), ("W+T", -1), ("0", 0), ("Jigo", 0), ("Void", NO_RESULT),
    ("?", NO_RESULT), ("", NO_RESULT),
])
def test_results(text: str, result: int) -> None:
    assert sgf_import.result_of(read_sgf(f"(;RE[{text}];B[aa])".encode())) == result


@pytest.mark.parametrize(("wanted", "why"), [
    (sgf_import.Filter(19), "another board size"),
    (sgf_import.Filter(9, max_handicap=1), "too much handicap"),
    (sgf_import.Filter(9, min_moves=3), "too few moves"),
    (sgf_import.Filter(9, min_rank=5.0), "rank too low or unknown"),
    (sgf_import.Filter(9, decided=True), "no result"),
    (sgf_import.Filter(9, max_handicap=2, min_moves=2, min_rank=3.0), ""),
])
def test_filters(wanted: sgf_import.Filter, why: str) -> None:
    data = b"(;SZ[9]HA[2]AB[cc][gg]BR[3d]WR[9d];W[ee];B[ed])"
    assert wanted.refuses(read_sgf(data)) == why


# The same game of two handicap stones, as two servers write it.
SET_UP = b"(;SZ[9]HA[2]AB[cg][gc]RE[W+1];W[ee];B[ed];W[de])"
PLAYED = b"(;SZ[9]HA[2]RE[W+1];B[cg];B[gc];W[ee];B[ed];W[de])"


@pytest.mark.parametrize("data", [SET_UP, PLAYED])
def test_handicap_stones_are_on_the_board_before_the_first_move(data: bytes) -> None:
    game = sgf_import.to_game(read_sgf(data))
    assert len(game.actions) == game.n_positions == 3
    state = start_state(get_game("go9"), game.start)
    # SGF counts rows from the top: cg is column 3, row 7 from above, row 3 from below.
    for point, player in ((Point(3, 3), Player.black), (Point(7, 7), Player.black),
                          (Point(5, 5), None)):
        assert state.game.cell(state, *point) is player
    assert state.next_player is Player.white
    assert game.actions[0] == 4 * 9 + 4
    assert game.result == -1


@pytest.mark.parametrize(("data", "actions", "learned"), [
    (b"(;SZ[9];B[cg];B[gc];W[ee])", [20, 81, 60, 40], [1, 0, 1, 1]),  # a pass that was assumed
    (b"(;SZ[9];B[aa];W[];B[];W[cc];B[dd])", [72, 81, 81], [1, 1, 1]),  # two passes end a game
    (b"(;SZ[9];B[aa];W[ee];AB[cc];W[dd];AE[cc])", [48], [1]),  # stones set up later begin it
])
def test_what_is_played_and_what_is_learned(
    data: bytes, actions: list[int], learned: list[int]
) -> None:
    game = sgf_import.to_game(read_sgf(data))
    assert game.actions.tolist() == actions and (game.flags != 0).tolist() == learned


def test_what_cannot_be_learned_is_named() -> None:
    for data, why in ((b"(;SZ[9];B[aa];W[aa])", "occupied"), (b"(;SZ[9])", "no moves")):
        with pytest.raises(NotationError, match=f"x.sgf: .*{why}"):
            sgf_import.to_game(read_sgf(data, "x.sgf"))


def test_an_import_accepts_what_a_replay_accepts() -> None:
    """And refuses what it refuses, with the same words."""
    for komi, ok in (("3.75", True), ("750", True), ("6.5", True), ("6.3", False), ("5001", False)):
        record = read_sgf(f"(;SZ[9]KM[{komi}]RE[B+0.25];B[aa];W[];B[];W[])".encode(), "x.sgf")
        if ok:
            assert sgf_import.to_game(record).result == 1
            assert len(sgf_import.to_game(record).actions) == len(list(replay(record))) - 1 == 3
            continue
        messages = []
        for read in (lambda record=record: list(replay(record)), lambda record=record:
                     sgf_import.to_game(record)):
            with pytest.raises(NotationError, match="x.sgf: .*komi") as caught:
                read()
            messages.append(str(caught.value))
        assert messages[0] == messages[1]


@pytest.mark.skipif(not HUMAN.is_dir(), reason="needs ../shared/oracles/sgf/human_19x19")
def test_games_of_people_come_back_move_by_move(tmp_path: Path) -> None:
    records = [
        read_sgf(data, name) for name, data in contents(HUMAN, listing(HUMAN).names[:30])
    ]
    games = [sgf_import.to_game(record) for record in records]
    game = records[0].game()
    folder = write_shard(tmp_path / "games-000000.npz", game, games, {}).parent
    data = Dataset.open(folder)
    encoder = get_encoder("planes", data.game)
    made = iter(batches(data, encoder, BatchOptions(10_000, shuffle=False)))
    planes, labels, values = (np.concatenate(parts) for parts in zip(
        *((b.planes, b.policies.argmax(1), b.values) for b in made), strict=True))
    i = 0
    for record in records:
        states = list(replay(record))
        for state, (player, move) in zip(states, record.moves, strict=False):
            assert np.array_equal(planes[i], encoder.encode(state))
            assert labels[i] == game.action_of(move)
            assert values[i] == (1 if record.winner is player else -1)
            i += 1
    assert i == len(labels) > 4000
