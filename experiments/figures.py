"""Figures of scripts: one look, legible when projected and on a light or dark page.

matplotlib is imported only when something is drawn. A figure is saved beside the other output of
the script, its path is printed, and it is shown if there is a display.
"""

from __future__ import annotations

import functools
import itertools
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dlgo.files import output_path
from dlgo.system.machine import has_display

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

# An opaque background, so that a figure looks the same on light and dark pages.
PAPER, INK, FAINT = "#fbf9f4", "#22252a", "#c9c5bb"
# Distinct to colour-blind eyes as well (Okabe and Ito 2008).
BLUE, ORANGE, GREEN, RED, PURPLE = "#0072b2", "#e69f00", "#009e73", "#d55e00", "#8a5a9e"
COLOURS = (BLUE, ORANGE, GREEN, RED, PURPLE)
_LOOK: dict[Any, Any] = {
    "font.size": 15, "axes.titlesize": 16, "figure.titlesize": 18, "legend.fontsize": 14,
    "axes.labelsize": 15,
    "figure.facecolor": PAPER, "axes.facecolor": PAPER, "savefig.facecolor": PAPER,
    "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": INK, "xtick.color": INK,
    "ytick.color": INK, "axes.spines.top": False, "axes.spines.right": False,
    "lines.linewidth": 2.5, "lines.markersize": 8, "legend.frameon": False,
}


@contextmanager
def drawing(
    path: Path | None = None, columns: int = 1, rows: int = 1,
    size: tuple[float, float] = (6.0, 5.0), title: str | None = None, **more: Any,
) -> Iterator[list[Axes]]:
    """Draw a figure: its axes, row by row, to be filled in the block; saved and shown at its end.

    Without a `path`, it is only shown, as in notebooks. `size` is that of one of the axes, in
    inches; `more` is for `Figure.subplots`.
    """
    import matplotlib

    shown = path is None or (sys.stdout.isatty() and has_display())
    with matplotlib.rc_context(_LOOK):
        figsize = columns * size[0], rows * size[1]
        if shown:
            from matplotlib import pyplot

            figure = pyplot.figure(figsize=figsize, layout="constrained")
        else:
            from matplotlib.figure import Figure

            figure = Figure(figsize=figsize, layout="constrained")
        if title:
            figure.suptitle(title)
        yield list(figure.subplots(rows, columns, squeeze=False, **more).flat)
        if path is None:
            pyplot.show()
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        with output_path(path) as temporary:
            figure.savefig(temporary, dpi=100)
    print(f"\nfigure: {path}", flush=True)
    if shown:
        if figure.canvas.required_interactive_framework is not None:
            pyplot.show()
        pyplot.close(figure)


def draw_means(
    axes: Axes, table: pd.DataFrame, by: str, point: str, x: str, y: str, **look: Any
) -> None:
    """Rows as dots; a line for each value of the column `by`, through the means of each `point`.
    Names of columns are labels; `look` is for `Axes.set`."""
    for colour, (name, rows) in zip(itertools.cycle(COLOURS), table.groupby(by), strict=False):
        axes.plot(rows[x], rows[y], ".", color=colour, alpha=0.5)
        points = rows.groupby(point, sort=rows[point].dtype.kind in "fi")  # else in order
        places = points[x].first() if x == point else points[x].mean()
        axes.plot(places, points[y].mean(), "o-", color=colour, label=name)
    axes.set(xlabel=x, ylabel=y, **look)
    axes.legend(title=by)
    plain_numbers(axes)


def plain_numbers(axes: Axes) -> None:
    """Label logarithmic axes with 10 and 100, in place of powers; short ones also in between."""
    for axis in (axes.xaxis, axes.yaxis):
        if axis.get_scale() == "log":
            low, high = axis.get_view_interval()
            between = "235" if high < 10 * low else "25" if high < 50 * low else ""
            axis.set_major_formatter("{x:,g}")
            axis.set_minor_formatter(functools.partial(_number_label, between))


def _number_label(between: str, value: float, _: object) -> str:
    return f"{value:,g}" if f"{value:e}"[0] in between else ""


def draw_bars(
    axes: Axes, bars: Mapping[str, float], margins: Sequence[float] | None = None,
    texts: Sequence[str] | None = None, colour: str = BLUE, most: float = math.inf,
) -> None:
    """Horizontal bars from the top down, with intervals of 0 to `most`, and texts at their ends."""
    places = range(len(bars))
    lengths = list(bars.values())
    margins = margins or [0.0] * len(lengths)
    ends = [min(length + margin, most) for length, margin in zip(lengths, margins, strict=True)]
    if any(margins):
        axes.errorbar(
            lengths, places, fmt="none", ecolor=INK, capsize=5, elinewidth=2, zorder=3,
            xerr=[[min(*pair) for pair in zip(margins, lengths, strict=True)],
                  [end - length for end, length in zip(ends, lengths, strict=True)]],
        )
    axes.barh(places, lengths, 0.62, color=colour)
    axes.set_yticks(places, list(bars))
    axes.set_ylim(len(bars) - 0.5, -0.5)
    for place, text in zip(places, texts or (), strict=False):
        axes.annotate(text, (ends[place], place), xytext=(7, 0), textcoords="offset points",
                      va="center", bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 1.5})
