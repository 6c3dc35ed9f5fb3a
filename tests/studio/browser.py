"""A page in real Chromium: what tests click, and where the pieces of a board are."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.studio.client import PATIENCE, Studio

webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium")

from selenium.common.exceptions import StaleElementReferenceException, TimeoutException  # noqa: E402
from selenium.webdriver.common.action_chains import ActionChains  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.remote.webelement import WebElement  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402

_SEE = """
const done = arguments[arguments.length - 1], look = () => %s;
let value = look();
if (value) done(value);
else {
  const observer = new MutationObserver(() => {
    value = look();
    if (value) { observer.disconnect(); done(value); }
  });
  observer.observe(document, {
    subtree: true, childList: true, attributes: true, characterData: true,
  });
}
"""
_NAMED = {
    "button", "link", "gridcell", "grid", "slider", "combobox", "textbox", "spinbutton", "checkbox",
    "radio", "image", "tree", "treeitem", "table", "figure", "progressbar", "DisclosureTriangle",
}
_COUNT = 'document.querySelectorAll("%s").length'
_PIECES = ".stage .pieces > g:not(:has(.ghost))"
_MIDDLE = """(() => {
  const element = document.querySelector("%s");
  element?.scrollIntoView({ block: "nearest" });
  const box = element?.getBoundingClientRect();
  return box?.width ? [box.x + box.width / 2, box.y + box.height / 2] : null;
})()"""


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
        self.driver.set_page_load_timeout(min(PATIENCE, 100))
        self.driver.set_script_timeout(min(PATIENCE, 100))
        self.downloads = downloads

    def go(self, place: str) -> None:
        """Go to a view, such as `play/ID`; a page that is open already is not loaded anew."""
        now, url = self.driver.current_url, f"http://127.0.0.1:{self.studio.port}/#/{place}"
        if now == url:
            self.driver.refresh()
        elif f":{self.studio.port}/" in now:
            self.driver.execute_script(  # what is found from now on belongs to the new view
                "document.getElementById('main').replaceChildren();"
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

    def button(self, text: str):
        """The button with this text."""
        named = f"one.checkVisibility() && one.innerText.trim() === {json.dumps(text)}"
        return self.see(f"[...document.querySelectorAll('button')].find((one) => {named})", text)

    def press(self, text: str) -> None:
        """Click the button with this text."""
        self.until(lambda: self._scrolled(self.button(text)).click() or True,
                   f"button {text}")

    def _scrolled(self, element: WebElement) -> WebElement:
        """An element, in view of a person: not beneath the bars at the window's edges."""
        self.driver.execute_script("arguments[0].scrollIntoView({ block: 'nearest' })", element)
        return element

    def until(self, condition, what: str = "something"):
        """Wait until a condition holds; what it returned."""
        wait = WebDriverWait(
            self.driver, PATIENCE, 0.1, ignored_exceptions=[StaleElementReferenceException]
        )
        return wait.until(lambda _: condition(), f"{what} did not come")

    def see(self, condition: str, what: str = ""):
        """Wait, in the page, until a condition in JavaScript holds; its value.

        Asked after every change of the page, and of nothing else, which is cheaper than `until`.
        """
        try:
            return self.driver.execute_async_script(_SEE % condition)
        except TimeoutException:
            raise AssertionError(f"{what or condition} did not come") from None

    def click_cell(self, cell: int, board: str = ".stage") -> None:
        """Click in the middle of a cell of a board, as a mouse does."""
        x, y = self.see(_MIDDLE % f"{board} [data-cell='{cell}']", f"cell {cell}")
        for kind in ("mousePressed", "mouseReleased"):
            self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {
                "type": kind, "x": x, "y": y, "button": "left", "clickCount": 1,
            })

    def keys(self, *keys: str, on: str = "body") -> None:
        """Press keys on an element."""
        self.driver.execute_script("document.querySelector(arguments[0]).focus()", on)
        ActionChains(self.driver).send_keys(*keys).perform()

    def saved(self, pattern: str) -> Path:
        """The file that the page saves under such a name, waited for; earlier ones were removed."""
        return self.until(lambda: next(self.downloads.glob(pattern), None), pattern)

    def status(self) -> str:
        """The line that says whose turn it is."""
        return self.driver.find_element(By.CSS_SELECTOR, ".status").text

    def text(self, selector: str) -> str:
        return self.find(selector).text

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

    def see_pieces(self, count: int, what: str) -> None:
        """Wait until the board shows `count` pieces."""
        self.see(f"{_COUNT % _PIECES} === {count}", what)

    def see_turns(self, count: int) -> None:
        """Wait until `count` turns are listed."""
        self.see(f"{_COUNT % '.moves li'} === {count}", f"turn {count}")

    def nameless(self) -> list[str]:
        """The roles of all that can be used or looked at and has no name for a screen reader."""
        nodes = self.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        return [
            node["role"]["value"] for node in nodes
            if not node["ignored"] and node["role"]["value"] in _NAMED
            and not node.get("name", {}).get("value", "").strip()
        ]

    def errors(self) -> list[str]:
        """What the browser's console complains of."""
        return [
            entry["message"] for entry in self.driver.get_log("browser")
            if entry["level"] == "SEVERE" and "status of 4" not in entry["message"]
        ]
