"""Files as the world writes them: what each is read as, and that it is written back whole."""

from __future__ import annotations

from pathlib import PurePath

import pytest
from sgfmill import sgf

from dlgo import NotationError, Player, get_game
from experiments.play.game_file import game_bytes, read_games


def gbk(text: str) -> bytes:
    return text.encode("gb18030")


# A file; its moves; a part of each note. Rows and columns of SGF count from the top left.
SGF = {
    "plain": (b"(;SZ[9]KM[7.5];B[cc];W[gg])", "C7 G3", []),
    "free handicap": (b"(;SZ[9]HA[2];B[cc];B[gg];W[gc])", "G7", ["0.5", "handicap stones"]),
    "free handicap, komi": (b"(;SZ[9]HA[2]KM[5];B[cc];B[gg];W[gc];B[ee])", "G7 E5",
                            ["first 2 moves"]),
    "handicap without stones": (b"(;SZ[9]HA[3]KM[0];B[cc];W[gg])", "C7 G3", ["HA[3]"]),
    "too few handicap stones": (b"(;SZ[9]HA[3]KM[0];B[cc];B[gg];W[ee])", "C7 pass G3 E5",
                                ["HA[3]", "out of turn: move 2;"]),
    "set-up handicap": (b"(;SZ[9]HA[2]AB[cc][gg];W[ee])", "E5", ["0.5"]),
    "two of White": (b"(;SZ[9];B[cc];W[gg];W[ee])", "C7 G3 pass E5", ["out of turn: move 3;"]),
    "White first": (b"(;SZ[9];W[cc])", "pass C7", ["out of turn: move 1;"]),
    "White first, as PL says": (b"(;SZ[9]PL[W];W[cc])", "C7", []),
    "KM none": (b"(;SZ[9]KM[none];B[cc])", "C7", ["KM[none] is read as not given"]),
    "KM ?": (b"(;SZ[9]KM[?];B[cc])", "C7", ["KM[?]"]),
    "KM in words": (b"(;SZ[9]KM[6.5 points];B[cc])", "C7", ["read as 6.5"]),
    "KM in Japanese": ("(;SZ[9]KM[6.5目];B[cc])".encode(), "C7", ["read as 6.5"]),
    "KM with a comma": (b"(;SZ[9]KM[6,5];B[cc])", "C7", []),
    "HA none": (b"(;SZ[9]HA[none];B[cc])", "C7", ["HA[none]"]),
    "HA in words": (b"(;SZ[9]HA[2 stones]KM[0]AB[cc][gg];W[ee])", "E5", ["read as 2"]),
    "SZ empty": (b"(;SZ[];B[cc])", "C17", ["19 lines"]),
    "SZ with an x": (b"(;SZ[9x9];B[cc])", "C7", []),
    "brackets in a comment": (b"(;SZ[9]C[see [1] below];B[cc]C[[5k]: hi];W[gg])", "C7 G3",
                              ["brackets"]),
    "][ in a comment": (b"(;SZ[9];B[cc]C[one ][ two];W[gg])", "C7 G3", []),
    "][ and ] in a comment": (b"(;SZ[9];B[cc]C[one ][ two] three];W[gg])", "C7 G3", ["brackets"]),
    "setup in the middle": (b"(;SZ[9];B[cc];W[gg];AB[ee];B[dd])", "D6",
                            ["after move 2: the game is read from there, with black to move"]),
    "setup that changes nothing": (b"(;SZ[9];B[cc];AB[cc];W[gg])", "C7 G3", []),
    "PL beside a move": (b"(;SZ[9];B[cc]PL[W];W[gg])", "C7 G3", []),
    "setup at the end": (b"(;SZ[9];B[cc];W[gg];AE[gg])", "C7 G3", ["last move"]),
    "after two passes": (b"(;SZ[9];B[cc];W[];B[tt];W[gg])", "C7 pass pass", ["two passes"]),
    "variations": (b"(;SZ[9];B[cc](;W[gg])(;W[ee]))", "C7 G3", []),
    "an illegal move": (b"(;SZ[9];B[cc];W[gg];B[cc];W[dd])", "C7 G3",
                        ["move 3, black C7, is illegal: the point is occupied"]),
    "gb2312 that is GBK": (gbk("(;CA[gb2312]SZ[9]PB[李昞];B[cc]C[朱鎔基];W[gg])"), "C7 G3", []),
    "a bracket in a character": (
        b"(;CA[GB2312]SZ[9]PB[\x81\x5d];B[cc]C[\x81\x5c];W[gg])", "C7 G3", []),
    "shift_jis that is cp932": ("(;CA[Shift_JIS]SZ[9]PB[髙尾①];B[cc])".encode("cp932"), "C7", []),
    "a backslash in Shift-JIS": ("(;CA[sjis]SZ[9];B[cc]C[表];W[gg])".encode("cp932"), "C7 G3", []),
    "euc-kr that is cp949": ("(;CA[euc-kr]SZ[9]PB[똠];B[cc])".encode("cp949"), "C7", []),
    "big5 that is hkscs": ("(;CA[Big5]SZ[9]PB[許嘅];B[cc])".encode("big5hkscs"), "C7", []),
    "latin-1 that is cp1252": ("(;CA[ISO-8859-1]SZ[9]PB[“x”];B[cc])".encode("cp1252"), "C7", []),
    "no charset, GBK": (gbk("(;SZ[9]PB[柯洁];B[cc])"), "C7", ["gb18030, so names may be wrong"]),
    "no charset, a bracket": (b"(;SZ[9]PB[\xc0\x5d\x81\x5d];B[cc])", "C7", ["names no charset"]),
    "no charset, Big5": ("(;SZ[9]PB[許功蓋];B[cc])".encode("big5"), "C7", ["big5hkscs"]),
    "no charset, French": ("(;SZ[9]PB[André Éluard];B[cc])".encode("latin-1"), "C7", ["cp1252"]),
    "another charset": ("(;CA[gb2312]SZ[9]PB[ö];B[cc])".encode(), "C7", []),
    "wrong bytes": (b"(;CA[UTF-8]SZ[9]PB[\xff\xfe];B[cc])", "C7", ["some bytes are not UTF-8"]),
    "several games": (b"(;SZ[9];B[cc])\n\n(;SZ[9];B[dd];W[ee])", "C7", []),
    # After reports of other programs' users.
    "set up and taken away": (b"(;SZ[9]AB[cc][dd]AE[cc];B[ee])", "E5", []),
    "names in full": (b"(;GaMe[1]SiZe[9]KoMi[6.5];Black[cc];White[gg])", "C7 G3", []),
    "backslashes in a comment": (rb"(;SZ[9]C[\\\\];B[cc]C[\\\];W[dd])];W[gg])", "C7", []),
    "line ends of old Macs": (b"(;SZ[9]\r;B[cc]\r;W[gg]\r)", "C7 G3", []),
    "empty nodes": (b"(;;;SZ[9];;B[cc];;W[gg])", "C7 G3", []),
    "a bracket too many": (b"(;SZ[9];B[cc];W[gg]))", "C7 G3", []),
    "KM in hundredths": (b"(;SZ[9]KM[375]HA[0];B[cc])", "C7", ["KM[375] is read as 7.5"]),
    "times": (b"(;SZ[9]TM[1800]OT[5x30 byo-yomi];B[cc]BL[1795.2];W[gg]OW[5])", "C7 G3", []),
    "KO beside an illegal move": (b"(;SZ[9];B[cc];W[cc]KO[])", "C7", ["the point is occupied"]),
    "labels twice": (b"(;SZ[9];B[cc]LB[dd:a:b][ee]LB[zz:x];W[gg]TR[aa:cc])", "C7 G3", []),
    "setup beside a move": (b"(;SZ[9];B[cc]AB[aa];W[gg])", "C7 G3", []),
    "line ends before values": (b"(;GM\n[1]SZ\t[9];B\n[cc];W [gg])", "C7 G3", []),
    "only a result": (b"(;SZ[9]RE[B+R])", "", []),
    "PL unknown": (b"(;SZ[9]PL[X];B[cc])", "C7", []),
    "RE in Chinese": ("(;SZ[9]RE[黑中盘胜];B[cc])".encode(), "C7", []),
    "self-capture": (b"(;SZ[5];B[ab];W[ee];B[ba];W[aa];B[cc])", "A4 E1 B5", ["self-capture"]),
    "a mail about it": (b"From: me\n\n(;SZ[9];B[cc])\n-- \nsent from my phone", "C7", []),
    "tt is a pass": (b"(;SZ[9];B[cc];W[tt];B[gg])", "C7 pass G3", []),
    "a view": (b"(;SZ[9];B[cc]VW[];W[gg]DD[aa:ii]VW[aa:cc])", "C7 G3", []),
}
# A file, and why all of it is refused.
REFUSED = {
    "another game": (b"(;GM[2]SZ[9];B[cc])", r"GM\[2\] is another game"),
    "no point": (b"(;SZ[9];B[cc];W[zz])", r"W\[zz\] is not a point"),
    "two komis": (b"(;SZ[9]KM[6.5][7.5];B[cc])", "contradict"),
    "two sizes": (b"(;SZ[9]SZ[13];B[cc])", "contradict"),
    "KM in doubt": (b"(;SZ[9]KM[6.5 or 7.5];B[cc])", "is not a komi"),
    "SZ in doubt": (b"(;SZ[nine];B[cc])", "is not a board size"),
    "cut off": (b"(;SZ[9];B[cc];W[g", "unexpected end"),
    "text": (b"hello", "no SGF data"),
    "zeros": (bytes(100), "no SGF data"),
    "a page of the web": (b"<html><body>404</body></html>", "no SGF data"),
    "Hex of Little Golem": (b"(;SZ[13];W[kb];B[swap])", r"B\[swap\] is not a point of a 13x13"),
    "a pass beside the board": (b"(;SZ[9];B[cc];W[jj])", r"W\[jj\] is not a point of a 9x9"),
    "no square": (b"(;SZ[9:13];B[cc])", "only square boards of 2 to 25"),
    "52 lines": (b"(;SZ[52];B[AA])", "only square boards of 2 to 25"),
    "two moves in a node": (b"(;SZ[9];B[cc]W[gg])", "one node holds several moves"),
}
COUNTED = '[FEN "B:W21,K22,23:B1,2,3:H0:F1"] 1. 1-5 *'
PDN = {
    "counters": (COUNTED.encode(), "1-5", ["':H0:F1'"]),
    "capital counters": (COUNTED.replace(":H0:F1", ":h3:f12.").encode(), "1-5", [":h3:f12"]),
    "twice the turn": (b'[FEN "W:W:W21,K22:B1,2"] 21-17 *', "21-17", []),
    "FEN empty": (b'[FEN ""] 1. 11-15 23-19', "11-15 23-19", ["usual start"]),
    "end of a DOS file": (b"1. 11-15 23-19 *\r\n\x1a\x1a", "11-15 23-19", []),
    "Result ?": (b'[Result "?"] 1. 11-15 0-1', "11-15", []),
    "Result empty": (b'[Result ""] 1. 11-15 0-1', "11-15", []),
    "marks apart": (b"1. 11-15 ! 23-19 ?! 2. 8-11!", "11-15 23-19 8-11", []),
    "en dash": ("1. 11–15 23−19 0–1".encode(), "11-15 23-19", []),
    "en dash of Windows": ("1. 11–15 23-19".encode("cp1252"), "11-15 23-19", ["cp1252"]),
    "a half": ("1. 11-15 23-19 ½-½".encode(), "11-15 23-19", []),
    "a half of Windows": ("1. 11-15 23-19 ½–½".encode("cp1252"), "11-15 23-19", ["cp1252"]),
    "variations": (b"1. 11-15 (1. 9-13 22-18) 23-19", "11-15 23-19", []),
    "an illegal move": (b"1. 11-15 23-19 2. 15-19 19-15 *", "11-15 23-19",
                        ["move 2 of black: '15-19' is illegal"]),
    # After reports of other programs' users.
    "no numbers": (b"11-15 23-19", "11-15 23-19", []),
    "a huge number": (b"100000000000000000000. 11-15 *", "11-15", []),
    "a comment of CheckerBoard": (b"1. 11-15 { 0.2s  depth 13/22 value -2 } 23-19 *",
                                  "11-15 23-19", []),
    "clocks": (b"1. 11-15 { [%clock w0:04:59] } 1... 23-19 { [%eval 0.2] } *", "11-15 23-19", []),
    "spaces in a FEN": (b'[FEN "W:WK1,5:B K28 ,12."] 1. 1-6 *', "1-6", []),
    "spaces in tags": (b'[ White "a" ]\n[Black   "b"] 1. 11-15 *', "11-15", []),
    "points for the result": (b'[Result "2-0"] 1. 11-15 23-19 2-0', "11-15 23-19", []),
    "UTF-16": ('[White "a"] 1. 11-15 23-19 *'.encode("utf-16"), "11-15 23-19", []),
    "variations in variations": (b"1. 11-15 (12-16) (1. 12-16 24-20) 23-19 (1... 22-18 2. 15x22 "
                                 b"(2. 15x22 25x18)) 2. 8-11 *", "11-15 23-19 8-11", []),
    "signs of Informator": ("1. 11-15 $1 23-19 ± 2. 8-11!? ∓ *".encode(), "11-15 23-19 8-11", []),
    "one of two captures": (b'[FEN "B:W6,7,14,15:B2"] 1. 2x9x18 *', "2x9 9x18", []),
    "several games": (b"1. 11-15 *\n[Event \"x\"] 1. 9-13 *", "11-15", []),
}
TABLE = [
    pytest.param(data, PurePath(f"x.{ending}"), moves, notes, id=f"{ending}: {name}")
    for ending, rows in (("sgf", SGF), ("pdn", PDN)) for name, (data, moves, notes) in rows.items()
]


