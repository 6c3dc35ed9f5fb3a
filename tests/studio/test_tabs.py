"""Many tabs of one browser: none waits for another. --run-all: twenty tabs for five minutes.

    pytest tests/studio/test_tabs.py -s     prints the milliseconds from a click to the piece
"""

from __future__ import annotations

import statistics
import time

import pytest

from tests.studio.browser import Page
from tests.studio.client import Studio
from tests.studio.test_hostile import RUN_ALL

pytest.importorskip("selenium", reason="needs selenium")

TABS, SECONDS = (20, 300) if RUN_ALL else (9, 0)

# Milliseconds from a click to the drawn piece, once it is there.
_TIMED = """
const pieces = () => document.querySelectorAll(".stage .pieces > g:not(:has(.ghost))").length;
const before = pieces();
window.latency = null;
addEventListener("pointerdown", (event) => {
  const observer = new MutationObserver(() => {
    if (pieces() === before) return;
    observer.disconnect();
    requestAnimationFrame(() => { window.latency = performance.now() - event.timeStamp; });
  });
  observer.observe(document.querySelector(".stage"), { subtree: true, childList: true });
}, { once: true, capture: true });
"""


def latency(page: Page, cells: range) -> float:
    """The median of the milliseconds that moves on these cells take; none captures another."""
    times = []
    for cell in cells:
        page.driver.execute_script(_TIMED)
        page.click_cell(cell)
        times.append(page.until(
            lambda: page.driver.execute_script("return window.latency"), f"the stone on {cell}"
        ))
    return statistics.median(times)


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
    alone = latency(page, range(0, 18, 2))
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
        for cell in range(18, 72, 6):
            go_to(page, first)
            crowded = latency(page, range(cell, cell + 6, 2))
            for tab in hidden[:10]:
                answered(studio, tabs[tab])
            if time.monotonic() >= end:
                break
            time.sleep(SECONDS / 10)
        print(f"\nfrom a click to the piece: {alone:.0f} ms with one tab, "
              f"{crowded:.0f} ms with {TABS + 1}")
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
