"""A position drawn with matplotlib, from the same shapes as its SVG (`dlgo/display.py`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from dlgo import GameState
from dlgo.display import Shape, board_info, board_shapes, label_shapes, mark_shapes, position_info

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BACKGROUND = "#f4f1ea"
# Below what others draw into the axes by default, and above it.
_BOARD_LAYER, _MARK_LAYER = 1, 6


def draw_board(axes: Axes, state: GameState) -> None:
    """Draw a position into empty or used axes; column and row numbers become x and y."""
    info, position = board_info(state.game), position_info(state)
    axes.clear()
    axes.set_axis_off()
    axes.set_aspect("equal")
    axes.set_xlim(-0.1, info["width"] + 1.1)
    axes.set_ylim(-0.1, info["height"] + 0.7)
    _paint(axes, [*board_shapes(info, position), *label_shapes(info)], _BOARD_LAYER)
    _paint(axes, mark_shapes(info, position), _MARK_LAYER)


def _paint(axes: Axes, shapes: Iterable[Shape], layer: float) -> None:
    """Add shapes to axes; of one layer, later ones cover earlier ones."""
    from matplotlib.patches import Circle, Rectangle

    for kind, x, y, width, height, fill, stroke, thick, text in shapes:
        pen: dict[str, Any] = {"linewidth": _points(axes, thick), "zorder": layer}
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
    figure, box = axes.figure.canvas.figure, axes.get_position()
    cells_wide, cells_high = (high - low for low, high in (axes.get_xlim(), axes.get_ylim()))
    side = min(
        box.width * figure.get_figwidth() / abs(cells_wide),
        box.height * figure.get_figheight() / abs(cells_high),
    )
    return 72 * side * share
