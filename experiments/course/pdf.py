"""One PDF of the course's pages, printed by Chromium from the site that `experiments.course.build`
made.

    python -m experiments.course.pdf [--site out/course/site] [--out out/course/course.pdf]

Links between the pages work in it. Answers come last; folded code and searches to try stay out.
"""

from __future__ import annotations

import posixpath
import re
import shutil
import subprocess
from datetime import date
from pathlib import Path

import click
from bs4 import BeautifulSoup, Tag

from dlgo.errors import DlgoError
from dlgo.extras import require_extra
from dlgo.files import make_folder, output_path
from experiments.command import run
from experiments.options import FILE, FOLDER

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge")
# Parts of a page that are not printed.
_LEFT_OUT = (".headerlink, .cell, .md-content__button, details.code, script, "
             "p:has(a[href$='.ipynb']), p:has(a[href*='slides/'])")
_STYLE = """
html { font-size: 112%; } body { background: #fff; color: #000; height: auto; }
@page { size: A4; margin: 18mm 16mm 20mm; @bottom-center { content: counter(page); } }
.md-typeset h1 { break-before: page; margin-bottom: 1em; }
.md-typeset h2, .md-typeset h3 { break-after: avoid; }
.md-typeset .title { margin-top: 30vh; break-before: auto; text-align: center; }
.md-typeset pre > code { white-space: pre-wrap; overflow: visible; font-size: .58rem; }
.md-typeset img { max-width: 100%; max-height: 8.5cm; }
.md-typeset svg { max-width: 100%; max-height: 16cm; height: auto; }
img, svg, tr, figure, math { break-inside: avoid; }
.md-typeset table { display: table !important; width: auto; }
.md-typeset div { max-width: 100%; overflow: visible !important; }
.block-formula { overflow: visible; }
.contents > ol { columns: 2; }
.contents li { margin: 0 0 0 1em !important; list-style: none; break-inside: avoid; }
.contents > ol > li { margin: 0 0 .6em !important; font-weight: bold; }
.contents ol ol { margin: 0 !important; font-weight: normal; }
"""


@click.command()
@click.option("--site", type=FOLDER, default=Path("out/course/site"), show_default=True,
              help="Folder of the site.")
@click.option("--out", type=FILE, default=Path("out/course/course.pdf"), show_default=True,
              help="The PDF.")
@click.option("--browser", help="Command of Chromium, or of a browser made from it.")
def main(site: Path, out: Path, browser: str | None) -> None:
    """Print the course's pages as one PDF."""
    require_extra("course", "printing the course", "bs4")
    if not (site / "index.html").exists():
        raise DlgoError(f"{site} holds no site; build it: python -m experiments.course.build")
    print_site(site, out, browser)
    print(f"PDF: {out}, {out.stat().st_size / 1e6:.1f} MB")


def print_site(site: Path, out: Path, browser: str | None = None) -> None:
    """Print the pages of a site to `out`. Raises DlgoError without a browser, or if it fails."""
    command = next(filter(None, map(shutil.which, [browser] if browser else BROWSERS)), None)
    if command is None:
        raise DlgoError(f"{browser or 'Chromium'} is missing: install Chromium or Chrome, or name "
                        "its command with --browser")
    make_folder(out.resolve().parent)
    html = site.resolve() / "print.html"  # beside the pictures
    try:
        with output_path(out.resolve()) as path:
            html.write_text(one_page(site, course_pages(site)), encoding="utf-8")
            # The page is our own; in containers Chromium's sandbox cannot start.
            done = subprocess.run(
                [command, "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer",
                 "--generate-pdf-document-outline", f"--print-to-pdf={path}", html.as_uri()],
                capture_output=True, text=True)
            if not path.stat().st_size:
                raise DlgoError(f"{command} printed nothing: {done.stderr.strip()[-300:]}")
    finally:
        html.unlink(missing_ok=True)


def course_pages(site: Path) -> list[str]:
    """The pages of the course in their order, as paths in the site."""
    from experiments.course.pages import LEARN

    chapters = sorted(path.relative_to(site).as_posix()
                      for path in site.glob("notebooks/[0-9][0-9]_*.html"))
    docs = [f"{name}.html" for name in LEARN.split() if (site / f"{name}.html").exists()]
    return ["index.html", *chapters, *docs]


def one_page(site: Path, pages: list[str]) -> str:
    """All pages as one, with a title, contents, and the answers to the questions at the end."""
    start = BeautifulSoup((site / "index.html").read_text(encoding="utf-8"), "html.parser")
    styles = "".join(str(link) for link in start.select("link[rel=stylesheet]"))
    contents, bodies, answers = [], [], []
    for page in pages:
        text = (site / page).read_text(encoding="utf-8")
        article = BeautifulSoup(text, "html.parser").select_one("article")
        if article is None or article.h1 is None:
            raise DlgoError(f"{site / page} has no text with a heading; build the site anew")
        for tag in article.select(_LEFT_OUT):
            tag.decompose()
        _redirect(article, page, pages)
        title = article.h1.get_text()
        sections = "".join(f'<li><a href="#{heading["id"]}">{heading.get_text()}</a></li>'
                           for heading in article.select("h2[id]"))
        contents.append(f'<li><a href="#{_key(page)}">{title}</a><ol>{sections}</ol></li>')
        answers.append(f"<h2>{title}</h2>{folded}" if (folded := _cut_answers(article)) else "")
        bodies.append(f'<div id="{_key(page)}">{article.decode_contents()}</div>')
    return (f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>dlgo: the course'
            f'</title>{styles}<style>{_STYLE}</style></head>'
            f'<body dir="ltr" data-md-color-scheme="default">'
            f'<article class="md-typeset"><h1 class="title">dlgo: the course</h1>'
            f'<p style="text-align:center">{date.today()}</p><h1>Contents</h1>'
            f'<div class="contents"><ol>{"".join(contents)}</ol></div>{"".join(bodies)}'
            f'<h1>Answers</h1>{"".join(answers)}</article></body></html>')


def _key(page: str) -> str:
    return re.sub(r"\W", "-", page.removesuffix(".html"))


def _redirect(article: Tag, page: str, pages: list[str]) -> None:
    """Make names unique, and let links and pictures start where the one page is."""
    def place(path: str) -> str:
        return posixpath.normpath(posixpath.join(posixpath.dirname(page), path or page))

    for tag in article.select("[id]"):
        if not tag.find_parent("svg"):
            tag["id"] = f"{_key(page)}--{tag['id']}"
    for picture in article.select("img[src]"):
        if ":" not in str(picture["src"]):
            picture["src"] = place(str(picture["src"]))
    for link in article.select("a[href]"):
        path, _, anchor = str(link["href"]).partition("#")
        target = page if not path else place(path)
        if ":" in path:
            continue
        if target in pages:
            link["href"] = f"#{_key(target)}" + (f"--{anchor}" if anchor else "")
        else:
            link.unwrap()


def _cut_answers(article: Tag) -> str:
    """Cut out the answers, each with the number of its question."""
    texts = []
    for answer in article.select("details"):
        number = answer.find_previous("strong")
        if answer.summary:
            answer.summary.decompose()
        texts.append(f"<p>{number or ''}</p>{answer.decode_contents()}")
        answer.decompose()
    return "".join(texts)


if __name__ == "__main__":
    run(main)