@pytest.mark.parametrize(("data", "path", "moves", "notes"), TABLE)
def test_what_has_one_meaning_is_read_and_what_was_assumed_is_said(
    data: bytes, path: PurePath, moves: str, notes: list[str]
) -> None:
    saved, *_ = read_games(data, path, get_game)
    state = saved.state
    assert " ".join(map(state.game.move_text, state.moves())) == moves
    assert len(saved.notes) == len(notes), saved.notes
    for part, note in zip(notes, saved.notes, strict=True):
        assert part in note and note.startswith(str(path)) and note.isprintable()


@pytest.mark.parametrize(("data", "why"), REFUSED.values(), ids=REFUSED)
def test_what_would_be_a_guess_is_refused(data: bytes, why: str) -> None:
    with pytest.raises(NotationError, match=rf"x\.sgf: .*{why}"):
        read_games(data, PurePath("x.sgf"), get_game)


@pytest.mark.parametrize(("text", "moves"), [
    ("game: hex:size=5,swap=yes\nB2 SWAP C3", "b2 swap c3"),
    ("game: hex:size=5\nb2 c3 resign", "b2 c3 resign"),
    ("game:\tothello\r\nf5\tD6\r\n", "f5 d6"),
    ("game: breakthrough\nb2-b3 a7-a6 b3-b4 a6-a5 b4xa5", "b2-b3 a7-a6 b3-b4 a6-a5 b4xa5"),
    # Other programs' ways of writing games are no text of moves.
    ("game: breakthrough\nb2b3", "'b2b3' is not a move: write two cells of a1 to h8, such as"),
    ("game: connect4\n4444433", "'4444433' is not a column: write a number 1-7"),
    ("game: hex:size=5\nb2 swap", "'swap' is not a cell: write a1 to e5"),
    ("game: othello\nF5D6C3", "'F5D6C3' is not a cell: write a1 to h8, or pass"),
    ("game: othello\nf5 d6 --", "'--' is not a cell: write a1 to h8, or pass"),
    ("game: othello\n1. f5", "'1.' is not a cell"),
    ("game: othello\nf5\ngame: othello\nf5", "line 3: 'game: othello' is not a cell"),
    ("F5D6C3", "not a game record; one is SGF of Go, PDN of draughts, or moves after a first line"),
])
def test_the_text_of_moves_has_one_form(text: str, moves: str) -> None:
    try:
        [saved] = read_games(text.encode(), PurePath("x.txt"), get_game)
    except NotationError as error:
        assert moves in str(error)
    else:
        state = saved.state
        assert " ".join(map(state.game.move_text, state.moves())) == moves


