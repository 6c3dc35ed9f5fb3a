"""The course as a site: notebooks run, pages complete, nothing asked of another host.

By default one notebook is run; with `--run-all` all of them, without TensorFlow, as `make
course` runs them.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from dlgo import DlgoError
from tests.command import ROOT, run_module
from tests.conftest import RUN_ALL
from tests.course.test_slides import MISFITS

for package in ("ipykernel", "jupytext", "material", "nbconvert", "onnx", "sklearn", "ziglang"):
    pytest.importorskip(package, reason="needs what the course is built with: dlgo-suite[course]")

from experiments.course import build  # noqa: E402
from experiments.course.build import build_site  # noqa: E402
from experiments.course.notebooks import SOURCES, as_page, run_notebook, sources  # noqa: E402

pytestmark = pytest.mark.docs
NOTEBOOKS = [path.stem for path in sources()]


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a course that has been built where there is no TensorFlow."""
    folder = tmp_path_factory.mktemp("course")
    for absent in ("tensorflow", "keras"):
        (folder / f"{absent}.py").write_text("raise ImportError('not here')\n")
    done = run_module("experiments.course.build", "--out", folder / "out",
                      *([] if RUN_ALL else ["--quick"]),
                      timeout=1200, PYTHONPATH=f"{folder}{os.pathsep}{ROOT}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert all(f"notebook {name}: " in done.stdout for name in NOTEBOOKS), "it says what it does"
    return folder / "out"


@pytest.mark.parametrize("name", NOTEBOOKS if RUN_ALL else ["04_search"])
def test_a_notebook_shows_pictures(name: str, request: pytest.FixtureRequest) -> None:
    if RUN_ALL:
        built = request.getfixturevalue("course") / f"site/notebooks/{name}.ipynb"
        cells = json.loads(built.read_text())["cells"]
    else:
        cells = run_notebook(SOURCES / f"{name}.py").cells
    shown = [kind for cell in cells
             for output in cell.get("outputs", ()) for kind in output.get("data", ())]
    assert sum(kind in ("image/png", "image/svg+xml", "text/html") for kind in shown) >= 4


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_is_a_page_with_its_pictures(course: Path, name: str) -> None:
    assert json.loads((course / f"site/notebooks/{name}.ipynb").read_text())["cells"]
    page = (course / f"site/notebooks/{name}.html").read_text()
    assert f'href="{name}.ipynb"' in page
    assert all((course / "site/notebooks" / picture).exists()
               for picture in re.findall(r'<img[^>]* src="([^"]+)"', page))
    text = re.sub(r"<pre.*?</pre>|<code.*?</code>", "", page, flags=re.S)
    assert not re.search(r"\$[^$<]+\$", text), "formulas are MathML"
    assert not re.search(r'^<math[^>]*display="inline"', text, re.M), "within their paragraph"


def test_sources_are_part_of_the_site(course: Path) -> None:
    page = (course / "site/source/engines/mcts/textbook.py.html").read_text()
    assert "TextbookMCTS" in page
    index = (course / "site/search/search_index.js").read_text()
    assert '"location":"notebooks/' in index and '"location":"source/' not in index


def test_no_page_loads_anything_from_elsewhere(course: Path) -> None:
    loads = re.compile(r'<(?:script|link|img|iframe|source)\b[^>]*\b(?:src|href)="(?:\w+:)?//')
    for page in (course / "site").rglob("*.html"):
        assert not loads.search(page.read_text()), page


def test_a_broken_link_stops_the_build(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/index.md").write_text("# Start\n\n[elsewhere](nowhere.md) [top](#nothing)\n")
    with pytest.raises(DlgoError) as caught:
        build_site(tmp_path / "site", tmp_path, tmp_path / "docs")
    assert "'nowhere.md'" in str(caught.value) and "'#nothing'" in str(caught.value)
    (tmp_path / "docs/index.md").write_text('# Start\n\n--8<-- "engines/nothing.py"\n')
    with pytest.raises(DlgoError, match="engines/nothing.py"):
        build_site(tmp_path / "site", tmp_path, tmp_path / "docs")


def test_a_build_deletes_no_files_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "run_notebooks", lambda *_: None)
    monkeypatch.setattr(build, "build_site", lambda site, _: site.mkdir() or 0)
    monkeypatch.setattr(build, "cells_tab", lambda: None)
    monkeypatch.setattr(build, "write_folder", lambda *_: 0)
    notebook, page = tmp_path / "notebooks/mine.py", tmp_path / "site/mine.html"
    for path in (notebook, page):
        path.parent.mkdir()
        path.touch()
    with pytest.raises(DlgoError, match="site holds other files"):
        build.main.callback(quick=False, out=tmp_path)
    page.unlink()
    build.main.callback(quick=False, out=tmp_path)
    assert notebook.exists()


def test_the_code_of_a_tagged_cell_is_folded(tmp_path: Path) -> None:
    source = tmp_path / "folded.py"
    source.write_text('# %% tags=["hide-input"]\nx = 6 * 7\nprint(x)\n# %%\ny = x\n')
    notebook = run_notebook(source)
    page, _ = as_page(notebook, "folded")
    folded, _, shown = page.partition("</details>")
    assert "x = 6 * 7" in folded and "42" in shown and "y = x" in shown
    assert notebook.cells[0].metadata.jupyter == {"source_hidden": True}, "as JupyterLab does"


@pytest.mark.parametrize(("cell", "problem"), [
    ("y = x / 0", "ZeroDivisionError"), ("__import__('os')._exit(3)", "it ends Python"),
])
def test_a_cell_that_fails_is_named(tmp_path: Path, cell: str, problem: str) -> None:
    notebook = tmp_path / "ch99.py"
    notebook.write_text(f"# %%\nx = 1\n# %%\n{cell}\nprint(y)\n")
    with pytest.raises(DlgoError, match=f"ch99.py.*`{re.escape(cell)}`: {problem}"):
        run_notebook(notebook)


@pytest.fixture(scope="module")
def browser() -> Iterator:
    """Chromium, 400 pixels wide."""
    from tests.studio.browser import Page

    page = Page(Path(), {"performance": "ALL"})
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": 400, "height": 800, "deviceScaleFactor": 1, "mobile": True,
    })
    yield page
    page.driver.quit()


