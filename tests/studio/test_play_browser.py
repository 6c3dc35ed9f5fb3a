"""Games in real Chromium from the first page to the end: clocks, engines that step, rematches."""

from __future__ import annotations

import pytest

from tests.studio.browser import Page
from tests.studio.client import BOTS, Studio

pytest.importorskip("selenium", reason="needs selenium")


def choose(page: Page, field: str, value: str) -> None:
    """Choose a value in a list."""
    page.find(field)
    page.driver.execute_script(
        "const list = document.querySelector(arguments[0]); list.value = arguments[1];"
        "list.dispatchEvent(new Event('change'))", field, value)


def test_a_game_with_a_clock_from_the_first_page_to_a_rematch(
    studio: Studio, page: Page
) -> None:
    page.go("play")
    page.click("input[value=connect4] ~ .name")
    choose(page, "#player-white", "own")
    own = page.find("#player-white-own")
    own.clear()
    own.send_keys(f"{BOTS}:First")
    choose(page, "#clock", "own")
    clock = page.find("#clock-own")
    clock.clear()
    clock.send_keys("5 minutes")
    page.press("Start the game")
    page.see_text("write 10+5 for ten minutes", ".toast.bad")
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
    page.press("Resign")
    page.press("Really resign?")
    page.see_text("red wins by resignation")
    page.press("Rematch")
    page.see("document.querySelector('.ending')?.hidden", "another game")
    page.see_pieces(1, "the first move again")


def test_a_clock_counts_down_and_ends_the_game(studio: Studio, page: Page) -> None:
    game = studio.new("go:size=5", clock="0.05")
    page.go(f"play/{game}")
    page.click_cell(12)
    page.see_text("2.", ".player:nth-child(2) .clock.low")
    page.see_text("1.", ".player:nth-child(2) .clock.low")
    page.see_text("black wins on time")
    assert page.texts(".clock") == ["3.0", "0.0"]


def test_moments_of_a_game_between_engines_that_go_step_by_step(
    studio: Studio, page: Page
) -> None:
    game = studio.new("tictactoe", "random", "mcts:sims=50", seed=3, delay=60)
    page.go(f"play/{game}")
    page.see_turns(1)
    page.press("Step")
    page.see_turns(2)
    assert page.button("Go on")
    choose(page, "#speed", "0")
    page.press("Go on")
    page.see_text("O wins with 3 in a row")
    page.see_text(" for X", ".moments li")
    moment = studio.view(game)["moments"][0]
    page.click(".moments button")
    page.see_text(f"After move {moment['plies']} of", ".status")
    assert page.errors() == []
