"""Short texts beside the points of a plot, placed so that nothing covers anything.

Each label tries positions around its point, near ones first, and takes the one that collides
least with the markers, error bars, lines and labels there already. Two more rounds let early
labels move out of the way of later ones. A label that would still cover another one is left out:
the legend and the table name its point. That is greedy, fast and the same every time.

adjustText 1.4 was tried instead on a plot of 13 entrants. It took four times as long, wrote over
markers and beyond the frame, and gave another picture in each run, while a report has to come
out of the same ledger byte for byte.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reports.figures import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

# Candidate places of labels: distances from the point in printer's points (1/72 inch), and
# directions in degrees. Beyond _LEADER_FROM, a thin line connects a label with its point.
_ANGLES = np.radians((30, 150, -30, -150, 90, -90, 0, 180, 60, 120, -60, -120))
_DISTANCES = np.repeat((5.0, 8.0, 12.0, 18.0, 25.0, 33.0), len(_ANGLES))
_DIRECTIONS = np.tile(np.column_stack([np.cos(_ANGLES), np.sin(_ANGLES)]), (6, 1)).round(12)
_LEADER_FROM = 15.0
_ROUNDS = 3

# Costs of collisions. Text on text cannot be read, text on a marker hardly, a line through a text
# is ugly; being farther away is worse than nothing at all, slightly.
_ON_LABEL, _ON_MARKER, _ON_LINE, _OUTSIDE, _PER_POINT = 1000.0, 200.0, 15.0, 2000.0, 0.6


class Label(NamedTuple):
    """A text, or none, for the point (x, y) in data coordinates."""

    x: float
    y: float
    text: str
    colour: str


def place_labels(
    axes: Axes, labels: Sequence[Label], lines: Sequence[Floats], size: float
) -> None:
    """Write the labels into finished axes of an Agg canvas, whose limits and layout must not change
    afterwards.

    Markers at the labels' points are kept free, and `lines`, each (points, 2) in data coordinates.
    `size` is the text's, in printer's points.
    """
    from matplotlib.patheffects import withStroke

    if not labels:
        return
    figure = axes.figure.canvas.figure
    figure.draw_without_rendering()  # lays it out
    pixels = figure.dpi / 72  # in a printer's point
    to_pixels = axes.transData.transform
    markers = to_pixels([(label.x, label.y) for label in labels])
    inked = np.vstack([_along(to_pixels(line), 2 * pixels) for line in lines] or [markers])
    frame = np.array(axes.get_window_extent().extents) + pixels * np.array([2, 2, -2, -2])
    numbers = [i for i, label in enumerate(labels) if label.text]
    boxes, costs = {}, {}
    for i in numbers:
        text = axes.text(0, 0, plain(labels[i].text), fontsize=size)
        extent = text.get_window_extent()
        text.remove()
        boxes[i] = _candidates(markers[i], np.array([extent.width, extent.height]), pixels)
        costs[i] = _fixed_costs(boxes[i], markers, inked, frame, pixels)
    placed: dict[int, int] = {}
    for _ in range(_ROUNDS):
        for i in numbers:
            boxes_of_others = [boxes[j][k] for j, k in placed.items() if j != i]
            total = costs[i] + _label_costs(boxes[i], boxes_of_others, pixels)
            placed[i] = int(np.argmin(total))
            if total[placed[i]] >= _ON_LABEL:
                del placed[i]
    halo = [withStroke(linewidth=1.8, foreground="white")]  # parts a line that runs through
    for i, choice in sorted(placed.items()):
        label, box = labels[i], boxes[i][choice]
        axes.annotate(
            plain(label.text), (label.x, label.y), textcoords="offset points",
            xytext=((box[:2] + box[2:]) / 2 - markers[i]) / pixels, ha="center", va="center",
            fontsize=size, color=label.colour, zorder=3.5, path_effects=halo,
        )
        if _DISTANCES[choice] > _LEADER_FROM:
            axes.annotate(
                "", (label.x, label.y), xytext=_DISTANCES[choice] * _DIRECTIONS[choice],
                textcoords="offset points", zorder=3.4,
                arrowprops={"arrowstyle": "-", "linewidth": 0.4, "color": label.colour,
                            "shrinkA": 0, "shrinkB": 3},
            )


def _candidates(point: Floats, extent: Floats, pixels: float) -> Floats:
    """(candidates, 4) boxes for a text: left, bottom, right, top, in pixels."""
    start = point + pixels * _DISTANCES[:, None] * _DIRECTIONS
    # The text lies wholly beyond `start`, but centred on it where the direction is upright.
    side = np.where(np.abs(_DIRECTIONS) > 0.3, np.sign(_DIRECTIONS), 0)
    return np.hstack([start + (side - 1) * extent / 2, start + (side + 1) * extent / 2])


def _fixed_costs(
    boxes: Floats, points: Floats, inked: Floats, frame: Floats, pixels: float
) -> Floats:
    """(candidates,) the cost of each place, without the other labels."""
    outside = (boxes[:, :2] < frame[:2]).any(axis=1) | (boxes[:, 2:] > frame[2:]).any(axis=1)
    on_markers = _inside(points, boxes, 3.5 * pixels)
    on_lines = np.minimum(_inside(inked, boxes, pixels), 4)
    collisions = _OUTSIDE * outside + _ON_MARKER * on_markers + _ON_LINE * on_lines
    return collisions + _PER_POINT * _DISTANCES


def _label_costs(boxes: Floats, other_boxes: Sequence[Floats], pixels: float) -> Floats:
    """(candidates,) the cost of collisions with other labels, with 1 point of space."""
    placed = np.array(other_boxes).reshape(-1, 4)
    low = np.maximum(boxes[:, None, :2], placed[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], placed[None, :, 2:])
    costs: Floats = _ON_LABEL * (high - low > -pixels).all(axis=2).sum(axis=1)
    return costs


def _inside(points: Floats, boxes: Floats, margin: float) -> NDArray[np.int64]:
    """How many of the points lie in each box, widened by a margin."""
    inside = (points > boxes[:, None, :2] - margin) & (points < boxes[:, None, 2:] + margin)
    counts: NDArray[np.int64] = inside.all(axis=2).sum(axis=1)
    return counts


def _along(corners: Floats, step: float) -> Floats:
    """Points on the polygon line through `corners`, at most `step` apart."""
    pieces = [corners[:1]]
    for start, end in zip(corners[:-1], corners[1:], strict=True):
        count = max(1, math.ceil(math.dist(start, end) / step))
        pieces.append(start + np.linspace(0, 1, count + 1)[1:, None] * (end - start))
    return np.vstack(pieces)
