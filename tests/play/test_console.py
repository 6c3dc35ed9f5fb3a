"""The console: saving and resuming, hints, undo, colours, and files that are none."""

from __future__ import annotations

import io
import os
import re
from pathlib import Path

import pytest

from dlgo import DlgoError, GameState, Move, NotationError, Player, Point, get_game
from dlgo.display import player_text
from dlgo.games.draughts.state import Draughts
from engines.base import Decision
from experiments.play.console import Console
from experiments.play.game_file import game_bytes, read_game_file, write_game_file
from experiments.play.session import (
    DEFAULT_HINT,
    Session,
    evaluation_text,
    make_player,
    player_from_file,
)
from experiments.progress import console
from tests.command import assert_one_line, dlgo_here
from tests.conftest import random_game
from tests.golden.update import golden_games

# Black has two jumps in one turn, 9x18x27.
DOUBLE_JUMP = "B:W14,23,32:B1,9"


def sit_down(state: GameState, second: str = "random", **options: object) -> Session:
    """A human on black against an engine."""
    players = [make_player("human", state.game, 1), make_player(second, state.game, 2)]
    return Session(state, players, **options)


def typed(session: Session, lines: str, **options: object) -> str:
    """Play with typed lines; what was printed."""
    out = io.StringIO()
    Console(session, source=io.StringIO(lines), target=out, **options).run()
    return out.getvalue()


def start(game: str) -> GameState:
    return GameState.new_game(get_game(game))


# What is typed.


@pytest.mark.parametrize(("game", "lines", "parts", "plies"), [
    ("tictactoe", "z9\nb2\nB2\nquit\n", ["'z9' lies off the", "B2 is illegal: the cell is"], 2),
    ("connect4", "4\nundo\n3\nundo\nundo\nquit\n", ["have not moved yet"], 0),
    ("go:size=5", "C3\nresign\n", ["white wins by resignation"], 3),
    ("go:size=5", "C3\n", ["is unfinished"], 2),  # the end of the input
    ("connect4", "moves\nquit\n", ["1 2 3 4 5 6 7"], 0),
    ("connect4", "hint\nquit\n", [f"hint of {DEFAULT_HINT}", "value", "line"], 0),
])
def test_lines_are_answered(game: str, lines: str, parts: list[str], plies: int) -> None:
    session = sit_down(start(game))
    text = typed(session, lines)
    assert all(part in text for part in parts), text
    assert len(session.state.moves()) == plies
    prompt = f"{player_text(session.state.game, Player.black)}> "
    assert text.count(prompt) == len(lines.splitlines()) + (lines == "C3\n")


def test_a_forced_pass_is_announced() -> None:
    session = sit_down(start("othello:size=4"), "human")
    text = typed(session, "c4\nd4\na2\nb4\nd3\nd2\npass\nquit\n")
    assert text.count("Your only legal move is pass.") == 1 and len(session.state.moves()) == 7


# Saving and resuming.


@pytest.mark.parametrize(
    "game",
    [*golden_games(), *map(get_game, ("go:size=9,handicap=3,komi=0.5", "go:size=5,ko=simple"))],
    ids=str,
)
@pytest.mark.parametrize("plies", [1, 17, 400])
def test_a_saved_game_is_the_same_game_when_read(tmp_path: Path, game, plies: int) -> None:
    state = random_game(game, seed=3, max_plies=plies)[-1]
    if plies == 1:
        state = state.apply_move(Move.resign())
    write_game_file(tmp_path / "game", state, "human", "mcts:sims=10")
    read = read_game_file(tmp_path / "game")
    assert read.state == state
    assert (read.state.game, read.state.moves()) == (game, state.moves())
    assert not state.is_over() or read.state.winner() is state.winner()
    assert (read.black, read.white) == ("human", "mcts:sims=10")


BROKEN = [
    ("x.txt", b"", "not a game record"),
    ("x.txt", b"hello", "not a game record"),
    ("x.txt", b"\0\1\2", "not a game record"),
    ("x.txt", b"SQLite format 3\0", "not a game record"),
    ("x.txt", b"game: chess\n", "line 1: unknown game 'chess'"),
    ("x.txt", b"game: connect4\n4 \xff\n", "line 2: "),
    ("x.txt", b"game: tictactoe\ngame: go\n", "line 2: "),
    ("x.sgf", b"hello", "not a readable Go record"),
    ("x", b"(;GM[40]SZ[9])", "another game"),
    ("x.pdn", b"hello", "PDN"),
    ("x.pdn", b'[Event "?"]\n1. 11-15 11-51 *', "move 1 of white"),
    ("x.pgn", b'[Event "?"]\n\n1. Nf3 d5 2. g3 *', "looks like chess"),
]