def test_names_are_read_by_the_supersets_of_charsets() -> None:
    names = {name: read_games(data, PurePath("x.sgf"), get_game)[0].black
             for name, (data, _, _) in SGF.items() if "that is" in name}
    assert names == {
        "gb2312 that is GBK": "李昞", "shift_jis that is cp932": "髙尾①",
        "euc-kr that is cp949": "똠", "big5 that is hkscs": "許嘅",
        "latin-1 that is cp1252": "“x”",
    }


def test_the_good_games_of_a_collection_are_read() -> None:
    """A variation of a broken game is no game."""
    data = (b"(;SZ[9];B[cc](;W[dd])(;W[ee]))(;SZ[9];B[aa] ](;W[bb])(;W[cc]))(;GM[2];B[aa])"
            b"(;SZ[5];B[aa])")
    games = read_games(data, PurePath("x.sgf"), get_game)
    assert [len(game.state.moves()) for game in games] == [2, 1]
    assert [game.state.game.size for game in games] == [9, 5]
    assert "game 2" in games[0].notes[0] and "GM[2]" in games[0].notes[1]


# What was read is written back.

WHOLE = (
    "(;GM[1]FF[4]CA[UTF-8]SZ[9]KM[6.5]RU[Japanese]HA[2]AB[cc][gg]PL[W]PB[Honinbo]BR[9d]PW[Meijin]"
    "WR[8d]EV[Spring]RO[3]DT[2026-11-25]PC[Kyoto]TM[3600]OT[5x30 byo-yomi]RE[W+12.5]GC[A fine game]"
    "C[start \\] 囲碁];W[ee]WL[3590.5]C[first];B[ed]BL[3580]LB[aa:1][bb:2]TR[cc]"
    ";W[de]N[good]C[end])"
).encode()
PDN_WHOLE = (
    b'[Event "Club"]\n[Site "Kyoto"]\n[Date "2026.11.25"]\n[Round "2"]\n[White "Bell"]\n'
    b'[Black "Ann"]\n[Result "1-0"]\n[TimeControl "1800"]\n\n'
    b"{start} 1. 11-15 {a good move} 23-19 2. 8-11 {so} 1-0"
)


