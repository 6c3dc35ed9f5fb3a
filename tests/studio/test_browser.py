"""The page in real Chromium: whole games by clicks, undo, save, load, keys, two windows."""

from __future__ import annotations

import random
import time

import pytest

from dlgo import GameState, get_game
from experiments.play.board_drawing import result_text
from experiments.studio.position import find_turn
from tests.studio.browser import Page
from tests.studio.client import BOTS, OWN_GAME, Studio

pytest.importorskip("selenium", reason="needs selenium")
from selenium.webdriver.common.action_chains import ActionChains  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402


@pytest.mark.parametrize("spec", [
    "tictactoe", "connect4", "connectn:cols=5,rows=4,n=3,gravity=no", "go:size=4", "draughts",
    OWN_GAME,
])
def test_a_whole_game_by_clicks(studio: Studio, page: Page, spec: str) -> None:
    draw = random.Random(38)  # the shortest game of draughts of sixty
    game, state = studio.new(spec), GameState.new_game(get_game(spec))
    page.open(f"play/{game}")
    turns = plies = 0
    while not state.is_over():
        moves = studio.view(game)["position"]["moves"]
        places = [move for move in moves if move["path"]]
        if spec.startswith("go") and plies >= 12:
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
            page.button("Pass").click()
        plies, turns = len(state.moves()), turns + 1
        page.until(lambda n=turns: page.turns() == n, move["text"])
        assert studio.view(game)["plies"] == plies
    expected = f"Game over: {result_text(state)}."
    page.until(lambda: expected in page.status(), expected)
    stones = sum(cell >= 0 for cell in studio.view(game)["position"]["cells"])
    page.until(lambda: page.pieces() == stones, "the last position")
    assert page.errors() == []


def test_a_game_against_an_engine_from_the_first_page(studio: Studio, page: Page) -> None:
    page.open("play")
    page.find("input[value=connect4] ~ .name").click()
    select = page.find("#player-white")
    select.send_keys("Another")
    own = page.find("#player-white-own")
    own.clear()
    own.send_keys(f"{BOTS}:First")
    page.button("Start the game").click()
    page.click_cell(3)
    page.until(lambda: page.pieces() == 2, "the engine's answer")
    assert "bots.py:First" in page.text(".players") and "You" in page.text(".players")
    page.button("Undo").click()
    page.until(lambda: page.pieces() == 0, "the move taken back")
    page.click_cell(3 + 7 * 4)  # anywhere in the column
    page.until(lambda: page.pieces() == 2, "the engine's answer")
    # The keyboard: hint, and a move on the board by arrows.
    page.keys("h")
    page.find(".hint-box")
    assert page.driver.find_elements(By.CSS_SELECTOR, ".marks .hint")
    page.keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ENTER, on=".stage svg.board")
    page.until(lambda: page.pieces() == 4, "a move by keys")
    assert page.errors() == []


def test_save_and_load(studio: Studio, page: Page) -> None:
    game = studio.new("go:size=5,komi=0.5")
    page.open(f"play/{game}")
    for cell in (12, 6, 18):
        page.click_cell(cell)
        page.until(lambda: not page.find(".status").text.startswith("Your"), "a move")
        time.sleep(0.1)
    page.until(lambda: page.pieces() == 3, "three stones")
    page.keys("s")
    path = page.downloads / "go-size5-komi0.5.sgf"
    page.until(path.exists, "the file")
    page.open("play")
    page.until(lambda: page.driver.find_elements(By.CSS_SELECTOR, "input[type=file]"), "a picker")
    page.driver.find_element(By.CSS_SELECTOR, "input[type=file]").send_keys(str(path))
    page.until(lambda: page.pieces() == 3, "the game again")
    assert game not in page.driver.current_url and "komi 0.5" in page.text(".players")
    # Back to the first move and forth again.
    page.keys(Keys.ARROW_LEFT)
    page.until(lambda: page.pieces() == 2, "a move earlier")
    page.keys(Keys.END)
    page.until(lambda: page.pieces() == 3, "the end")


def test_a_piece_is_dragged(studio: Studio, page: Page) -> None:
    game = studio.new("draughts")
    page.open(f"play/{game}")
    move = next(m for m in studio.view(game)["position"]["moves"] if m["text"] == "11-15")
    start, end = (page.find(f".stage [data-cell='{cell}']") for cell in move["path"])
    ActionChains(page.driver).drag_and_drop(start, end).perform()
    page.until(lambda: studio.view(game)["plies"] == 1, "the move")
    page.until(lambda: "11-15" in page.status(), "the words")


def test_a_piece_is_dragged_by_a_finger(studio: Studio, page: Page) -> None:
    game = studio.new("draughts")
    page.open(f"play/{game}")
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


