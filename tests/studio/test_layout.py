"""Every view in windows from a phone's to a projector's: what a player needs is in sight."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

import pytest

from tests.sample_ledger import write_sample
from tests.studio.browser import Page, rested
from tests.studio.client import BOTS, OWN_GAME, Studio
from tests.studio.test_review import COLUMNS

pytest.importorskip("selenium", reason="needs selenium")

SIZES = [(1280, 800), (1024, 768), (2560, 1440), (640, 360), (390, 844)]
# What is also in sight: in windows of more than 1000 px, and on a phone.
LARGE = {
    "library": [".games-table tbody tr:first-child a"],
    "two moves": [".moves li:nth-child(2)"],
    "two engines": [f".engine-view:nth-child({n}) .seen tbody tr:first-child" for n in (1, 2)],
    "review": [".mistakes li:first-child", ".graph"],
    "search": [".card.here", ".children tr:nth-child(7)", ".node-board .board"],
}
PHONE = {
    "library": LARGE["library"],
    "search": [".card.here", ".children tr:nth-child(5)"], "course": ["nav a:last-child"],
}
# What the parts of a view must be: in the window, and not under anything else.
LOOK = """
const [needed] = arguments, wrong = [], find = (selector) => (
  [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility()));
const seen = (element) => {
  const { left, top, right, bottom } = element.getBoundingClientRect();
  const middle = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  return left >= -1 && top >= -1 && right <= innerWidth + 1 && bottom <= innerHeight + 1
    && middle && (element.contains(middle) || middle.contains(element));
};
for (const selector of needed) {
  const found = find(selector);
  if (!found.length || !found.every(seen)) wrong.push(selector);
}
const wide = document.documentElement.scrollWidth;
if (wide > innerWidth) wrong.push(`${wide} px wide`);
for (const board of find('.stage svg.board')) {
  const { width, height } = board.getBoundingClientRect();
  if (innerWidth > innerHeight && !document.querySelector('.two') && height < 0.75 * innerHeight
    && width < 0.55 * innerWidth) {
    wrong.push(`a board of ${Math.round(width)}x${Math.round(height)}`);
  }
}
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), range = new Range();
while (texts.nextNode()) {
  const node = texts.currentNode, isSeen = node.parentElement.checkVisibility();
  for (const { 0: word, index } of isSeen ? node.data.matchAll(/[^\\s-]+-?/g) : []) {
    range.setStart(node, index);
    range.setEnd(node, index + word.length);
    const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
    if (word.length < 15 && lines.size > 1) wrong.push(`${word} in ${lines.size} lines`);
  }
}
for (const { clientWidth } of find('.start')) {
  if (clientWidth < 0.7 * innerWidth) wrong.push(`a page of ${clientWidth} px`);
}
if (find('h1').length !== 1 && document.querySelectorAll('main h1').length !== 1) wrong.push('h1');
return wrong;
"""
NAVIGATION = [f".side [aria-label='{name}']" for name in (
    "Go to the start", "One move back", "One move forward", "Go to the end")]
PLAY = [".stage svg.board", ".players", ".status", *NAVIGATION]
# Games whose specifications and players are long, among the short ones of the list of games.
LONG_GAMES = ("go:size=9,komi=5.5,handicap=2,ko=positional", OWN_GAME)
LONG = b"Networks and searches with a name that is " + 12 * b"very_" + b"long"


def played(studio: Studio, game: str, moves: str, **sides: str) -> str:
    name = studio.new(game, **sides)
    for move in moves.split():
        assert studio.move(name, move)[0] == 200
    return name


def loaded(studio: Studio, size: int) -> str:
    data = b"(;GM[1]SZ[%d]PB[%b]PW[%b];B[cc];W[bb])" % (size, LONG, LONG.replace(b" ", b""))
    return studio.ask("/api/games/load?name=a.sgf", data, content_type="text/plain")[1]["id"]


def views(studio: Studio, page: Page) -> Iterator[tuple[str, list[str]]]:
    """Open the views, one after the other: a name, and what must be in sight."""
    def opened(place: str, *needed: str) -> tuple[str, list[str]]:
        page.go(place)
        for selector in needed:
            page.find(selector)
        return place.partition("/")[0], list(needed)

    page.driver.get(f"{studio.url}#/play")
    page.driver.execute_script(
        "localStorage.setItem('dlgo-analyse-connect4 0', 'mcts:sims=100');"
        "localStorage.setItem('dlgo-analyse-connect4 1', 'alphabeta:depth=2');"
        "localStorage.setItem('dlgo-review-connect4', 'mcts:sims=50');"
        "localStorage.setItem('dlgo-review-exact', 'no');"  # what is proved depends on time
    )
    opened("play", "h1", "[value=breakthrough]")
    page.driver.execute_script("document.querySelector('[value=breakthrough]').click()")
    yield "a new game", ["h1", "[type=submit]"]
    hexes = studio.new("hex:size=11", "human", "mcts:sims=2000")
    with studio.watching(hexes) as watcher:
        studio.move(hexes, "c10")
        watcher.until(lambda view: view["plies"] == 2)
    yield "two moves", opened(f"play/{hexes}", *PLAY)[1]
    yield opened(f"play/{loaded(studio, 9)}", *PLAY)
    yield opened(f"play/{loaded(studio, 19)}", *PLAY)
    yield opened(f"play/{played(studio, 'draughts', '11-15 22-18')}", *PLAY)
    won = played(studio, "connect4", "4 3 4 3 4 3 4")
    yield opened(f"play/{won}", *PLAY, ".status.over")
    failed = played(studio, "tictactoe", "B2", white=f"{BOTS}:Leaver")
    yield opened(f"play/{failed}", ".stage svg.board", ".players", ".trouble p", ".trouble .main")
    engine = [".stage svg.board", ".status", ".bar-text", *NAVIGATION]
    position = played(studio, "connect4", "4 1 4")
    yield opened(f"analyse/{position}", *engine, ".seen:not(.empty)")[0], engine
    page.press("Second engine")
    page.see("document.querySelectorAll('.seen:not(.empty)').length === 2", "two tables")
    yield "two engines", engine
    page.press("One engine")
    opened(f"review/{played(studio, 'connect4', ' '.join(COLUMNS))}", ".mistakes li")
    page.see_text("17 of 17 positions evaluated by mcts:sims=50", ".review-told")
    page.keys("m")
    page.find(".verdict p:first-child")
    yield "review", [".stage svg.board", ".review-where", ".verdict p:first-child", *NAVIGATION]
    opened("inside/preset=visits-shift&step=155", ".children tbody tr:nth-child(7)")
    yield "search", [".sentence", ".stepping .main"]
    yield opened("inside", "h1")
    for game in LONG_GAMES:
        studio.new(game, "alphazero:sims=5,c_puct=1.25", f"{BOTS}:Leaver")
    yield opened("library", "h1")
    yield opened("course", "h1", "section:first-of-type h2")
    yield opened("train", "h1", ".game-card:first-child")
    yield opened("train/puzzles/connect4/1", ".stage svg.board", ".status", ".side button")
    if not studio.ledgers["sample"].exists():
        write_sample(studio.ledgers["sample"])
    yield opened("watch/sample.sqlite", "h1", ".standings tr:first-child button")


def lacking(page: Page, needed: list[str]) -> list[str]:
    """What a player needs and is not in sight."""
    return rested(lambda: page.driver.execute_script(LOOK, needed))


def test_what_a_player_needs_is_in_the_window(studio: Studio, page: Page) -> None:
    for name, needed in views(studio, page):
        wrong = []
        for size in SIZES:
            with page.sized(*size):
                more = (LARGE if size[0] > 1000 else PHONE if size[0] < 500 else {}).get(name, [])
                wrong += [f"{name} {size}: {one}" for one in lacking(page, [*needed, *more])]
        assert not wrong and page.nameless() == [], (name, wrong)
    assert page.errors() == []


def test_messages_leave_the_board_alone(studio: Studio, page: Page) -> None:
    page.go(f"play/{played(studio, 'tictactoe', 'B2')}")
    page.click_cell(4)
    page.find(".toast.bad")
    box = "document.querySelector('{}').getBoundingClientRect()".format
    page.driver.execute_script(  # a copy stays longer than the seconds of a message
        "const [one] = document.querySelectorAll('.toast'); one.replaceWith(one.cloneNode(true))")
    try:
        for size in SIZES:
            with page.sized(*size):
                assert lacking(page, [".toast", ".stage svg.board"]) == []
                page.see(f"{box('.toast')}.bottom <= {box('.stage svg.board')}.top", "no overlap")
    finally:
        page.driver.execute_script("document.getElementById('toasts').replaceChildren()")


def test_axe_finds_nothing_serious(studio: Studio, page: Page) -> None:
    package = pytest.importorskip("axe_core_python", reason="needs axe-core-python")
    source, wrong = (files(package) / "axe.min.js").read_text(), []
    for name, _ in views(studio, page):
        if not page.driver.execute_script("return Boolean(window.axe)"):
            page.driver.execute_script(source)
        for theme in ("light", "dark"):
            wrong += rested(lambda name=name, theme=theme: page.driver.execute_async_script("""
                const [name, theme, done] = arguments;
                document.documentElement.dataset.theme = theme;
                axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => done(
                  violations.filter(({ impact }) => ["serious", "critical"].includes(impact)).map(
                    ({ id, nodes }) => `${name}, ${theme}: ${id}: ${nodes[0].target}`)));
            """, name, theme))
    assert wrong == []
