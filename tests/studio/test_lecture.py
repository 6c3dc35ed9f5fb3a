"""Lectures: a presenter's keys walk along what is shown, and it is saved as pictures and films."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from experiments.studio.course import PRESETS
from tests.studio.browser import Page
from tests.studio.client import Studio
from tests.studio.test_inside_browser import see_step

image = pytest.importorskip("PIL.Image", reason="needs Pillow")
pytest.importorskip("selenium", reason="needs selenium")
from PIL import ImageSequence  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402

LETTER = "return parseFloat(getComputedStyle(document.documentElement).fontSize)"
RED = (210, 59, 47)  # the first player's discs in Connect Four
MOVES = ["4", "3", "4", "4", "5", "2", "3"]


@pytest.fixture(scope="module")
def game(studio: Studio) -> Iterator[str]:
    """A game in progress."""
    game = studio.new("connect4")
    for move in MOVES:
        assert studio.move(game, move)[0] == 200
    yield game


def test_a_presenter_walks_along_a_search(page: Page, studio: Studio) -> None:
    page.driver.get(f"http://127.0.0.1:{studio.port}/?lecture#/inside/preset=uct")
    page.find(".search-tree .card")
    assert page.driver.execute_script(LETTER) >= 20
    assert not page.driver.find_element("css selector", "#views").is_displayed()
    page.keys(Keys.PAGE_DOWN, Keys.PAGE_DOWN, Keys.PAGE_DOWN)
    see_step(page, 3)
    page.keys(Keys.PAGE_UP)
    see_step(page, 2)
    page.keys(".")
    page.see("document.documentElement.hasAttribute('data-blank')", "a blank screen")
    page.keys(".")
    page.keys("?")
    assert "blank the screen" in page.text("#keys")
    assert page.driver.execute_script("return document.getElementById('keys').scrollTop") == 0
    page.press("Close")
    page.until(lambda: "step=2" in page.driver.current_url, "the step in the address")
    page.keys("L")
    page.see("document.getElementById('views').checkVisibility()", "the bar")
    assert "lecture" not in page.driver.current_url and "step=2" in page.driver.current_url
    page.keys("L")
    page.driver.refresh()  # the address keeps the mode
    see_step(page, 2)
    assert page.driver.execute_script(LETTER) >= 20 and page.errors() == []
    page.keys("L")


def saved(page: Page, button: str, ending: str) -> Path:
    """The file that a button of the dialog saves."""
    before = set(page.downloads.glob(f"*.{ending}"))
    page.press(button)
    return page.until(lambda: next(
        (path for path in page.downloads.glob(f"*.{ending}")
         if path not in before and path.stat().st_size), None,
    ), f"a new {ending}")


def open_dialog(page: Page) -> None:
    page.see("!document.getElementById('picture').open", "no dialog")
    page.keys("P")
    page.find("#picture h2")


def reds(picture) -> int:
    """The number of pixels that are the first player's."""
    pixels = np.asarray(picture.convert("RGB")).astype(int)
    return int((abs(pixels - RED).max(axis=2) < 12).sum())


def test_a_game_is_saved_as_pictures_and_as_a_film(page: Page, game: str) -> None:
    page.go(f"play/{game}")
    page.see_pieces(len(MOVES), "the game")
    open_dialog(page)
    assert page.nameless() == []
    with image.open(saved(page, "PNG", "png")) as picture:
        assert picture.format == "PNG" and min(picture.size) > 600
        discs = reds(picture) / picture.size[0] ** 2
    assert discs > 0.01
    open_dialog(page)
    drawn = ElementTree.parse(saved(page, "SVG", "svg")).getroot()
    attributes = {name for element in drawn.iter() for name in element.attrib}
    assert not {"class", "style", "role", "tabindex"} & attributes  # no style sheet is needed
    assert "Yellow to move." in "".join(drawn.itertext())
    open_dialog(page)
    with image.open(saved(page, "Animated GIF", "gif")) as film:
        assert film.n_frames == len(MOVES) + 1 and film.info["loop"] == 0
        frames = [(frame.info["duration"], reds(frame)) for frame in ImageSequence.Iterator(film)]
    assert {duration for duration, _ in frames} == {1000}
    area = frames[2][1]  # of a red disc that is not marked as the last move
    assert [round(count / area) for _, count in frames[::2]] == [0, 1, 2, 3] and area > 100
    page.see_pieces(len(MOVES), "the game again")
    assert page.errors() == []


