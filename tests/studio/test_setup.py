"""Positions that are put together piece by piece, in real Chromium."""

from __future__ import annotations

import pytest

from dlgo.display import board_info, position_info
from dlgo.games.draughts.state import Draughts
from tests.studio.browser import Page
from tests.studio.client import Studio

pytest.importorskip("selenium", reason="needs selenium")
from selenium.webdriver.common.keys import Keys  # noqa: E402


def begun(studio: Studio, page: Page, game: str, moves: str = "") -> None:
    name = studio.new(game)
    for move in moves.split():
        studio.move(name, move)
    page.go(f"analyse/{name}")
    page.press("Set up")
    page.find(".palette")


def cells_of(studio: Studio, page: Page) -> list[int]:
    page.see("location.hash.startsWith('#/analyse/')", "the analysis")
    page.find(".analysis-moves")
    game = page.driver.execute_script("return location.hash.split('/')[2]")
    position = studio.ask(f"/api/games/{game}/tree")[1]["position"]
    return [*position["cells"], position["turn"]]


def test_stones_are_put_and_taken_away(studio: Studio, page: Page) -> None:
    begun(studio, page, "go:size=5,komi=0.5", "C3 D4")
    page.click_cell(12)  # black's stone is taken away
    page.click_cell(0)
    page.click(".palette label:nth-of-type(2) input")
    page.click_cell(24)
    page.click_cell(5)
    assert page.pieces() == 4
    page.choose("#turn", "1")
    page.press("Analyse")
    expected = 25 * [-1]
    expected[0], expected[5], expected[18], expected[24] = 0, 1, 1, 1
    assert cells_of(studio, page) == [*expected, 1]
    # What the rules forbid is refused in a line, and the position stays.
    page.press("Set up")
    page.find(".palette")
    page.click(".palette label:nth-of-type(2) input")
    page.click_cell(1)
    page.keys("a")
    page.see_message("liberty", bad=True)
    assert page.pieces() == 5 and page.nameless() == []
    page.keys(Keys.ESCAPE)
    page.find(".analysis-moves")


def test_men_and_kings_are_put_on_dark_squares(studio: Studio, page: Page) -> None:
    begun(studio, page, "draughts")
    page.keys("c")
    assert page.pieces() == 0
    state = Draughts.from_fen("B:W18,K31:BK9,22")
    wanted = position_info(state)["cells"]
    for number, piece in enumerate((0, 2, 1, 3)):
        page.click(f".palette label:nth-of-type({number + 1}) input")
        for cell in (cell for cell, one in enumerate(wanted) if one == piece):
            page.click_cell(cell)
    page.click_cell(board_info(state.game)["cellNames"].index(""))  # a light square stays empty
    assert page.pieces() == 4
    page.press("Analyse")
    assert cells_of(studio, page) == [*wanted, 0]
    assert page.errors() == []


def test_keys_put_no_piece_on_a_light_square(studio: Studio, page: Page) -> None:
    begun(studio, page, "draughts")
    page.keys("c")
    assert page.pieces() == 0
    # The mark begins on a dark square; every second square of a row is light.
    page.keys(Keys.ENTER, *(3 * (Keys.ENTER, Keys.ARROW_RIGHT)), on=".stage svg.board")
    assert page.pieces() == 2 and page.errors() == []


def test_games_whose_rules_no_file_tells_are_not_set_up(studio: Studio, page: Page) -> None:
    for game in ("hex:size=5", "go:size=5,ko=simple"):
        page.go(f"analyse/{studio.new(game)}")
        page.find(".analysis-moves")
        assert not page.driver.execute_script(
            "return [...document.querySelectorAll('button')].some("
            "(one) => one.textContent.trim() === 'Set up' && !one.hidden)")