def properties(data: bytes) -> list[dict[str, list[bytes]]]:
    """The properties of each node of the main line, but for what every file of ours has."""
    game = sgf.Sgf_game.from_bytes(data)
    return [{key: sorted(node.get_raw_list(key)) for key in node.properties()
             if key not in ("AP", "CA", "FF", "GC", "GM")} for node in game.main_sequence_iter()]


def test_a_go_record_is_written_back_whole() -> None:
    (saved,) = read_games(WHOLE, PurePath("x.sgf"), get_game)
    assert (saved.state.next_player, saved.komi, saved.notes) == (Player.black, 6.5, ())
    data = game_bytes(saved.state, saved.black, saved.white, read=saved)
    assert properties(data) == properties(WHOLE)
    assert sgf.Sgf_game.from_bytes(data).get_root().get("GC").startswith("A fine game\n")
    again, = read_games(data, PurePath("x.sgf"), get_game)
    assert game_bytes(again.state, again.black, again.white, read=again) == data


def test_a_draughts_record_is_written_back_whole() -> None:
    (saved,) = read_games(PDN_WHOLE, PurePath("x.pdn"), get_game)
    data = game_bytes(saved.state, saved.black, saved.white, read=saved)
    assert set(PDN_WHOLE.decode().splitlines()) <= set(data.decode().splitlines())
    (again,) = read_games(data, PurePath("x.pdn"), get_game)
    assert again.comments == {0: "start", 1: "a good move", 3: "so"}
    assert game_bytes(again.state, again.black, again.white, read=again) == data