def first_found(browser, word: str) -> str:
    """The page, without its highlights, that the search for the word lists first."""
    driver, results = browser.driver, "document.querySelectorAll('.md-search-result__link')"
    driver.execute_script("document.querySelector('label[for=__search]').click()")
    driver.execute_script("document.querySelector('.md-search__input').focus()")
    driver.switch_to.active_element.send_keys(word)
    browser.until(lambda: driver.execute_script(f"return {results}.length"), f"results for {word}")
    return driver.execute_script(f"return {results}[0].href").partition("?")[0]


def test_the_site_works_from_a_folder(course: Path, browser) -> None:
    """Search works, no page is too wide, and no host is asked for anything."""
    driver = browser.driver
    for place in ("index", "notebooks/04_search"):
        driver.get((course / f"site/{place}.html").as_uri())
        assert driver.execute_script("return document.documentElement.scrollWidth") <= 400, place
    assert "notebooks/04_search.html" in first_found(browser, "minimax")
    events = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    asked = [event["params"]["request"]["url"] for event in events
             if event["method"] == "Network.requestWillBeSent"]
    assert len(asked) > 10
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    assert browser.errors() == []


@pytest.mark.parametrize(("page", "answer"), [
    ("04_search", "alphabeta:depth=6,cuts=yes plays 4."), ("05_networks", "supervised plays 4."),
])
def test_a_reader_tries_a_search(course: Path, browser, page: str, answer: str) -> None:
    """With keys alone, on a page from a folder; the command beneath does the same."""
    driver = browser.driver
    driver.get((course / f"site/notebooks/{page}.html").as_uri())
    frame = driver.find_element("css selector", ".cell iframe")
    driver.execute_script("arguments[0].scrollIntoView()", frame)
    driver.switch_to.frame(frame)
    try:
        browser.see_text("dlgo analyze connect4", ".command")
        assert not driver.find_element("id", "views").is_displayed()
        driver.find_element("css selector", "main").send_keys(" ")
        browser.see_text(answer, ".status")
        assert driver.execute_script("return document.documentElement.scrollWidth") <= 400
    finally:
        driver.switch_to.default_content()
    assert browser.errors() == []


def test_all_slides_fit_a_projector(course: Path, browser) -> None:
    decks = sorted((course / "site/slides").glob("[!i]*.html"))  # without the index
    assert len(decks) >= 10
    with browser.sized(1920, 1080):
        for deck in decks:
            browser.driver.get(deck.as_uri())
            assert browser.driver.execute_script(MISFITS) == [], deck
