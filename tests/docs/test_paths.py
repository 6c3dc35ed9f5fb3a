"""Every file that a page names or links to exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.command import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")),
         *sorted((ROOT / "notebooks").glob("*.py"))]
_LINK = re.compile(r"\]\((?!\w+:|#)([^)#\s]+)")
_PATH = re.compile(r"`((?:dlgo|docs|engines|experiments|notebooks|reports|tests)/[\w./-]+)`")


def missing(page: Path) -> list[str]:
    """Links and paths of the page that lead nowhere. The laboratory notebook may name old files."""
    text = page.read_text()
    links = [target for target in _LINK.findall(text) if not (page.parent / target).exists()]
    if page.name == "lab_notebook.md":
        return links
    return links + [path for path in _PATH.findall(text) if not (ROOT / path).exists()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_named_files_exist(page: Path) -> None:
    assert missing(page) == []


def test_pictures_are_shown() -> None:
    text = "".join(page.read_text() for page in PAGES)
    assert [picture.name for picture in sorted((ROOT / "docs/images").iterdir())
            if picture.name not in text] == []
