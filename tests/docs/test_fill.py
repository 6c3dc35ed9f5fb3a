"""Code and tables in the docs are the source's."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments.docs.fill import filled
from experiments.docs.tables import with_tables
from tests.command import ROOT

DOCS = sorted((ROOT / "docs").rglob("*.md"))


@pytest.mark.parametrize("page", DOCS, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_is_filled(page: Path) -> None:
    text = page.read_text()
    assert with_tables(filled(text)) == text, "run python -m experiments.docs.fill"
