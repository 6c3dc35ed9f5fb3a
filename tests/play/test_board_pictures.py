"""Positions and recorded games as pictures."""

from __future__ import annotations

import base64
import io
import re
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image, ImageSequence

from dlgo import DlgoError, GameState, Move, Player, get_game
from dlgo.display import board_info
from dlgo.games.tictactoe.state import TicTacToe
from dlgo.records.ledger import GameRecord, Ledger
from experiments.play.board_animation import load_game, show_game, stage
from experiments.play.board_drawing import draw_board
from experiments.play.game_file import SavedGame, write_game_file
from tests.command import assert_one_line, dlgo_here
from tests.conftest import random_game
from tests.golden.update import golden_games


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


def colours_of(
    states: list[GameState], pictures: list[np.ndarray], axes: Axes
) -> dict[Player | None, set[tuple[int, ...]]]:
    """The colours of the pieces of each player, and of the cells without one."""
    colours: dict[Player | None, set[tuple[int, ...]]] = {None: set(), **{p: set() for p in Player}}
    scale = pictures[0].shape[0] / axes.figure.bbox.height
    for state, pixels in zip(states, pictures, strict=True):
        game = state.game
        for cell, (across, up) in enumerate(board_info(game)["places"]):
            # Off the lines, labels and marks, on every shape of piece.
            x, y = scale * axes.transData.transform((across + 0.225, up + 0.225))
            row, col = divmod(cell, game.board_cols)
            colour = tuple(pixels[-1 - round(y), round(x)].astype(int) // 32)
            colours[game.cell(state, row + 1, col + 1)].add(colour)
    return colours


def assert_apart(colours: dict[Player | None, set[tuple[int, ...]]]) -> None:
    """No piece looks like one of the other player, or like none."""
    assert all(colours.values())
    assert not colours[None] & (colours[Player.black] | colours[Player.white])
    assert not colours[Player.black] & colours[Player.white]


@pytest.mark.parametrize("game", [*golden_games(), Strangers()], ids=str)
def test_pieces_look_alike_by_owner_and_empty_cells_are_empty(game) -> None:
    state = random_game(game, seed=8, max_plies=6, passes=False)[-1]
    figure = Figure(figsize=(6, 6), dpi=100)
    canvas = FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1))
    draw_board(axes, state)
    canvas.draw()
    assert_apart(colours_of([state], [np.asarray(canvas.buffer_rgba())[:, :, :3]], axes))


@pytest.mark.parametrize("game", golden_games(), ids=str)
def test_each_frame_is_one_position(game, tmp_path: Path) -> None:
    states = random_game(game, seed=8, max_plies=3, passes=False)
    _, axes = stage(states[-1])
    draw_board(axes, states[-1])
    for ending, shown in (("gif", states), ("html", states), ("png", states[-1:])):
        out = show_game(SavedGame(states[-1]), tmp_path / f"game.{ending}")
        files = [out.read_bytes()] if ending != "html" else [
            base64.b64decode(part) for part in re.findall(
                r'"data:image/png;base64,([^"]*)"', out.read_text().replace("\\\n", ""))]
        pictures = [np.asarray(frame.convert("RGB")) for file in files
                    for frame in ImageSequence.Iterator(Image.open(io.BytesIO(file)))]
        assert_apart(colours_of(shown, pictures, axes))


def four_in_a_row() -> GameState:
    state = GameState.new_game(get_game("connect4"))
    for text in "4141414":
        state = state.apply_move(state.game.parse_move(state, text))
    return state


@pytest.mark.slow
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
