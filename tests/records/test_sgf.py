"""SGF: what is read, what is refused in one line, and that written games read back the same."""

from __future__ import annotations

import csv
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dlgo import GameState, Move, NotationError, Player, Point, get_game
from dlgo.game_tree import Node, tree_of
from dlgo.records.sgf import read_sgf, replay, write_sgf
from dlgo.records.sgf_record import GameRecordSgf
from dlgo.records.sgf_values import Setup
from tests.conftest import random_game

B, W = Player.black, Player.white


def refused(call: Callable[[], object]) -> str:
    """The message of the NotationError that `call` must raise: one line of printable text."""
    with pytest.raises(NotationError) as caught:
        call()
    message = str(caught.value)
    assert message.isprintable() and len(message) < 300
    return message


def last_state(record: GameRecordSgf) -> GameState:
    *_, last = replay(record)
    return last


def test_a_record_is_read_whole() -> None:
    record = read_sgf(
        b"(;GM[1]FF[4]SZ[9]KM[6.5]HA[0]PB[Honinbo]PW[Meijin]RE[W+R]DT[2026-11-21]RU[AGA]C[start]"
        b";B[gc]C[first];W[];B[cg](;W[tt])(;W[ee];B[dd]))"
    )
    assert (record.size, record.komi, record.handicap) == (9, 6.5, 0)
    assert (record.black, record.white, record.result) == ("Honinbo", "Meijin", "W+R")
    assert record.winner is W
    assert record.info == {"DT": "2026-11-21", "RU": "AGA"}
    assert record.comments == {0: "start", 1: "first"}
    # `gc` is column 7, third row from the top. Both ways to write a pass; the first variation.
    assert record.moves == (
        (B, Move.play(Point(7, 7))), (W, Move.pass_turn()),
        (B, Move.play(Point(3, 3))), (W, Move.pass_turn()),
    )
    assert record.setups == ()


def test_tt_is_a_point_where_the_board_has_one() -> None:
    assert read_sgf(b"(;SZ[21];B[tt])").moves == ((B, Move.play(Point(2, 20))),)
    assert read_sgf(b"(;SZ[19];B[tt])").moves == ((B, Move.pass_turn()),)


def test_setup_is_read_where_it_stands() -> None:
    record = read_sgf(b"(;SZ[5]HA[2]AB[aa][ee]PL[W];W[cc];AE[aa]AW[ab:bb];B[dd])")
    assert record.handicap == 2
    assert record.setups == (
        (0, Setup(black=frozenset({Point(5, 1), Point(1, 5)}), player=W)),
        (1, Setup(white=frozenset({Point(4, 1), Point(4, 2)}), empty=frozenset({Point(5, 1)}))),
    )
    assert [player for player, _ in record.moves] == [W, B]
    states = list(replay(record))
    assert [str(state).count("x") for state in states] == [2, 2, 2]
    assert [str(state).count("o") for state in states] == [0, 1, 3]
    assert [state.next_player for state in states] == [W, B, W]
    suffocated = read_sgf(b"(;SZ[5]AB[aa]AW[ab][ba];B[ee])")
    assert "no liberty" in refused(lambda: list(replay(suffocated)))


