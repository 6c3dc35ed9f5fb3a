"""Making a figure and writing it down, for all plots of a report.

Matplotlib's global state is left alone: figures live on their own Agg canvas, and the same
numbers give the same SVG byte for byte.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dlgo.files import write_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe & Ito, "Color Universal Design" (2008); wine replaces yellow, which vanishes on white.
COLOURS = (
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#882255")
GREY, FADED, LIGHT = "#555555", "#999999", "#E2E2E2"

_DPI = 160


def new_figure(width: float, height: float) -> Figure:
    """An empty figure, its size in inches; notebooks show it."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    from reports.shown_figure import ShownFigure

    figure = ShownFigure(figsize=(width, height), dpi=_DPI, facecolor="white")
    FigureCanvasAgg(figure)
    return figure


def plain_axes(axes: Axes) -> None:
    """Grid and frame as in every plot."""
    axes.grid(which="major", color=LIGHT, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=8)


def write_line(
    figure: Figure, left: float, down: float, text: str, size: float, **style: Any
) -> None:
    """One line at `left` (share of the width), `down` inches from the top, shrunk to fit."""
    line = figure.text(
        left, 1 - down / figure.get_figheight(), plain(text), fontsize=size, va="center", **style
    )
    room = (1 - left) * figure.get_figwidth() - 0.1
    width = line.get_window_extent().width / figure.dpi
    line.set_fontsize(size * min(1.0, room / width))


def plain(text: str) -> str:
    """`text` with its dollar signs meant as such: matplotlib would read formulas in them."""
    return text.replace("$", r"\$")


@contextmanager
def own_style() -> Iterator[None]:
    """Matplotlib's defaults whatever the user's own are, and theirs again afterwards."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams["svg.hashsalt"] = "dlgo"  # identifiers in the SVG; random without
        yield


def save(figure: Figure, stem: Path) -> list[Path]:
    """Write the figure as `stem`.png and `stem`.svg."""
    paths = []
    with own_style():
        for ending, metadata in (("png", {}), ("svg", {"Date": None})):
            buffer = io.BytesIO()
            figure.savefig(buffer, format=ending, dpi=_DPI, metadata=metadata)
            paths.append(write_file(stem.with_name(f"{stem.name}.{ending}"), buffer.getvalue()))
    return paths
