"""The keys of the views in real Chromium: they walk along the game, whatever the mouse has done."""

from __future__ import annotations

import pytest

from tests.sample_ledger import write_sample
from tests.studio.browser import Page
from tests.studio.client import Studio
from tests.studio.test_inside_browser import see_step

pytest.importorskip("selenium", reason="needs selenium")
from selenium.webdriver.common.keys import Keys  # noqa: E402

MOVES = "443352"
BOARD = ".stage svg.board"
MORE = ".tools [aria-label='More']"
CURSOR = f"document.querySelector('{BOARD}').hasAttribute('aria-activedescendant')"


@pytest.fixture(scope="module")
def game(studio: Studio) -> str:
    """A game in progress between two people."""
    return played(studio, "connect4", MOVES)


def played(studio: Studio, game: str, moves: str) -> str:
    name = studio.new(game)
    for move in moves.split() if " " in moves else moves:
        assert studio.move(name, move) == (200, {})
    return name


def walk(page: Page, last: int) -> None:
    """The four keys step along the game, whose last position has so many pieces."""
    for key, count in ((Keys.HOME, 0), (Keys.ARROW_RIGHT, 1), (Keys.END, last),
                       (Keys.ARROW_LEFT, last - 1), (Keys.ARROW_RIGHT, last)):
        page.keys(key)
        page.see_pieces(count, f"{count} pieces")
    assert not page.see(f"[{CURSOR}]")[0]


def test_the_arrows_step_after_any_click(studio: Studio, page: Page, game: str) -> None:
    last = len(MOVES)
    page.go(f"play/{game}")
    page.click_cell(0)
    page.see_pieces(last + 1, "the move")
    walk(page, last + 1)
    page.press("Undo")
    page.see_pieces(last, "the move taken back")
    page.press("|◂")  # which cannot be used any more
    walk(page, last)
    page.click("summary")
    walk(page, last)
    page.go(f"analyse/{played(studio, 'connect4', MOVES)}")
    for selector in (MORE, "#heat", "#heat", BOARD):  # opens the menu, the list twice; a move
        page.click(selector)
    page.see_pieces(last + 1, "the move")
    page.click("[data-node='3']")
    walk(page, last + 1)
    page.driver.execute_script("localStorage.setItem('dlgo-review-connect4', 'mcts:sims=50')")
    page.go(f"review/{game}")
    for selector in ("#exact", BOARD, "svg.graph"):
        page.click(selector)
        walk(page, last)
    page.go(f"train/{game}")
    page.see_text("Move 1: what does red play?", ".train h2")
    for number in (1, 3):
        page.see_text(f"Move {number}: what does red play?", ".train h2")
        page.click_cell(3)
        page.see_text("points.")
        page.keys("n")
    page.see_text("Move 5: what does red play?", ".train h2")
    page.click_cell(0)
    page.see("document.querySelector('.stage .exact')", "the verdict")
    walk(page, 4)
    page.see("document.querySelector('.stage .exact')", "the verdict again")
    assert page.errors() == []


def test_the_arrows_step_through_a_search_and_a_game_of_a_tournament(
    studio: Studio, page: Page
) -> None:
    page.go("inside/preset=uct")
    page.find(".search-tree .card")
    speed = ".stepping select"
    for clicks in ([".node-board svg.board"], [".search-tree"], [speed, speed], [".steps"]):
        for selector in clicks:
            page.click(selector)
        page.keys(Keys.HOME)
        see_step(page, 0)
        page.keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_LEFT)
        see_step(page, 1)
    ledger = studio.ledgers["sample"]
    if not ledger.exists():
        write_sample(ledger)
    page.go("watch/sample.sqlite")
    page.click(".games-table a")
    page.find(BOARD)
    last = page.see("document.querySelectorAll('.moves li').length", "the moves")
    page.click_cell(4)
    page.see_turns(last + 1)
    page.keys(Keys.HOME)
    page.see_text("After move 0")
    page.keys(Keys.ARROW_RIGHT)
    page.see_text(f"After move 1 of {last + 1}.")
    assert page.errors() == []