def png(*size: int) -> bytes:
    out = io.BytesIO()
    image.new("RGB", size, "red").save(out, "PNG")
    return out.getvalue()


@pytest.mark.parametrize(("data", "query", "words"), [
    (b"GIF89a", "", "1 to 200 pictures, here 0"), (png(4, 4) * 201, "", "here 201"),
    (png(4, 4) + png(5, 4), "", "picture 2 of the film"), (png(3000, 2000), "", "picture 1"),
    (png(4, 4)[:-20], "", "picture 1"), (png(4, 4), "&seconds=nan", "seconds=nan is out of range"),
])
def test_what_is_no_film_is_refused(studio: Studio, data: bytes, query: str, words: str) -> None:
    status, answer = studio.ask(f"/api/film?name=x{query}", data, content_type="image/png")
    assert status == 400 and words in answer["error"]
    status, film = studio.ask("/api/film?name=../x", png(4, 4) * 2, content_type="image/png")
    assert status == 200 and film.startswith(b"GIF89a")


def lecture(page: Page, studio: Studio, place: str) -> None:
    page.driver.get("about:blank")
    page.driver.get(f"http://127.0.0.1:{studio.port}/?lecture#/{place}")


# Holds back whatever a path is asked for, until `release` is called.
_HELD = """
const { fetch } = window, held = new Promise((come) => { window.release = come; });
window.fetch = async (path, ...more) => {
  if (String(path).includes(arguments[0])) await held;
  return fetch(path, ...more);
};
"""


def test_a_step_waits_for_a_preset_that_comes(page: Page, studio: Studio) -> None:
    lecture(page, studio, "course")
    page.see(f"document.querySelectorAll('.preset-card').length === {len(PRESETS)}", "the list")
    page.driver.execute_script(_HELD, "course/take-back")
    page.keys(Keys.PAGE_DOWN)  # the first
    page.see("location.hash === '#/course/take-back'", "the first preset")
    page.keys(Keys.PAGE_UP, Keys.PAGE_UP)
    page.see_text("2 steps wait until this preset is ready", "#waiting")
    assert page.driver.current_url.endswith("#/course/take-back")
    page.driver.execute_script("window.release()")
    page.see_text("After move 6 of 8")  # of the game, which begins at its end
    page.see("!document.querySelector('#waiting').innerText.includes('wait until')", "no sign")
    page.keys(Keys.PAGE_DOWN, Keys.PAGE_DOWN, Keys.PAGE_DOWN)
    page.see("location.hash === '#/course/random-players'", "the second preset")
    page.driver.execute_script(_HELD, "course/take-back")
    page.keys("<")
    page.see("location.hash === '#/course/take-back'", "the first preset again")
    page.keys(Keys.PAGE_UP)
    page.see_text("1 step waits", "#waiting")
    page.keys(">")  # waits for nothing
    page.see("location.hash === '#/course/random-players'", "the second preset")
    page.keys("<", "<", "<")
    page.find(".preset-card")
    page.keys("L")
    assert page.errors() == []


def test_a_lecture_is_prepared_before_it_begins(page: Page, studio: Studio) -> None:
    lecture(page, studio, "course")
    page.see_text("Preparing the lecture: 0 of", "#waiting")
    page.see_text("Preparing the lecture: 4 of", "#waiting")
    # The search of the third preset has been made: none is asked for.
    page.driver.execute_script("WebSocket = class { constructor() { throw new Error('asked'); } }")
    page.go("course/ko")
    page.find(".search-tree .card")
    page.keys("L")
    page.see("document.querySelector('#waiting').hidden", "no sign")
    status, answer = studio.ask("/api/course/fork/prepare", {})
    assert (status, answer) == (200, {})
    assert studio.ask("/api/course/no-such/prepare", {})[0] == 404
