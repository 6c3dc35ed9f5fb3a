"""Buttons: on one line what is used now, the rest in a menu with their keys."""

from __future__ import annotations

import pytest

from tests.studio.browser import Page
from tests.studio.client import Studio
from tests.studio.test_layout import played
from tests.studio.test_review import COLUMNS

pytest.importorskip("selenium", reason="needs selenium")
from selenium.webdriver.common.keys import Keys  # noqa: E402

pytestmark = pytest.mark.slow

# How many lines of buttons there are before the moves, and what scrolls in a bar that scrolls.
LINES = """
const all = [...document.querySelectorAll('.side .tools button')];
const shown = all.filter((one) => one.checkVisibility());
return new Set(shown.map((one) => Math.round(one.getBoundingClientRect().top))).size;
"""
SCROLLERS = """
const scrolls = (one) => one.scrollHeight > one.clientHeight + 1;
const [side] = document.querySelectorAll('.side');
const inside = scrolls(side) ? [...side.querySelectorAll('*')] : [];
return inside.filter((one) => /auto|scroll/.test(getComputedStyle(one).overflowY) && scrolls(one))
  .map((one) => one.className);
"""
MENU = "document.querySelector('.menu:popover-open')"
LONG = " ".join(f"{column}{row}" for row in (2, 4, 6, 8) for column in "ABCDEFGHJ")
WINDOWS = [(1280, 800), (1280, 720), (1024, 768), (2560, 1440)]


@pytest.mark.parametrize("view", ["play", "analyse", "review", "train"])
def test_one_line_of_buttons_and_one_thing_that_scrolls(
    view: str, studio: Studio, page: Page,
) -> None:
    page.driver.get(f"{studio.url}#/play")
    page.driver.execute_script("localStorage.setItem('dlgo-review-connect4', 'mcts:sims=50')")
    game = ("connect4", " ".join(COLUMNS)) if view == "review" else ("go:size=9", LONG)
    page.go(f"{view}/{played(studio, *game)}")
    page.find(".mistakes li" if view == "review" else ".side .tools")
    for width, height in WINDOWS:
        with page.sized(width, height):
            most = 1 if width > 1100 else 2  # beside a board as high as the window
            assert page.driver.execute_script(LINES) <= most, (width, height)
            assert page.driver.execute_script(SCROLLERS) == [], (width, height)


def test_a_menu_shows_keys_and_closes_when_something_is_chosen(
    studio: Studio, page: Page,
) -> None:
    game = played(studio, "go:size=9", "E5 C3")
    page.go(f"play/{game}")
    more = page.find(".tools [aria-label='More']")
    for size in ((1280, 800), (800, 1100), (390, 844)):
        with page.sized(*size):
            page.driver.execute_script("arguments[0].scrollIntoView({ block: 'center' })", more)
            more.click()
            page.see(MENU)
            left, top, right, bottom = page.driver.execute_script(
                f"const {{ left, top, right, bottom }} = {MENU}.getBoundingClientRect();"
                "return [left, top, right, bottom]")
            assert left >= 0 and top >= 0 and right <= size[0] and bottom <= size[1]
            keys = page.driver.execute_script(
                f"return [...{MENU}.querySelectorAll('button')].map((one) => "
                "[one.textContent, getComputedStyle(one, '::after').content])")
            assert ["Flip", '"f"'] in keys and ["New game", '"n"'] in keys
            page.keys(Keys.ESCAPE, on=".tools [aria-label='More']")
            page.see(f"!{MENU}", "a closed menu")
    corner = "document.querySelectorAll('.stage .star')[0].getAttribute('cx')"
    before = page.driver.execute_script(f"return {corner}")
    page.press("Flip")
    page.see(f"{corner} !== {before!r} && !{MENU}", "a turned board without a menu")
    # It leads nowhere by accident: during a game, a new one is not the first thing one sees.
    assert page.texts(".side .tools .main") == []


def test_where_rules_restrict_places_they_are_marked(studio: Studio, page: Page) -> None:
    marks = "[...document.querySelectorAll('.place')].length"
    page.go(f"play/{played(studio, 'othello', 'd3')}")
    page.see(f"{marks} === 3", "three replies to d3")
    page.go(f"play/{played(studio, 'tictactoe', 'B2')}")
    page.see("document.querySelectorAll('.side .moves li').length === 1", "a move")
    assert page.driver.execute_script(f"return {marks}") == 0


def test_ways_of_pieces_run_under_them(studio: Studio, page: Page) -> None:
    page.go(f"play/{played(studio, 'draughts', '11-15 22-18')}")
    page.press("Hint")
    page.see("document.querySelector('.heat .hint-way')", "the way of the hint, under the pieces")
    assert page.texts(".marks .hint-way") == [] and page.errors() == []