def test_enter_begins_to_choose_a_cell_and_esc_or_the_mouse_ends_it(
    studio: Studio, page: Page
) -> None:
    page.go(f"play/{played(studio, 'tictactoe', 'B2 A1')}")
    page.see_pieces(2, "the game")
    page.keys(Keys.ENTER, Keys.ARROW_RIGHT, on=BOARD)  # begins at the last move, A1
    page.see(CURSOR, "the cursor")
    page.keys(Keys.ENTER, on=BOARD)
    page.see_pieces(3, "the move B1")
    page.keys(Keys.ARROW_RIGHT, " ", on=BOARD)
    page.see_pieces(4, "the move C1")
    page.keys(Keys.ESCAPE, Keys.ARROW_LEFT, on=BOARD)
    page.see_pieces(3, "the position before")
    page.keys(Keys.END, Keys.ENTER, on=BOARD)
    page.see_pieces(4, "the last position")
    page.see(CURSOR, "the cursor")
    page.click_cell(8)
    page.see_pieces(5, "the move C3")
    page.keys(Keys.ARROW_LEFT)
    page.see_pieces(4, "the position before")
    # A text that is typed keeps its keys until Esc.
    page.keys("m")
    page.keys("A", Keys.ARROW_LEFT, on="#typed")
    assert page.pieces() == 4
    page.keys(Keys.ESCAPE, on="#typed")
    page.keys(Keys.ARROW_LEFT)
    page.see_pieces(3, "one more back")
    page.keys("?")
    for words in ("Esc ends this", "one move back"):
        assert words in page.text("#keys-list")
    page.press("Close")
    assert page.errors() == []


def test_a_list_that_the_keyboard_has_come_to_keeps_its_arrows(page: Page, game: str) -> None:
    page.go(f"analyse/{game}")
    page.click(MORE)
    page.find("#heat")
    page.driver.execute_script(
        "document.querySelector('#heat').value = 'visits';"
        "document.querySelector(\"[for='heat']\").before(document.querySelector('#comment'))")
    page.keys(Keys.TAB, on="#comment")
    page.keys(Keys.ARROW_DOWN, on="#heat")
    page.see("document.querySelector('#heat').value === 'prior'", "the next choice")
    assert page.pieces() == len(MOVES)


def test_up_and_down_choose_the_variation(studio: Studio, page: Page) -> None:
    page.go(f"analyse/{played(studio, 'tictactoe', 'A1 B2 C3')}")
    page.see_text("After C3")
    for key, cell in ((Keys.ARROW_LEFT, 5), (Keys.ARROW_LEFT, 3)):
        page.keys(key)
        page.see_pieces(2, "two pieces")
        page.click_cell(cell)
        page.see_pieces(3, "a variation")
    page.click_cell(7)
    page.see_pieces(4, "on in the last one")
    page.keys(Keys.ARROW_UP)  # from below the variation to the one before
    page.see_text("After C2")
    page.keys(Keys.ARROW_UP)
    page.see_text("After C3")
    page.keys(Keys.ARROW_UP)  # there is none
    page.keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    page.see_text("After A2 (move 3 of 4)")
    assert page.errors() == []


def test_moves_of_others_pull_nobody_out_of_an_earlier_position(
    studio: Studio, page: Page
) -> None:
    game = played(studio, "tictactoe", "A1 B2 C3")
    page.go(f"play/{game}")
    page.see_pieces(3, "the game")
    page.keys(Keys.ARROW_LEFT, Keys.ARROW_LEFT)
    page.see_pieces(1, "an earlier position")
    for move in ("A2", "C2"):
        studio.move(game, move)
    page.see_text("After move 1 of 5 (2 new)")
    assert page.pieces() == 1
    page.press("▸| 2 new")
    page.see_pieces(5, "the end")
    page.button("▸|", "one.disabled")
    page.keys(Keys.ARROW_LEFT)
    page.see_pieces(4, "an earlier position")
    studio.move(game, "B1")
    page.see_text("(1 new)")
    page.keys(Keys.END)
    page.see_pieces(6, "the end")
    # What has been taken back cannot be looked at.
    page.keys(Keys.ARROW_LEFT)
    page.see_text("After move 5 of 6.")
    for _ in range(3):
        studio.ask(f"/api/games/{game}/undo", {})
    page.see_text("C3. O to move")
    page.see_pieces(3, "what is left")
    # Who types a move goes to it.
    page.keys(Keys.ARROW_LEFT)
    page.see_pieces(2, "an earlier position")
    page.keys("C1", Keys.ENTER, on="#typed")
    page.see_pieces(4, "the move")
    assert page.errors() == []
