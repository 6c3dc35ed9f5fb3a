"""The view Compare of a tab in Chromium: from a disk, with a keyboard, on a phone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from experiments.tab.site import make_tab, write_folder
from reports.csv_import import read_games
from reports.tables import rate_games
from tests.studio.browser import Page
from tests.tab.worker import needs_node

pytestmark = [pytest.mark.browser, *needs_node]

ENTRANTS = ["random", "mcts:sims=20", "mcts:sims=300"]
STATUS = ".compare [role=status]"


@pytest.fixture
def compare(tmp_path: Path) -> Iterator[Page]:
    """The view, with three engines for tic-tac-toe."""
    folder = tmp_path / "a täb"
    tab = make_tab(["tictactoe", "connect4"], ["random", "mcts"], log=lambda text: None)
    write_folder(tab, folder)
    page = Page(tmp_path)
    page.driver.get(f"{(folder / 'index.html').as_uri()}#/compare/game=tictactoe&engine=random")
    page.see_text("Add two engines or more", STATUS)
    for spec in ENTRANTS[1:]:
        add(page, spec)
        page.button(f"{spec} ×")
    yield page
    page.driver.quit()


def add(page: Page, spec: str) -> None:
    page.choose("#player-entrant", "own")
    field = page.find("#player-entrant-own")
    field.clear()
    field.send_keys(spec)
    page.press("Add")


def test_engines_play_and_their_games_are_rated(compare: Page) -> None:
    compare.driver.execute_script("document.querySelector('#compare-pairs').value = 6;")
    compare.keys("n", on="h1")
    compare.see_text("36 of 36 games", STATUS)
    compare.see_text("36 games", ".compare .facts:last-child")
    compare.keys("s", on="h1")
    table = rate_games(read_games(compare.saved("tictactoe.csv")))["tictactoe"]
    rows = [
        [cell.replace("\N{MINUS SIGN}", "-") for cell in row] for row in
        compare.driver.execute_script(
            "return [...document.querySelectorAll('.standings tbody tr')].map("
            "(row) => [...row.querySelectorAll('td')].map((cell) => cell.innerText))")]
    for row, rating in zip(rows, table.ratings, strict=True):
        assert re.sub(r"\s|\*", "", row[1]) == rating.entrant
        assert int(row[2]) == pytest.approx(rating.value, abs=0.51)
    assert compare.count(".strength circle") == len(ENTRANTS)
    assert compare.texts(".strength .label") == [rating.entrant for rating in table.ratings]
    compare.press(table.ratings[0].entrant)
    compare.see_text(f"of 12 against {table.ratings[1].entrant}", ".compare .facts")
    with compare.sized(400, 800):
        assert compare.driver.execute_script("return document.documentElement.scrollWidth") <= 400
    assert compare.nameless() == [] == compare.errors()


def test_a_search_is_stopped_at_once_and_its_game_played_anew(compare: Page) -> None:
    compare.driver.execute_script("location.hash = '#/compare/game=connect4&engine=random'")
    compare.see_text("Add two engines or more", STATUS)
    add(compare, "mcts:sims=9000000")
    compare.button("mcts:sims=9000000 ×")
    for _ in range(2):
        compare.press("Play")
        compare.see_text("Playing: 0 of 20 games", STATUS)
        compare.press("Stop")
        compare.see_text("0 of 20 games", STATUS)
    add(compare, "mcts:sims=-1")
    compare.see_message("sims=-1 is not a number above 0", bad=True)
    compare.see_text("0 of 20 games", STATUS)
    assert compare.errors() == []
