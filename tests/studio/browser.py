"""A page in real Chromium: what tests click, and where the pieces of a board are."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlgo.errors import DlgoError
from experiments.bench.chromium import start_chromium
from tests.studio.client import PATIENCE, Studio

pytest.importorskip("selenium.webdriver", reason="needs selenium")

from selenium.common.exceptions import StaleElementReferenceException  # noqa: E402
from selenium.webdriver.common.action_chains import ActionChains  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402


class Page:
    """A browser's window that shows a studio, or pages; what it saves lands in `downloads`.

    logs: kinds and levels of what Chromium records besides.
    """

    studio: Studio

    def __init__(self, downloads: Path, logs: dict[str, str] | None = None) -> None:
        try:
            self.driver = start_chromium(downloads, logs)
        except DlgoError as error:
            pytest.skip(str(error))
        self.driver.set_page_load_timeout(PATIENCE)
        self.downloads = downloads

    def open(self, place: str) -> None:
        """Go to a view, such as `play/ID`."""
        self.driver.get(f"http://127.0.0.1:{self.studio.port}/#/{place}")
        self.driver.refresh()

    def go(self, place: str) -> None:
        """Go to another view of the page that is open, which is not loaded anew."""
        if f":{self.studio.port}/" in self.driver.current_url:
            self.driver.execute_script(  # what is found from now on belongs to the new view
                "document.getElementById('main').replaceChildren();"
                "location.hash = arguments[0]", f"#/{place}",
            )
        else:
            self.driver.get(f"http://127.0.0.1:{self.studio.port}/#/{place}")

    def find(self, selector: str):
        """The first element that is there and seen, waited for."""
        return self.until(lambda: next(
            (e for e in self.driver.find_elements(By.CSS_SELECTOR, selector) if e.is_displayed()),
            None,
        ), selector)

    def click(self, selector: str) -> None:
        """Click an element, which may be drawn anew meanwhile."""
        def done() -> bool:
            self.find(selector).click()
            return True

        self.until(done, selector)

    def button(self, text: str):
        """The button with this text."""
        return self.until(lambda: next(
            (e for e in self.driver.find_elements(By.TAG_NAME, "button")
             if e.is_displayed() and e.text == text), None,
        ), f"button {text}")

    def until(self, condition, what: str = "something"):
        """Wait until a condition holds; what it returned."""
        wait = WebDriverWait(
            self.driver, PATIENCE, 0.03, ignored_exceptions=[StaleElementReferenceException]
        )
        return wait.until(lambda _: condition(), f"{what} did not come")

    def click_cell(self, cell: int) -> None:
        """Click in the middle of a cell of the board."""
        self.find(f".stage [data-cell='{cell}']").click()

    def keys(self, *keys: str, on: str = "body") -> None:
        """Press keys on an element."""
        self.driver.execute_script("document.querySelector(arguments[0]).focus()", on)
        ActionChains(self.driver).send_keys(*keys).perform()

    def status(self) -> str:
        """The line that says whose turn it is."""
        return self.driver.find_element(By.CSS_SELECTOR, ".status").text

    def text(self, selector: str) -> str:
        return self.find(selector).text

    def pieces(self) -> int:
        """How many pieces the board shows."""
        pieces = ".stage .pieces > g:not(:has(.ghost))"
        return len(self.driver.find_elements(By.CSS_SELECTOR, pieces))

    def turns(self) -> int:
        """How many turns are listed."""
        return len(self.driver.find_elements(By.CSS_SELECTOR, ".moves li"))

    def errors(self) -> list[str]:
        """What the browser's console complains of."""
        return [
            entry["message"] for entry in self.driver.get_log("browser")
            if entry["level"] == "SEVERE" and "status of 4" not in entry["message"]
        ]
