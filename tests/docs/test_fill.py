"""Code and tables in the docs are the source's."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlgo import DlgoError
from experiments.docs.fill import filled
from experiments.docs.tables import with_tables
from tests.command import ROOT

DOCS = sorted((ROOT / "docs").rglob("*.md"))
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


@pytest.mark.parametrize("page", DOCS, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_is_filled(page: Path) -> None:
    text = page.read_text()
    assert with_tables(filled(text)) == text, "run python -m experiments.docs.fill"


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
