"""Slides made from pages: what they show, what is refused, and that they fit a projector."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import pytest

from dlgo import DlgoError

for package in ("jupytext", "material", "nbconvert"):
    pytest.importorskip(package, reason="needs what the course is built with: dlgo-suite[course]")

import jupytext  # noqa: E402

from experiments.chapters.ch04 import rules  # noqa: E402
from experiments.course.notebooks import as_page, run_notebook  # noqa: E402
from experiments.course.pages import refuse_markup_as_text  # noqa: E402
from experiments.course.slides import as_sections, split  # noqa: E402

pytestmark = pytest.mark.docs

NOTEBOOK = r'''# %% [markdown]
# # A page
#
# <!-- slide: Minimax in Python -->
#
# The worst for the opponent, $v(s) = \max_a -v(s \cdot a)$, in [a page](#a-page):

# %%
from engines.minimax.textbook import minimax, result_of
from experiments.course.showing import Row, Source
import dlgo

Source(minimax, result_of)

# %% [markdown]
# <!-- /slide -->
#
# Not on a slide.
#
# <!-- slide: A board -->

# %% tags=["slide-code"]
game = dlgo.game("tictactoe")
game.start().play("A1")

# %% [markdown]
# <!-- /slide -->
#
# <!-- slide: Boards and a figure -->
#
# $$\sum_{i=1}^{n} \frac{w_i}{n_i} + c \sqrt{\frac{\ln N}{n}}$$

# %%
print(7 * "a line that is printed; ")
Row(*[game.start()] * 4, titles=("one", "two", "three", "four"))

# %%
from experiments.chapters import ch04
ch04.rules.show()

# %% [markdown]
# <!-- /slide -->
'''
PAGE = "# Start\n\n<!-- slide: One -->\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n<!-- /slide -->\n"
# Of all slides: those that overflow, and texts that are smaller than 1/40 of the height.
MISFITS = """return sections.flatMap((section) => {
  const texts = document.createTreeWalker(section, NodeFilter.SHOW_TEXT), small = [];
  while (texts.nextNode()) {
    const parent = texts.currentNode.parentElement;
    if (texts.currentNode.data.trim() && !parent.closest("svg, style, annotation, .headerlink")
        && parseFloat(getComputedStyle(parent).fontSize) < 27) small.push(texts.currentNode.data);
  }
  const wide = section.scrollWidth > 1920 || section.scrollHeight > 1080;
  return small.length || wide ? [[section.querySelector("h1").textContent, small, wide]] : [];
})"""


@pytest.fixture(scope="module")
def slides(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The slides of a notebook and of a page, in HTML; with the site that they are part of."""
    from experiments.course.build import build_site

    folder = tmp_path_factory.mktemp("slides")
    (folder / "docs").mkdir()
    (folder / "notebooks/sample_files").mkdir(parents=True)
    (folder / "docs/index.md").write_text(PAGE)
    (folder / "sample.py").write_text(NOTEBOOK)
    notebook = run_notebook(folder / "sample.py")
    (folder / "notebooks/sample.ipynb").write_text(jupytext.writes(notebook, "ipynb"))
    text, pictures = as_page(notebook, "sample")
    (folder / "notebooks/sample.md").write_text(text)
    for name, content in pictures.items():
        (folder / "notebooks" / name).write_bytes(content)
    with pytest.raises(DlgoError) as caught:  # README's links to pages that are not in `docs`
        build_site(folder / "site", folder / "notebooks", folder / "docs")
    assert all(line.startswith("Doc file 'project.md'")
               for line in str(caught.value).splitlines()[1:])
    return {path.stem: path.read_text() for path in (folder / "site/slides").iterdir()} | {
        "folder": str(folder / "site/slides")}