def test_byte_order_marks() -> None:
    for encoding in ("utf-8-sig", "utf-16"):
        assert read_sgf("(;PB[Tōru];B[aa])".encode(encoding)).black == "Tōru"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "no SGF data"),
        (b"this is not an sgf file", "no SGF data"),
        (b"(;SZ[9];B[aa]", "unexpected end"),
        (b"(;GM[2];B[aa])", r"GM\[2\] is another game"),
        (b"(;SZ[nine])", r"SZ\[nine\]"),
        (b"(;SZ[19:13])", r"SZ\[19:13\].*square"),
        (b"(;SZ[1])", r"SZ\[1\].*2 to 25"),
        (b"(;SZ[26])", r"SZ\[26\].*2 to 25"),
        (b"(;SZ[" + b"9" * 9999 + b"])", "not a board size"),
        (b"(;SZ[9];B[aa];W[zz])", r"move 2: W\[zz\] is not a point of a 9x9 board"),
        (b"(;SZ[9];B[\x1b[31m\\]])", "move 1"),
        (b"(;SZ[9];B[R16])", r"B\[R16\]"),
        (b"(;SZ[9];B[aa]W[bb])", "move 1: one node holds several moves"),
        (b"(;SZ[9];B[aa][bb])", "move 1: one node holds several moves"),
        (b"(;SZ[9]AB[aa][jj])", "AB does not name points"),
        (b"(;KM[six])", r"KM\[six\] is not a komi"),
        (b"(;KM[nan])", r"KM\[nan\]"),
        (b"(;HA[many])", r"HA\[many\]"),
        (b"(;RE[B+1]RE[W+R])", r"RE\[B\+1\] and RE\[W\+R\] contradict each other"),
        (b"(;KM[6.5][7.5])", r"KM\[6.5\] and KM\[7.5\] contradict each other"),
        (b"(" + b";B[]" * 20_000 + b")", "longer than 10,000 nodes"),
        (b"(;" * 100_000 + b")" * 100_000, "longer than 10,000 nodes"),
        (b"(;" * 100_000, "unexpected end"),
    ],
    ids=lambda value: value[:24].decode("latin-1") if isinstance(value, bytes) else "",
)
def test_refusals_name_file_and_reason(data: bytes, reason: str) -> None:
    message = refused(lambda: read_sgf(data, name="some.sgf"))
    assert message.startswith("some.sgf: ")
    assert re.search(reason, message)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    missing = tmp_path / "missing.sgf"
    assert refused(lambda: read_sgf(missing)).startswith(f"{missing}: cannot be read: No such")
    assert "not a file" in refused(lambda: read_sgf(tmp_path))
    assert "not a file" in refused(lambda: read_sgf("/dev/null"))
    huge = tmp_path / "huge.sgf"
    huge.write_bytes(b" " * (9 << 20))
    assert "MiB" in refused(lambda: read_sgf(huge))


def test_lenient_where_nothing_is_lost() -> None:
    record = read_sgf(b"junk (;SiZe[ 9:9 ]KoMi[6,5]HA[]AB[]RE[?];Black[ aa ];White[bb])")
    assert (record.size, record.komi, record.handicap, record.setups) == (9, 6.5, 0, ())
    assert len(record.moves) == 2
    assert read_sgf(b"(;B[aa])(;SZ[9];B[bb])").size == 19  # the first game; 19 lines if not said
    assert read_sgf(b"(;KM[];B[aa])").game().komi == 7.5


@pytest.mark.parametrize(
    ("moves", "message"),
    [
        (";B[aa];W[aa]", "move 2, white A5, is illegal: the point is occupied"),
        (";B[ba];W[ee];B[ab];W[aa]", "move 4, white A5, is illegal: self-capture"),
        (";B[ba];W[ca];B[ab];W[db];B[bc];W[cc];B[cb];W[bb];B[cb]",
         "move 9, black C4, is illegal: ko"),
    ],
)
def test_replay_names_the_illegal_move_and_the_rule(moves: str, message: str) -> None:
    record = read_sgf(f"(;SZ[5]{moves})".encode(), name="some.sgf")
    assert refused(lambda: list(replay(record))).startswith(f"some.sgf: {message}")


@pytest.mark.parametrize("data", [
    b"(;SZ[9]PB[x];B[aa]C[one]C[two])", b"(;SZ[9]PB[x];B[aa]C[one][two])",
    b"(;SZ[9]PB[x]PB[x];B[aa]C[one]BL[3]C[]C[two]C[one])",
])
def test_repeated_properties_are_joined(data: bytes) -> None:
    record = read_sgf(data)
    assert record.comments == {1: "one\n\ntwo"} and record.black == "x"
    assert read_sgf(b"(;PB[x]PB[y]GC[a]GC[b]PL[B]PL[W];W[aa])").black == "x, y"
    assert read_sgf(b"(;PB[x]PB[y]GC[a]GC[b]PL[B]PL[W];W[aa])").info["GC"] == "a\n\nb"


@pytest.mark.parametrize(("text", "komi", "noted"), [
    ("7.5", 7.5, False), ("7", 7, False), ("0", 0, False), ("-3.5", -3.5, False),
    ("7.50", 7.5, False), ("150", 150, False), ("210", 210, False), ("750.0", 750, False),
    ("750", 7.5, True), ("650", 6.5, True), ("375", 7.5, True), ("3.75", 7.5, True),
    ("2,75", 5.5, True),
])
def test_komi_of_servers_is_read_in_points(text: str, komi: float, noted: bool) -> None:
    record = read_sgf(f"(;SZ[9]KM[{text}];B[aa])".encode())
    assert record.komi == komi == record.game().komi
    assert bool(record.notes) == noted
    assert not noted or record.notes[0] == f"KM[{text}] is read as {komi:g} points"
    assert len(list(replay(record))) == 2


