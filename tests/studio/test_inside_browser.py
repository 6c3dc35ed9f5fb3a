"""The view Inside in real Chromium: its trees and numbers are the engine's, in both directions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from engines.registry import build_engine
from engines.watching.events import Selected, as_json
from engines.watching.recording import Recording, watch
from engines.watching.tree import SearchTree
from experiments.studio.inside import ALGORITHMS
from tests.studio.browser import Page
from tests.studio.client import OWN_GAME, Studio
from tests.studio.test_inside import SEARCHES, position, recorded

pytest.importorskip("selenium", reason="needs selenium")
from selenium.webdriver.common.keys import Keys  # noqa: E402

# What stands on the cards, in the table and in the sentence.
READ = """
const texts = (element) => [...element.querySelectorAll('text')].map((text) => text.textContent);
return {
  step: Number(document.querySelector('[data-step]')?.dataset.step),
  cards: Object.fromEntries([...document.querySelectorAll('.search-tree .card')].map(
    (card) => [card.dataset.node, texts(card).filter((text) => text !== '+1')])),
  marked: [...document.querySelectorAll('.search-tree .card.marked')].map((c) => c.dataset.node),
  table: Object.fromEntries([...document.querySelectorAll('.children tbody tr')].map(
    (row) => [row.dataset.node, [...row.cells].map((cell) => cell.textContent)])),
  sentence: document.querySelector('.sentence')?.textContent ?? '',
  edges: document.querySelectorAll('.edge-line').length,
};
"""

# Plays a search back in the browser's own model; what comes out at some of the steps, and the
# scores that it computes where the engine has chosen.
PLAY = """
const [mover, events, how, done] = arguments;
import('/inside/model.js').then(({ SearchTree, terms, treeAfter }) => {
  const tree = new SearchTree(mover), looks = [], scores = [];
  const look = (one) => [...one.nodes.values()].map((node) => [
    node.number, node.parent, node.move, node.mover, node.visits, node.total, node.proven,
    node.value, node.skipped, one.bounds(node.number)]);
  for (const event of events) {
    if (event.event === 'Selected' && how.kind !== 'alphabeta') {
      const node = tree.node(event.node);
      scores.push([terms(tree, node, how).map(({ score }) => score), event.scores]);
    }
    tree.apply(event);
    if (tree.steps % how.stride === 0 || tree.steps === events.length) looks.push(look(tree));
  }
  const back = look(treeAfter(mover, events, events.length - 17, tree));
  const forth = look(treeAfter(mover, events, events.length - 17));
  done({ looks, scores, back, forth });
}, (error) => done({ error: String(error) }));
"""


def see_step(page: Page, step: int) -> None:
    """Wait until a search shows a step."""
    page.see(f"document.querySelector('[data-step=\"{step}\"]')", f"step {step}")


def look_at(tree: SearchTree) -> list[list[Any]]:
    return [
        [node.number, node.parent, node.move, node.mover, node.visits, node.total, node.proven,
         node.value, list(node.skipped), list(tree.bounds(node.number))]
        for node in tree.nodes.values()
    ]


@pytest.mark.parametrize("spec", SEARCHES)
def test_the_browser_plays_back_what_the_engine_did(page: Page, spec: str) -> None:
    page.go("inside")
    kinds = {name: algorithm["kind"] for name, algorithm in ALGORITHMS.items()}
    for game, moves in (("connect4", "4 3 4"), ("tictactoe", "B2 A1 A3 C1"), (OWN_GAME, "A1 B2")):
        state = position(game, moves)
        engine = build_engine(spec, state.game, 2)
        recording = watch(engine, state)
        events = [as_json(event) for event in recording.events]
        how = {"kind": kinds[engine.name], "settings": engine.settings,
               "stride": len(events) // 8 + 1}
        told = page.driver.execute_async_script(PLAY, state.next_player.name, events, how)
        assert "error" not in told, told
        tree, looks = SearchTree(state), iter(told["looks"])
        for steps, event in enumerate(recording.events, 1):
            tree.apply(event)
            if steps % how["stride"] == 0 or steps == len(events):
                assert next(looks) == look_at(tree), (game, steps)
        assert told["back"] == told["forth"] != told["looks"][-1]
        chosen = sum(isinstance(event, Selected) for event in recording.events)
        assert len(told["scores"]) == chosen and (chosen > 20 or kinds[engine.name] == "alphabeta")
        for computed, given in told["scores"]:
            assert computed == pytest.approx(given, rel=1e-12, abs=1e-12)


@pytest.fixture(scope="module")
def uct() -> Iterator[Recording]:
    yield recorded("uct")


def test_steps_through_a_search_and_back(page: Page, uct: Recording) -> None:
    page.go("inside/preset=uct")
    page.until(lambda: page.driver.execute_script(READ)["step"] == 0, "the start")
    tree, seen = SearchTree(uct.state), [page.driver.execute_script(READ)]
    for step in range(1, 16):
        page.keys(Keys.ARROW_RIGHT)
        see_step(page, step)
        look = page.driver.execute_script(READ)
        tree.apply(uct.events[step - 1])
        assert look["cards"].keys() == {str(number) for number in tree.nodes}
        for number, (title, count, *_) in look["cards"].items():
            node = tree.nodes[int(number)]
            assert (title, int(count.split()[0])) == (node.move or "root", node.visits)
        for number, (move, count, *_) in look["table"].items():
            node = tree.nodes[int(number)]
            assert (move.removesuffix(" ◂"), int(count)) == (node.move, node.visits)
        assert look["edges"] == len(tree.nodes) - 1 and look["marked"]
        event = uct.events[step - 1]
        if isinstance(event, Selected):
            scores = [float(row[-1]) for row in look["table"].values()]
            assert scores == pytest.approx(event.scores, abs=5e-4)
            assert look["table"][str(event.child)][0].endswith("◂")
        seen.append(look)
    assert tree.root.visits >= 3
    for step in range(14, -1, -1):
        page.keys(Keys.ARROW_LEFT)
        see_step(page, step)
        assert page.driver.execute_script(READ) == seen[step]
    # Whole simulations, and to the end: what it plays is the engine's choice.
    page.keys("l", "l", "l")
    for key, visits in (("", 3), ("j", 2)):
        page.keys(key)
        page.until(lambda n=visits: (
            f"{n} visits" in page.driver.execute_script(READ)["cards"]["0"]
        ), f"{visits} simulations")
    page.keys(Keys.END)
    page.until(lambda: "It plays A3" in page.text(".choice"), "the choice")
    assert page.driver.execute_script(READ)["step"] == len(uct.events)
    cards = page.driver.execute_script(READ)["cards"]
    for child in uct.tree().root.children:
        assert cards[str(child)][1].startswith(f"{uct.tree().nodes[child].visits} visit")
    page.until(lambda: "step=" in page.driver.current_url, "an address of the step")
    assert page.errors() == []


def test_a_linked_step_of_alpha_beta_folds(page: Page) -> None:
    page.go("inside/preset=cut-off&step=39")
    page.until(lambda: "Cut off: after A2" in page.text(".sentence"), "the cut")
    recording = recorded("cut-off")
    tree = recording.tree(39)
    look = page.driver.execute_script(READ)
    assert look["cards"]["13"][0] == "A2: min" and "✂ B3, C3" in look["cards"]["13"]
    assert look["cards"].keys() == {str(number) for number in tree.nodes}
    rows = [row[:2] for row in look["table"].values()]
    assert rows[0] == ["C2", "0"] and len(rows) == 2  # rows that were skipped have no number
    assert "not searched" in page.text(".children tr.cut")
    below = sum(tree.path(number).split()[0] == "B3" for number in tree.nodes) - 1
    page.click(".knob[data-fold='1']")  # B3
    page.until(lambda: len(page.driver.execute_script(READ)["cards"]) == len(tree.nodes) - below,
               "fewer cards")
    page.click(".knob[data-fold='1']")
    page.until(lambda: len(page.driver.execute_script(READ)["cards"]) == len(tree.nodes), "all")
    page.click(".card[data-node='1']")
    page.until(lambda: "After B3" in page.text(".child-panel h2"), "another node")
    page.until(lambda: "After B3" in page.text(".where"), "its position")
    assert page.nameless() == []
    page.keys("l")
    page.until(lambda: page.driver.execute_script(READ)["step"] == 52, "the next cut")
    assert page.errors() == []


def test_any_position_of_a_game_from_outside_is_searched(studio: Studio, page: Page) -> None:
    page.go("inside")
    page.click(f".game-card:has([value='{OWN_GAME}'])")
    page.press("Open the board")
    page.click(".inside-form a[href^='#/analyse/']")  # where positions are set up
    page.see("document.querySelector('.stage .cell.playable')", "the board")
    page.click_cell(4)
    page.see_pieces(1, "a move")
    page.press("Inside")
    page.choose("#inside-algorithm", "textbook-alphabeta")
    page.press("Search")
    page.until(lambda: "Alpha-beta" in page.text("h1"), "the search")
    assert "moves=B2" in page.driver.current_url and "from=" not in page.driver.current_url
    page.keys("l")
    page.until(lambda: "Cut off" in page.text(".sentence"), "a cut")
    page.keys(Keys.END)
    page.until(lambda: "It plays" in page.text(".choice"), "the end")
    # On from a node: the position that is searched is another.
    page.click(".card[data-node='1']")
    page.press("Search from here")
    page.until(lambda: "moves=B2%20" in page.driver.current_url, "another position")
    page.until(lambda: "step 0 of" in page.text(".count"), "another search")
    assert page.errors() == []


def test_what_cannot_be_searched_is_told_on_the_page(page: Page) -> None:
    page.go("inside/game=tictactoe&moves=A1%20A1&engine=textbook-mcts&seed=1")
    assert "move 2: A1 is illegal" in page.text(".trouble")
    page.press("Another search")
    page.find(".game-card")
    page.go("inside/preset=%3Cimg%20src=x%3E")
    page.see_message("There is no preset <img src", bad=True)
