"""Chromium without a window, steered by selenium: for what only a browser can show."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from dlgo.errors import DlgoError


def start_chromium(
    downloads: Path | None = None, logs: dict[str, str] | None = None
) -> Any:
    """A browser, as a `selenium.webdriver.Chrome`, whose console is recorded.

    Args:
        downloads: the folder for what it saves.
        logs: kinds and levels of what else it records.

    Raises:
        DlgoError: if selenium, Chromium or its driver is missing.
    """
    try:
        from selenium import webdriver
    except ImportError:
        raise DlgoError("selenium is not installed; pip install selenium") from None
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        raise DlgoError("chromium or chromedriver is missing; apt install chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu",
                     "--disable-dev-shm-usage", "--window-size=1280,900"):
        options.add_argument(argument)
    if downloads is not None:
        options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", **(logs or {})})
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
