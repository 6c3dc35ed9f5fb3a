"""Drawing for lecture diagrams: boxes, arrows, boards, grids of numbers and curves, as SVG.

A picture is 1600 units wide. Text has 28 units or more, so it can be read from the back row of a
lecture hall. The colours are CSS variables: those of the page's scheme, light or dark. Text may
stand on the paper and on every fill, because the colours of text are computed for this contrast.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Any, NamedTuple

from dlgo import GameState
from dlgo.display import board_inside
from experiments.figures import BLUE, GREEN, INK, ORANGE, PAPER, PURPLE, RED

Point = tuple[float, float]

WIDTH, SMALL, NORMAL, LARGE = 1600, 28, 34, 44  # units: a picture, sizes of text
CONTRAST = 4.5  # least contrast of text (WCAG 2.1, level AA)
_COLOURS = {"blue": BLUE, "orange": ORANGE, "green": GREEN, "red": RED, "purple": PURPLE}
_DARK_PAPER, _DARK_INK = "#1e2129", "#e8eaee"  # the paper of the site's dark scheme
# Pages say which scheme they have: MkDocs Material, JupyterLab. Elsewhere the system does.
_DARK_PAGE = "[data-md-color-scheme=slate] .diagram,[data-jp-theme-light=false] .diagram"
_ANY_PAGE = "[data-md-color-scheme] *,[data-jp-theme-light] *"
_HEAD = 22  # length of an arrow's head


def mix(colour: str, other: str, share: float) -> str:
    """A colour with a share of another one, 0 to 1; both as #rrggbb."""
    pairs = zip(_rgb(colour), _rgb(other), strict=True)
    return "#" + "".join(f"{round(a + share * (b - a)):02x}" for a, b in pairs)


def contrast(colour: str, other: str) -> float:
    """The contrast ratio of two colours, 1 to 21 (WCAG 2.1)."""
    low, high = sorted(map(_luminance, (colour, other)))
    return (high + 0.05) / (low + 0.05)


def palette(dark: bool) -> dict[str, str]:
    """The colours of a scheme: paper, ink, and `NAME`, `NAME-fill`, `NAME-text` of each name."""
    paper, ink = (_DARK_PAPER, _DARK_INK) if dark else (PAPER, INK)
    lines = {name: mix(colour, "#ffffff", 0.3 * dark) for name, colour in _COLOURS.items()}
    lines["grey"] = mix(paper, ink, 0.45)
    fills = {f"{name}-fill": mix(paper, colour, 0.2) for name, colour in lines.items()}
    surfaces = [paper, *fills.values()]
    return {"paper": paper, "ink": ink, **lines, **fills, **{
        f"{name}-text": next(
            text for text in (mix(colour, ink, share / 50) for share in range(51))
            if all(contrast(text, surface) >= CONTRAST for surface in surfaces)
        ) for name, colour in lines.items()
    }}


def _rgb(colour: str) -> tuple[int, ...]:
    return tuple(bytes.fromhex(colour.removeprefix("#")))


