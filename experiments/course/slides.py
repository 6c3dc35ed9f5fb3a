"""Slides of the course, made from its pages.

In a page, `<!-- slide: TITLE -->` begins a slide and `<!-- /slide -->` ends it. Everything between
them is shown, except the code of cells without the tag `slide-code`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import jupytext
from bs4 import BeautifulSoup

from dlgo.errors import DlgoError
from experiments.course.notebooks import SLIDES, as_page

MARKER = re.compile(r"^[ \t]*<!-- (?:slide: (?P<title>.+?)|/slide) -->[ \t]*$", re.M)
WORDS = 60  # at most, on a slide
_SEPARATOR = "<!-- next slide -->"
_BESIDE_TEXT = ("pre", "math", "svg", "style", "h1")  # not counted as words


def decks(notebooks: Path, docs: Path, names: list[str]) -> Iterator[tuple[str, str]]:
    """The slides of each page that has some, as a page of Markdown, with the path of that page.

    notebooks: folder of executed notebooks. names: pages of `docs`.
    """
    for source in sorted(notebooks.glob("*.ipynb")):
        text, _ = as_page(jupytext.read(source), source.stem, SLIDES)
        yield from _deck(text, f"notebooks/{source.stem}.md")
    for name in names:
        yield from _deck((docs / name).read_text(encoding="utf-8"), name)


def path_of_deck(page: str) -> str:
    """The path of a page's slides."""
    name = Path(page).name
    return f"slides/{'start.md' if name == 'index.md' else name}"


def _deck(text: str, page: str) -> Iterator[tuple[str, str]]:
    slides = "\n\n".join(
        f"{_SEPARATOR}\n\n# {title}\n\n{body}" for title, body in split(text, page))
    if slides:
        # Links start from the folder of the slides.
        slides = re.sub(r"\]\((?=#)", f"](../{page}", slides)
        slides = re.sub(r"\]\((?=\w+_files/)", "](../notebooks/", slides)
        heading = re.search(r"^# (.+)", text, re.M)
        meta = {"title": heading[1] if heading else page, "of": page,
                "template": "slides.html", "search": {"exclude": True}}
        yield page, f"---\n{json.dumps(meta)}\n---\n\n{slides}\n"


def split(text: str, page: str) -> list[tuple[str, str]]:
    """The title and the Markdown of each slide. Raises DlgoError for a marker without its pair."""
    slides: list[tuple[str, str]] = []
    title, start = "", 0
    for marker in MARKER.finditer(text):
        if bool(title) == bool(marker["title"]):
            problem = (f"the slide {title!r} has no `<!-- /slide -->`" if title else
                       "`<!-- /slide -->` ends no slide" + (f" after {slides[-1][0]!r}" if slides
                                                            else ""))
            raise DlgoError(f"{page}: {problem}")
        if title:
            slides.append((title, text[start:marker.start()]))
        title, start = marker["title"] or "", marker.end()
    if title:
        raise DlgoError(f"{page}: the slide {title!r} has no `<!-- /slide -->`")
    return slides


def as_sections(html: str, page: str) -> str:
    """The slides as sections of HTML. Raises DlgoError for a slide with too many words."""
    slides = html.split(_SEPARATOR)[1:]
    for slide in slides:
        soup = BeautifulSoup(slide, "html.parser")
        title = soup.h1.get_text() if soup.h1 else ""
        for tag in soup(_BESIDE_TEXT):
            tag.decompose()
        words = len(re.findall(r"\w+(?:['.,-]\w+)*", soup.get_text(" ")))
        if words > WORDS:
            raise DlgoError(f"{page}, slide {title.rstrip('¶')!r}: {words} words; make it "
                            f"{WORDS} or fewer, or two slides")
    return "\n".join(
        f'<section data-number="{number}/{len(slides)}"><div>{slide}</div></section>'
        for number, slide in enumerate(slides, start=1))


def index(pages: list[tuple[str, str]]) -> str:
    """The page that lists all slides."""
    rows = []
    for page, deck in pages:
        title = json.loads(deck.split("\n", 2)[1])["title"]
        rows.append(f"| [{title}]({Path(path_of_deck(page)).name}) | {deck.count(_SEPARATOR)} | "
                    f"[page](../{page}) |")
    return "\n".join([
        "# Slides", "", "Arrow keys, PageUp and PageDown turn the slides; Home and End lead to the "
        "first and last one, and a number with Enter to any. `f`: full screen. `d`: dark or light. "
        "To print, use the browser's command: one slide a page.", "",
        "| slides | number | from |", "|---|---|---|", *rows, ""])
