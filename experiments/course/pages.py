"""The parts of the site outside docs/: notebooks, sources, the order of pages. A hook of MkDocs.

A link to a file outside docs/ leads to a page made from that file, so that the site is complete in
one folder. The name of a source, such as `dlgo/api.py`, also becomes a link.
"""

from __future__ import annotations

import ast
import posixpath
import re
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from dlgo.errors import DlgoError
from experiments.course.cells import insert_cells
from experiments.course.slides import MARKER, as_sections, decks, index, path_of_deck

ROOT = Path(__file__).resolve().parents[2]
ASSETS = Path(__file__).parent / "assets"
SLIDES = "slides/index.md"
README = "project.md"  # not readme.md, which MkDocs takes for the start page
# What a newcomer walks through after the start page and the chapters' notebooks.
LEARN = "compare build story"
REFERENCE = {
    "Play": "play studio web games gtp online",
    "Compare": "tournaments ladder ratings report baselines cluster",
    "Train": "data encoders networks training reinforcement",
    "Extend and teach":
        "python add_an_engine add_a_game vector museum teach term glossary architecture",
}
_FENCE = re.compile(r"(^```.*?^```$|^(?: {4}[^\n]*\n)+)", re.M | re.S)
_MATH = """@font-face {{ font-family: "Course Math"; src: url("data:font/woff;base64,{}"); }}
math {{ font-family: "Course Math", math; }}
"""
_LINK = re.compile(r"\]\((?!\w+:|#)([^)#\s]+)(#[^)\s]*)?\)")
_FORMULA = re.compile(
    r"(?P<code>`[^`]+`)|\$\$(?P<block>[^$]+)\$\$|\$(?=\S)(?P<inline>(?:[^$\n]|\n(?!\n))+?)(?<=\S)\$")
# A sentence can begin with dlgo or make, too.
_COMMAND = re.compile(
    r"(?:python3? -m|pip install|apt install) |(?:dlgo|make) [a-z].*[^.:?]$", re.S)
_NAMED = re.compile(r"(?<!\[)`((?:dlgo|engines|experiments|reports|tests)/[\w/]*(?:\.py|/))`")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the pages in order; pages without a section come last."""
    docs = Path(config.docs_dir)
    pages = sorted(_notebook_folder(config).glob("*.md"))
    notebooks = [f"notebooks/{page.stem}.md" for page in pages]
    chapters = [page for page in notebooks if re.match(r"notebooks/\d\d_", page)]
    learn = [*chapters, *_existing(docs, LEARN)]
    reference = [{title: _existing(docs, names)} for title, names in REFERENCE.items()]
    reference.append({"Engines": _listed(docs, "engines/*.md")})
    named = {"index.md", *learn, *(page for part in reference for page in [*part.values()][0])}
    unlisted = [page for page in [*notebooks, *_listed(docs, "**/*.md")] if page not in named]
    config.nav = [{"Start": "index.md"}, {"Learn": learn}, {"Reference": [*reference, *unlisted]}]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add assets, notebooks, and every source that a page links to or names."""
    # In the style sheet, since some browsers read no font from a folder.
    font = b64encode((ASSETS / "math.woff").read_bytes()).decode()
    files.append(File.generated(config, "assets/math.css", content=_MATH.format(font)))
    for asset in ASSETS.iterdir():
        files.append(File.generated(config, f"assets/{asset.name}", content=asset.read_bytes()))
    notebooks = _notebook_folder(config)
    for path in sorted(notebooks.rglob("*")):
        if path.is_file():
            uri = f"notebooks/{path.relative_to(notebooks).as_posix()}"
            files.append(File.generated(config, uri, content=path.read_bytes()))
    sources: set[str] = set()
    for file in files.documentation_pages():
        _redirect(file.content_string, file.src_uri, _folder_of(file.src_uri), sources.add)
    # README is beside docs/; here it becomes a page.
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    readme = _redirect(readme, README, "", sources.add)
    files.append(File.generated(config, README, content=readme))
    docs = Path(config.docs_dir)
    slides = list(decks(notebooks, docs, _existing(docs, f"index {LEARN}")))
    for page, text in slides:
        files.append(File.generated(config, path_of_deck(page), content=text))
    if slides:
        files.append(File.generated(config, SLIDES, content=index(slides)))
    for name in sorted(sources):
        text = _folder_page(name, sources) if (ROOT / name).is_dir() else _source_page(name)
        files.append(File.generated(config, _page_of(name), content=text))
    return files


def on_page_markdown(
    markdown: str, page: Any, config: MkDocsConfig, files: Files, **_: Any
) -> str:
    """Lead links to sources to their pages, formulas to MathML; offer slides, notebooks for
    Jupyter, and searches to try."""
    uri = page.file.src_uri
    if uri.startswith(("source/", README)):
        return markdown
    if uri == "lab_notebook.md":
        page.meta["search"] = {"boost": 0.001}  # comes last in a search, its headings too
    folder = posixpath.dirname(uri)
    offers = []
    if uri.startswith("notebooks/"):
        page.meta["search"] = {"boost": 4}  # chapters come first in a search
        offers.append(f"Run it in Jupyter: [save the notebook]({Path(uri).stem}.ipynb).")
    deck = SLIDES if uri == "teach.md" else path_of_deck(uri)
    if folder in ("", "notebooks") and files.get_file_from_path(deck):
        offers.append(f"[Slides]({posixpath.relpath(deck, folder or '.')}) to project and print.")
    if offers:
        title, body = markdown.lstrip().split("\n", 1)
        markdown = f"{title}\n\n*{' '.join(offers)}*\n{body}"
    # A file's name after the language of its code is the title of the block.
    markdown = re.sub(r"^```(\w+) (\S+)$", r'```\1 title="\2"', markdown, flags=re.M)
    # The links of slides start where those of their page do.
    markdown = _redirect(MARKER.sub("", markdown), uri, _folder_of(page.meta.get("of", uri)))
    parts = _FENCE.split(markdown)
    tab = posixpath.relpath("tab", folder or ".")
    parts[::2] = [insert_cells(_FORMULA.sub(_mathml, part), tab) for part in parts[::2]]
    return "".join(parts)