def test_slides_show_outputs_and_tagged_code(slides: dict[str, str]) -> None:
    code, board, figures = re.findall(r"<section.*?</section>", slides["sample"], re.S)
    assert "result_of" in code and "showing" not in code, "Source, without its call"
    assert "<math" in code and 'href="../notebooks/sample.html#a-page"' in code
    assert "dlgo" in board and 'src="../notebooks/sample_files/' in board
    assert figures.count("<svg") == 4 and "<img" in figures and "print(" not in figures
    assert figures.count("a line that is printed;") == 7 and rules.source not in figures
    assert "Not on a slide" not in slides["sample"] and 'data-number="3/3"' in figures
    assert "<table>" in slides["start"]
    assert "sample.html" in slides["index"] and "start.html" in slides["index"]
    page = Path(slides["folder"], "../notebooks/sample.html").read_text()
    assert rules.source in page, "the words of a figure"
    assert 'href="../slides/sample.html"' in page and "<!-- slide" not in page


@pytest.mark.parametrize(("text", "problem"), [
    ("<!-- slide: One -->\n\nx\n", r"here\.md: the slide 'One' has no `<!-- /slide -->`"),
    ("<!-- slide: One -->\n\n<!-- slide: Two -->\n\n<!-- /slide -->", "slide 'One' has no"),
    ("<!-- slide: One -->\n\n<!-- /slide -->\n\n<!-- /slide -->", "ends no slide after 'One'"),
])
def test_a_marker_without_its_pair_is_named(text: str, problem: str) -> None:
    with pytest.raises(DlgoError, match=problem):
        split(text, "here.md")


def test_a_slide_has_at_most_sixty_words() -> None:
    def slide(words: int) -> str:
        return (f"<!-- next slide --><h1>Long</h1><p>{'word ' * words}</p>"
                f"<pre>{'code ' * 99}</pre><math><mi>x</mi></math>")

    assert "<section" in as_sections(slide(60), "here.md")
    with pytest.raises(DlgoError, match=r"here\.md, slide 'Long': 61 words"):
        as_sections(slide(61), "here.md")


def test_slides_fit_a_projector(slides: dict[str, str]) -> None:
    from tests.studio.browser import Page

    browser = Page(Path())
    try:
        with browser.sized(1920, 1080):
            for name in ("sample", "start"):
                browser.driver.get(Path(slides["folder"], f"{name}.html").as_uri())
                assert browser.driver.execute_script(MISFITS) == []
            browser.driver.get(Path(slides["folder"], "sample.html").as_uri())
            for keys, number in (("3\ue007", 3), ("\ue012", 2), ("\ue00e", 1), ("\ue010", 3),
                                 ("\ue011", 1), ("\ue00f", 2)):
                browser.keys(*keys)
                browser.see(f"document.querySelector('.now').dataset.number === '{number}/3'")
            browser.keys("d")
            browser.see("getComputedStyle(document.body).backgroundColor === 'rgb(30, 33, 41)'")
            printed = browser.driver.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})
            assert base64.b64decode(printed["data"]).count(b"/Type /Page\n") == 3
            assert browser.errors() == []
    finally:
        browser.driver.quit()


def test_commands_are_code_and_lists_are_lists() -> None:
    refuse_markup_as_text("<p><code>dlgo play go</code></p><pre>dlgo play go</pre>", "here.md")
    refuse_markup_as_text("<p>dlgo shows how to play.</p><p>Write dlgo play go</p>", "here.md")
    for command in ("dlgo class list dlgo class new", "python -m experiments.check", "make test"):
        for tag in ("p", "li"):
            with pytest.raises(DlgoError, match=f"here.md: the command `{command[:9]}"):
                refuse_markup_as_text(f"<ul><{tag}> {command}</{tag}></ul>", "here.md")
    with pytest.raises(DlgoError, match="here.md: the list's item `two` is shown as text"):
        refuse_markup_as_text("<p>one\n* two</p>", "here.md")


def test_a_page_with_a_command_as_text_is_not_built(tmp_path: Path) -> None:
    from experiments.course.build import build_site

    (tmp_path / "docs").mkdir()
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "docs/index.md").write_text("# Start\n\nTo play:\n\n  dlgo play go\n")
    with pytest.raises(DlgoError, match="index.md: the command `dlgo play go` is shown as text"):
        build_site(tmp_path / "site", tmp_path / "notebooks", tmp_path / "docs")
