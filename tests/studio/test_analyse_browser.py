"""The view Analyse in real Chromium: lines under the pointer, two engines, territory, links."""

from __future__ import annotations

import json

import pytest

from tests.studio.browser import Page
from tests.studio.client import Studio

pytest.importorskip("selenium", reason="needs selenium")
from selenium.webdriver.common.action_chains import ActionChains  # noqa: E402

_LINE = "[...document.querySelectorAll('.stage .line-text')].length"


def analysed(studio: Studio, page: Page, moves: str = "C3 C4 D3") -> str:
    """A small board of Go in the view, with one engine, that has been searched for a while."""
    game = studio.new("go:size=5,komi=0.5")
    for move in moves.split():
        studio.move(game, move)
    page.go(f"analyse/{game}")
    page.driver.execute_script(
        "localStorage.setItem('dlgo-analyse-go:size=5,komi=0.5 1', 'mcts:sims=200')")
    page.see("document.querySelector('.engine-view')?.dataset.look > 20", "the search")
    return game


def test_the_line_of_a_move_under_the_pointer_is_on_the_board(studio: Studio, page: Page) -> None:
    analysed(studio, page)
    page.press("Stop")
    page.see("document.querySelectorAll('.seen tbody tr').length > 1", "two moves")
    second = page.find(".seen tbody tr:nth-child(2)")
    move = second.get_attribute("data-row")
    assert page.count(".stage .line-text") == 0
    ActionChains(page.driver).move_to_element(second).perform()
    page.see(f"{_LINE} > 2", "the line")
    assert page.texts(".stage .line-text")[:2] == ["1", "2"]
    sizes = "return [...document.querySelectorAll('.line-text')].map((one) => one.style.fontSize)"
    assert set(page.driver.execute_script(sizes)) == {""}  # they were figures, which fit a disc
    assert page.text(".engine-panel .line").startswith(f"Line: 1. {move} 2. ")
    # The keyboard shows it, too; the board's own cells as well.
    ActionChains(page.driver).move_to_element(page.find("h2, .status")).perform()
    page.see(f"{_LINE} === 0", "no line")
    page.driver.execute_script("document.querySelectorAll('.seen button')[1].focus()")
    page.see(f"{_LINE} > 2", "the line by the keyboard")
    page.driver.execute_script("document.activeElement.blur()")
    page.see(f"{_LINE} === 0", "no line")
    cell = 5 * (int(move[1]) - 1) + "ABCDE".index(move[0])
    target = page.find(f".stage [data-cell='{cell}']")
    ActionChains(page.driver).move_to_element(target).perform()
    page.see(f"{_LINE} > 2", "the line by the board")
    assert page.nameless() == [] and page.errors() == []


def test_a_piece_that_is_picked_up_shows_what_its_moves_are_worth(
    studio: Studio, page: Page,
) -> None:
    page.go(f"analyse/{studio.new('breakthrough:rows=5,cols=5')}")
    page.driver.execute_script(
        "localStorage.setItem('dlgo-analyse-breakthrough:rows=5,cols=5 0', 'mcts:sims=2000')")
    page.see("document.querySelector('.engine-view')?.dataset.look > 20", "the search")
    page.press("Stop")
    page.find(".stage .hint-text")
    ways = "[...document.querySelectorAll('.stage .hint-way')].map(" \
        "(one) => one.getAttribute('points'))"
    best = page.driver.execute_script(f"return {ways}")
    page.click_cell(6)  # b2, in the middle of the second row
    page.see(f"{ways}.length === 3", "its three moves")
    place = page.driver.execute_script("""
        const { x, y, width, height } = document.querySelector(
          ".stage [data-cell='6']").getBBox();
        return `${x + width / 2},${y + height / 2}`;
    """)
    assert all(way.startswith(f"{place} ") for way in page.driver.execute_script(f"return {ways}"))
    assert page.count(".stage .hint-text") == 6  # what each is worth, and its visits
    page.click_cell(6)  # put back
    page.see(f"JSON.stringify({ways}) === {json.dumps(json.dumps(best, separators=(',', ':')))}",
             "the best moves of all pieces")
    assert page.errors() == []


def test_the_difference_of_two_engines_has_two_colours(studio: Studio, page: Page) -> None:
    analysed(studio, page)
    page.driver.execute_script(
        "localStorage.setItem('dlgo-analyse-go:size=5,komi=0.5 1', 'mcts:sims=20,c_uct=5')")
    page.choose("#heat", "apart")
    page.see_text("A second engine shows the difference.", ".engine-panel .line + .line")
    assert page.count("rect.heat") == 0
    page.press("Second engine")
    page.see("document.querySelector('.engine-view + .engine-view')?.dataset.look > 0", "both")
    page.press("Stop")
    page.see("document.querySelector('.engine-view rect.heat:not(.less)')"
             " && document.querySelector('.engine-view rect.heat.less')", "two colours")
    # What one has more, the other has less.
    one, other = page.driver.execute_script("""
        return [...document.querySelectorAll('.engine-view')].map((view) => Object.fromEntries(
          [...view.querySelectorAll('rect.heat')].map((cell) => (
            [`${cell.getAttribute('x')} ${cell.getAttribute('y')}`, cell.matches('.less')]))))
    """)
    assert one and other == {place: not less for place, less in one.items()}
    assert "Blue: more than the other engine" in page.text(".engine-panel .line + .line")
    page.choose("#heat", "visits")
    assert page.nameless() == [] and page.errors() == []


def test_a_copied_link_opens_the_same_position(studio: Studio, page: Page) -> None:
    analysed(studio, page)
    page.driver.execute_cdp_cmd("Browser.grantPermissions", {
        "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
    page.keys("C")
    page.see_message("The command for the console is copied")
    clip = "return navigator.clipboard.readText()"
    command = page.driver.execute_script(clip)
    assert command.startswith("echo 'C3 C4 D3' | dlgo analyze go:size=5,komi=0.5 --stdin --engine")
    page.press("Copy link")
    page.see_message("The link to this position is copied")
    link = page.driver.execute_script(clip)
    assert link.endswith("#/analyse/game=go%3Asize%3D5%2Ckomi%3D0.5&moves=C3%20C4%20D3")
    page.driver.get("about:blank")
    page.driver.get(link)
    page.see_pieces(3, "the same position")
    page.see_text("After D3 (move 3)")
    page.driver.get("about:blank")
    page.driver.get(link.replace("C4", "C3"))
    page.see_message("move 2: ", bad=True)
    assert page.errors() == []
