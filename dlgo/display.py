"""Pictures of a position: as plain values, as text, as shapes and as SVG.

`board_info` and `position_info` describe a board and a position for every program that draws them:
this module, matplotlib (`experiments/play/board_drawing.py`) and the browser (`dlgo/browser`). They
read `kernels.piece` and the labels of the game, so every game has a picture.

A cell is a number, row by row from the bottom left: `(row - 1) * cols + col - 1`. A piece is a
value of `kernels.piece`: even numbers are black's, odd ones white's, -1 is none.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterator
from html import escape
from typing import Any, ClassVar, NamedTuple, Protocol

from dlgo import kernels
from dlgo.browser import source
from dlgo.moves import Player, Point

Info = dict[str, Any]


class Game(Protocol):
    """The attributes of a `GameSpec` that pictures use."""

    name: ClassVar[str]
    title: ClassVar[str]
    symbols: ClassVar[tuple[str, str]]
    piece_kinds: ClassVar[tuple[str, ...]]
    pieces_on_points: ClassVar[bool]
    settings: dict[str, Any]
    board_rows: int
    board_cols: int

    def row_label(self, row: int) -> str: ...
    def col_label(self, col: int) -> str: ...
    def cell_label(self, row: int, col: int) -> str: ...
    def piece_symbol(self, piece: int) -> str: ...
    def piece_mark(self, piece: int) -> str: ...
    def last_cell(self, state: Any) -> Point | None: ...
    def winning_cells(self, state: Any) -> list[Point]: ...
    def result_text(self, state: Any) -> str: ...


class Position(Protocol):
    """The attributes of a `GameState` that pictures use."""

    kernel_state: Any

    @property
    def game(self) -> Game: ...
    @property
    def next_player(self) -> Player: ...
    def is_over(self) -> bool: ...
    def winner(self) -> Player | None: ...


_INK, _PAPER = "#222222", "#faf6ec"
# Names of the players of games without black and white.
_NAMES = {"drop": ("red", "yellow"), "noughts": ("X", "O"), "hex": ("red", "blue")}
_CORNER = math.sqrt(3) / 3  # from the middle of a hexagon to its corners, if it is one cell wide

_CELL = 32  # pixels of a cell in SVG
_MARGIN = 24
_LETTER = 6.5  # the mean width of a letter of 12 pixels


@functools.cache
def colors(look: str) -> dict[str, str]:
    """The named colours of a kind of board, by day: `side0` and `edge0` of the first player's
    pieces, `wood` and so on. The browser's style sheet declares them."""
    found: dict[str, str] = {}
    for selectors, block in re.findall(r"([^{}]+){([^{}]*)}", source("boards.css")):
        if {":root", f".{look}"} & {name.split()[-1] for name in selectors.split(",")}:
            found.update(re.findall(r"--([\w-]+): (?:light-dark\()?(#\w+)", block))
    return found


def look_of(game: Game) -> str:
    """How the board is drawn: `lines`, `drop`, `checkers`, `noughts`, `hex`, `felt`, else
    `cells`."""
    if game.name == "connectn":
        return "drop" if game.settings["gravity"] else "cells"
    looks = {"connect4": "drop", "draughts": "checkers", "tictactoe": "noughts", "hex": "hex",
             "othello": "felt"}
    return looks.get(game.name, "lines" if game.pieces_on_points else "cells")


def player_text(game: Game, player: Player) -> str:
    """The name of a player, by the pieces: red and yellow in Connect Four."""
    names = _NAMES.get(look_of(game))
    return names[player.index] if names else player.name


def side_text(game: Game, player: Player) -> str:
    """The name of a player and the piece on boards of text: `red (x)`, but only `X`."""
    name, symbol = player_text(game, player), game.piece_symbol(player.index)
    return name if name.lower() == symbol else f"{name} ({symbol})"


def people_text(game: Game, text: str) -> str:
    """A result in the game's own words, `black (x) wins`, with the players named as in
    `player_text`."""
    for player in Player:
        text = text.replace(
            f"{player.name} ({game.piece_symbol(player.index)})", player_text(game, player)
        )
    return text


def result_text(state: Position) -> str:
    """The result of a finished game and its reason, with the players named as in `player_text`."""
    game, text = state.game, people_text(state.game, state.game.result_text(state))
    row = {"tictactoe": 3, "connect4": 4}.get(game.name) or game.settings.get("n")
    if row and state.winner() is None:
        text += ": the board is full"
    elif row and game.winning_cells(state):
        text += f" with {row} in a row"
    return text + " points" if re.search(r"wins by [\d.]+$", text) else text