@pytest.mark.parametrize("size", [2, 5, 9, 13, 19, 25])
def test_written_games_read_back_the_same(size: int) -> None:
    game = get_game("go", size=size, komi=random.Random(size).choice([0, 0.5, 7.5, -3]))
    for seed in range(6):
        state = random_game(game, seed, max_plies=80)[-1]
        root = tree_of(state)
        root.comment, root.main_line()[2].comment = "a]b\\", "c\nd"
        data = write_sgf(state, black="Ō\\]:[x", white="w", root=root)
        record = read_sgf(data)
        assert [move for _, move in record.moves] == state.moves()
        assert (record.size, record.komi, record.setups) == (size, game.komi, ())
        assert (record.black, record.white) == ("Ō\\]:[x", "w")
        assert record.comments[0].startswith("a]b\\")
        assert record.winner is state.winner()
        assert last_state(record) == state


def test_results_are_written_as_the_standard_says() -> None:
    start = GameState.new_game(get_game("go", size=3, komi=0))
    ends = {
        "0": [Move.pass_turn()] * 2,
        "B+9": [Move.play(Point(2, 2)), Move.pass_turn(), Move.pass_turn()],
        "W+R": [Move.resign()],
        "B+R": [Move.play(Point(1, 1)), Move.resign()],
        "": [Move.play(Point(1, 1))],
    }
    for result, moves in ends.items():
        state = start.play(*moves)
        root = tree_of(state)
        root.main_line()[-1].comment = "the end"
        record = read_sgf(write_sgf(state, root=root))
        assert record.result == result
        assert record.winner is state.winner()
        assert list(record.comments.values()) == ["the end"]
    assert read_sgf(write_sgf(start, result="Void")).result == "Void"


def test_awkward_files(oracles: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """What sgfmill accepts has the same size and main line here; the rest is refused."""
    folder = oracles / "sgf" / "awkward"
    with (folder / "INDEX.tsv").open() as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert len(rows) == 30
    for row in rows:
        path = folder / row["file"]
        verdict = row["sgfmill_1.1.1_verdict"]
        if verdict.startswith("reject"):
            assert path.name in refused(lambda path=path: read_sgf(path))
            continue
        record = read_sgf(path)
        size, moves = re.search(r"size=(\d+).*mainline_moves=(\d+)", verdict).groups()
        assert (record.size, len(record.moves)) == (int(size), int(moves)), path.name
        has_setup = any(setup.black or setup.white for at, setup in record.setups if at == 0)
        assert has_setup or "root_setup=True" not in verdict, path.name
        ends_in_setup = any(at == len(record.moves) > 0 for at, _ in record.setups)
        try:
            passes = "".join("p" if move.is_pass else "." for _, move in record.moves)
            played = passes.find("pp") + 2 if "pp" in passes else len(passes)
            assert len(list(replay(record))) == played + 1 + ends_in_setup
            left_out = any("two passes" in note for note in record.notes)
            assert left_out == (played < len(passes)), path.name
        except NotationError as error:
            assert path.name in str(error) and str(error).isprintable()
    assert capfd.readouterr() == ("", "")


def test_a_repeated_position_is_legal_if_the_other_player_is_to_move(oracles: Path) -> None:
    """The file ends with a move that positional superko forbids; our superko is situational."""
    record = read_sgf(oracles / "sgf" / "awkward" / "littlego__positional-superko.sgf")
    assert len(list(replay(record))) == 24


# Some characters of every kind; for all of Unicode Hypothesis makes a table that takes seconds.
TEXT = st.text(
    "".join(map(chr, range(0x180))) + "\u2028\u200b\u202e\ufeff\ufffe囲碁🙂", max_size=60
)


@settings(max_examples=200)
@given(text=TEXT, comment=TEXT)
def test_any_text_can_be_written(text: str, comment: str) -> None:
    root = Node(GameState.new_game(get_game("go", size=9)), comment=comment)
    record = read_sgf(write_sgf(root.state, black=text, root=root))
    if text.isprintable() and text.isascii():
        assert record.black == text.strip()
