"""Reviews over HTTP and in real Chromium: a known blunder, saved pages, hostile names."""

from __future__ import annotations

import re
import time

import pytest

from tests.studio.browser import Page
from tests.studio.client import BOTS, Studio, View, Watcher

pytest.importorskip("selenium", reason="needs selenium")
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402

# Of Connect Four, unfinished: from the 9th position on it is soon solved. The last three moves are
# blunders (tests/review/test_game_review.py).
COLUMNS = "4444423215122333"
HOSTILE = "</script><img src=x onerror=document.title='hacked'>"


def review(studio: Studio, game: str, query: str = "engine=mcts:sims=50") -> View:
    """The whole review of a game."""
    watcher = Watcher(studio, f"/api/games/{game}/review?{query}")
    try:
        return watcher.until(lambda news: news["final"], "the end of the review")
    finally:
        watcher.close()


def load(studio: Studio, name: str, data: bytes) -> str:
    status, answer = studio.ask(
        f"/api/games/load?name={name}&black=human&white=human", data,
        content_type="application/octet-stream",
    )
    assert status == 200, answer
    return answer["id"]


def noughts(studio: Studio, moves: str = "B2 A2 A1 C3 C1") -> str:
    """A game in which an edge in reply to the centre loses."""
    game = studio.new("tictactoe")
    for move in moves.split():
        assert studio.move(game, move)[0] == 200
    return game


def test_an_exact_review_and_the_line_that_was_better(studio: Studio) -> None:
    game = noughts(studio)
    found = review(studio, game)
    assert found["exact"].startswith("alphabeta") and found["done"] == found["of"] == 6
    assert [value["black"] for value in found["values"]] == [0.5, 0.5, 1, 1, 1, 1]
    (verdict,) = found["verdicts"]
    assert (verdict["turn"], verdict["kind"], verdict["loss"], verdict["exact"]) == (
        2, "blunder", 0.5, True)
    assert verdict["best"]["text"] in ("A1", "A3", "C1", "C3")
    assert [turn["text"] for turn in found["turns"]] == ["B2", "A2", "A1", "C3", "C1"]
    status, place = studio.ask(f"/api/games/{game}/review/1?engine=mcts:sims=50")
    assert status == 200 and place["position"]["turn"] == 1 and place["known"]
    assert sum(cell >= 0 for cell in place["position"]["cells"]) == 1
    assert len(place["line"]) > 3 and place["line"][0]["player"] == 1
    assert place["words"].startswith("proved for O, who is to move: draw; line ")


@pytest.mark.slow
def test_a_review_ends_with_its_reader_and_goes_on_with_the_next(studio: Studio) -> None:
    game = studio.new("go:size=5")
    for move in ("C3", "C4", "D4", "B3", "B4", "D3", "C2"):
        studio.move(game, move)
    path = f"/api/games/{game}/review?engine=mcts:sims=200000"
    watcher = Watcher(studio, path)
    first = watcher.until(lambda news: news["done"] >= 1)
    watcher.close()
    assert not first["final"] and first["asked"] is not None
    studio.wait_for_quiet()
    time.sleep(0.3)  # the next search would have begun
    assert studio.ask("/api/status")[1]["running"] == 0
    again = Watcher(studio, path)
    news = again.until(lambda news: True)
    assert first["done"] <= news["done"] < news["of"]
    again.close()
    studio.wait_for_quiet()


@pytest.mark.slow
def test_a_review_keeps_the_time_that_it_has_promised(studio: Studio) -> None:
    game = studio.new("go:size=9")
    for move in ("E5", "C3", "G7", "G3", "C7", "A1", "E3"):
        studio.move(game, move)
    found = review(studio, game, "engine=mcts:sims=50&seconds=4")
    # The machine may be busy: a search takes longer then, by a known number of simulations.
    assert found["done"] == 8 and 0 < found["spent"] < 20
    status, answer = studio.ask(f"/api/games/{game}/review/0?engine=mcts:sims=50&seconds=4")
    assert status == 200 and answer["known"]
    refused = Watcher(studio, f"/api/games/{game}/review?seconds=soon")
    assert refused.answer["status"] == 400


@pytest.mark.parametrize(("engine", "words"), [
    (f"{BOTS}:Crasher", "ZeroDivisionError"), ("random", "does not evaluate positions"),
])
def test_an_engine_that_is_of_no_use_is_told(studio: Studio, engine: str, words: str) -> None:
    found = review(studio, noughts(studio, "B2"), f"engine={engine}&exact=no")
    assert words in found["problem"] and found["done"] == 0 and found["verdicts"] == []