def extra_lines(state: Position) -> str:
    """The lines that the game prints below its board: a lead, a capture that must continue."""
    game = state.game
    lines, board = str(state).split("\n")[game.board_rows :], board_text(state).split("\n")
    return "  ".join(line for line in lines if line not in board).strip()


def cell_number(game: Game, point: Point) -> int:
    """The number of a cell."""
    return (point.row - 1) * game.board_cols + point.col - 1


def board_info(game: Game) -> Info:
    """The properties of a board that do not change during a game, as plain values."""
    rows, cols, look = game.board_rows, game.board_cols, look_of(game)
    cells = [(row, col) for row in range(1, rows + 1) for col in range(1, cols + 1)]
    kinds = range(len(game.piece_kinds))
    return {
        "game": str(game), "name": game.name, "title": game.title, "look": look,
        "rows": rows, "cols": cols, **_layout(rows, cols, look == "hex"),
        "rowLabels": [game.row_label(row) for row in range(1, rows + 1)],
        "colLabels": [game.col_label(col) for col in range(1, cols + 1)],
        "cellNames": [_cell_name(game, look, row, col) for row, col in cells],
        "stars": _star_cells(rows) if look == "lines" and rows == cols else [],
        "kinds": list(game.piece_kinds), "marks": [game.piece_mark(2 * kind) for kind in kinds],
        "players": [player_text(game, player) for player in Player],
    }


def _layout(rows: int, cols: int, hexagons: bool) -> Info:
    """The middle of each cell, in cells, where the first of a square grid is at (1, 1); and the
    size of the board. A row of hexagons is half a cell left of the row below.
    """
    lean, pitch, half = (0.5, 1.5 * _CORNER, _CORNER) if hexagons else (0, 1, 0.5)
    places = [
        (col + lean * (rows - row), round(0.5 + half + (row - 1) * pitch, 3))
        for row in range(1, rows + 1) for col in range(1, cols + 1)
    ]
    height = round(2 * half + (rows - 1) * pitch, 3)
    return {"places": places, "width": cols + lean * (rows - 1), "height": height}


def _star_cells(size: int) -> list[int]:
    """The dots of a real board: on the third or fourth lines, and in the middles."""
    if size < 7:
        return []
    low, middle = 3 if size > 11 else 2, (size - 1) // 2
    lines = [low, middle, size - 1 - low] if size % 2 and size > 7 else [low, size - 1 - low]
    places = [(row, col) for row in lines for col in lines]
    if size <= 13:  # only the corners and the middle
        places = [(row, col) for row, col in places if (row == middle) == (col == middle)]
    return [row * size + col for row, col in places]


def _cell_name(game: Game, look: str, row: int, col: int) -> str:
    if look == "checkers":  # half the squares have a name, the others are not used
        return game.cell_label(row, col)
    if look == "drop":
        return f"column {game.col_label(col)}, row {row}"
    return game.cell_label(row, col) or f"{game.col_label(col)}{game.row_label(row)}"


def position_info(state: Position) -> Info:
    """The properties of a position that a board shows, as plain values."""
    game = state.game
    last = game.last_cell(state)
    return {
        "cells": [
            int(kernels.piece(state.kernel_state, cell))
            for cell in range(game.board_rows * game.board_cols)
        ],
        "turn": state.next_player.index, "over": state.is_over(),
        "last": None if last is None else cell_number(game, last),
        "won": [cell_number(game, point) for point in game.winning_cells(state)],
    }


def board_text(state: Position) -> str:
    """The board as text; the last play, or the stones that won, in brackets."""
    game, position, look = state.game, position_info(state), look_of(state.game)
    numbered = look == "checkers"  # then squares without a number are not used
    marked = position["won"] or [position["last"]]
    lines = []
    for row in range(game.board_rows, 0, -1):
        shift = 3 * (game.board_rows - row) // 2 if look == "hex" else 0  # cells are 3 wide
        line = f"{' ' * shift}{game.row_label(row):>2} "
        for col in range(1, game.board_cols + 1):
            cell = (row - 1) * game.board_cols + col - 1
            piece = position["cells"][cell]
            symbol = " " if numbered and not game.cell_label(row, col) else "."
            if piece != kernels.NOBODY:
                symbol = game.piece_symbol(piece)
            line += f"[{symbol}]" if cell in marked else f" {symbol} "
        lines.append(line)
    labels = (game.col_label(col) for col in range(1, game.board_cols + 1))
    if not numbered:
        shift = 3 * game.board_rows // 2 if look == "hex" else 0
        lines.append(" " * (3 + shift) + "".join(f"{label:^3}" for label in labels))
    if look == "hex":  # pictures show it by colours
        lines.append("   {} joins top and bottom, {} left and right".format(*game.symbols))
    return "\n".join(line.rstrip() for line in lines)