@pytest.mark.parametrize("data", [data for data, _, _ in SGF.values()], ids=SGF)
def test_what_is_written_reads_back_the_same(data: bytes) -> None:
    saved, *_ = read_games(data, PurePath("x.sgf"), get_game)
    written = game_bytes(saved.state, saved.black, saved.white, read=saved)
    (again,) = read_games(written, PurePath("x.sgf"), get_game)
    assert again.state == saved.state and again.state.moves() == saved.state.moves()
    assert (again.black, again.white, again.comments) == (
        saved.black, saved.white, saved.comments
    )
    assert all("HA[" in note for note in again.notes)


def test_a_game_that_goes_another_way_keeps_what_was_said_before_that() -> None:
    (saved,) = read_games(WHOLE, PurePath("x.sgf"), get_game)
    other = saved.state.previous_state.apply_move("A1")
    data = game_bytes(other, *saved.names_beside(("human", "mcts:sims=9"), other), read=saved)
    nodes = properties(data)
    assert "RE" not in nodes[0] and nodes[0]["EV"] == [b"Spring"]
    assert (nodes[0]["PB"], nodes[0]["PW"]) == ([b"Honinbo"], [b"mcts:sims=9"])
    assert nodes[1]["C"] == [b"first"] and "LB" in nodes[2]
    assert nodes[3].keys() == {"W"}