def _luminance(colour: str) -> float:
    parts = (value / 255 for value in _rgb(colour))
    linear = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
              for part in parts)
    return sum(w * part for w, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _style() -> str:
    light, dark = ("".join(f"--{name}:{colour};" for name, colour in palette(scheme).items())
                   for scheme in (False, True))
    return (f"<style>.diagram{{{light}}}{_DARK_PAGE}{{{dark}}}@media (prefers-color-scheme:dark)"
            f"{{.diagram:not({_ANY_PAGE}){{{dark}}}}}</style>")


def number(value: float, digits: int = 2, sign: bool = False) -> str:
    """A number as text: at most `digits` decimals, a true minus sign."""
    text = f"{value + 0.0:{'+' if sign else ''}.{digits}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return ("0" if float(text) == 0 else text).replace("-", "\N{MINUS SIGN}")


class Box(NamedTuple):
    """A rectangle, by its left upper corner; its sides have points for arrows."""

    x: float
    y: float
    width: float
    height: float

    def at(self, across: float, down: float) -> Point:
        """A point by its shares of width and height, 0 to 1."""
        return self.x + across * self.width, self.y + down * self.height

    @property
    def left(self) -> Point:
        return self.at(0, 0.5)

    @property
    def right(self) -> Point:
        return self.at(1, 0.5)

    @property
    def top(self) -> Point:
        return self.at(0.5, 0)

    @property
    def bottom(self) -> Point:
        return self.at(0.5, 1)


class Diagram:
    """A picture that is drawn from back to front, and shown in notebooks.

    Args:
        title: one sentence that says what the picture shows, for readers who cannot see it.
        height, width: in units.
    """

    def __init__(self, title: str, height: int = 900, width: int = WIDTH) -> None:
        self.title, self.width, self.height = title, width, height
        self._parts: list[str] = []

    def svg(self, style: str = "max-width:100%") -> str:
        """The picture as an SVG document or a part of a page; `style`: its size there, as CSS."""
        title = escape(self.title)
        return "".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" class="diagram" role="img" width="'
            f'{self.width}" height="{self.height}" viewBox="0 0 {self.width} {self.height}" '
            f'style="height:auto;{style}" font-family="sans-serif">'
            f"<title>{title}</title>{_style()}"
            '<rect width="100%" height="100%" style="fill:var(--paper)"/>', *self._parts, "</svg>",
        ])

    def _repr_html_(self) -> str:
        # On a phone the picture scrolls, so that its text stays legible.
        picture = self.svg("width:100%;min-width:640px")
        return f'<div style="overflow-x:auto;margin:1em 0">{picture}</div>'

    def text(self, place: Point, text: str, size: float = NORMAL, colour: str = "ink",
             anchor: str = "middle", bold: bool = False, mono: bool = False) -> None:
        """Lines of text around a point. `_` and `^` lower and raise the next letter or {group}, but
        not in code (`mono`)."""
        lines = text.split("\n")
        name = colour if colour == "ink" else f"{colour}-text"
        look = f'font-size="{size:g}" text-anchor="{anchor}" style="fill:var(--{name})"'
        look += ' font-weight="bold"' * bold + ' font-family="monospace"' * mono
        for i, line in enumerate(lines):
            y = place[1] + 1.3 * size * (i - (len(lines) - 1) / 2) + 0.35 * size
            spans = escape(line) if mono else "".join(_spans(line, size))
            self._parts.append(f'<text x="{place[0]:g}" y="{y:g}" {look}>{spans}</text>')

    def label(self, place: Point, text: str, size: float = SMALL, colour: str = "ink") -> None:
        """A word on a line: the paper covers the line behind it."""
        width = 0.66 * size * len(text) + 16
        self._parts.append(
            f'<rect x="{place[0] - width / 2:g}" y="{place[1] - 0.7 * size:g}" width="{width:g}" '
            f'height="{1.4 * size:g}" style="fill:var(--paper)"/>')
        self.text(place, text, size, colour)

    def box(self, x: float, y: float, width: float, height: float, text: str = "",
            colour: str = "grey", **look: Any) -> Box:
        """A rounded box with text in its middle; more options are those of `text`."""
        self.rect(Box(x, y, width, height), colour, radius=14)
        if text:
            self.text((x + width / 2, y + height / 2), text, **look)
        return Box(x, y, width, height)

    def rect(self, box: Box, colour: str = "grey", fill: bool = True, thick: float = 4,
             radius: float = 0, dashed: bool = False) -> None:
        """A rectangle."""
        self._parts.append(
            f'<rect x="{box.x:g}" y="{box.y:g}" width="{box.width:g}" height="{box.height:g}" '
            f'rx="{radius:g}"{_dashes(dashed)} style="fill:'
            f'{f"var(--{colour}-fill)" if fill else "none"};stroke:var(--{colour});'
            f'stroke-width:{thick:g}"/>')

    def circle(self, middle: Point, radius: float, colour: str, text: str = "", **look: Any) -> Box:
        """A circle with text."""
        x, y = middle
        self._parts.append(
            f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" '
            f'style="fill:var(--{colour}-fill);stroke:var(--{colour});stroke-width:4"/>')
        if text:
            self.text(middle, text, **look)
        return Box(x - radius, y - radius, 2 * radius, 2 * radius)

    def line(self, points: Iterable[Point], colour: str = "ink", thick: float = 4,
             dashed: bool = False) -> None:
        """A line through points."""
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        self._parts.append(
            f'<path d="M{path}"{_dashes(dashed)} stroke-linejoin="round" '
            f'style="fill:none;stroke:var(--{colour});stroke-width:{thick:g}"/>')

    def arrow(self, *points: Point, colour: str = "ink", thick: float = 4,
              dashed: bool = False) -> None:
        """A line through points with a head at the last one."""
        (x, y), (to_x, to_y) = points[-2:]
        length = math.hypot(to_x - x, to_y - y)
        along = (to_x - x) / length, (to_y - y) / length
        base = to_x - _HEAD * along[0], to_y - _HEAD * along[1]
        self.line([*points[:-1], base], colour, thick, dashed)
        half = 0.5 * _HEAD
        self._parts.append(
            f'<path d="M{to_x:.1f} {to_y:.1f}'
            f"L{base[0] - half * along[1]:.1f} {base[1] + half * along[0]:.1f}"
            f'L{base[0] + half * along[1]:.1f} {base[1] - half * along[0]:.1f}Z" '
            f'style="fill:var(--{colour})"/>')

    def grid(self, x: float, y: float, rows: Sequence[Sequence[float]], cell: float = 56,
             size: float = SMALL) -> Box:
        """A grid of numbers, the first row on top: positive ones blue, negative ones orange."""
        for i, row in enumerate(rows):
            for j, value in enumerate(row):
                place = Box(x + j * cell, y + i * cell, cell, cell)
                colour = "blue" if value > 0 else "orange" if value < 0 else "grey"
                self.rect(place, colour, fill=value != 0, thick=2)
                self.text(place.at(0.5, 0.5), number(value), size)
        return Box(x, y, cell * len(rows[0]), cell * len(rows))

    def board(self, state: GameState, x: float, y: float, width: float,
              labels: bool = False) -> Box:
        """A position; with `labels`, columns below and rows on the left, outside of the box."""
        game = state.game
        cell = width / game.board_cols
        box = Box(x, y, width, cell * game.board_rows)
        self._parts.append(board_inside(state, *box))
        if labels:
            for col in range(1, game.board_cols + 1):
                self.text((x + (col - 0.5) * cell, y + box.height + 26), game.col_label(col), SMALL)
            for row in range(1, game.board_rows + 1):
                self.text((x - 24, y + box.height - (row - 0.5) * cell), game.row_label(row), SMALL)
        return box