class Shape(NamedTuple):
    """A part of a picture. The unit is a cell; column and row numbers are its x and y."""

    kind: str  # `rect`, `circle`, `line` or `text`
    x: float  # the middle; of a line, where it begins
    y: float
    width: float = 0.0  # of a line, how far away it ends
    height: float = 0.0  # likewise; the only size of a text
    fill: str = "none"
    stroke: str = "none"
    thick: float = 0.0  # of the stroke
    text: str = ""


def board_shapes(info: Info, position: Info) -> Iterator[Shape]:
    """The board and its pieces, from bottom to top."""
    yield from _ground(info)
    for cell, piece in enumerate(position["cells"]):
        if piece != kernels.NOBODY:
            yield from _piece(info, piece, *_place(info, cell))


def mark_shapes(info: Info, position: Info) -> Iterator[Shape]:
    """The cells that won, else the last play."""
    color = colors(info["look"])
    for cell in position["won"]:
        yield Shape("circle", *_place(info, cell), 0.84, 0.84, stroke=color["won"], thick=0.09)
    last = position["last"]
    if not position["won"] and last is not None:
        piece = position["cells"][last]
        # Around a letter, a cross or a nought, which stay legible.
        around = info["look"] == "noughts" or piece >= 0 and info["marks"][piece // 2]
        size = 0.8 if around else 0.3
        stroke = color[f"last{piece % 2}" if piece >= 0 else "mark"]
        yield Shape("circle", *_place(info, last), size, size, stroke=stroke, thick=0.07)


def label_shapes(info: Info) -> Iterator[Shape]:
    """The labels left of the rows and below the columns; none if squares have numbers."""
    if info["look"] != "checkers":
        for col, label in enumerate(info["colLabels"]):
            x, _ = _place(info, col)
            yield Shape("text", x, 0.12, height=0.38, fill=_INK, text=label)
        for row, label in enumerate(info["rowLabels"] if info["look"] != "drop" else ()):
            x, y = _place(info, row * info["cols"])
            yield Shape("text", x - 0.88, y, height=0.38, fill=_INK, text=label)


def _place(info: Info, cell: int) -> tuple[float, float]:
    """The middle of a cell: its column and row on a square grid."""
    col, row = info["places"][cell]
    return col, row


def _ground(info: Info) -> Iterator[Shape]:
    rows, cols, look = info["rows"], info["cols"], info["look"]
    if look == "hex":
        yield from _hexagons(info)
        return
    color = colors(look)
    ground, line = {
        "drop": ("face", "face-2"), "noughts": ("sheet", "sheet-line"),
        "checkers": ("square-light", "square-edge"),
    }.get(look, ("wood", "wood-line"))
    face, edge = color[ground], color[line]
    yield Shape("rect", (cols + 1) / 2, (rows + 1) / 2, cols, rows, face, edge, 0.03)
    if look == "lines":
        for y in range(1, rows + 1):
            yield Shape("line", 1, y, cols - 1, 0, stroke=edge, thick=0.03)
        for x in range(1, cols + 1):
            yield Shape("line", x, 1, 0, rows - 1, stroke=edge, thick=0.03)
        for cell in info["stars"]:
            yield Shape("circle", *_place(info, cell), 0.18, 0.18, edge)
        return
    for cell, name in enumerate(info["cellNames"]):
        col, row = _place(info, cell)
        if look == "drop":
            yield Shape("circle", col, row, 0.84, 0.84, color["hole"], edge, 0.03)
        elif look == "checkers":
            yield Shape("rect", col, row, 1, 1, color["square-dark" if name else "square-light"])
            yield Shape(
                "text", col - 0.36, row + 0.37, height=0.2, fill=color["square-ink"], text=name)
        else:
            yield Shape("rect", col, row, 1, 1, stroke=edge, thick=0.02)


def _hexagons(info: Info) -> Iterator[Shape]:
    """Each side of a hexagon once; those at the edge of the board in the colour that they join."""
    rows, cols, color = info["rows"], info["cols"], colors("hex")
    for cell, (x, y) in enumerate(info["places"]):
        for side, (rise, run) in enumerate(((0, 1), (1, 1), (1, 0), (0, -1), (-1, -1), (-1, 0))):
            row, col = cell // cols + rise, cell % cols + run
            stroke, thick = color["sheet-line"], 0.03
            if not 0 <= row < rows or not 0 <= col < cols:
                stroke, thick = color[f"side{int(0 <= row < rows)}"], 0.14
            elif side > 2:
                continue
            (a, b), (c, d) = (
                (_CORNER * math.cos(angle), _CORNER * math.sin(angle))
                for angle in (math.pi * (side - 0.5) / 3, math.pi * (side + 0.5) / 3)
            )
            yield Shape("line", x + a, y + b, c - a, d - b, stroke=stroke, thick=thick)


def _piece(info: Info, piece: int, x: float, y: float) -> Iterator[Shape]:
    look, side, color = info["look"], piece % 2, colors(info["look"])
    face = color[f"side{side}"]
    edge = color.get(f"edge{side}", face)
    if look == "noughts" and side == 0:
        for rise in (0.56, -0.56):
            yield Shape("line", x - 0.28, y - rise / 2, 0.56, rise, stroke=face, thick=0.11)
    elif look == "noughts":
        yield Shape("circle", x, y, 0.6, 0.6, stroke=face, thick=0.11)
    else:
        size = {"lines": 0.94, "checkers": 0.76, "hex": 0.76}.get(look, 0.84)
        yield Shape("circle", x, y, size, size, face, edge, 0.03)
        if look in ("drop", "checkers"):
            rim = color.get(f"rim{side}", edge)
            yield Shape("circle", x, y, 0.56, 0.56, stroke=rim, thick=0.03)
        if mark := info["marks"][piece // 2]:
            yield Shape("text", x, y, height=0.5, fill=color[f"kind{side}"], text=mark)


def board_svg(state: Position) -> str:
    """The board as an SVG image: pieces, labels, the last play or the winning stones marked."""
    game, info, position = state.game, board_info(state.game), position_info(state)
    rows, cols = info["height"], info["width"]
    mover = player_text(game, state.next_player)
    turn = result_text(state) if state.is_over() else f"{mover} to move"
    caption = f"{game}: {turn}"
    width = max(cols * _CELL + 2 * _MARGIN, _LETTER * len(caption) + _MARGIN)
    height = round(rows * _CELL + 2 * _MARGIN + 16)
    shapes = [*board_shapes(info, position), *mark_shapes(info, position), *label_shapes(info)]
    return "".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height}" '
        f'viewBox="0 0 {width:g} {height}" font-family="sans-serif" text-anchor="middle">',
        # The same on a notebook's light and dark page.
        f'<rect width="100%" height="100%" rx="6" fill="{_PAPER}"/>',
        *_svg(shapes, (width - cols * _CELL) / 2, _MARGIN, rows),
        f'<text x="{width / 2:g}" y="{height - 8}" font-size="12" fill="{_INK}">'
        f"{escape(caption)}</text></svg>",
    ])


