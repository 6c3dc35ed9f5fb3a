"""A position drawn with matplotlib, from the same shapes as its SVG (`dlgo/display.py`)."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from dlgo import GameSpec, GameState, Point
from dlgo.display import Shape, board_info, board_shapes, label_shapes, mark_shapes, position_info

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BACKGROUND = "#f4f1ea"
_HINT = "#1f77b4"
# Below what others draw into the axes by default, and above it.
_BOARD_LAYER, _MARK_LAYER = 1, 6


def draw_board(
    axes: Axes, state: GameState, selected: Point | None = None, targets: Collection[Point] = (),
) -> None:
    """Draw a position into empty or used axes; column and row numbers become x and y.

    `selected`, a piece that was picked up, has a ring; `targets`, where it can go, have dots.
    """
    info, position = board_info(state.game), position_info(state)
    axes.clear()
    axes.set_axis_off()
    axes.set_aspect("equal")
    axes.set_xlim(-0.1, info["width"] + 1.1)
    axes.set_ylim(-0.1, info["height"] + 0.7)
    _paint(axes, [*board_shapes(info, position), *label_shapes(info)], _BOARD_LAYER)
    marks = [*mark_shapes(info, position)]
    marks += [Shape("circle", cell.col, cell.row, 0.26, 0.26, _HINT) for cell in targets]
    if selected is not None:
        marks.append(Shape("circle", selected.col, selected.row, 0.94, 0.94,
                           stroke=_HINT, thick=0.07))
    _paint(axes, marks, _MARK_LAYER)


def cell_at(game: GameSpec, x: float, y: float) -> Point | None:
    """The cell that is drawn at a place of the axes; None outside the board."""
    places = board_info(game)["places"]
    cell = min(range(len(places)), key=lambda cell: math.dist(places[cell], (x, y)))
    row, col = divmod(cell, game.board_cols)
    reaches = math.dist(places[cell], (x, y)) < 0.72  # the corners of a square are 0.71 away
    return Point(row + 1, col + 1) if reaches else None


def _paint(axes: Axes, shapes: Iterable[Shape], layer: float) -> None:
    """Add shapes to axes; of one layer, later ones cover earlier ones."""
    from matplotlib.patches import Circle, Rectangle

    for kind, x, y, width, height, fill, stroke, thick, text in shapes:
        pen = {"linewidth": _points(axes, thick), "zorder": layer}
        if kind == "line":
            axes.plot((x, x + width), (y, y + height), color=stroke, **pen)
        elif kind == "text":
            axes.text(x, y, text, fontsize=_points(axes, height), color=fill, zorder=layer,
                      ha="center", va="center", fontfamily="DejaVu Sans")
        elif kind == "circle":
            axes.add_patch(Circle((x, y), width / 2, facecolor=fill, edgecolor=stroke, **pen))
        else:
            corner = (x - width / 2, y - height / 2)
            axes.add_patch(
                Rectangle(corner, width, height, facecolor=fill, edgecolor=stroke, **pen))


def _points(axes: Axes, share: float) -> float:
    """A share of a cell's side in points, as fonts and lines are measured."""
    figure, box = axes.figure, axes.get_position()
    cells_wide, cells_high = (high - low for low, high in (axes.get_xlim(), axes.get_ylim()))
    side = min(
        box.width * figure.get_figwidth() / abs(cells_wide),
        box.height * figure.get_figheight() / abs(cells_high),
    )
    return 72 * side * share
