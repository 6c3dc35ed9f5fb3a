"""The board to click on, and recorded games as pictures: played by simulated mouse events."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.backend_bases import MouseEvent, TimerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from dlgo import DlgoError, GameState, Move, Player, Point, get_game
from dlgo.display import board_info
from dlgo.games.draughts.notation import square_place
from dlgo.games.draughts.state import Draughts
from dlgo.games.tictactoe.state import TicTacToe
from dlgo.records.ledger import GameRecord, Ledger
from experiments.play.board_animation import load_game, show_game
from experiments.play.board_drawing import cell_at, draw_board
from experiments.play.board_view import BoardView, cell_moves, has_event_loop
from experiments.play.game_file import write_game_file
from experiments.play.session import Session, make_player
from tests.command import assert_one_line, dlgo_here
from tests.conftest import random_game
from tests.golden.update import golden_games


class Canvas(FigureCanvasAgg):
    """Draws the first picture only: each takes 40 ms, and few are looked at."""

    drawn = False

    def draw_idle(self, *args: Any, **kwargs: Any) -> None:
        if not self.drawn:
            self.drawn = True
            super().draw_idle(*args, **kwargs)


class LoopCanvas(Canvas):
    """A canvas with an event loop of its own: timers go off when the test says so."""

    required_interactive_framework = "test"

    def new_timer(self, interval: int | None = None, callbacks=None) -> TimerBase:
        self.timer = TimerBase(interval=interval)
        return self.timer


class Window:
    """A board on a canvas without a window, and a mouse."""

    canvas: type[FigureCanvasAgg] = Canvas

    def __init__(self, state: GameState | str, *players: str, evaluation: bool = False) -> None:
        if isinstance(state, str):
            state = GameState.new_game(get_game(state))
        first, second = players or ("human", "human")
        who = [make_player(text, state.game, 3) for text in (first, second)]
        self.session = Session(state, who, hint="alphabeta:depth=9")
        self.figure = Figure(figsize=(6.4, 7.4))
        self.canvas(self.figure)
        self.view = BoardView(self.figure, self.session, evaluation=evaluation)
        self.view.start()

    @property
    def state(self) -> GameState:
        return self.session.state

    @property
    def moves(self) -> str:
        return " ".join(self.state.game.move_text(move) for move in self.state.moves())

    @property
    def words(self) -> str:
        """All lines of text outside the board."""
        return "\n".join(text.get_text() for text in self.figure.texts)

    def click(self, row: float, col: float, button: int = 1) -> None:
        self._press(*self.view.axes.transData.transform((col, row)), button)

    def click_square(self, *numbers: int) -> None:
        for number in numbers:
            row, col = square_place(number)
            self.click(8 - row, col + 1)

    def push(self, name: str) -> None:
        axes = self.view.buttons[name].ax
        self._press(*axes.transAxes.transform((0.5, 0.5)), 1)

    def _press(self, x: float, y: float, button: int) -> None:
        canvas = self.figure.canvas
        for name in ("button_press_event", "button_release_event"):
            canvas.callbacks.process(name, MouseEvent(name, canvas, x, y, button))


def test_an_engine_moves_first_where_it_is_black() -> None:
    window = Window("connect4", "mcts:sims=50", "human", evaluation=True)
    assert len(window.state.moves()) == 1
    assert "evaluation by mcts:sims=50: black" in window.words


def test_while_an_engine_thinks_clicks_are_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Window, "canvas", LoopCanvas)
    window = Window("connect4", "human", "random")
    assert has_event_loop(window.figure)
    window.click(1, 4)
    window.click(1, 5)
    window.push("Undo")
    assert window.moves == "4"  # drawn before the engine begins
    window.figure.canvas.timer._on_timer()
    assert len(window.state.moves()) == 2
    window.click(1, 5)
    assert window.state.moves()[2] == Move.play(5)


def test_two_engines_play_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """And every position is drawn."""
    monkeypatch.setattr(Window, "canvas", FigureCanvasAgg)
    assert Window("tictactoe", "random", "random").state.is_over()


class Strangers(TicTacToe):
    """A game that nobody here knows: its moves are words, and it marks no last cell."""

    name = "strangers"
    title = "Strangers"

    def move_of(self, action: int) -> Move:
        return Move.play("abcdefghi"[action])

    def action_of(self, move: Move) -> int | None:
        return "abcdefghi".index(move.place) if move.is_play else None

    def move_text(self, move: Move) -> str:
        return str(move.place)

GO, PIE = "3,3 3,3 1,2 4,1 2,1", "5,3 1,3 3,3 4,3 5,3 1,3"
JUMPS = Draughts.from_fen("B:W14,23,32:B9,1")
CLICKS = [
    ("tictactoe", "0.2,1 1,3.8 -5,2", "", ""),  # beside the board
    ("tictactoe", "2,2 2,2", "B2", "B2 is illegal: the cell is taken"),
    ("tictactoe", "2,2 2,2 1,1", "B2 A1", ""),
    # A column can be clicked anywhere; the second click takes the first stone over.
    ("connectn:cols=5,rows=5,n=5,pie=yes", PIE, "3 swap 3 3 3 3", ""),
    ("connectn:cols=5,rows=5,n=5,pie=yes", f"{PIE} 3,3", "3 swap 3 3 3 3", "the column is full"),
    ("go:size=5", GO, "C3 B1 A4 A2", ""),
    ("go:size=5", f"{GO} 3,3", "C3 B1 A4 A2", "the point is occupied"),
    ("go:size=5", f"{GO} 1,1", "C3 B1 A4 A2", "self-capture"),  # A2 and B1 are white
    ("go:size=5", f"{GO} Pass Pass", "C3 B1 A4 A2 pass pass", "wins by"),
    ("draughts", "15", "", "No legal move starts there"),
    ("draughts", "11 19", "", "cannot go there"),
    ("draughts", "9 11 15", "11-15", ""),  # thought better of the first
    (JUMPS, "1 5", "", "No legal move starts there"),  # a capture is forced
    (JUMPS, "9 18", "9x18", "must go on"),
    (JUMPS, "9 18 18 27", "9x18 18x27", ""),
    (JUMPS, "9 18 18 27 Undo", "", ""),
    (GameState.new_game(Strangers()), "1,1 3,3", "a i", ""),
    (GameState.new_game(Strangers()), "1,1 3,3 1,1", "a i", "No legal move"),
]


@pytest.mark.parametrize(("game", "clicks", "moves", "words"), CLICKS)
def test_clicks_make_moves_or_are_explained(
    game: GameState | str, clicks: str, moves: str, words: str
) -> None:
    window = Window(game)
    for click in clicks.split():
        if click in window.view.buttons:
            window.push(click)
        elif click.isdigit():
            window.click_square(int(click))
        else:
            window.click(*map(float, click.split(",")))
    assert (window.moves, words in window.words) == (moves, True)


def test_buttons() -> None:
    window = Window("tictactoe", "human", "random")
    assert set(window.view.buttons) == {"Undo", "Hint", "Resign"}
    window.push("Undo")
    assert "have not moved yet" in window.words
    window.click(2, 2)
    assert len(window.state.moves()) == 2
    window.push("Hint")
    assert "hint of alphabeta:depth=9: " in window.words
    window.push("Undo")
    assert window.moves == ""
    window.push("Resign")
    window.click(1, 1)  # not meant after all
    window.push("Resign")
    assert not window.state.is_over()
    window.push("Resign")
    assert window.state.winner() is Player.white
    window.click(3, 3)
    assert window.state.winner() is Player.white


@pytest.mark.parametrize("game", golden_games(), ids=str)
def test_every_legal_move_but_a_pass_can_be_clicked(game) -> None:
    for state in random_game(game, seed=8, max_plies=60):
        moves = cell_moves(state)
        plays = {move for move in state.legal_moves() if move.is_play}
        assert {known.move for known in moves} == plays
        assert len({(known.start, known.end) for known in moves}) == len(plays)


# What is drawn.


@pytest.mark.parametrize("game", [*golden_games(), Strangers()], ids=str)
def test_pieces_look_alike_by_owner_and_empty_cells_are_empty(game) -> None:
    state = random_game(game, seed=8, max_plies=6, passes=False)[-1]
    figure = Figure(figsize=(6, 6), dpi=100)
    canvas = FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1))
    draw_board(axes, state)
    canvas.draw()
    pixels = np.asarray(canvas.buffer_rgba())[:, :, :3].astype(int)
    colours: dict[Player | None, set[tuple[int, ...]]] = {None: set(), **{p: set() for p in Player}}
    for cell, (across, up) in enumerate(board_info(game)["places"]):
        # Off the lines, labels and marks, on every shape of piece.
        x, y = axes.transData.transform((across + 0.225, up + 0.225))
        colour = pixels[-1 - round(y), round(x)]
        row, col = divmod(cell, game.board_cols)
        assert cell_at(game, across + 0.225, up + 0.225) == Point(row + 1, col + 1)
        colours[game.cell(state, row + 1, col + 1)].add(tuple(colour // 32))
    assert all(colours.values())
    assert not colours[None] & (colours[Player.black] | colours[Player.white])
    assert not colours[Player.black] & colours[Player.white]


def four_in_a_row() -> GameState:
    state = GameState.new_game(get_game("connect4"))
    for text in "4141414":
        state = state.apply_move(state.game.parse_move(state, text))
    return state


def test_winning_stones_are_marked_and_else_the_last_one() -> None:
    axes = Figure().add_axes((0, 0, 1, 1))

    def marks(state: GameState) -> set[Point]:
        draw_board(axes, state)
        return {
            Point(round(patch.center[1]), round(patch.center[0]))
            for patch in axes.patches if patch.get_zorder() == 6
        }

    state = four_in_a_row()
    assert marks(state) == {Point(row, 4) for row in (1, 2, 3, 4)}
    assert marks(state.previous_state) == {Point(3, 1)}


def test_a_recorded_game_becomes_an_animation(tmp_path: Path, capsys) -> None:
    write_game_file(tmp_path / "game.txt", four_in_a_row(), "Ann", "$Bob$ x_1")
    out = tmp_path / "game.gif"
    done = dlgo_here(capsys, "show", tmp_path / "game.txt", "--out", out, "--delay", "0.5")
    assert (done.returncode, done.stdout) == (0, f"{out}\n")
    with Image.open(out) as film:
        assert film.n_frames == 8  # the start and seven moves; the end is one long frame
        lengths = []
        for number in range(film.n_frames):
            film.seek(number)
            lengths.append(film.info["duration"])
    assert lengths == [*[500] * 7, 3500]
    game, calls = load_game(tmp_path / "game.txt"), []
    with Image.open(show_game(game, tmp_path / "end.PNG")) as picture:
        assert picture.format == "PNG"
    page = show_game(game, tmp_path / "game.html", progress=lambda *of: calls.append(of))
    assert calls == [(number, 8) for number in range(1, 9)]
    assert page.read_text().count("data:image/png;base64") == 8
    assert len([*tmp_path.iterdir()]) == 4


def test_a_game_of_a_ledger(tmp_path: Path) -> None:
    with Ledger(tmp_path / "l.sqlite") as ledger:
        for pair, moves in enumerate(("4 4", "4 1 4 1 4 1 4")):
            ledger.add(GameRecord(
                f"connect4|a|b|{pair}", "connect4", "a", "b", pair, "", 1, 1.0, "normal", moves,
                "", "", "", "",
            ))
    for slot in ("2", "connect4|a|b|1"):
        assert load_game(tmp_path / "l.sqlite", slot).state == four_in_a_row()
    for slot in (None, "0", "3", "x", "²"):
        with pytest.raises(DlgoError, match="a number 1-2 or a text such as 'connect4|a|b|0'"):
            load_game(tmp_path / "l.sqlite", slot)


def test_mistakes_give_one_line(tmp_path: Path, capsys) -> None:
    game = tmp_path / "game.txt"
    write_game_file(game, four_in_a_row())
    damaged = tmp_path / "games.sqlite"
    damaged.write_text("damaged")
    for arguments, part in (
        (("show", str(game), "--out", "x.mp4"), "must end in .gif, .png, .html"),
        (("show", str(game), "--out", str(tmp_path / "no" / "x.png")), "cannot write"),
        (("show", str(game), "--slot", "3", "--out", "x.png"), "no game 3"),
        (("show", str(tmp_path / "none"), "--out", "x.png"), "No such file"),
        (("show", "README.md", "--out", "x.png"), "not a game record"),
        (("show", str(damaged), "--out", "x.png"), "file is not a database"),
    ):
        assert_one_line(dlgo_here(capsys, *arguments), part)


def test_without_a_display_there_is_one_line(capsys) -> None:
    from matplotlib import pyplot

    pyplot.switch_backend("agg")
    done = dlgo_here(capsys, "play", "connect4", "--board")
    assert_one_line(done, "--board needs a display")
