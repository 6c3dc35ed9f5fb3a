"""One PDF of the course: all pages in order, links within, answers at the end."""

from __future__ import annotations

from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from dlgo import DlgoError

pytest.importorskip("bs4", reason="needs what the course is built with: dlgo-suite[course]")

from experiments.course.pdf import BROWSERS, one_page, print_site  # noqa: E402
from tests.studio.browser import Page  # noqa: E402

pytestmark = pytest.mark.docs

INDEX = """<html><head></head><body><article><h1 id="start">Start</h1><h2 id="a">First</h2>
<p><a href="notebooks/02_rules.html#ko">ko</a> <a href="#a">here</a> <a href="play.html">play</a>
</p></article></body></html>"""
RULES = """<html><head></head><body><article><h1 id="rules">Rules</h1><h2 id="ko">Ko</h2>
<p><a href="../index.html">start</a> <img src="02_rules_files/1.png"></p>
<details class="code"><summary>Code</summary><pre>import dlgo</pre></details>
<p><strong>1.</strong> Why?</p><details><summary>Answer</summary><p>Because.</p></details>
<figure class="cell"><iframe></iframe></figure></article></body></html>"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A site of two pages."""
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "index.html").write_text(INDEX)
    (tmp_path / "notebooks/02_rules.html").write_text(RULES)
    return tmp_path


def test_pages_become_one(site: Path) -> None:
    page = BeautifulSoup(one_page(site, ["index.html", "notebooks/02_rules.html"]), "html.parser")
    links = [link["href"] for link in page.select("a")]
    assert len(links) == 7 and all(page.find(id=link[1:]) for link in links), "within the page"
    assert page.img["src"] == "notebooks/02_rules_files/1.png"
    assert "import dlgo" not in page.get_text() and not page.iframe
    answers = page.find(string="Answers").find_all_next("p")
    assert [text.get_text() for text in answers] == ["1.", "Because."]
    assert page.get_text().count("Because.") == 1, "answers come last"
    assert [heading.get_text() for heading in page("h1")] == [
        "dlgo: the course", "Contents", "Start", "Rules", "Answers"]


def test_it_is_printed(site: Path) -> None:
    browser = Page(site)  # skips where there is no Chromium
    browser.driver.quit()
    print_site(site, site / "course.pdf")
    printed = (site / "course.pdf").read_bytes()
    assert printed.startswith(b"%PDF") and b"/Outlines" in printed
    assert printed.count(b"/Type /Page\n") == 5, "title, contents, two pages, answers"
    assert not list(site.glob("*print*"))


def test_without_a_browser_one_line_says_so(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(site))
    for name, browser in (("Chromium", None), ("nobrowser", "nobrowser")):
        with pytest.raises(DlgoError, match=f"{name} is missing"):
            print_site(site, site / "course.pdf", browser)
    assert BROWSERS[0] == "chromium"
