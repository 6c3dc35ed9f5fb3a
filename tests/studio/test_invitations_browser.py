"""Invitations in real Chromium: the maker's page, a player's and a watcher's."""

from __future__ import annotations

import pytest

from tests.studio.browser import Page
from tests.studio.client import Studio

pytest.importorskip("selenium", reason="needs selenium")

LINK = "document.querySelector(\"[aria-label='Link for {}']\")?.value"


def test_two_pages_play_one_game_and_a_third_watches(studio: Studio, page: Page) -> None:
    game = studio.new("tictactoe")
    page.go(f"play/{game}")
    page.click("summary:not(.desk .notes summary)")
    links = {}
    for who in ("O", "Watchers"):
        page.press(f"Link for {who}")
        links[who] = page.see(LINK.format(who), "the link").partition("#/")[2]
    page.see_text("You", ".player:first-child b")
    assert page.nameless() == []
    page.click_cell(4)
    page.see_text("O to move")
    page.click_cell(0)  # it is the other's turn
    page.go(links["O"])
    page.see_text("Your turn: O")
    page.see_pieces(1, "the maker's move")
    assert page.text(".player:nth-child(2) b") == "You"
    for _ in range(2):
        page.click_cell(0)
        page.see_pieces(2, "the answer")
        page.driver.refresh()
        page.see_text("X to move")
    seen = "[...document.querySelectorAll('.side button')].filter((one) => one.checkVisibility())"
    names = f"{seen}.map((one) => one.innerText)"
    hidden = {"Analyse", "Review", "Guess", "New game", "Open a file …"}
    assert {"Undo", "Resign", "Hint"} <= {*page.see(names)} and not hidden & {*page.see(names)}
    page.go(links["Watchers"])
    page.see_pieces(2, "the game")
    assert not ({"Undo", "Resign", "Hint", "Play"} | hidden) & {*page.see(names)}
    assert page.text(".player:nth-child(2) b") == "O" and page.nameless() == []
    page.click_cell(8)
    page.keys("u")
    assert studio.view(game)["plies"] == 2
    page.go(f"play/{game}")
    page.see_text("Your turn: X")
    page.click_cell(8)
    page.see_pieces(3, "a move")
    assert page.errors() == []
