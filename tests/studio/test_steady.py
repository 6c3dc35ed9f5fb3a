"""What people look at stays where it is, and what they need is in sight."""

from __future__ import annotations

import pytest

from tests.studio.browser import Page
from tests.studio.client import Studio
from tests.studio.test_layout import played
from tests.studio.test_menu import LINES, LONG

pytest.importorskip("selenium", reason="needs selenium")
from selenium.webdriver.common.keys import Keys  # noqa: E402

pytestmark = pytest.mark.slow

BACK = ".side [aria-label='One move back']"
# Whether the current move lies in the part of the list that is seen.
CURRENT = """(() => {
  const list = document.querySelector('.moves'), item = list.querySelector('[aria-current=true]');
  const [inner, outer] = [item, list].map((one) => one.getBoundingClientRect());
  return inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1;
})()"""
# The least number of rows that a table has had.
ROWS = """
const body = document.querySelector('.seen tbody');
window.least = body.rows.length;
new MutationObserver(() => { window.least = Math.min(window.least, body.rows.length); })
  .observe(body, { childList: true });
"""


def test_the_current_move_stays_in_sight_when_its_list_gets_smaller(
    studio: Studio, page: Page,
) -> None:
    page.go(f"play/{played(studio, 'go:size=9', LONG)}")
    page.see_turns(len(LONG.split()))
    with page.sized(1280, 800):
        page.see(CURRENT, "the last move")
        height = "document.querySelector('.moves').clientHeight"
        before = page.see(height)
        for panel in page.driver.find_elements("css selector", "details.panel > summary"):
            if panel.is_displayed():
                panel.click()
        page.see(f"{height} < {before}", "a smaller list")
        page.see(CURRENT, "the last move")
    assert page.errors() == []


def test_buttons_stay_where_they_are_while_sentences_grow(studio: Studio, page: Page) -> None:
    page.go(f"play/{played(studio, 'connect4', '4 3 4 3 4 3')}")
    page.see_turns(6)
    with page.sized(1024, 768):
        top = page.find(BACK).rect["y"]
        page.click(BACK)
        page.see_text("After move 5 of 6")
        assert page.find(BACK).rect["y"] == top
        page.keys(Keys.END)
        page.click_cell(3)
        page.see_text("Game over")
        assert page.find(BACK).rect["y"] == top
    assert page.errors() == []


def test_a_wide_board_leaves_a_line_of_buttons_and_the_level(studio: Studio, page: Page) -> None:
    page.go(f"play/{studio.new('hex:size=11', 'human', 'heuristic:level=1', clock='1+1')}")
    page.button("Pause")
    with page.sized(1280, 800):
        assert page.driver.execute_script(LINES) == 1
        assert page.driver.execute_script(
            "return [...document.querySelectorAll('.player b')].filter((name) => ("
            "name.scrollWidth > name.clientWidth || name.scrollHeight > name.clientHeight))"
            ".map((name) => name.textContent)") == []


def test_a_table_keeps_its_room_until_the_next_position_is_searched(
    studio: Studio, page: Page,
) -> None:
    page.driver.get(f"{studio.url}#/play")
    page.driver.execute_script(
        "localStorage.setItem('dlgo-analyse-connect4 0', 'mcts:sims=100')")
    page.go(f"analyse/{played(studio, 'connect4', '4 3 4 3')}")
    page.find(".seen tbody tr")
    page.driver.execute_script(ROWS)
    page.keys(Keys.ARROW_LEFT)
    page.see_text("After 4 (move 3 of 4)")
    page.find(".seen:not(.empty) tbody tr")
    assert page.driver.execute_script("return window.least") > 0 and page.errors() == []


@pytest.mark.parametrize(("game", "engine"), [("tictactoe", "alphabeta:depth=9"),
                                              ("go:size=5", "mcts:sims=60")])
def test_a_hint_says_one_thing_under_one_name(
    game: str, engine: str, studio: Studio, page: Page,
) -> None:
    name = studio.new(game)
    assert studio.ask(f"/api/games/{name}/hint", {"engine": engine}) == (200, {})
    page.go(f"play/{name}")
    words, bar = page.text(".hint-box"), page.text(".side .bar-text")
    title = studio.view(name)["called"][engine]
    assert words.startswith(f"Hint from {title}\n") and bar.startswith(title)
    if game == "tictactoe":
        assert "has proved a draw" in bar
    else:
        assert f"expects {page.texts('.hint-box td:last-child')[0]} for black" in bar


def test_a_phone_saves_pictures_and_a_window_shows_eight_games_in_a_row(
    studio: Studio, page: Page,
) -> None:
    page.go("play")
    page.find(".game-card")
    with page.sized(1280, 800):
        assert page.driver.execute_script(
            "const tops = [...document.querySelectorAll('.game-card')]"
            ".map((one) => one.getBoundingClientRect().top);"
            "return tops.filter((top) => top === tops[0]).length") >= 8
    page.go(f"play/{studio.new('tictactoe')}")
    page.find(".desk.play")
    with page.sized(390, 844):
        page.click("#save-picture")
        page.find("#picture[open] #save-png")
        page.driver.execute_script("document.getElementById('picture').close()")


def test_the_widest_table_of_a_search_is_not_cut(page: Page) -> None:
    with page.sized(800, 1100):
        page.go("inside/preset=alphago")
        page.find(".stepping")
        page.keys(Keys.END)
        page.find(".children th:nth-child(6)")
        assert page.driver.execute_script("""
            const table = document.querySelector('.children').getBoundingClientRect();
            const panel = document.querySelector('.child-panel').getBoundingClientRect();
            const speed = document.querySelector('.stepping select'), wide = speed.offsetWidth;
            speed.style.flex = 'none';
            return [table.right <= panel.right, wide === speed.offsetWidth]""") == [True, True]