def board_inside(state: Position, x: float, y: float, width: float, height: float) -> str:
    """The board alone, without labels around it, in a box of another SVG image."""
    info, position = board_info(state.game), position_info(state)
    rows, cols = info["height"], info["width"]
    shapes = [*board_shapes(info, position), *mark_shapes(info, position)]
    return "".join([
        f'<svg x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {cols * _CELL:g} {rows * _CELL:g}" text-anchor="middle">',
        *_svg(shapes, 0, 0, rows), "</svg>",
    ])


def _svg(shapes: list[Shape], left: float, top: float, rows: float) -> Iterator[str]:
    """Shapes as elements; the board begins at `left` and `top`, in pixels."""
    for shape in shapes:
        x, y = left + (shape.x - 0.5) * _CELL, top + (rows + 0.5 - shape.y) * _CELL
        width, height = shape.width * _CELL, shape.height * _CELL
        ink = f'fill="{shape.fill}"'
        if shape.thick:
            ink += f' stroke="{shape.stroke}" stroke-width="{shape.thick * _CELL:.3g}"'
        if shape.kind == "rect":
            yield (f'<rect x="{x - width / 2:g}" y="{y - height / 2:g}" width="{width:g}" '
                   f'height="{height:g}" {ink}/>')
        elif shape.kind == "circle":
            yield f'<circle cx="{x:g}" cy="{y:g}" r="{width / 2:.4g}" {ink}/>'
        elif shape.kind == "line":
            yield f'<path d="M{x:g} {y:g}l{width:g} {-height:g}" {ink}/>'
        elif shape.text:
            yield (f'<text x="{x:g}" y="{y:g}" font-size="{height:.3g}" '
                   f'dominant-baseline="central" {ink}>{escape(shape.text)}</text>')