def on_page_content(html: str, page: Any, **_: Any) -> str:
    """Refuse commands and lists shown as text; make sections of slides."""
    uri = page.file.src_uri
    if not uri.startswith(("source/", README)):
        refuse_markup_as_text(html, uri)
    return as_sections(html, page.meta["of"]) if "of" in page.meta else html


def refuse_markup_as_text(html: str, page: str) -> None:
    """Raise DlgoError if a paragraph or an item of a list begins with a command that is not code,
    or holds an item of another list: Markdown takes too little indentation for text."""
    for tag in BeautifulSoup(html, "html.parser")(["p", "li"]):
        text, first = tag.get_text().strip(), tag.find(string=re.compile(r"\S"))
        if "\n* " in text:
            item = text.partition("\n* ")[2][:30]
            raise DlgoError(f"{page}: the list's item `{item}` is shown as text; put an empty line "
                            "before it")
        if _COMMAND.match(text) and first and not first.find_parent(["code", "pre"]):
            raise DlgoError(f"{page}: the command `{text[:50]}` is shown as text; indent it by "
                            "four columns more, by eight in a list, or put it in backquotes")


def with_formulas(markdown: str) -> str:
    """Markdown with its formulas as MathML; code stays as it is."""
    parts = _FENCE.split(markdown)
    parts[::2] = [_FORMULA.sub(_mathml, part) for part in parts[::2]]
    return "".join(parts)


def _mathml(match: re.Match[str]) -> str:
    """A formula as MathML, which browsers draw without a script; code stays as it is."""
    from latex2mathml.converter import convert

    if match["code"]:
        return match[0]
    display = "block" if match["block"] else "inline"
    formula = convert(match[display], display=display)
    # At the start of a line Markdown would take <math> for a block.
    return f'<span class="{display}-formula">{formula}</span>'


def _existing(docs: Path, names: str) -> list[str]:
    """The pages of docs/ among the names."""
    return [f"{name}.md" for name in names.split() if (docs / f"{name}.md").exists()]


def _listed(docs: Path, pattern: str) -> list[str]:
    return sorted(path.relative_to(docs).as_posix() for path in docs.glob(pattern))


def _notebook_folder(config: MkDocsConfig) -> Path:
    """The folder of the pages that notebooks become."""
    return Path(config.extra.get("notebooks") or Path(config.site_dir).parent / "notebooks")


def _folder_of(page: str) -> str:
    """The folder of the project from which a page's links start."""
    folder = posixpath.dirname(page)
    return folder if folder == "notebooks" else posixpath.join("docs", folder)


def _redirect(
    text: str, page: str, folder: str, want: Callable[[str], object] = str
) -> str:
    """The page with its links to sources pointed at their pages; `want` is called with each source.

    The links start from a folder of the project.
    """
    page_folder = posixpath.dirname(page)

    def place(path: str) -> str:
        target = _page_of(path)
        if target.startswith("source/"):
            want(path)
        return posixpath.relpath(target, page_folder or ".")

    def link(match: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(folder, match[1]))
        if not (ROOT / path).exists():  # MkDocs will complain
            return match[0]
        return f"]({place(path)}{match[2] or '' if path.endswith('.md') else ''})"

    def named(match: re.Match[str]) -> str:
        path = posixpath.normpath(match[1])
        return f"[{match[0]}]({place(path)})" if (ROOT / path).exists() else match[0]

    parts = _FENCE.split(text)
    parts[::2] = [_NAMED.sub(named, _LINK.sub(link, part)) for part in parts[::2]]
    return "".join(parts)


def _page_of(path: str) -> str:
    """The page of a file or folder of the project."""
    if path == "README.md":
        return README
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    if re.fullmatch(r"notebooks/\w+\.py", path):
        return f"notebooks/{Path(path).stem}.md"
    return f"source/{path}/index.md" if (ROOT / path).is_dir() else f"source/{path}.md"


def _source_page(path: str) -> str:
    language = {".py": "python", ".js": "javascript", ".toml": "toml"}.get(Path(path).suffix, "")
    text = (ROOT / path).read_text(encoding="utf-8").rstrip()
    fence = "`" * (max((len(ticks) for ticks in re.findall(r"`{3,}", text)), default=2) + 1)
    return f"---\nsearch: {{exclude: true}}\n---\n# {path}\n\n{fence}{language}\n{text}\n{fence}\n"


def _folder_page(path: str, sources: set[str]) -> str:
    """The modules of a folder with the first lines of their docstrings."""
    rows = []
    for file in sorted((ROOT / path).glob("*.py")):
        name = f"{path}/{file.name}"
        about = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
        link = f"[`{file.name}`]({file.name}.md)" if name in sources else f"`{file.name}`"
        rows.append(f"| {link} | {about.partition(chr(10))[0]} |")
    table = "\n".join(["| file | about |", "|---|---|", *rows]) if rows else ""
    return f"---\nsearch: {{exclude: true}}\n---\n# {path}\n\n{table}\n"
