"""Values of single properties of an SGF file: the board, moves, setup stones, komi.

Functions raise ValueError with the property and its value; `sgf.py` adds the file's name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sgfmill import sgf, sgf_grammar, sgf_properties

from dlgo.api import Move, Player, Point
from dlgo.games.go.board import MAX_SIZE
from dlgo.text import excerpt

MIN_SIZE = 2
_COLORS = {"b": Player.black, "w": Player.white}
# Texts in place of an unknown number.
_NOTHING = {"", "none", "no", "null", "nil", "n/a", "na", "unknown", "-", "?"}


@dataclass(frozen=True)
class Setup:
    """Stones that are added or removed outside of play (AB, AW, AE), and the player to move
    (PL)."""

    black: frozenset[Point] = frozenset()
    white: frozenset[Point] = frozenset()
    empty: frozenset[Point] = frozenset()
    player: Player | None = None


def board_size(root: Mapping[str, list[bytes]]) -> tuple[int, str]:
    """The board's size, and a note if it is assumed; also checks that the game is Go."""
    kind = _shown(root.get("GM", [b"1"])[0].strip() or b"1")
    if kind != "1":
        raise ValueError(f"GM[{kind}] is another game (Go is 1)")
    text = joined("SZ", [*dict.fromkeys(map(_shown, root.get("SZ", [b"19"])))])
    if not text:
        return 19, "SZ[] is read as 19 lines"
    match = re.fullmatch(r"(\d{1,3})(?: ?[:x] ?(\d{1,3}))?", text, re.ASCII)
    if not match:
        raise ValueError(f"SZ[{text}] is not a board size")
    size, height = (int(lines or match[1]) for lines in match.groups())
    if size != height or not MIN_SIZE <= size <= MAX_SIZE:
        raise ValueError(f"SZ[{text}]: only square boards of {MIN_SIZE} to {MAX_SIZE} lines")
    return size, ""


def _shown(value: bytes | str) -> str:
    """A value for a message."""
    return excerpt(value if isinstance(value, str) else value.decode("utf-8", "replace"), 20)


def values_of(node: sgf.Node, key: str, interpret: Callable[[bytes], bytes]) -> list[str]:
    """The values of a property that should have one, without empty and repeated ones."""
    raw = node.get_raw_list(key) if node.has_property(key) else []
    texts = (interpret(value).decode("utf-8").strip() for value in raw)
    return list(dict.fromkeys(text for text in texts if text))


def joined(key: str, values: list[str]) -> str:
    """One text of all values; a game has one result, komi, handicap and size only."""
    if len(values) > 1 and key in ("RE", "KM", "HA", "SZ"):
        both = " and ".join(f"{key}[{_shown(value)}]" for value in values[:2])
        raise ValueError(f"{both} contradict each other")
    return ("\n\n" if key == "GC" else ", ").join(values)


def move_of(node: sgf.Node, size: int, number: int) -> tuple[Player, Move]:
    """The move of a node, the `number`th of the game, on a board of `size` lines."""
    values = [
        (key, raw) for key in "BW" if node.has_property(key) for raw in node.get_raw_list(key)
    ]
    if len(values) > 1:
        raise ValueError(f"move {number}: one node holds several moves")
    key, raw = values[0]
    try:
        # Reads both forms of a pass: an empty value, and `tt` if the board has no such point.
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
            # An empty list, AB[], violates the standard but is harmless.
            has_points = node.has_property(key) and node.get_raw_list(key) != [b""]
            points[key] = frozenset(map(_point, node.get(key) if has_points else ()))
        except ValueError:
            raise ValueError(f"setup before move {number}: {key} does not name points") from None
    turn = (values_of(node, "PL", sgf_grammar.simpletext_value) or [""])[-1]  # B, W, black, ...
    return Setup(points["AB"], points["AW"], points["AE"], _COLORS.get(turn[:1].lower()))


def _number(key: str, text: str, pattern: str, noun: str) -> tuple[str, str]:
    """The number that begins `6.5`, `6.5 points` or `none`, and a note if there is more text."""
    if text.lower() in _NOTHING:
        return "", f"{key}[{_shown(text)}] is read as not given" if text else ""
    match = re.fullmatch(rf"({pattern}) ?([^\W\d_]*)\.?", text)
    if not match:
        raise ValueError(f"{key}[{_shown(text)}] is not a {noun}")
    return match[1], f"{key}[{_shown(text)}] is read as {match[1]}" if match[2] else ""


def komi_of(text: str) -> tuple[float | None, str]:
    """The komi in points, None if there is none, and a note if it is written differently."""
    number, note = _number("KM", text, r"[+-]?[0-9]{1,9}(?:[.,][0-9]{0,9})?", "komi")
    if not number:
        return None, note
    komi = value = float(number.replace(",", "."))
    # A large server leaves the point out: 750 for 7.50, 375 for 3.75.
    if number.isdigit() and komi >= 200 and komi % 25 == 0:
        komi /= 100
    # Chinese files count stones, of which each is worth two points: 3.75 for 7.5.
    if komi % 0.5 == 0.25:
        komi *= 2
    return komi, note if komi == value else f"KM[{_shown(text)}] is read as {komi:g} points"


def handicap_of(text: str) -> tuple[int, str]:
    """The number of handicap stones, 0 if there is none, and a note if there are words."""
    number, note = _number("HA", text, r"[0-9]{1,3}", "number of stones")
    return int(number or 0), note
