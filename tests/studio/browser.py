"""A page in real Chromium: what tests click, and where the pieces of a board are."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.studio.client import PATIENCE, Studio

webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium")

from selenium.common.exceptions import (  # noqa: E402
    ElementClickInterceptedException,
    ElementNotInteractableException,
    StaleElementReferenceException,
    TimeoutException,
)
from selenium.webdriver.common.action_chains import ActionChains  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.remote.webelement import WebElement  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402

# Looks at once, after every change of the document, and every 25 ms: of what is in focus, where a
# thing is and how wide the window is, nothing else tells. An error is a "not yet", told at the end.
_BUTTON = """\
((all) => all.find((one) => one.checkVisibility())
  ?? (all.map((one) => one.closest('.menu:not(:popover-open)')).find(Boolean)?.showPopover(),
      null))(
    [...document.querySelectorAll('button')].filter((one) => (
      one.textContent.trim() === %(text)s && !one.hidden && %(more)s)))
"""
_SEE = """
const done = arguments[arguments.length - 1], end = performance.now() + %(milliseconds)d;
let error = null, timer = null;
const look = () => { try { return %(condition)s; } catch (wrong) { error = wrong; return null; } };
const observer = new MutationObserver(ask);
function ask() {
  const value = look(), late = performance.now() > end;
  if (!value && !late) return;
  observer.disconnect();
  clearInterval(timer);
  done(value ? [value] : error && String(error));
}
observer.observe(document, {
  subtree: true, childList: true, attributes: true, characterData: true,
});
timer = setInterval(ask, 25);
ask();
"""
_NAMED = {
    "button", "link", "gridcell", "grid", "slider", "combobox", "textbox", "spinbutton", "checkbox",
    "radio", "image", "tree", "treeitem", "table", "figure", "progressbar", "DisclosureTriangle",
}
_COUNT = 'document.querySelectorAll("%s").length'
_PIECES = ".stage .pieces > g:not(:has(.ghost))"
# The middle of a cell, once it stays where it is and nothing lies upon the board.
_MIDDLE = """(() => {
  const element = document.querySelector(%s);
  element?.scrollIntoView({ block: "nearest" });
  const box = element?.getBoundingClientRect(), was = window.middle;
  if (!box?.width) return null;
  const [x, y] = window.middle = [box.x + box.width / 2, box.y + box.height / 2];
  const stays = was?.[0] === x && was[1] === y;
  return stays && document.elementFromPoint(x, y)?.closest("svg.board") ? [x, y] : null;
})()"""
# Keeps all messages that are shown, since they vanish after a few seconds.
_MESSAGES = """
window.messages = [];
new MutationObserver((records) => records.forEach(({ addedNodes }) => addedNodes.forEach((node) => {
  if (node.matches?.(".toast") && node.checkVisibility()) window.messages.push(node);
}))).observe(document, { subtree: true, childList: true });
"""


def rested(look: Callable[[], list[str]]) -> list[str]:
    """What is wrong in a view, which has twenty seconds to come to rest."""
    end = time.monotonic() + 20
    while (wrong := look()) and time.monotonic() < end:
        time.sleep(0.1)
    return wrong


class Page:
    """A browser's window that shows a studio, or pages; what it saves lands in `downloads`.

    logs: kinds and levels of what Chromium records besides.
    """

    studio: Studio

    def __init__(self, downloads: Path, logs: dict[str, str] | None = None) -> None:
        chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
        if chromium is None or driver is None:
            pytest.skip("chromium or chromedriver is missing; apt install chromium-driver")
        options = webdriver.ChromeOptions()
        options.binary_location = chromium
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu",
                         "--disable-dev-shm-usage", "--window-size=1280,900"):
            options.add_argument(argument)
        options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", **(logs or {})})
        self.driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
        # Less than the two minutes after which Selenium gives up its driver, and says nothing else.
        self.driver.set_page_load_timeout(PATIENCE + 20)
        self.driver.set_script_timeout(PATIENCE + 20)
        self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": _MESSAGES})
        self.downloads = downloads

    def go(self, place: str) -> None:
        """Go to a view, such as `play/ID`; a page that is open already is not loaded anew."""
        now, url = self.driver.current_url, f"http://127.0.0.1:{self.studio.port}/#/{place}"
        if now == url:
            self.driver.refresh()
        elif f":{self.studio.port}/" in now:
            self.driver.execute_script(  # what is found from now on belongs to the new view
                "window.messages = []; document.getElementById('main').replaceChildren();"
                "location.hash = arguments[0]", f"#/{place}",
            )
        else:
            self.driver.get(url)

    @contextmanager
    def sized(self, width: int, height: int) -> Iterator[None]:
        """In a window of this size; a narrow one is a phone's."""
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500,
        })
        try:
            yield
        finally:
            self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def find(self, selector: str):
        """The first element that is there and seen, waited for."""
        elements = f"[...document.querySelectorAll({json.dumps(selector)})]"
        return self.see(f"{elements}.find((one) => one.checkVisibility())", selector)

    def click(self, selector: str) -> None:
        """Click an element, which may be drawn anew meanwhile."""
        self.until(lambda: self.find(selector).click() or True, selector)

    def button(self, text: str, more: str = "true"):
        """The button with this text, for which more holds; one in a menu, after opening that."""
        return self.see(_BUTTON % {"text": json.dumps(text), "more": more}, text)

    def press(self, text: str) -> None:
        """Click the button with this text, once it can be used."""
        self.until(lambda: self._scrolled(self.button(text, "!one.disabled")).click() or True,
                   f"button {text}")

    def resign(self) -> None:
        """Click Resign, and again when it asks, which it does for four seconds."""
        asked = self.until(lambda: self.driver.execute_script(
            "const [button] = arguments; button.click(); const asked = button.innerText;"
            "button.click(); return asked", self.button("Resign", "!one.disabled")), "Resign")
        assert asked == "Really resign?"

    def choose(self, field: str, value: str) -> None:
        """Choose a value in a list, which may be in a menu."""
        self.see(f"document.querySelector({json.dumps(field)})", field)
        self.driver.execute_script(
            "const list = document.querySelector(arguments[0]); list.value = arguments[1];"
            "list.dispatchEvent(new Event('change', { bubbles: true }))", field, value)

    def _scrolled(self, element: WebElement) -> WebElement:
        """An element, in view of a person: not beneath the bars at the window's edges."""
        self.driver.execute_script("arguments[0].scrollIntoView({ block: 'nearest' })", element)
        return element

    def until(self, condition, what: str = "something"):
        """Wait until a condition holds; what it returned. What is drawn anew, moves or lies beneath
        a message meanwhile is tried again."""
        wait = WebDriverWait(self.driver, PATIENCE, 0.05, ignored_exceptions=[
            StaleElementReferenceException, ElementClickInterceptedException,
            ElementNotInteractableException])
        return wait.until(lambda _: condition(), f"{what} did not come")

    def see(self, condition: str, what: str = ""):
        """Wait, in the page, until a condition in JavaScript holds; its value."""
        try:
            answer = self.driver.execute_async_script(
                _SEE % {"condition": condition, "milliseconds": 1000 * PATIENCE})
        except TimeoutException:
            answer = "the page does not answer"
        if isinstance(answer, list):
            return answer[0]
        shown = self.driver.find_element(By.TAG_NAME, "body").text[:2000]
        raise AssertionError(f"{what or condition} did not come ({answer}); it shows: {shown}")

    def click_cell(self, cell: int, board: str = ".stage") -> None:
        """Click in the middle of a cell of a board, as a mouse does."""
        x, y = self.see(_MIDDLE % json.dumps(f"{board} [data-cell='{cell}']"), f"cell {cell}")
        for kind in ("mousePressed", "mouseReleased"):
            self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {
                "type": kind, "x": x, "y": y, "button": "left", "clickCount": 1,
            })

    def keys(self, *keys: str, on: str = "body") -> None:
        """Press keys on an element."""
        element = f"document.querySelector({json.dumps(on)})"
        self.see(f"({element}.focus(), true)", on)
        ActionChains(self.driver).send_keys(*keys).perform()

    def saved(self, pattern: str) -> Path:
        """The file that the page saves under such a name, waited for; earlier ones were removed.
        Until it is whole, Chromium keeps the name by an empty file."""
        return self.until(lambda: next(
            (path for path in self.downloads.glob(pattern) if path.stat().st_size), None), pattern)

    def status(self) -> str:
        """The line that says whose turn it is."""
        return self.driver.find_element(By.CSS_SELECTOR, ".status").text

    def text(self, selector: str) -> str:
        """The text of the first element that is there and seen, waited for."""
        return self.until(lambda: (self.find(selector).text,), selector)[0]

    def texts(self, selector: str) -> list[str]:
        """The texts of all such elements."""
        return self.driver.execute_script(
            "return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)",
            selector,
        )

    def count(self, selector: str) -> int:
        """How many such elements there are."""
        return self.driver.execute_script(f"return {_COUNT % selector}")

    def pieces(self) -> int:
        """How many pieces the board shows."""
        return self.count(_PIECES)

    def see_text(self, text: str, selector: str = ".status") -> None:
        """Wait until an element, by default the line that says whose turn it is, has a text."""
        element = f"document.querySelector({json.dumps(selector)})"
        self.see(f"{element}?.innerText.includes({json.dumps(text)})", text)

    def see_message(self, text: str, bad: bool = False) -> None:
        """Wait for a message with this text, of something that went wrong if it is `bad`.

        It may have vanished since `go`, or since the last message that the test has seen.
        """
        fits = f"one.textContent.includes({json.dumps(text)}) && one.matches('.bad') === "
        at = f"window.messages.findIndex((one) => {fits}{json.dumps(bad)})"
        self.see(f"window.messages.splice(0, {at} + 1).length", f"the message {text}")

    def see_pieces(self, count: int, what: str) -> None:
        """Wait until the board shows `count` pieces."""
        self.see(f"{_COUNT % _PIECES} === {count}", what)

    def see_turns(self, count: int) -> None:
        """Wait until `count` turns are listed."""
        self.see(f"{_COUNT % '.moves li'} === {count}", f"turn {count}")

    def nameless(self) -> list[str]:
        """The roles of all that can be used or looked at and has no name for a screen reader."""
        return rested(lambda: [
            node["role"]["value"]
            for node in self.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
            if not node["ignored"] and node["role"]["value"] in _NAMED
            and not node.get("name", {}).get("value", "").strip()
        ])

    def errors(self) -> list[str]:
        """What the browser's console complains of."""
        return [
            entry["message"] for entry in self.driver.get_log("browser")
            if entry["level"] == "SEVERE" and "status of 4" not in entry["message"]
        ]
