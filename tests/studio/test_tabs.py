"""Many tabs of one browser: none waits for another. --run-all: twenty tabs for a minute."""

from __future__ import annotations

import time

import pytest

from tests.conftest import RUN_ALL
from tests.studio.browser import Page
from tests.studio.client import Studio

pytest.importorskip("selenium", reason="needs selenium")

TABS, SECONDS = (20, 60) if RUN_ALL else (9, 0)


def go_to(page: Page, tab: str) -> None:
    """Show a tab; the others are hidden then, and the browser slows their timers down."""
    page.driver.switch_to.window(tab)
    page.driver.execute_cdp_cmd("Page.bringToFront", {})


def answered(studio: Studio, game: str) -> None:
    """Make the next move against an engine, and wait for its answer."""
    view = studio.view(game)
    assert studio.move(game, view["position"]["moves"][0]["text"]) == (200, {})
    studio.wait(lambda: studio.view(game)["plies"] == view["plies"] + 2, "an answer")


def test_many_tabs_play_and_analyse(studio: Studio, page: Page) -> None:
    driver, game = page.driver, studio.new("go:size=9")
    page.go(f"play/{game}")
    first, tabs = driver.current_window_handle, {}
    try:
        for number in range(TABS):
            other = studio.new("go:size=9", white="random")
            driver.switch_to.new_window("tab")
            tabs[driver.current_window_handle] = other
            page.go(f"play/{other}" if number else f"analyse/{other}")
            page.find("main svg.board")
        analysis, *hidden = tabs
        end = time.monotonic() + SECONDS
        for pieces, cell in enumerate(range(0, 72, 6), 1):
            go_to(page, first)
            page.click_cell(cell)
            page.see_pieces(pieces, f"the stone on {cell}")
            for tab in hidden[:10]:
                answered(studio, tabs[tab])
            if time.monotonic() >= end:
                break
            time.sleep(SECONDS / 10)
        for tab in hidden:
            go_to(page, tab)
            page.see_turns(studio.view(tabs[tab])["plies"])  # those made meanwhile
        go_to(page, analysis)
        page.see("Number(document.querySelector('.engine-view').dataset.look) > 5", "looks")
        assert page.errors() == []
    finally:
        for tab in tabs:
            driver.switch_to.window(tab)
            driver.close()
        go_to(page, first)
