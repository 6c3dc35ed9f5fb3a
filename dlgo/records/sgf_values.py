"""What single properties of an SGF file say: its encoding, the board, moves, setup stones, komi.

Functions raise ValueError with the property and its value; `sgf.py` adds the file's name.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sgfmill import sgf, sgf_grammar, sgf_properties

from dlgo.api import Move, Player, Point
from dlgo.games.go.board import MAX_SIZE
from dlgo.text import excerpt

MIN_SIZE = 2
_COLORS = {"b": Player.black, "w": Player.white}


@dataclass(frozen=True)
class Setup:
    """Stones put down or taken away outside of play (AB, AW, AE) and whose turn it is (PL)."""

    black: frozenset[Point] = frozenset()
    white: frozenset[Point] = frozenset()
    empty: frozenset[Point] = frozenset()
    player: Player | None = None


# What an encoding must leave alone for the brackets and backslashes to be found. Python also
# calls things like `punycode`, `utf-7` and `unicode_escape` encodings; they fail here.
_PROBE = r"(;C[\u0041 +AGE- AZaz09-])"
_CHARSET = re.compile(rb"(?<![A-Za-z])CA\s*\[\s*([\w.:+-]{1,40})\s*\]")


def decoded(data: bytes) -> str:
    """The whole file as text.

    The file is decoded before it is parsed: in Shift-JIS, GBK and Big5 the second byte of a
    character can look like a backslash or a bracket.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    data = data.removeprefix(codecs.BOM_UTF8)
    start = re.search(rb"\(\s*;", data)
    named = start and _CHARSET.search(data, start.start())
    if named:
        encoding = named[1].decode("ascii")
        try:
            if _PROBE.encode("ascii").decode(encoding) == _PROBE:
                return data.decode(encoding, _LATIN_1)
        except (LookupError, ValueError):
            pass  # unknown, or not an encoding of text
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _as_latin_1(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start:error.end].decode("latin-1"), error.end


_LATIN_1 = "dlgo-latin-1"
codecs.register_error(_LATIN_1, _as_latin_1)


def board_size(root: Mapping[str, list[bytes]]) -> int:
    """The board's size; also checks that the game is Go."""
    kind = _shown(root.get("GM", [b"1"])[0].strip() or b"1")
    if kind != "1":
        raise ValueError(f"GM[{kind}] is another game (Go is 1)")
    text = _shown(root.get("SZ", [b"19"])[0])
    match = re.fullmatch(r"(\d{1,3})(?: ?: ?(\d{1,3}))?", text, re.ASCII)
    if not match:
        raise ValueError(f"SZ[{text}] is not a board size")
    size, other = (int(lines or match[1]) for lines in match.groups())
    if size != other or not MIN_SIZE <= size <= MAX_SIZE:
        raise ValueError(f"SZ[{text}]: only square boards of {MIN_SIZE} to {MAX_SIZE} lines")
    return size


def _shown(value: bytes | str) -> str:
    """A value for a message."""
    return excerpt(value if isinstance(value, str) else value.decode("utf-8", "replace"), 20)


def values_of(node: sgf.Node, key: str, interpret: Callable[[bytes], bytes]) -> list[str]:
    """The values of a property that should have one, without empty and repeated ones."""
    raw = node.get_raw_list(key) if node.has_property(key) else []
    texts = (interpret(value).decode("utf-8").strip() for value in raw)
    return list(dict.fromkeys(text for text in texts if text))


def joined(key: str, values: list[str]) -> str:
    """One text of all values; a game has one result, one komi and one handicap only."""
    if len(values) > 1 and key in ("RE", "KM", "HA"):
        given = " and ".join(f"{key}[{_shown(value)}]" for value in values[:2])
        raise ValueError(f"{given} contradict each other")
    return ("\n\n" if key == "GC" else ", ").join(values)


def move_of(node: sgf.Node, size: int, number: int) -> tuple[Player, Move]:
    """The move of a node, the `number`th of the game, on a board of `size` lines."""
    given = [(key, raw) for key in "BW" if node.has_property(key) for raw in node.get_raw_list(key)]
    if len(given) > 1:
        raise ValueError(f"move {number}: one node holds several moves")
    key, raw = given[0]
    try:
        # Reads both ways to write a pass: nothing, and `tt` where the board has no such point.
        place = sgf_properties.interpret_go_point(raw.strip(), size)
    except ValueError:
        where = f"a {size}x{size} board"
        raise ValueError(f"move {number}: {key}[{_shown(raw)}] is not a point of {where}") from None
    move = Move.pass_turn() if place is None else Move.play(_point(place))
    return _COLORS[key.lower()], move


def _point(place: tuple[int, int]) -> Point:
    return Point(place[0] + 1, place[1] + 1)  # sgfmill counts from 0, also from the bottom


def setup_of(node: sgf.Node, number: int) -> Setup:
    """The stones that a node edits before move `number`; empty if none."""
    points = {}
    for key in ("AB", "AW", "AE"):
        try:
            # An empty list, AB[], is against the standard but harmless.
            given = node.has_property(key) and node.get_raw_list(key) != [b""]
            points[key] = frozenset(map(_point, node.get(key) if given else ()))
        except ValueError:
            raise ValueError(f"setup before move {number}: {key} does not name points") from None
    turn = (values_of(node, "PL", sgf_grammar.simpletext_value) or [""])[-1]  # B, W, black, ...
    return Setup(points["AB"], points["AW"], points["AE"], _COLORS.get(turn[:1].lower()))


def komi_of(text: str) -> tuple[float | None, str]:
    """The komi in points, and a note if it is not written in points."""
    if not text:
        return None, ""
    if not re.fullmatch(r"[+-]?\d{1,9}([.,]\d{0,9})?", text, re.ASCII):
        raise ValueError(f"KM[{_shown(text)}] is not a komi")
    komi = float(text.replace(",", "."))
    # A large server leaves the point out: 750 for 7.50, 375 for 3.75.
    if text.isdigit() and komi >= 200 and komi % 25 == 0:
        komi /= 100
    # Chinese files count stones, of which each is worth two points: 3.75 for 7.5.
    if komi % 0.5 == 0.25:
        komi *= 2
    written = float(text.replace(",", "."))
    return komi, "" if komi == written else f"KM[{text}] is read as {komi:g} points"


def handicap_of(text: str) -> int:
    """The number of handicap stones; 0 if the file does not say."""
    if text and not re.fullmatch(r"\d{1,3}", text, re.ASCII):
        raise ValueError(f"HA[{_shown(text)}] is not a number of stones")
    return int(text or 0)
