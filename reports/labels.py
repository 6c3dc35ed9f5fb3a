"""Short texts beside the points of a plot, placed so that nothing covers anything.

Each label tries positions around its point, near ones first, and takes the one that collides
least with the markers, error bars, lines and labels there already. Two more rounds let early
labels move out of the way of later ones. That is greedy, fast and the same every time; a plot
of some forty points comes out clean.

adjustText 1.4 was tried instead on a plot of 13 entrants. It took four times as long, wrote over
markers and beyond the frame, and gave another picture in each run, while a report has to come
out of the same ledger byte for byte.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from reports.figures import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

# Distances from point to label, in printer's points (1/72 inch), and directions in degrees.
# Beyond _LEADER_FROM a thin line shows which point is meant.
_DISTANCES = (5.0, 8.0, 12.0, 18.0, 25.0, 33.0)
_ANGLES = (30, 150, -30, -150, 90, -90, 0, 180, 60, 120, -60, -120)
_LEADER_FROM = 15.0
_DISTANCE_OF_CANDIDATE = np.repeat(_DISTANCES, len(_ANGLES))
_DIRECTION_OF_CANDIDATE = np.tile(
    [(math.cos(math.radians(angle)), math.sin(math.radians(angle))) for angle in _ANGLES],
    (len(_DISTANCES), 1),
)
_ROUNDS = 3

# What a collision costs. Text on text cannot be read, text on a marker hardly, a line
# through a text is ugly; being farther away is worse than nothing at all, slightly.
_ON_LABEL, _ON_MARKER, _ON_LINE, _OUTSIDE, _PER_POINT = 1000.0, 200.0, 15.0, 2000.0, 0.6


@dataclass(frozen=True)
class Label:
    """A text, or none, for the point (x, y) in data coordinates."""

    x: float
    y: float
    text: str
    colour: str


def place_labels(
    axes: Axes, labels: Sequence[Label], lines: Sequence[Floats], size: float
) -> None:
    """Write the labels into finished axes: limits and layout must not change afterwards.

    Args:
        axes: where; drawn on an Agg canvas.
        labels: what. Every label's point counts as a marker to be kept free.
        lines: what else to keep free, each (points, 2) in data coordinates.
        size: of the text in printer's points.
    """
    from matplotlib.patheffects import withStroke

    if not labels:
        return
    axes.figure.draw_without_rendering()  # lays it out
    renderer = axes.figure.canvas.get_renderer()
    pixels = axes.figure.dpi / 72  # in a printer's point
    to_pixels = axes.transData.transform
    points = np.array([to_pixels((label.x, label.y)) for label in labels])
    markers, written = points, [bool(label.text) for label in labels]
    labels, points = [label for label in labels if label.text], points[written]
    inked = np.vstack([_along(to_pixels(line), 2 * pixels) for line in lines] or [markers])
    frame = np.array(axes.get_window_extent(renderer).extents) + pixels * np.array([2, 2, -2, -2])

    extents = np.empty((len(labels), 2))
    for i, label in enumerate(labels):
        text = axes.text(0, 0, plain(label.text), fontsize=size)
        box = text.get_window_extent(renderer)
        extents[i] = box.width, box.height
        text.remove()

    candidates = [
        _candidates(point, extent, pixels) for point, extent in zip(points, extents, strict=True)
    ]
    fixed_costs = [
        _fixed_costs(boxes, markers, inked, frame, pixels) for boxes in candidates
    ]
    chosen = [-1] * len(labels)
    for _ in range(_ROUNDS):
        for i, boxes in enumerate(candidates):
            others = [candidates[j][k] for j, k in enumerate(chosen) if j != i and k >= 0]
            chosen[i] = int(np.argmin(fixed_costs[i] + _label_costs(boxes, others, pixels)))

    halo = [withStroke(linewidth=1.8, foreground="white")]  # parts a line that runs through
    for label, point, boxes, choice in zip(labels, points, candidates, chosen, strict=True):
        centre = (boxes[choice, :2] + boxes[choice, 2:]) / 2
        axes.annotate(
            plain(label.text), (label.x, label.y), xytext=(centre - point) / pixels,
            textcoords="offset points", ha="center", va="center", fontsize=size,
            color=label.colour, zorder=3.5, path_effects=halo,
        )
        distance = _DISTANCE_OF_CANDIDATE[choice]
        if distance > _LEADER_FROM:
            axes.annotate(
                "", (label.x, label.y), xytext=distance * _DIRECTION_OF_CANDIDATE[choice],
                textcoords="offset points", zorder=3.4,
                arrowprops={
                    "arrowstyle": "-", "linewidth": 0.4, "color": label.colour, "shrinkA": 0,
                    "shrinkB": 3,
                },
            )


def _candidates(point: Floats, extent: Floats, pixels: float) -> Floats:
    """(candidates, 4) boxes for a text: left, bottom, right, top, in pixels."""
    direction = _DIRECTION_OF_CANDIDATE
    start = point + pixels * _DISTANCE_OF_CANDIDATE[:, None] * direction
    # The text lies wholly beyond `start`, but centred on it where the direction is upright.
    side = np.where(np.abs(direction) > 0.3, np.sign(direction), 0)
    return np.hstack([start + (side - 1) * extent / 2, start + (side + 1) * extent / 2])


def _fixed_costs(
    boxes: Floats, points: Floats, inked: Floats, frame: Floats, pixels: float
) -> Floats:
    """(candidates,) what it costs to write there, the other labels apart."""
    outside = (boxes[:, :2] < frame[:2]).any(axis=1) | (boxes[:, 2:] > frame[2:]).any(axis=1)
    on_markers = _inside(points, boxes, 3.5 * pixels)
    on_lines = np.minimum(_inside(inked, boxes, pixels), 4)
    collisions = _OUTSIDE * outside + _ON_MARKER * on_markers + _ON_LINE * on_lines
    return collisions + _PER_POINT * _DISTANCE_OF_CANDIDATE


def _label_costs(boxes: Floats, others: Sequence[Floats], pixels: float) -> Floats:
    """(candidates,) what it costs that other labels are there, 1 point of air included."""
    if not others:
        return np.zeros(len(boxes))
    placed = np.array(others)
    low = np.maximum(boxes[:, None, :2], placed[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], placed[None, :, 2:])
    return _ON_LABEL * (high - low > -pixels).all(axis=2).sum(axis=1)


def _inside(points: Floats, boxes: Floats, margin: float) -> NDArray[np.int64]:
    """How many of the points lie in each box, widened by a margin."""
    inside = (points > boxes[:, None, :2] - margin) & (points < boxes[:, None, 2:] + margin)
    return inside.all(axis=2).sum(axis=1)


def _along(corners: Floats, step: float) -> Floats:
    """Points on the polygon line through `corners`, at most `step` apart."""
    pieces = [corners[:1]]
    for start, end in zip(corners[:-1], corners[1:], strict=True):
        count = max(1, math.ceil(math.dist(start, end) / step))
        pieces.append(start + np.linspace(0, 1, count + 1)[1:, None] * (end - start))
    return np.vstack(pieces)
