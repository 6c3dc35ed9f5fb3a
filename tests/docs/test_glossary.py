"""docs/glossary.md: each word once, in order, in at most two sentences and with a page to read."""

from __future__ import annotations

import re

from tests.command import ROOT

WORDS = re.findall(r"^## (.+)\n\n((?:.+\n)+)",
                   (ROOT / "docs/glossary.md").read_text(encoding="utf-8"), re.M)


def test_words_are_sorted_and_stand_once() -> None:
    words = [word.casefold() for word, _ in WORDS]
    assert words == sorted(set(words)) and 60 <= len(words) <= 80


def test_a_word_has_at_most_two_sentences_and_a_page() -> None:
    for word, text in WORDS:
        meaning, _, page = text.strip().rpartition(" [")
        assert len(re.findall(r"[.!?](?=\s|$)", meaning)) in (1, 2), word
        assert re.fullmatch(r"[^\]]+\]\([^)]+\)", page), word  # that it exists: test_paths.py
