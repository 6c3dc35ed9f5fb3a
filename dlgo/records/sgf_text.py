"""From the bytes of an SGF file to the trees of its games, by `sgfmill`.

Brackets that are not escaped, which sgfmill rejects, are repaired.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sgfmill import sgf_grammar
from sgfmill.sgf_grammar import Coarse_game_tree

from dlgo.records.charsets import decoded

_START = re.compile(rb"\(\s*;")
# The start of the next game after a broken one, whose variations look alike.
_ROOT = re.compile(rb"\(\s*;\s*(?=(FF|GM|CA|SZ|AP)\s*\[)")
_CHARSET = re.compile(rb"(?<![A-Za-z])CA\s*\[\s*([\w.:+-]{1,40})\s*\]")
# Properties of free text, in which brackets are often not escaped.
_TEXTS = {
    "AN", "BR", "BT", "C", "CP", "DT", "EV", "GC", "GN", "N", "ON", "OT", "PB", "PC", "PW", "RE",
    "RO", "RU", "SO", "US", "WR", "WT",
}
# The bracket that ends a property is followed by the next property, node or variation.
_BRACKETS = re.compile(
    r"""\\. | (?P<name>[A-Za-z]{1,64})\s*\[
      | (?P<end>\](?=\s*(?:[;()]|[A-Z][A-Za-z]{0,63}\s*\[|\Z))) | \]""",
    re.DOTALL | re.VERBOSE,
)
_REPAIRED = "brackets within a text are read as a part of it"


def game_trees(data: bytes) -> tuple[list[Coarse_game_tree | ValueError], tuple[str, ...]]:
    """The games of a file, converted to UTF-8. Raises ValueError if it has none.

    Returns for each game its tree, or the error; and the assumptions, a phrase each.
    """
    start = _START.search(data)
    named = start and _CHARSET.search(data, start.start())
    text, note = decoded(data, named[1].decode("ascii") if named else "", _is_sound)
    notes = [note] if note else []
    trees = _trees(text)
    if any(isinstance(tree, ValueError) for tree in trees):
        repaired = _trees(_brackets_as_text(text))
        if not any(isinstance(tree, ValueError) for tree in repaired):
            trees = repaired
            notes.append(_REPAIRED)
    if not trees:
        raise ValueError("no SGF data found")
    return trees, tuple(notes)


def _is_sound(text: str) -> bool:
    return not any(isinstance(tree, ValueError) for tree in _trees(text))


def _trees(text: str) -> list[Coarse_game_tree | ValueError]:
    data = text.encode("utf-8", "replace")
    try:
        return list(sgf_grammar.parse_sgf_collection(data))
    except ValueError:
        return list(_one_by_one(data))


def _one_by_one(data: bytes) -> Iterator[Coarse_game_tree | ValueError]:
    """The games of a file that has at least one broken game."""
    start = _START.search(data)
    while start is not None:
        first, root_end = start.span()
        _, end = sgf_grammar.tokenise(data, first)
        try:
            yield sgf_grammar.parse_sgf_game(data[first:end])
            start = _START.search(data, end)
        except ValueError as error:
            yield error
            start = _ROOT.search(data, max(end, root_end))


def _brackets_as_text(text: str) -> str:
    """The file with a backslash before brackets that do not end their text, as in `C[a [b] c]`."""
    inside = ""

    def escaped(match: re.Match[str]) -> str:
        nonlocal inside
        if match["name"] and not inside:
            inside = "".join(letter for letter in match["name"] if letter.isupper())
        elif match["end"]:
            inside = ""
        elif match[0] == "]" and inside in _TEXTS:
            return "\\]"
        return match[0]

    return _BRACKETS.sub(escaped, text)