def test_a_blunder_is_found_by_the_button_and_told(studio: Studio, page: Page) -> None:
    game = studio.new("connect4")
    for column in COLUMNS:
        studio.move(game, column)
    page.go(f"play/{game}")
    page.press("Review")
    page.see("document.querySelectorAll('.mistakes li').length >= 3", "three mistakes")
    assert "exact" in page.text(".mistakes")
    page.keys(Keys.END)
    page.keys("M")
    page.see_text("After move 15 of 16", ".review-where")
    assert "Next, move 16, yellow 3 ??" in page.text(".verdict")
    assert "For yellow: win in" in page.text(".verdict")
    page.see_text("Misses column 5, which would win at once.", ".verdict")
    page.find(".stage .marks .played")
    page.find(".stage .line-text")
    page.keys("l")
    page.find(".stage .better")
    page.click(".desk [aria-label='Previous mistake']")
    page.see_text("After move 14 of 16", ".review-where")
    # The graph is walked along by keys, and says where it is.
    page.keys(Keys.HOME, Keys.ARROW_RIGHT, on="svg.graph")
    page.see_text("After move 1 of 16", ".review-where")
    graph = page.find("svg.graph")
    assert graph.get_attribute("aria-valuenow") == "1"
    assert "after move 1, red 4" in graph.get_attribute("aria-valuetext")
    page.click(".all-moves summary")
    rows = page.texts(".all-moves tbody tr")
    assert page.nameless() == []
    # A box that was ticked has the focus, but the keys still walk through the game.
    page.click("#exact")
    page.keys(Keys.END, on="#exact")
    page.see_text("After move 16 of 16", ".review-where")
    assert len(rows) == 16 and "??" in rows[15] and "win in" in rows[13]
    # Leaving the page ends the search.
    page.go("play")
    studio.wait(lambda: studio.ask("/api/status")[1]["running"] == 0, "quiet")
    assert page.errors() == []


def test_a_saved_page_needs_nothing_else(studio: Studio, page: Page) -> None:
    text = f"game: tictactoe\nblack: {HOSTILE}\nwhite: B\nB2 A2 A1 C3 C1\n".encode()
    game = load(studio, "a.txt", text)
    review(studio, game)
    path = f"/api/games/{game}/review/file?engine=mcts:sims=50&form=html"
    status, data = studio.ask(path)
    assert status == 200 and b"<img" not in data
    assert not re.search(rb"(?:src|href)\s*=\s*[\"']?http", data)
    file = page.downloads / "saved.html"
    file.write_bytes(data)
    page.driver.get_log("browser")
    page.driver.get(f"file://{file}")
    page.click(".mistakes li button")
    page.see_text("After move 1 of 5", ".review-where")
    page.see_pieces(1, "the first move")
    assert "draw becomes loss" in page.text(".verdict")
    assert HOSTILE[:9] in page.text(".players") and "hacked" not in page.driver.title[:6]
    page.keys(Keys.END)
    page.see_pieces(5, "the end")
    asked = page.driver.execute_script(
        "return performance.getEntriesByType('resource').map((entry) => entry.name)"
        ".filter((name) => !name.startsWith('data:'))"
    )
    assert asked == [] and page.errors() == []


def test_a_file_is_opened_and_its_review_saved_as_sgf(studio: Studio, page: Page) -> None:
    data = b"(;GM[1]SZ[5]KM[0.5]PB[Ann <b>]PW[Bo];B[cc];W[bb];B[dd])"
    file = page.downloads / "game.sgf"
    file.write_bytes(data)
    page.go("review")
    page.driver.execute_script(
        "localStorage.setItem('dlgo-review-go:size=5,komi=0.5', 'mcts:sims=100')")
    page.until(lambda: page.driver.find_elements(By.CSS_SELECTOR, "input[type=file]"), "a picker")
    page.driver.find_element(By.CSS_SELECTOR, "input[type=file]").send_keys(str(file))
    page.see_text("4 of 4 positions evaluated", ".review-told")
    assert "Ann <b>" in page.text(".players")
    page.press("Save SGF")
    saved = page.saved("review-go-size5-komi0.5-*.sgf")
    from sgfmill import sgf

    game = sgf.Sgf_game.from_bytes(saved.read_bytes())
    assert game.get_player_name("b") == "Ann <b>"
    assert "expected for black, who is to move:" in game.get_root().get("C")
    assert len(game.get_main_sequence()) == 4
    assert page.errors() == []


def test_a_review_says_that_its_engine_cannot_judge(studio: Studio, page: Page) -> None:
    game = studio.new("go:size=9")
    moves = "E5 C3 G7 C7 G3 E3 E7 C5 G5 D3 F3 D7 F7 D5 F5 E4 E6 D6 F4 D4"
    for move in moves.split():
        assert studio.move(game, move)[0] == 200
    found = review(studio, game, "engine=mcts:sims=30")
    assert found["cannot"].startswith("mcts:sims=30 cannot judge Go on 9x9: ")
    assert found["verdicts"] == [] and found["summaries"] == ["not judged"] * 2
    page.go(f"review/{game}")
    page.until(lambda: page.find("#player-review").get_attribute("value") == "alphazero:sims=400")
    page.choose("#player-review", "own")
    page.find("#player-review-own").clear()
    page.keys("mcts:sims=30", Keys.ENTER, on="#player-review-own")
    page.choose("#time", "0")
    page.see_text("cannot judge Go on 9x9", ".mistake-panel .cannot")
    assert page.text(".players").count("not judged") == 2 and page.errors() == []
