"""Pictures and films of all games, decoded: each shows one position, and no piece on its way."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator
from xml.etree import ElementTree

import numpy as np
import pytest

from dlgo import GameSpec, GameState, get_game
from dlgo.display import board_info, colors, look_of, position_info
from experiments.play.game_file import game_bytes
from tests.golden.update import golden_games
from tests.studio.browser import Page
from tests.studio.client import KINDS_GAME, Studio
from tests.studio.test_inside_browser import see_step
from tests.studio.test_lecture import open_dialog, saved

image = pytest.importorskip("PIL.Image", reason="needs Pillow")
pytest.importorskip("selenium", reason="needs selenium")
from PIL import ImageSequence  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"
TRAIL = (127, 184, 63)  # under the ends of a piece's way, half transparent
OFF = 20  # of 100: on every piece, beside its marks and the lines of a board
# An SVG file in an image of twice its size, as PNG.
DRAW = """
const [text, done] = arguments, picture = new Image(), canvas = document.createElement("canvas");
picture.onload = () => {
  Object.assign(canvas, { width: 2 * picture.width, height: 2 * picture.height });
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  done(canvas.toDataURL());
};
picture.src = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
"""
# The players of the pieces on a board of three rows.
ON_BOARD = """
const cells = Array(9).fill(-1);
for (const group of document.querySelectorAll(".node-board .pieces > g")) {
  const [x, y] = group.getAttribute("transform").match(/[\\d.]+/g).map(Number);
  const cell = 3 * (2 - Math.floor(y / 100)) + Math.floor(x / 100);
  cells[cell] = Number(!group.querySelector(".cross"));
}
return cells;
"""


def played(game: GameSpec, turns: int) -> list[GameState]:
    """The positions after each turn of a random game, the start first."""
    rng, state = np.random.default_rng(8), GameState.new_game(game)
    states = [state]
    while not state.is_over() and len(states) <= turns:
        mover = state.next_player
        while not state.is_over() and state.next_player is mover:  # a capture may go on
            moves = [move for move in state.legal_moves() if move.is_play] or state.legal_moves()
            state = state.apply_move(moves[rng.integers(len(moves))])
        states.append(state)
    return states


class Pieces:
    """Finds what stands on each cell of a picture, by its colours."""

    def __init__(self, game: GameSpec, drawn: ElementTree.Element) -> None:
        self.info, self.game = board_info(game), game
        named = colors(look_of(game))
        rgb = {name: np.array(image.new("RGB", (1, 1), text).getpixel((0, 0)))
               for name, text in named.items()}
        ground = rgb[{"drop": "hole", "checkers": "square-dark", "hex": "sheet", "noughts": "sheet"}
                     .get(look_of(game), "wood")]
        self.kinds = [ground, (ground + TRAIL) / 2, rgb["side0"], rgb["side1"]]
        board = next(part for part in drawn if part.tag == f"{SVG}svg")
        x, y, wide, high = (float(board.get(name)) for name in ("x", "y", "width", "height"))
        left, top, across, down = map(float, board.get("viewBox").split())
        scale = min(wide / across, high / down)
        self.size = float(drawn.get("width")), float(drawn.get("height"))
        self.places = [
            (x + (wide - scale * across) / 2 + scale * (100 * (col - 0.5) + OFF - left),
             y + (high - scale * down) / 2
             + scale * (100 * (self.info["height"] + 0.5 - row) + OFF - top))
            for col, row in self.info["places"]
        ]

    def check(self, picture, cells: list[int], marked: bool = False) -> str:
        """What is wrong with a picture of a board with these pieces; "" if nothing is. With
        `marked`, empty cells may have marks, as those of a review.

        The picture has the board as far from its lower edge as the file has that was measured.
        """
        pixels = np.asarray(picture.convert("RGB")).astype(int)
        factor = picture.size[0] / self.size[0]
        wrong, more = [], picture.size[1] / factor - self.size[1]
        for name, (x, y), piece in zip(self.info["cellNames"], self.places, cells, strict=True):
            color = pixels[int(factor * (y + more)), int(factor * x)]
            errors = [abs(color - kind).max() for kind in self.kinds]
            seen, expected = max(int(np.argmin(errors)) - 2, -1), piece if piece < 0 else piece % 2
            if marked and expected < 0 < min(errors) - 25:
                continue
            if name and (min(errors) > 25 or seen != expected):
                wrong.append(f"{name}: {color}, not {expected}")
        return ", ".join(wrong)


def slow_down(page: Page, rate: float) -> None:
    """Move pieces more slowly: what is saved then is saved on their way."""
    page.driver.execute_cdp_cmd("Animation.enable", {})
    page.driver.execute_cdp_cmd("Animation.setPlaybackRate", {"playbackRate": rate})


@pytest.fixture
def slow(page: Page) -> Iterator[None]:
    """Pieces move fifty times more slowly."""
    slow_down(page, 0.02)
    yield
    slow_down(page, 1)


def load(studio: Studio, state: GameState) -> str:
    status, answer = studio.ask("/api/games/load?name=game.txt", game_bytes(state),
                                content_type="text/plain")
    assert status == 200, answer
    return answer["id"]


GAMES = [*golden_games(), get_game(KINDS_GAME)]


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("game", GAMES, ids=str)
@pytest.mark.parametrize("view", ["play", "analyse", "review"])
def test_each_picture_is_one_position(
    page: Page, studio: Studio, view: str, game: GameSpec,
) -> None:
    states = played(game, 24)
    cells = [position_info(state)["cells"] for state in states]
    page.driver.get(f"{studio.url}#/course")
    page.driver.execute_script(  # no marks upon the cells
        "localStorage.setItem('dlgo-analyse-figures', 'no');"
        "localStorage.setItem('dlgo-analyse-heat', 'none');"
        f"localStorage.setItem('dlgo-review-{game}', 'random')")
    page.go(f"{view}/{load(studio, states[-1])}")
    page.find(".stage svg.board")
    page.keys(Keys.END)
    pieces = sum(piece >= 0 for piece in cells[-1])
    page.see(f"document.querySelector('.stage .pieces').childElementCount === {pieces}", "the end")
    open_dialog(page)
    text = saved(page, "SVG", "svg").read_text()
    looks = Pieces(game, ElementTree.fromstring(text))
    open_dialog(page)
    with image.open(saved(page, "PNG", "png")) as picture:
        assert looks.check(picture, cells[-1]) == ""
    drawn = page.driver.execute_async_script(DRAW, text)
    with image.open(io.BytesIO(base64.b64decode(drawn.partition(",")[2]))) as picture:
        assert looks.check(picture, cells[-1]) == ""
    open_dialog(page)
    first = len(states) - 7
    page.driver.execute_script(
        "document.getElementById('film').elements.first.value = arguments[0]",
        first)
    with image.open(saved(page, "Animated GIF", "gif")) as film:
        assert film.n_frames == 7
        wrong = {k: words for k, frame in enumerate(ImageSequence.Iterator(film), first)
                 if (words := looks.check(frame, cells[k], view == "review"))}
    assert wrong == {}


def test_pictures_of_a_search_show_the_board_of_the_step(page: Page, studio: Studio) -> None:
    game = get_game("tictactoe")
    page.driver.get(f"{studio.url}#/inside/game=tictactoe&moves=B2 A1&engine=textbook-mcts:sims=9")
    page.find(".node-board .pieces > g")
    open_dialog(page)
    with image.open(saved(page, "Animated GIF", "gif")) as film:
        assert film.n_frames == 1 + page.driver.execute_script(
            "return Number(document.querySelector('.steps').max)")
    # The film has asked for all positions, so the board now changes with the step.
    for step in range(0, 12, 4):
        see_step(page, step)
        cells = page.driver.execute_script(ON_BOARD)
        open_dialog(page)
        looks = Pieces(game, ElementTree.parse(saved(page, "SVG", "svg")).getroot())
        open_dialog(page)
        with image.open(saved(page, "PNG", "png")) as picture:
            assert looks.check(picture, cells) == ""
        page.see("!document.getElementById('picture').open", "no dialog")
        page.keys(*4 * [Keys.ARROW_RIGHT])