@pytest.mark.parametrize(("name", "content", "part"), BROKEN)
def test_a_file_that_is_no_game_gives_one_line(
    tmp_path: Path, capsys, name: str, content: bytes, part: str
) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    done = dlgo_here(capsys, "play", "--resume", file)
    assert_one_line(done, part)
    assert name in done.stderr


def test_mistakes_around_files_give_one_line(tmp_path: Path, capsys) -> None:
    game = tmp_path / "game.txt"
    write_game_file(game, start("connect4"))
    for arguments, part in (
        (("--resume", str(tmp_path / "none")), "No such file"),
        (("--resume", str(tmp_path)), "not a file"),
        (("go9", "--resume", str(game)), "is a game of connect4"),
        (("connect4", "--save", str(game)), "already holds another game"),
        (("connect4", "--save", str(tmp_path / "no" / "x.txt")), "folder does not exist"),
        (("connect4", "--hint", "stockfish"), "unknown engine"),
        ((), "name a GAME"),
    ):
        assert_one_line(dlgo_here(capsys, "play", *arguments), part)
    assert read_game_file(game).state == start("connect4")


def test_a_game_goes_on_where_it_was_left(tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    first = sit_down(start("connect4"))
    assert "continues it" in typed(first, f"4\nsave {file}\nquit\n")
    again = sit_down(read_game_file(file).state, known_file=file)
    assert again.state == first.state
    typed(again, "undo\n3\nsave\nquit\n")
    assert read_game_file(file).state.moves()[0] == Move.play(3)


def test_the_file_follows_every_move(tmp_path: Path) -> None:
    file = tmp_path / "game.txt"

    class Lines(io.StringIO):
        def readline(self, *_: object) -> str:  # looks into the file whenever it is asked
            asked.append(len(read_game_file(file).state.moves()) if file.exists() else None)
            return super().readline()

    asked: list[int | None] = []
    session = sit_down(start("connect4"), save=file)
    Console(session, source=Lines("4\n5\nundo\n"), target=io.StringIO()).run()
    assert asked == [None, 2, 4, 2]


def test_an_illegal_move_of_an_engine_names_it_and_saves_the_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    session = sit_down(start("go:size=5").play("A1"))
    session.players[1].engine.select_move = lambda state: Decision(Move.play(Point(1, 1)))
    with pytest.raises(DlgoError, match="^random: A1 is illegal: .*; `dlgo play --resume unfin"):
        session.bot_turn()
    assert read_game_file(Path("unfinished.sgf")).state == session.state


def test_a_full_disk_ends_no_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "game.txt"
    session = sit_down(start("connect4"), save=file)
    session.play([Move.play(4)])
    before = file.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    text = typed(session, "4\nquit\n")
    assert "No space left on device" in text
    assert "not saved" in text
    assert len(session.state.moves()) >= 3
    assert file.read_bytes() == before
    assert list(tmp_path.iterdir()) == [file]


def test_saving_spares_files_of_others(tmp_path: Path) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear Ann")
    text = typed(sit_down(start("connect4")), f"save {letter}\nsave\nquit\n")
    assert "already holds another game" in text
    assert "name a file" in text
    assert letter.read_text() == "Dear Ann"


def test_a_file_starts_no_programs() -> None:
    for name in ("mcts:sims=7,c_uct=1", "human"):
        assert player_from_file(name) == name
    for name in ("Lee Sedol", 'gtp:command="touch x"', "my_bot.py:Greedy"):
        assert player_from_file(name) is None


# Leaving, taking back, asking.


class Interrupted(io.StringIO):
    """A keyboard on which Ctrl-C follows the lines."""

    def readline(self, *_: object) -> str:
        line = super().readline()
        if not line:
            raise KeyboardInterrupt
        return line


def test_ctrl_c_says_what_became_of_the_game(tmp_path: Path) -> None:
    for save, part in ((None, "--save FILE"), (tmp_path / "x.txt", "--resume")):
        session, out = sit_down(start("connect4"), save=save), io.StringIO()
        with pytest.raises(KeyboardInterrupt):
            Console(session, source=Interrupted("4\n"), target=out).run()
        assert part in out.getvalue().splitlines()[-1]
    assert len(read_game_file(tmp_path / "x.txt").state.moves()) == 2


def test_undo_takes_back_a_whole_turn() -> None:
    for line in ("9x18x27", "9x18\n18x27"):  # a turn in one line, or jump by jump
        session = sit_down(Draughts.from_fen(DOUBLE_JUMP))
        typed(session, f"{line}\nquit\n")
        again = sit_down(session.state)  # also before the position that was resumed
        typed(again, "undo\nquit\n")
        assert again.state.previous_state is None


def test_a_hint_names_the_winning_move() -> None:
    state = start("tictactoe")
    for text in ("A1", "B1", "A2", "B2"):
        state = state.apply_move(state.game.parse_move(state, text))
    session = sit_down(state, hint="alphabeta:depth=9")
    text = typed(session, "hint\nquit\n")
    assert "hint of alphabeta:depth=9: A3, a proven win" in text
    assert session.state is state


def test_the_evaluation_is_the_first_players_share() -> None:
    text = typed(sit_down(start("connect4"), "mcts:sims=50"), "4\nquit\n", evaluation=True)
    assert text.count("evaluation by mcts:sims=50: red") == 1
    decision = Decision(Move.play(1), value=0.5)
    for mover, share, cells in ((Player.black, "75%", 15), (Player.white, "25%", 5)):
        text = evaluation_text(decision, get_game("go"), mover, "x")
        assert share in text
        assert text.count("#") == cells
    proven = Decision(Move.play(1), value=0.1, proven=-1, plies_to_end=4)
    text = evaluation_text(proven, get_game("connect4"), Player.black, "x")
    assert "proven win of yellow in 4 plies" in text
    assert " 0%" in text
    text = evaluation_text(Decision(Move.play(1)), get_game("go"), Player.black, "random")
    assert text == "evaluation by random: none"


# What is seen.


class Screen(io.StringIO):
    """A terminal that keeps what it shows."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def test_colours_only_where_they_are_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)

    def shown(target: io.StringIO) -> str:
        Console(sit_down(start("connect4")), source=io.StringIO("4\n"), target=target).run()
        return target.getvalue()

    assert "\x1b[" in shown(Screen())
    assert "\x1b[" not in shown(io.StringIO())
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in shown(Screen())


@pytest.mark.parametrize("wanted", [True, False])
def test_bars_and_spinners_have_no_style_without_colours(
    wanted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("NO_COLOR", "" if wanted else "1")
    screen = Screen()
    with console(screen).status("checking"):
        pass
    assert ("m" in re.findall(r"\x1b\[[\d;]*([A-Za-z])", screen.getvalue())) is wanted


def test_text_that_is_no_text_is_asked_again(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    keyboard = io.TextIOWrapper(io.BytesIO(b"\xff\xfe\n4\n"), encoding="utf-8")
    monkeypatch.setattr("sys.stdin", keyboard)
    done = dlgo_here(capsys, "play", "connect4", "--second", "random", "--delay", "0")
    assert (done.returncode, done.stderr) == (0, "")
    assert "is not a column" in done.stdout
    assert "red: 4" in done.stdout


def test_an_illegal_turn_plays_none_of_its_moves() -> None:
    session = sit_down(Draughts.from_fen(DOUBLE_JUMP))
    before = session.state
    with pytest.raises(DlgoError):
        session.play([Move.play((9, 18)), Move.play((18, 22))])
    assert session.state is before
    assert not session.undo()
    with pytest.raises(NotationError):
        read_game_file(Path("no such file"))


def test_a_file_with_several_games_is_not_written(tmp_path: Path) -> None:
    """Only the first is read: saving would lose the others."""
    path = tmp_path / "two.sgf"
    one = game_bytes(start("go:size=5"), "Ann", "Bob")
    path.write_bytes(one + b"\n" + one)
    read = read_game_file(path)
    session = sit_down(read.state, known_file=path, read=read)
    assert "name a file" in typed(session, "C3\nsave\nquit\n")
    assert path.read_bytes() == one + b"\n" + one
    with pytest.raises(DlgoError, match="already holds another game"):
        sit_down(read.state, known_file=path, read=read, save=path)
