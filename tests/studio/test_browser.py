"""The page in real Chromium: whole games by clicks, undo, save, load, keys, two windows."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from dlgo import GameState, get_game
from dlgo.display import result_text
from experiments.studio import server
from experiments.studio.position import find_turn
from tests.studio.browser import Page
from tests.studio.client import BOTS, KINDS_GAME, Studio

pytest.importorskip("selenium", reason="needs selenium")
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402

STATIC = Path(server.__file__).with_name("static")


@pytest.mark.parametrize("spec", [
    "connect4", "go:size=4", "draughts", "hex:size=3,swap=yes", "othello:size=4", KINDS_GAME,
])
def test_a_whole_game_by_clicks(studio: Studio, page: Page, spec: str) -> None:
    draw = random.Random(38)  # the shortest game of draughts of sixty
    game, state = studio.new(spec), GameState.new_game(get_game(spec))
    page.go(f"play/{game}")
    turns, view = 0, studio.view(game)
    if spec == KINDS_GAME:  # pieces carry the letters of their kinds
        page.see_pieces(12, "the start")
        assert sorted(page.texts(".stage .pieces .kind")) == sorted(2 * "KRRSSS")
    while not state.is_over():
        moves = view["position"]["moves"]
        places = [move for move in moves if move["path"]]
        if spec.startswith("go") and view["plies"] >= 12:
            places = []  # the board is full enough: two passes end the game
        move = draw.choice(places or moves)
        for step in find_turn(state, move["text"]):
            state = state.apply_move(step)
        if move["path"]:
            ends = (move["path"][0], move["path"][-1])
            alike = [m for m in places if (m["path"][0], m["path"][-1]) == ends]
            # A capture: where it begins and ends; all its squares, if others end there too.
            for cell in dict.fromkeys(ends if len(alike) < 2 else move["path"]):
                page.click_cell(cell)
        else:
            page.press("Pass")
        turns += 1
        page.see_turns(turns)
        view = studio.view(game)
        assert view["plies"] == len(state.moves())
    expected = f"Game over: {result_text(state)}."
    page.see_text(expected)
    stones = sum(cell >= 0 for cell in view["position"]["cells"])
    page.see_pieces(stones, "the last position")
    assert page.errors() == []


def test_news_take_no_piece_out_of_the_hand(studio: Studio, page: Page) -> None:
    """An evaluation, a hint or a pause may come between the two clicks of a move."""
    game = studio.new("draughts")
    page.go(f"play/{game}")
    start, *_, end = studio.view(game)["position"]["moves"][0]["path"]
    page.click_cell(start)
    studio.ask(f"/api/games/{game}/pause", {"paused": True})
    page.see("[...document.querySelectorAll('button')].some((b) => b.textContent === 'Continue')")
    page.click_cell(end)
    page.see_turns(1)


def test_a_game_against_an_engine_from_the_first_page(studio: Studio, page: Page) -> None:
    page.go("play")
    page.click("input[value=connect4] ~ .name")
    page.choose("#player-white", "own")
    own = page.find("#player-white-own")
    own.clear()
    own.send_keys(f"{BOTS}:First")
    page.press("Start the game")
    page.click_cell(3)
    page.see_pieces(2, "the engine's answer")
    board = "getComputedStyle(document.querySelector('.stage svg.board'))"
    assert page.see(f"{board}.outlineStyle") == "none"  # the mouse needs no ring
    card = "getComputedStyle(document.querySelector('.player.turn'))"
    assert page.see(f"{card}.borderTopWidth") == "2px"
    assert "bots.py:First" in page.text(".players") and "You" in page.text(".players")
    page.press("Undo")
    page.see_pieces(0, "the move taken back")
    page.click_cell(3 + 7 * 4)  # anywhere in the column
    page.see_pieces(2, "the engine's answer")
    # The keyboard: hint, and a move on the board by arrows.
    page.keys("h")
    page.find(".hint-box")
    page.find(".marks .hint")
    page.keys(Keys.ENTER, Keys.ARROW_RIGHT, Keys.ENTER, on=".stage svg.board")
    page.see_pieces(4, "a move by keys")
    assert page.see(f"{board}.outlineStyle") == "solid"
    assert page.errors() == []


def test_save_and_load(studio: Studio, page: Page) -> None:
    game = studio.new("go:size=5,komi=0.5")
    page.go(f"play/{game}")
    for turns, cell in enumerate((12, 6, 18), 1):
        page.click_cell(cell)
        page.see_turns(turns)
    page.keys("s")
    path = page.saved("go-size5-komi0.5-????-??-??-????.sgf")
    page.go("play")
    page.until(lambda: page.driver.find_elements(By.CSS_SELECTOR, "input[type=file]"), "a picker")
    page.driver.find_element(By.CSS_SELECTOR, "input[type=file]").send_keys(str(path))
    page.see_pieces(3, "the game again")
    assert game not in page.driver.current_url and "komi 0.5" in page.text(".players")
    # Back and forth again, by keys and by buttons.
    page.keys(Keys.ARROW_LEFT)
    page.see_pieces(2, "a move earlier")
    page.press("|◂")
    page.see_pieces(0, "the start")
    assert not page.button("◂").is_enabled()
    page.press("▸")
    page.see_pieces(1, "the first move")
    page.keys(Keys.END)
    page.see_pieces(3, "the end")
    assert not page.button("▸|").is_enabled()


def test_a_piece_is_dragged_by_a_finger(studio: Studio, page: Page) -> None:
    game = studio.new("draughts")
    page.go(f"play/{game}")
    move = next(m for m in studio.view(game)["position"]["moves"] if m["text"] == "11-15")
    centres = [page.driver.execute_script(
        "const box = arguments[0].getBoundingClientRect();"
        "return [box.x + box.width / 2, box.y + box.height / 2]",
        page.find(f".stage [data-cell='{cell}']"),
    ) for cell in move["path"]]
    (x, y), (to_x, to_y) = centres
    shown = page.driver.execute_script("return document.scrollingElement.scrollTop")
    touch = "Input.dispatchTouchEvent"
    page.driver.execute_cdp_cmd(touch, {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for part in (0.2, 0.5, 0.8, 1):
        page.driver.execute_cdp_cmd(touch, {"type": "touchMove", "touchPoints": [
            {"x": x + part * (to_x - x), "y": y + part * (to_y - y)}]})
    page.driver.execute_cdp_cmd(touch, {"type": "touchEnd", "touchPoints": []})
    page.until(lambda: studio.view(game)["plies"] == 1, "the move")
    assert page.driver.execute_script("return document.scrollingElement.scrollTop") == shown


def test_an_illegal_click_is_explained(studio: Studio, page: Page) -> None:
    game = studio.new("tictactoe")
    page.go(f"play/{game}")
    page.click_cell(4)
    page.see_pieces(1, "a cross")
    page.click_cell(4)
    page.see_message("B2 is illegal: the cell is taken", bad=True)
    label = page.find(".stage [data-cell='4']").get_attribute("aria-label")
    assert label == "B2, X, last move"
    page.resign()
    page.see_text("by resignation")


def test_every_module_loads(studio: Studio, page: Page) -> None:
    """A name that another module no longer exports breaks a view when it is opened."""
    page.go("play")
    page.find(".game-card")
    modules = [path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*.js")
               if path.name != "review_export.js"]  # which runs in a saved page
    assert page.driver.execute_async_script(
        "const [names, done] = arguments;"
        "Promise.allSettled(names.map((name) => import(`/${name}`))).then((all) => done("
        "all.flatMap(({ reason }, i) => reason ? [`${names[i]}: ${reason}`] : [])))", modules,
    ) == []
