"""Moves with variations and comments as words: PDN has them, and the text of moves of any game.

    11-15 {a comment} (12-16 24-20) 23-19

A variation stands in parentheses after the move that it replaces. Marks come first in a comment,
under their names in SGF: `{[%LB cc:A ee:B] [%AR cc:ee] a comment}`. Characters that cannot stand in
braces, and line breaks, are written as numbers: `&#125;` is `}`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from dlgo.game_tree import Node

GLYPHS = "NAG"  # the mark of a node under which `!`, `?!` and `$3` after its move are kept
_LINE_LENGTH = 80
_UNSAFE = re.compile(r"[{}\n\t\r\v\f]|(?<=[ \n]) |&(?=#\d)|^\[(?=%)")
_MARK = re.compile(r"\[%(\w+) ([^\]]*)\]\s*")


def words_of(root: Node, turn_words: Callable[[Node, int, bool], list[str]]) -> Iterator[str]:
    """The words of all lines of a tree.

    Args:
        turn_words: words of a node's turn, by the node, the number of turns before it, and whether
            it begins a line or follows a variation.
    """
    yield from _comment_words(root)
    waiting: list[str | tuple[Node, int, bool]] = [(root, 0, True)]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
            continue
        node, turns, begins = item
        if not node.children:
            continue
        main, *variations = node.children

        def words(child: Node, fresh: bool, turns: int = turns) -> list[str]:
            glyphs = [value.decode("utf-8", "replace") for value in child.markup.get(GLYPHS, ())]
            return [*turn_words(child, turns, fresh), *glyphs, *_comment_words(child)]

        yield from words(main, begins)
        waiting.append((main, turns + 1, bool(variations)))
        for variation in reversed(variations):
            waiting += [")", (variation, turns + 1, False), *reversed(words(variation, True)), "("]


def wrapped(words: Iterable[str]) -> str:
    """Words in lines of at most 80 letters."""
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + 1 + len(word) > _LINE_LENGTH:
            lines.append(word)
        else:
            lines[-1] += f" {word}" if lines[-1] else word
    return "\n".join(lines) + "\n"


def _comment_words(node: Node) -> list[str]:
    marks = [
        f"[%{key} {' '.join(_safe(value.decode('utf-8', 'replace'), True) for value in values)}]"
        for key, values in node.markup.items() if key != GLYPHS
    ]
    text = " ".join([*marks, *filter(None, [_safe(node.comment)])])
    return f"{{{text}}}".split(" ") if text else []


def _safe(text: str, as_value: bool = False) -> str:
    pattern = re.compile(_UNSAFE.pattern + r"|[\] ]") if as_value else _UNSAFE
    return pattern.sub(lambda match: f"&#{ord(match[0])};", text)


def _plain(text: str) -> str:
    return re.sub(r"&#(\d{1,6});", lambda match: chr(int(match[1])), text)


def add_comment(node: Node, text: str) -> None:
    """Give a node the comment and the marks of a text that stood in braces."""
    text = re.sub(r"[ \t\r\n]+", " ", text).strip()
    while mark := _MARK.match(text):
        node.markup.setdefault(mark[1], []).extend(
            _plain(value).encode() for value in mark[2].split(" "))
        text = text[mark.end():]
    if text:
        node.comment = " ".join(filter(None, (node.comment, _plain(text))))