class Plot:
    """Axes of a diagram: `low` and `high` are the coordinates at two opposite corners of a box."""

    def __init__(self, diagram: Diagram, box: Box, low: Point, high: Point) -> None:
        self.diagram, self.box, self.low, self.high = diagram, box, low, high

    def place(self, x: float, y: float) -> Point:
        """Where a point of the plot is in the diagram."""
        return self.box.at((x - self.low[0]) / (self.high[0] - self.low[0]),
                           (self.high[1] - y) / (self.high[1] - self.low[1]))

    def curve(self, points: Iterable[Point], colour: str, thick: float = 8,
              dashed: bool = False) -> None:
        """A line through points of the plot."""
        self.diagram.line([self.place(*point) for point in points], colour, thick, dashed)

    def axes(self, x_label: str, ticks: Iterable[float] = ()) -> None:
        """The horizontal axis at 0 or nearest to it; label and ticks are on the outside."""
        zero = min(max(0.0, self.low[1]), self.high[1])
        self.diagram.arrow(self.place(self.low[0], zero), self.place(self.high[0], zero))
        x, y = self.place(self.high[0], zero)
        aside = 36 if zero == self.low[1] or self.low[1] + self.high[1] > 0 else -36
        self.diagram.text((x, y + aside), x_label, anchor="end")
        for tick in ticks:
            x, y = self.place(tick, zero)
            self.diagram.line([(x, y - 10), (x, y + 10)])
            self.diagram.text((x, y + aside), number(tick), SMALL)


def _dashes(dashed: bool) -> str:
    return ' stroke-dasharray="14 10"' if dashed else ""


def _spans(line: str, size: float) -> Iterator[str]:
    """The parts of a line, with lowered and raised ones."""
    shift = 0.0
    for mark, group, letter, plain in re.findall(r"([_^])(?:{([^}]*)}|(.))|([^_^]+)", line):
        move = {"_": 0.22, "^": -0.36}.get(mark, 0.0) * size
        dy = f' dy="{move - shift:g}"' if move != shift else ""
        shift = move
        small = f' font-size="{0.8 * size:g}"' if mark else ""
        text = escape(plain or group or letter)
        yield f"<tspan{dy}{small}>{text}</tspan>" if dy or small else text
