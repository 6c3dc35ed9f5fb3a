"""Variations, comments and marks in Analyse: over HTTP, and in real Chromium."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

import pytest

from dlgo import get_game
from experiments.play.game_file import read_games
from tests.studio.browser import Page
from tests.studio.client import Studio, View

pytest.importorskip("selenium", reason="needs selenium")
from selenium.webdriver.common.keys import Keys  # noqa: E402

FILE = (b"(;GM[1]FF[4]SZ[5]PB[Ann]PW[Bob]RE[B+3.5]EV[Club];B[cc]C[a start]"
        b"(;W[bb]LB[cc:A]AR[bb:cc]TR[aa];B[dd])(;W[dd]C[or so];B[bb]))")


def opened(studio: Studio, data: bytes, name: str = "a.sgf") -> str:
    status, answer = studio.ask(f"/api/games/load?name={name}", data,
                                content_type="application/octet-stream")
    assert status == 200, answer
    return answer["id"]


def tree_of(studio: Studio, game: str, node: int | None = None) -> View:
    query = "" if node is None else f"?node={node}"
    status, answer = studio.ask(f"/api/games/{game}/tree{query}")
    assert status == 200, answer
    return answer


def changed(studio: Studio, game: str, node: int, **what: Any) -> View:
    status, answer = studio.ask(f"/api/games/{game}/tree", {"node": node, **what})
    assert status == 200, answer
    return answer


def texts(answer: View) -> list[tuple[str, int | None]]:
    """Each turn with the number of the node before it."""
    return [(node["text"], node["parent"]) for node in answer["nodes"][1:]]


def test_a_file_is_opened_changed_and_saved_with_all_that_it_held(studio: Studio) -> None:
    game = opened(studio, FILE)
    answer = tree_of(studio, game)
    assert texts(answer) == [("C3", 0), ("B4", 1), ("D2", 2), ("D2", 1), ("B4", 4)]
    position = tree_of(studio, game, 2)["position"]
    assert (position["labels"], position["arrows"]) == ({"12": "A"}, [[16, 12]])
    assert position["shapes"] == {"20": "triangle"}

    # A move that is there is followed; another one is a new variation.
    assert changed(studio, game, 1, move="D2")["position"]["node"] == 4
    answer = changed(studio, game, 1, move="E5")
    assert answer["position"]["node"] == 6 and texts(answer)[-1] == ("E5", 1)
    assert studio.view(game)["plies"] == 3  # the main line is as it was
    changed(studio, game, 6, comment="an odd ] \\ comment\r\nof two lines ")
    changed(studio, game, 6, draw=[7, 7])
    changed(studio, game, 6, draw=[8, 8])
    changed(studio, game, 6, draw=[7, 7])
    assert changed(studio, game, 6, draw=[0, 24])["position"]["arrows"] == [[0, 24]]
    answer = changed(studio, game, 6, promote=True)
    assert texts(answer)[1] == ("E5", 1) and studio.view(game)["plies"] == 2
    answer = changed(studio, game, 4, delete=True)
    assert answer["position"]["node"] == 1 and len(answer["nodes"]) == 5

    status, refused = studio.ask(f"/api/games/{game}/tree", {"node": 6, "comment": "x" * 10_001})
    assert status == 400 and "10,000 characters" in refused["error"]

    _, data = studio.ask(f"/api/games/{game}/file")
    (saved,) = read_games(data, PurePath("a.sgf"), get_game)
    assert (saved.black, saved.white, saved.info["EV"]) == ("Ann", "Bob", "Club")
    new, old = saved.root.children[0].children
    assert new.comment == "an odd ] \\ comment\nof two lines"
    assert new.markup == {"LB": [b"dd:B"], "AR": [b"ae:ea"]}
    assert old.markup == {"LB": [b"cc:A"], "AR": [b"bb:cc"], "TR": [b"aa"]}
    assert saved.root.children[0].comment == "a start"


@pytest.mark.parametrize(("game", "lines", "form"), [
    ("draughts", [["11-15", "22-18"], ["15x22", "25x18"], ["9-13"]], "pdn"),
    ("connect4", [["4", "4"], ["3", "4"], ["5"]], "txt"),
])
def test_every_game_keeps_its_variations(
    studio: Studio, game: str, lines: list[list[str]], form: str
) -> None:
    name, node = studio.new(game), 0
    for line in lines[:2]:
        for move in line:
            node = changed(studio, name, node, move=move)["position"]["node"]
    changed(studio, name, 0, move=lines[2][0])
    changed(studio, name, 1, comment="why } not")
    changed(studio, name, 1, draw=[3, 3])
    _, data = studio.ask(f"/api/games/{name}/file")
    again = tree_of(studio, opened(studio, data, f"a.{form}"), 1)
    assert again["nodes"] == tree_of(studio, name)["nodes"]
    assert again["position"]["labels"] == {"3": "A"}


def test_requests_for_nodes_are_checked(studio: Studio) -> None:
    game = studio.new("tictactoe")
    path = f"/api/games/{game}/tree"
    for body, words in (
        ({"node": 3, "move": "B2"}, "was deleted"), ({"node": 0, "move": "Z9"}, "Z9"),
        ({"node": 0, "delete": True}, "cannot be deleted"), ({"node": 0}, "one of move, comment"),
        ({"node": 0, "draw": [0, 9]}, "cells are 0 to 8"), ({"node": 0, "draw": "x"}, "two cells"),
        ({"node": 0, "draw": [True, 0]}, "two cells"), ({"node": 0, "comment": 4}, "one of move"),
    ):
        status, answer = studio.ask(path, body)
        assert status in (400, 404) and words in answer["error"], body
    assert len(tree_of(studio, game)["nodes"]) == 1


def test_a_copy_holds_the_whole_game_or_the_line_to_a_node(studio: Studio) -> None:
    game = opened(studio, FILE)
    _, answer = studio.ask(f"/api/games/{game}/copy", {})
    assert texts(tree_of(studio, answer["id"])) == texts(tree_of(studio, game))
    view = studio.view(answer["id"])
    assert view["names"] == ["Ann", "Bob"] and view["assisted"]  # no result against a level
    _, answer = studio.ask(f"/api/games/{game}/copy", {"node": 4, "black": "random"})
    view = studio.view(answer["id"])
    assert [record["text"] for record in view["history"]] == ["C3", "D2"]
    assert view["names"] == ["random", "human"]


_DRAG = """
const at = (cell) => {
  const box = document.querySelector(`.stage [data-cell="${cell}"]`).getBoundingClientRect();
  return { clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 };
};
const [from, to, button] = arguments, svg = document.querySelector(".stage svg.board");
for (const [type, cell] of [["pointerdown", from], ["pointerup", to]]) {
  svg.dispatchEvent(new PointerEvent(type, { ...at(cell), button, bubbles: true }));
}
"""

_SLOW = """
const { fetch } = window;
window.fetch = async (address, ...more) => {
  window.fetch = fetch;  // the next request is the comment's
  await new Promise((done) => setTimeout(done, 500));
  return fetch(address, ...more);
};
"""


def test_variations_are_made_marked_and_saved_on_the_page(studio: Studio, page: Page) -> None:
    game = opened(studio, FILE.replace(b"B[dd])(", b"B[dd];W[cc])("))  # with an illegal move
    page.go(f"analyse/{game}/2")
    page.see_text("After B4 (move 2 of 3)")
    page.see_text("Ann – Bob", ".analysis-moves h2")
    page.see_text("the point is occupied", ".notes")
    assert page.texts(".turn") == ["1. C3", "2. B4", "2. D2", "3. B4", "3. D2"]
    assert page.texts(".said") == ["a start", "or so"]
    assert page.texts(".drawn-text") == ["A"] and page.count(".drawn") == 2

    page.click_cell(24)  # another move than that of the file
    page.see_text("After E5 (move 3)")
    assert page.texts(".variation .turn") == ["2. D2", "3. B4", "3. E5"]
    page.find("#comment").send_keys("from here", Keys.TAB)
    page.see_text("from here", ".turn[aria-current] + .said")
    page.driver.execute_script(_DRAG, 0, 24, 2)
    page.see("document.querySelectorAll('.drawn.arrow').length === 1", "the arrow")
    page.keys("d")
    page.click_cell(7)
    page.see("document.querySelector('.drawn-text')?.textContent === 'A'", "the letter")
    page.keys("d")
    assert page.pieces() == 3  # drawing makes no moves
    page.press("Promote")
    page.see("document.querySelectorAll('.turn')[4].textContent === '3. E5'", "the main line")
    assert page.texts(".variation .turn") == ["2. D2", "3. B4", "3. D2"]
    page.keys(Keys.ARROW_LEFT)
    page.see_text("After B4 (move 2 of 3)")
    page.keys(Keys.ARROW_RIGHT)
    page.see_text("After E5")

    for old in page.downloads.glob("go-size5-2*.sgf"):
        old.unlink()
    page.driver.execute_script(_SLOW)
    page.find("#comment").send_keys(" on")
    page.press("Save")  # what is being written is saved, too
    (saved,) = read_games(page.saved("go-size5-2*.sgf").read_bytes(), PurePath("a.sgf"), get_game)
    assert [node.comment for node in saved.root.main_line()] == ["", "a start", "", "from here on"]
    with page.sized(400, 800):
        page.driver.execute_script("scrollTo(0, 0)")
        page.keys(Keys.HOME, on=".stage svg.board")
        page.see_text("Black to move")
        page.keys(Keys.END)
        page.see_text("After E5")
        assert page.driver.execute_script("return scrollY") == 0  # the board stays in sight
    page.press("Delete")
    page.see_text("After B4 (move 2")
    assert page.texts(".turn") == ["1. C3", "2. B4", "2. D2", "3. B4", "3. D2"]
    assert page.nameless() == [] and page.errors() == []


def test_the_tree_is_drawn_once_there_are_variations(studio: Studio, page: Page) -> None:
    page.go(f"analyse/{opened(studio, b'(;GM[1]FF[4]SZ[5];B[cc];W[bb])')}/1")
    page.see_text("After C3 (move 1 of 2)")
    assert page.count(".drawn-tree circle") == 0
    page.click_cell(6)
    page.see("document.querySelectorAll('.drawn-tree circle').length === 4", "the tree")
    page.go(f"analyse/{opened(studio, FILE)}")
    page.see_text("After D2 (move 3).")
    circles = page.driver.execute_script("""
        return [...document.querySelectorAll('.drawn-tree circle')].map((one) => [
          one.dataset.node, one.getAttribute('cx') / 24, one.getAttribute('cy') / 24,
          one.getAttribute('class'), one.textContent]);
    """)
    assert [(int(node), x, y) for node, x, y, *_ in circles] == [
        (0, 0, 0), (1, 1, 0), (2, 2, 0), (3, 3, 0), (4, 2, 1), (5, 3, 1)]
    assert [one[3:] for one in circles] == [
        ["side", "start"], ["side0", "C3"], ["side1", "B4"], ["side0 here", "D2"],
        ["side1", "D2"], ["side0", "B4"]]
    page.click(".drawn-tree [data-node='5']")
    page.see_text("After B4 (move 3).")
    page.find(".drawn-tree [data-node='5'].here")
    assert page.errors() == []
