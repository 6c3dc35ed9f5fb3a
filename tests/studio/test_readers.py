"""Every command that takes a game file reads it alike and says the same of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePath

import pytest
from sgfmill import sgf, sgf_moves

from dlgo import GameState, get_game
from experiments.play.board_animation import load_game
from experiments.play.game_file import read_games
from tests.command import assert_one_line, dlgo_here
from tests.gtp.talk import Talk
from tests.records.test_readers import PDN, SGF
from tests.studio.client import Studio

# A game of flying kings, and what is said of it.
INTERNATIONAL = (
    '[White "W"]\n[GameType "20,W,10,10,N2,0"]\n[FEN "W:WK46:B5"]\n\n1. 46x10 {long} 5x14 *\n',
    "GameType '20,W,10,10,N2,0' is not English draughts ('21'); other kinds, such as "
    "international draughts, have other rules",
)
# The stones and whose turn it is; the notes.
Answer = tuple[str, list[str]]


def stones_of(state: GameState) -> str:
    rows, cols = range(1, state.game.board_rows + 1), range(1, state.game.board_cols + 1)
    owners = (state.game.cell(state, row, col) for row in rows for col in cols)
    text = "".join("." if owner is None else "xo"[owner.index] for owner in owners)
    return text if state.is_over() else f"{text} {state.next_player.name}"


def stones_in(data: bytes) -> str:
    """The same of a file that was written, by sgfmill's rules if it is SGF."""
    if not data.startswith(b"(;"):
        return stones_of(read_games(data, PurePath("x.pdn"), get_game)[0].state)
    game = sgf.Sgf_game.from_bytes(data)
    board, plays = sgf_moves.get_setup_and_moves(game)
    root = game.get_root()
    turn = root.get("PL") if root.has_property("PL") else "b"
    for color, move in plays:
        if move is not None:
            board.play(*move, color)
        turn = "w" if color == "b" else "b"
    size = range(game.get_size())
    text = "".join({"b": "x", "w": "o", None: "."}[board.get(row, col)]
                   for row in size for col in size)
    if len(plays) > 1 and [move for _, move in plays[-2:]] == [None, None]:
        return text
    return f"{text} {'black' if turn == 'b' else 'white'}"


def said(lines: Iterator[str] | list[str], start: str = "") -> list[str]:
    """The notes among lines, without the name of the file."""
    texts = (line.removeprefix(start) for line in lines if line.startswith(start))
    return [part for text in texts
            for part in re.sub(r"^\S*\.(sgf|pdn)(, game \d+)?: ", "", text).split("; ")]


def by_show(path: Path, out: Path, capsys: pytest.CaptureFixture[str]) -> Answer:
    done = dlgo_here(capsys, "show", path, "--out", out / "x.png")
    assert done.returncode == 0, done.stderr
    return stones_of(load_game(path).state), said(done.stderr.splitlines(), "note: ")


def by_analyze(path: Path, out: Path, capsys: pytest.CaptureFixture[str]) -> Answer:
    target = out / "analyzed.sgf"
    option = "--sgf" if path.suffix == ".sgf" else "--html"
    done = dlgo_here(capsys, "analyze", path, "--engine", "mcts:sims=1", "--no-exact",
                     option, target)
    assert done.returncode == 0, done.stderr
    if option == "--html":
        assert done.stdout.startswith("draughts: ")
        return stones_of(load_game(path).state), said(done.stderr.splitlines(), "note: ")
    return stones_in(target.read_bytes()), said(done.stderr.splitlines(), "note: ")


def by_play(path: Path, out: Path, capsys: pytest.CaptureFixture[str]) -> Answer:
    target = out / f"played{path.suffix}"
    done = dlgo_here(capsys, "play", "--resume", path, "--first", "human", "--second", "human",
                     "--save", target, stdin=f"save {target}\nquit\n")
    assert done.returncode == 0, done.stderr
    notes = said(done.stderr.splitlines(), "note: ")
    if not target.exists():  # a game that is over is not played
        return stones_of(load_game(path).state), notes
    return stones_in(target.read_bytes()), notes


def by_loadsgf(path: Path, capsys: pytest.CaptureFixture[str]) -> Answer:
    talk = Talk()
    capsys.readouterr()
    talk(f"loadsgf {path}")
    return (stones_of(talk.server.session.state),
            said(capsys.readouterr().err.splitlines(), "dlgo gtp: "))


def by_studio(path: Path, studio: Studio) -> Answer:
    status, answer = studio.ask(f"/api/games/load?name=x{path.suffix}", path.read_bytes(),
                                content_type="application/octet-stream")
    assert status == 200, answer
    _, data = studio.ask(f"/api/games/{answer['id']}/file")
    return stones_in(data), said(answer["notes"])


@pytest.mark.parametrize("name", [
    "an illegal move", "an illegal move in PDN",
    *(pytest.param(name, marks=pytest.mark.slow) for name in (
        "free handicap", "two of White", "brackets in a comment", "no charset, GBK")),
])
def test_a_file_is_read_alike(
    name: str, tmp_path: Path, studio: Studio, capsys: pytest.CaptureFixture[str]
) -> None:
    kind = "pdn" if "PDN" in name else "sgf"
    path = tmp_path / f"x.{kind}"
    table = SGF if kind == "sgf" else PDN
    path.write_bytes(table[name.removesuffix(" in PDN")][0])
    saved = load_game(path)
    first = stones_of(saved.state), said(saved.notes)
    answers = [by_show(path, tmp_path, capsys), by_analyze(path, tmp_path, capsys),
               by_play(path, tmp_path, capsys), by_studio(path, studio)]
    if kind == "sgf":
        answers.append(by_loadsgf(path, capsys))
    assert all(answer == first for answer in answers), (first, answers)
    if name == "an illegal move":
        assert first[1][-1] == "the game is read up to there"
        done = dlgo_here(capsys, "data", "import-sgf", path, "--out", tmp_path / "data",
                         "--size", 9, "--workers", 1)
        assert "skipped" in done.stderr and "0 games, 0 positions" in done.stderr


def test_other_kinds_of_draughts_are_refused_alike(
    tmp_path: Path, studio: Studio, capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "x.pdn"
    path.write_text(INTERNATIONAL[0])
    for arguments in (("play", "--resume", path), ("analyze", path),
                      ("show", path, "--out", tmp_path / "x.png")):
        assert_one_line(dlgo_here(capsys, *arguments), f"x.pdn: PDN game 1: {INTERNATIONAL[1]}")
    answer = studio.ask("/api/games/load?name=x.pdn", path.read_bytes(), content_type="text/plain")
    assert answer == (400, {"error": f"x.pdn: PDN game 1: {INTERNATIONAL[1]}"})
