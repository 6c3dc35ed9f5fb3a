"""The view Course: every preset opens in Chromium, and shows what it promises."""

from __future__ import annotations

import re

import pytest

from engines.registry import build_engine
from experiments.studio.course import BY_NAME, CHAPTERS, PRESETS, state_of
from tests.studio.browser import Page
from tests.studio.client import Studio

pytest.importorskip("selenium", reason="needs selenium")

FIGURE = ".stage .marks .exact"


def shares(page: Page) -> dict[str, str]:
    """What the table of Analyse says of the moves: their share."""
    return page.driver.execute_script(
        "return Object.fromEntries([...document.querySelectorAll('.seen tbody tr')].map("
        "(row) => [row.cells[0].innerText, row.cells[2].innerText]))")


def open_preset(page: Page, name: str) -> None:
    page.go(f"course/{name}")
    page.see_text(BY_NAME[name].look_for, "#lesson")
    page.find(".stage svg.board")


def test_the_course_lists_all_and_opens_them(page: Page) -> None:
    page.go("course")
    page.see(f"document.querySelectorAll('.preset-card').length === {len(PRESETS)}", "the presets")
    assert [text.partition(": ")[2] for text in page.texts("h2")][: len(CHAPTERS)] == [
        *CHAPTERS.values()]
    assert page.nameless() == []
    page.click(".preset-card[href='#/course/ko']")  # a search
    page.see_text("A ko in a search", "h1")
    page.see("document.querySelector('#lesson').hidden", "no lesson of another view")
    page.go("course/no-such")
    page.see_message("There is no preset no-such", bad=True)
    assert page.errors() == []


def test_what_presets_of_games_show(page: Page, studio: Studio) -> None:
    open_preset(page, "take-back")
    page.see_pieces(7, "the position")
    page.click_cell(6)  # C2
    page.see_message("ko: it would recreate", bad=True)
    for cell in (12, 15, 6):  # A4, D4, and now C2
        page.see("document.querySelector('.cell.playable')", "a person to move")
        pieces = page.pieces()
        page.click_cell(cell)
        page.see_pieces(pieces + (cell != 6), "the move")  # C2 captures one stone
    for name in ("random-players", "one-look", "drawn-moves"):
        open_preset(page, name)
        page.see("document.querySelectorAll('.moves li').length > 1", "moves of both")
    assert page.errors() == []


def test_what_presets_of_analyses_show(page: Page) -> None:
    for name, counts in (("fork", (1, 3, 1)), ("worth", (0, 1, 7))):
        open_preset(page, name)
        page.see("document.querySelector('.status').innerText.startsWith('Exact values of')", name)
        page.until(lambda counts=counts: counts == tuple(  # they come one by one
            page.count(f"{FIGURE}.{kind}") for kind in ("win", "draw", "loss")), name)
    for name, promised in (
        ("prediction", {"4": "62"}), ("thirteenth-move", {"D7": "27", "F3": "19"}),
        ("policy", {"4": "40", "5": "23", "3": "19"}),
    ):
        open_preset(page, name)
        page.see("document.querySelector('.seen tbody tr')", "the network's answer")
        for move, percent in promised.items():
            assert f"{float(shares(page)[move].rstrip('%')):.0f}" == percent
            assert re.search(rf"\b{move} .*?{percent}%", BY_NAME[name].look_for)
    state = state_of(BY_NAME["prediction"])
    for move in "41414":
        state = state.apply_move(move)
    policy = build_engine("supervised", state.game, 1).select_move(state).policy
    assert round(max(policy.values()), 2) == 0.95
    assert state.game.move_text(max(policy, key=policy.get)) == "4"
    state = state_of(BY_NAME["critic"])
    for start, expected in ((state, 0.69), (state.game.start().play("4"), -0.15)):
        assert f"{expected}" in BY_NAME["critic"].look_for
        assert round(build_engine("ppo", start.game, 1).select_move(start).value, 2) == expected
    assert page.errors() == []


def test_a_game_has_one_winner(page: Page) -> None:
    open_preset(page, "one-winner")
    page.see_text("41 of 41 positions", ".review-told")
    page.see("document.querySelectorAll('.all-moves tbody tr').length === 40", "the moves")
    values = page.texts(".all-moves tbody td:nth-child(3)")
    assert sum(not value.startswith("loss") for value in values[7:]) == 12  # as red sees it
