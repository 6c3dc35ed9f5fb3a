"""Games in real Chromium from the first page to the end: clocks, engines that step, rematches."""

from __future__ import annotations

import pytest

from tests.studio.browser import Page
from tests.studio.client import BOTS, OWN_GAME, Studio

pytest.importorskip("selenium", reason="needs selenium")
from selenium.webdriver.common.keys import Keys  # noqa: E402

WHITE = ".field:has(#player-white)"


def pick(page: Page, game: str) -> None:
    """Choose a game on the first page."""
    page.see(f"document.querySelector(\"input[value='{game}']\")?.click() ?? "
             f"document.querySelector(\"input[value='{game}']:checked\")", game)


def test_a_game_with_a_clock_from_the_first_page_to_a_rematch(
    studio: Studio, page: Page
) -> None:
    page.go("play")
    pick(page, "connect4")
    page.choose("#player-white", "own")
    own = page.find("#player-white-own")
    own.clear()
    own.send_keys(f"{BOTS}:First")
    page.choose("#clock", "own")
    clock = page.find("#clock-own")
    clock.clear()
    clock.send_keys("5 minutes")
    page.press("Start the game")
    page.see_message("write 10+5 for ten minutes", bad=True)
    clock.clear()
    clock.send_keys("1+3x20")
    page.press("Start the game")
    page.see_text("1:00", ".clock")
    for turn in range(4):
        page.click_cell(3)
        page.see_pieces(min(2 * turn + 2, 7), "the engine's answer")
    page.see_text("Game over: red wins with 4 in a row")
    page.see_text("Red wins", ".bar-text")
    page.see_text("A review finds", ".ending")  # this engine expects nothing
    assert page.nameless() == [] == page.errors()
    page.press("Change sides")
    page.see_pieces(1, "the first move of the engine")
    assert "First" in page.texts(".player b")[0] and page.texts(".clock.limited")
    page.resign()
    page.see_text("red wins by resignation")
    page.press("Rematch")
    page.see("document.querySelector('.ending')?.hidden", "another game")
    page.see_pieces(1, "the first move again")


def test_levels_are_chosen_by_a_slider_and_one_fits_after_three_games(
    studio: Studio, page: Page
) -> None:
    page.go("play")
    page.driver.execute_script("localStorage.clear()")
    page.driver.refresh()
    pick(page, "connect4")
    setup = studio.ask("/api/setup")[1]
    levels = setup["levels"]["connect4"]
    page.see_text(f"Level 3 of {len(levels)}", WHITE + " small")
    page.see_text("Play 3 games by level", WHITE + " .link")
    page.driver.execute_script("document.querySelector('#player-white-level').focus()")
    page.keys(Keys.HOME, on="#player-white-level")
    page.see_text(f"Level 1 of {len(levels)}, about 0 Elo", WHITE + " small")
    page.press("Start the game")
    page.see_text("Random moves, level 1", ".player:nth-child(2)")
    page.see_text("random", ".player:nth-child(2) .note")
    for left in (2, 1, 0):
        page.resign()
        page.see_text(f"Play {left} game" if left else "Level 1 fits you", ".fit")
        page.press("Rematch")
        page.see("document.querySelector('.ending')?.hidden", "another game")
    page.resign()
    page.see_text("Level 1 fits you", ".fit")
    assert not page.find(".ending .buttons").text.count("Play level")  # it has just been played
    studio.ask(f"/api/games/{page.driver.current_url.split('/')[-1]}/players", {
        "white": levels[1]["spec"]})
    page.press("Play level 1")
    page.see("document.querySelector('.ending')?.hidden", "another game")
    page.see_text("Random moves, level 1", ".player:nth-child(2)")
    page.go("play")
    page.see_text("Level 1 fits you: ", WHITE + " .link")
    page.keys(Keys.END, on="#player-white-level")
    page.see_text(f"Level {len(levels)} of {len(levels)}", WHITE + " small")
    page.press(page.text(WHITE + " .link"))
    page.see_text("Level 1 of", WHITE + " small")
    pick(page, "go")
    page.see_text("Level 3 of", WHITE + " small")
    chips = "#option-size ~ .chip"
    page.see(f"document.querySelector('{chips}')", "sizes with levels")
    for size in (sizes := page.texts(chips)):
        assert f"go:size={size}" in setup["levels"]
        page.press(size)
        page.see_text("Level 3 of", WHITE + " small")
    page.see("!document.querySelector('#player-white ~ .link').hidden", "advice")
    page.keys(Keys.HOME, Keys.DELETE, Keys.DELETE, "23", on="#option-size")
    page.see_text(f"(measured on go:size={sizes[-1]})", WHITE + " small")
    page.see("document.querySelector('#player-white ~ .link').hidden", "no advice")
    pick(page, "othello")
    assert page.texts(chips) == ["6", "8"]
    assert page.nameless() == [] == page.errors()


def test_games_from_files_stand_among_the_games(studio: Studio, page: Page) -> None:
    page.go("play")
    page.find(f"input[value='{OWN_GAME}'] ~ svg.board")
    page.see_text("Rows", f".game-card:has(input[value='{OWN_GAME}'])")
    assert not any("rows.py" in text for text in page.texts("#player-white option"))
    pick(page, OWN_GAME)
    page.press("Start the game")
    page.find(".stage svg.board")
    page.see("document.activeElement.id === 'main'", "the keyboard just before the board")
    page.keys("n")  # which offers the same game again
    page.find(f"input[value='{OWN_GAME}']:checked ~ svg.board")
    assert page.errors() == []
