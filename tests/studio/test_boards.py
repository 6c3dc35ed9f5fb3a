"""Boards in real Chromium: marks, motion, sounds, flipping, and moves that share their clicks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.studio.browser import Page
from tests.studio.client import Studio

pytest.importorskip("selenium", reason="needs selenium")
from selenium.webdriver.common.keys import Keys  # noqa: E402

# A page that counts motions and sounds instead of showing them.
_COUNTED = """
window.motions = [];
window.tones = 0;
if (window.counted) return;
window.counted = true;
const animate = Element.prototype.animate;
Element.prototype.animate = function (frames, options) {
  const what = this.closest(".taken") ? "fade" : frames.length;
  if (this.closest(".pieces, .taken")) window.motions.push([what, options.delay ?? 0]);
  return animate.call(this, frames, options);
};
const start = OscillatorNode.prototype.start;
OscillatorNode.prototype.start = function (at) { window.tones++; return start.call(this, at); };
"""


def made_board(
    page: Page, moves: list[dict[str, Any]], clicks: list[int]
) -> Callable[[], Any]:
    """A board of 2 by 2 cells in place of the page's, clicked already; what has been played."""
    page.driver.execute_async_script("""
        const [moves, clicks, done] = arguments;
        import("/boards/index.js").then(({ makeBoard }) => {
          window.played = [];
          const info = {
            title: "Two", look: "cells", rows: 2, cols: 2, kinds: ["x"], marks: [""],
            width: 2, height: 2, places: [[1, 1], [2, 1], [1, 2], [2, 2]],
            players: ["x", "o"], rowLabels: ["1", "2"], colLabels: ["A", "B"],
            cellNames: ["A1", "B1", "A2", "B2"],
          };
          const board = makeBoard(info, (text) => window.played.push(text));
          board.show({ cells: [-1, -1, -1, -1], last: null, won: [], turn: 0 }, moves);
          document.querySelector(".stage").replaceChildren(board.element);
          clicks.forEach((cell) => board.input.click(cell));
          done();
        });
    """, moves, clicks)
    return lambda: page.driver.execute_script("return window.played")


def test_moves_that_share_their_clicks_are_asked_for(studio: Studio, page: Page) -> None:
    page.go(f"play/{studio.new('tictactoe')}")
    page.find(".stage svg.board")
    same = [{"path": [0], "text": f"A1={colour}"} for colour in ("red", "blue")]
    played = made_board(page, same, [0])
    assert page.texts(".choices button") == ["A1=red", "A1=blue"] and played() == []
    page.press("A1=blue")
    assert played() == ["A1=blue"] and page.count(".choices") == 0

    # Two ways to one square, as two captures of a king; the keys choose, and Esc gives up.
    ways = [{"path": [0, 1, 3], "text": "right"}, {"path": [0, 2, 3], "text": "left"}]
    played = made_board(page, ways, [0, 3])
    assert page.texts(".choices button") == ["right", "left"] and page.count(".marks .way") == 1
    page.keys(Keys.ESCAPE, on=".choices button")
    assert page.count(".choices") == page.count(".marks .way") == 0 and played() == []
    assert page.driver.switch_to.active_element.get_attribute("class") == "board cells"
    played = made_board(page, ways, [0, 3])
    page.keys(Keys.TAB, Keys.ENTER, on=".choices button")
    assert played() == ["left"]

    # A move that ends where another one goes on.
    longer = [{"path": [0, 1], "text": "stop"}, {"path": [0, 1, 3], "text": "go on"}]
    played = made_board(page, longer, [0, 1])
    assert page.texts(".choices button") == ["stop", "go on"] and played() == []
    page.click_cell(3, ".stage")
    assert played() == ["go on"]


def test_a_board_turned_keeps_gravity_and_names_all_sides(studio: Studio, page: Page) -> None:
    disc = """(() => {
      const box = document.querySelector(".stage .pieces .disc")?.getBoundingClientRect();
      const all = document.querySelector(".stage svg.board").getBoundingClientRect();
      return box && [(box.x + box.width / 2 - all.x) / all.width, (box.y - all.y) / all.height];
    })()"""
    page.go(f"play/{studio.new('connect4')}")
    page.click_cell(1)
    page.see_pieces(1, "the disc")
    page.see(f"{disc}[1] > 0.75", "the disc at the bottom")
    page.keys("f")
    across, down = page.see(disc)
    assert across > 0.7 and down > 0.75
    page.keys(Keys.ENTER, Keys.ARROW_LEFT, Keys.ENTER, on=".stage svg.board")  # from column 2
    page.see_pieces(2, "the second disc")
    page.see_text("3", ".moves li:nth-child(2) .text")
    assert page.texts(".stage .label") == list("1234567")
    page.go(f"play/{studio.new('go:size=5')}")
    page.see("document.querySelectorAll('.stage .lines .label').length === 20", "four sides")


def test_captures_are_shown_jump_by_jump(studio: Studio, page: Page) -> None:
    """The piece visits each square of its way, and what it takes fades as it passes."""
    game = studio.new("draughts")
    for move in ("11-16", "22-18", "9-13", "25-22", "5-9", "18-14"):
        assert studio.move(game, move) == (200, {}), move
    page.go(f"play/{game}")
    page.see_turns(6)
    cells = studio.view(game)["position"]["cells"]
    starts = {move["path"][0] for move in studio.view(game)["position"]["moves"]}
    page.click_cell(next(i for i, piece in enumerate(cells) if piece == 0 and i not in starts))
    page.see_message("A capture must be made")
    assert page.count(".stage [role='gridcell'][aria-label='not used']") == 32  # the keys pass them
    page.driver.execute_script(_COUNTED)
    page.keys("x")
    assert page.driver.execute_script("return window.tones") == 1  # it has been off
    view = studio.view(game)
    before = sum(cell >= 0 for cell in view["position"]["cells"])
    double = next(m for m in view["position"]["moves"] if m["text"].count("x") == 2)
    studio.move(game, double["text"])
    page.see_pieces(before - 2, "a double capture")
    motions = page.driver.execute_script("return window.motions")
    assert motions[0] == [3, 0] and sorted(motions[1:]) == [["fade", 100], ["fade", 300]]
    assert page.count(".heat .trail") == 2
    assert page.driver.execute_script("return window.tones") == 3
    assert page.count(".stage .cells .cell.playable") > 0  # nothing waits for the motion
