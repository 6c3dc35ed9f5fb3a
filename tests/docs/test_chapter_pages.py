"""A page a chapter: its code is the source's, its links lead somewhere, its commands exist."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from dlgo import DlgoError
from experiments.docs.included_code import filled
from tests.command import ROOT

DOCS = sorted((ROOT / "docs").rglob("*.md"))
PAGES = sorted((ROOT / "docs/chapters").glob("ch*.md"))
SOURCE = '''
LIMIT: int = 3


class Tree:
    @property
    def size(self):
        return LIMIT
'''
DOCUMENT = """
<!-- code: tree.py {names} -->
```python
old
```
"""


def section(page: Path, title: str) -> str:
    """The text under a heading of the second level; empty without it."""
    found = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", page.read_text(), re.M | re.S)
    return found[1] if found else ""


def claims(page: Path) -> list[list[str]]:
    """The cells of the table of claims, row by row."""
    table = section(page, "What the book says, and what is measured here")
    rows = [line.strip("|").split(" | ") for line in table.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in row] for row in rows if row[0].strip() != "claim"]


WRITTEN = [page for page in PAGES if claims(page)]


@pytest.mark.parametrize("page", DOCS, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_included_code_is_as_in_the_source(page: Path) -> None:
    text = page.read_text()
    assert filled(text) == text, "run python -m experiments.docs.included_code"


def test_code_is_taken_from_the_source(tmp_path: Path) -> None:
    (tmp_path / "tree.py").write_text(SOURCE)
    text = filled(DOCUMENT.format(names="LIMIT Tree.size"), tmp_path)
    assert "old" not in text
    assert "LIMIT: int = 3\n\n# of class Tree\n@property\ndef size(self):\n" in text
    assert filled(text, tmp_path) == text
    (tmp_path / "tree.py").write_text(SOURCE.replace("3", "4"))
    assert filled(text, tmp_path) != text


@pytest.mark.parametrize(("document", "message"), [
    (DOCUMENT.format(names="Tree.depth"), "has no Tree.depth"),
    (DOCUMENT.format(names="").replace("tree", "other"), "cannot include code of other.py"),
    ("<!-- code: tree.py Tree -->\n", "has no ```python block"),
])
def test_what_cannot_be_included_is_said(tmp_path: Path, document: str, message: str) -> None:
    (tmp_path / "tree.py").write_text(SOURCE)
    with pytest.raises(DlgoError, match=message):
        filled(document, tmp_path)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_and_pictures_lead_to_files(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
        assert target.startswith("https://") or (page.parent / target).exists(), target


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: page.stem)
def test_every_claim_has_its_place_and_a_command(page: Path) -> None:
    for claim, where, measured, command in claims(page):
        assert claim and where and measured
        for module in re.findall(r"`python -m ([\w.]+)", command):
            assert find_spec(module), command
