"""Inputs by readers: every command that takes a game file reads it alike and says the same of it.

The readers are `show`, `analyze`, `play --resume`, `loadsgf`, the studio and `import-sgf`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePath

import pytest
from sgfmill import sgf, sgf_moves

from dlgo import GameState, get_game
from engines.learning.data import read_shard
from engines.learning.data.replay import start_state
from experiments.play.board_animation import load_game
from experiments.play.game_file import read_games
from tests.command import ROOT, dlgo_here
from tests.conftest import RUN_ALL
from tests.gtp.talk import Talk
from tests.records.test_readers import PDN, SGF, WHOLE, properties
from tests.studio.client import Studio

CASES = ROOT.parent / "shared" / "cases"
# Rows of the table of inputs, one of each kind.
KINDS = (
    "free handicap", "two of White", "KM in words", "brackets in a comment", "setup in the middle",
    "after two passes", "no charset, GBK", "wrong bytes",
)

# The stones and whose turn it is; the notes.
Answer = tuple[str, list[str]]


def files(kind: str) -> list[Path]:
    """The shared cases, where they are."""
    return sorted((CASES / kind).glob(f"*.{kind}"))


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


def by_import(path: Path, out: Path, capsys: pytest.CaptureFixture[str]) -> Answer:
    size = load_game(path).state.game.size
    done = dlgo_here(capsys, "data", "import-sgf", path, "--out", out / "data", "--size", size,
                     "--workers", 1)
    assert done.returncode == 0, done.stderr
    game = get_game("go", size=size)
    played = read_shard(out / "data" / "games-000000.npz").games[0]
    state = start_state(game, played.start)
    for action in played.actions.tolist():
        state = state.apply_move(game.move_of(action))
    return stones_of(state), said(done.stderr.splitlines(), "note: ")


def others(
    number: int, path: Path, out: Path, studio: Studio, capsys: pytest.CaptureFixture[str]
) -> dict[str, Answer]:
    """What readers say of the file of a number: all of them with --run-all, else two in turn."""
    readers = {
        "show": lambda: by_show(path, out, capsys), "play": lambda: by_play(path, out, capsys),
        "analyze": lambda: by_analyze(path, out, capsys), "studio": lambda: by_studio(path, studio),
    }
    if path.suffix == ".sgf":
        readers |= {"loadsgf": lambda: by_loadsgf(path, capsys),
                    "import-sgf": lambda: by_import(path, out, capsys)}
    names = list(readers)
    if not RUN_ALL:
        names = [names[(number + half) % len(names)] for half in (0, len(names) // 2)]
    return {name: readers[name]() for name in names}


def read(path: Path) -> Answer:
    saved = load_game(path)
    return stones_of(saved.state), said(saved.notes)


@pytest.mark.slow
@pytest.mark.skipif(not CASES.is_dir(), reason="needs ../shared/cases")
@pytest.mark.parametrize("kind", ["sgf", "pdn"])
def test_shared_cases_are_read_alike(
    kind: str, tmp_path: Path, studio: Studio, capsys: pytest.CaptureFixture[str]
) -> None:
    for number, path in enumerate(files(kind)):
        out = tmp_path / path.stem
        out.mkdir()
        first, answers = read(path), others(number, path, out, studio, capsys)
        if path.stem == "three-games":  # all of them are imported, one is shown
            assert answers.pop("import-sgf", (first[0], [])) == (first[0], [])
            assert "the first of 3 games" in first[1][0]
        assert all(answer == first for answer in answers.values()), (path.name, first, answers)


@pytest.mark.slow
def test_own_inputs_are_read_alike(
    tmp_path: Path, studio: Studio, capsys: pytest.CaptureFixture[str]
) -> None:
    for number, name in enumerate(KINDS):
        out = tmp_path / str(number)
        out.mkdir()
        path = out / "x.sgf"
        path.write_bytes(SGF[name][0])
        first, answers = read(path), others(number, path, out, studio, capsys)
        assert all(answer == first for answer in answers.values()), (name, first, answers)
        assert len(first[1]) >= len(SGF[name][2])


@pytest.mark.parametrize("kind", ["sgf", "pdn"])
def test_an_illegal_move_keeps_the_game_for_people_and_refuses_it_for_training(
    kind: str, tmp_path: Path, studio: Studio, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"x.{kind}"
    path.write_bytes((SGF if kind == "sgf" else PDN)["an illegal move"][0])
    answers = [by_show(path, tmp_path, capsys), by_analyze(path, tmp_path, capsys),
               by_play(path, tmp_path, capsys), by_studio(path, studio)]
    if kind == "sgf":
        answers.append(by_loadsgf(path, capsys))
        done = dlgo_here(capsys, "data", "import-sgf", path, "--out", tmp_path / "data",
                         "--size", 9, "--workers", 1)
        assert "skipped" in done.stderr and "move 3, black C7, is illegal" in done.stderr
        assert "0 games, 0 positions" in done.stderr
    assert all(answer == answers[0] for answer in answers), answers
    assert answers[0][1][-1] == "the game is read up to there"


def test_every_command_writes_back_what_the_file_says(
    tmp_path: Path, studio: Studio, capsys: pytest.CaptureFixture[str]
) -> None:
    path, whole = tmp_path / "x.sgf", properties(WHOLE)
    path.write_bytes(WHOLE)
    by_play(path, tmp_path, capsys)
    assert properties((tmp_path / "played.sgf").read_bytes()) == whole
    _, answer = studio.ask("/api/games/load?name=x.sgf", WHOLE, content_type="text/plain")
    _, data = studio.ask(f"/api/games/{answer['id']}/file")
    assert properties(data) == whole
    by_analyze(path, tmp_path, capsys)
    reviewed = properties((tmp_path / "analyzed.sgf").read_bytes())
    for before, after in zip(whole, reviewed, strict=True):
        assert {key: text for key, text in after.items() if key != "C"} == {
            key: text for key, text in before.items() if key != "C"
        }
        assert all(text in after["C"][0] for text in before.get("C", ()))