def test_two_windows_hold_two_games(studio: Studio, page: Page) -> None:
    games = [studio.new("go:size=5", white="mcts:sims=50", seed=1), studio.new("tictactoe")]
    first = page.driver.current_window_handle
    page.open(f"play/{games[0]}")
    page.driver.switch_to.new_window("window")
    second = page.driver.current_window_handle
    try:
        page.open(f"play/{games[1]}")
        stones = {first: 0, second: 0}
        for cell in (4, 0, 8):  # a window is not in front while the other one is played in
            for window, more in ((first, 2), (second, 1)):
                page.driver.switch_to.window(window)
                page.click_cell(cell if window == second else cell * 3 % 25)
                stones[window] += more
                page.until(lambda n=stones[window]: page.turns() == n, "the move and its answer")
        assert [studio.view(game)["plies"] for game in games] == [6, 3]
        assert page.pieces() == 3 and page.errors() == []
    finally:
        page.driver.switch_to.window(second)
        page.driver.close()
        page.driver.switch_to.window(first)


def test_an_illegal_click_is_explained(studio: Studio, page: Page) -> None:
    game = studio.new("tictactoe")
    page.open(f"play/{game}")
    page.click_cell(4)
    page.until(lambda: page.pieces() == 1, "a cross")
    page.click_cell(4)
    assert "B2 is illegal: the cell is taken" in page.text(".toast.bad")
    label = page.driver.find_element(By.CSS_SELECTOR, ".stage [data-cell='4']")
    assert label.get_attribute("aria-label") == "B2, x, last move"
    page.button("Resign").click()
    page.button("Really resign?").click()
    page.until(lambda: "by resignation" in page.status(), "the end")


def test_an_engine_that_dies_is_told_and_the_page_lives(studio: Studio, page: Page) -> None:
    game = studio.new("tictactoe", white=f"{BOTS}:Leaver")
    page.open(f"play/{game}")
    page.click_cell(4)
    page.until(lambda: "process died (exit code 3)" in page.text(".trouble"), "the words")
    page.button("Undo").click()
    page.until(lambda: page.pieces() == 0, "the move taken back")


def test_names_of_files_are_text(studio: Studio, page: Page) -> None:
    data = b"(;GM[1]SZ[5]PB[<img src=x onerror=document.title='hacked'>];B[cc])"
    _, answer = studio.ask("/api/games/load?name=a.sgf", data,
                           content_type="application/octet-stream")
    page.open(f"play/{answer['id']}")
    page.until(lambda: page.pieces() == 1, "the stone")
    assert page.driver.title == "Play · dlgo studio"
    assert not page.driver.find_elements(By.CSS_SELECTOR, "main img")


def test_keys_are_listed_and_colours_switched(studio: Studio, page: Page) -> None:
    page.open("play")
    page.find(".game-card")
    page.keys("?")
    assert "open a saved game" in page.text("#keys")
    page.button("Close").click()
    page.keys("t", "t")
    page.until(
        lambda: page.driver.find_element(By.TAG_NAME, "html").get_attribute("data-theme") == "dark",
        "dark",
    )
    page.keys("t")


@pytest.mark.parametrize("width", [400, 1280])
def test_nothing_is_wider_than_the_window(studio: Studio, page: Page, width: int) -> None:
    game = studio.new("draughts", white="alphabeta:depth=4")
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": 860, "deviceScaleFactor": 1, "mobile": width < 500,
    })
    try:
        for place in ("play", f"play/{game}", f"analyse/{game}", f"review/{game}"):
            page.open(place)
            page.find("main svg.board")
            wide = page.driver.execute_script("return document.documentElement.scrollWidth")
            assert wide <= width
    finally:
        page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_a_known_position_is_analysed_by_two_engines(studio: Studio, page: Page) -> None:
    game = studio.new("connect4")
    for column in "414242777711":
        studio.move(game, column)
    page.open(f"analyse/{game}")
    page.until(lambda: "proved: win" in page.text(".eye .bar-text"), "the proof")
    page.until(lambda: page.text(".seen tbody tr td").startswith("4"), "the winning column")
    page.button("Second engine").click()
    page.until(lambda: len(page.driver.find_elements(By.CSS_SELECTOR, ".eye")) == 2, "an eye")
    page.button("One engine").click()
    page.button("Exact values").click()
    page.until(
        lambda: "win" in [e.text for e in page.driver.find_elements(
            By.CSS_SELECTOR, ".marks .hint-text")], "the exact win",
    )
    page.keys(Keys.ARROW_LEFT)
    page.until(lambda: "move 11 of 12" in page.status(), "a move back")
    assert page.errors() == []


def test_a_position_is_set_up_by_clicks(studio: Studio, page: Page) -> None:
    page.open(f"analyse/{studio.new('go:size=5')}")
    page.button("Set up").click()
    for piece, cell in (("black", 12), ("white", 13), ("white", 7)):
        page.button(piece).click()
        page.find(f".eye [data-cell='{cell}']").click()
    page.button("Black to move").click()
    page.button("Done").click()
    page.until(lambda: "White to move" in page.status(), "the position")
    labels = page.driver.find_elements(By.CSS_SELECTOR, ".eye .cell[aria-label*='white']")
    assert [e.get_attribute("aria-label") for e in labels] == ["D3, white", "C2, white"]
    page.until(lambda: page.driver.find_elements(By.CSS_SELECTOR, ".heat rect"), "heat")
    page.button("Stop").click()
    assert page.errors() == []
