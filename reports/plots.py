"""Strength per compute: Elo against the CPU time a move has cost, a line for each family.

Called by `report.py` with the frame of `tables.ratings_frame`. Families are told apart by
colour (Okabe and Ito's palette, safe for colour-blind readers), by marker and by line style,
so that the plots survive a grey printer. Nothing here touches matplotlib's global state: the
figures live on their own Agg canvas, and the same numbers give the same SVG byte for byte.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dlgo.errors import DlgoError
from reports.connections import listing
from reports.files import write_bytes
from reports.labels import Label, place_labels
from reports.tables import family_and_budget

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe & Ito, "Color Universal Design" (2008); their yellow is left out, it vanishes on white.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
_LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))

# A clock may report nothing at all for a move; a logarithm needs something.
_LEAST_MS = 1e-4

_DPI = 160
_WIDTH, _HEIGHT = 7.0, 4.4  # inches of a single plot, legend and captions excluded
_PANEL_WIDTH, _PANEL_HEIGHT = 4.6, 3.6  # of a plot in the overview
_MOST_LABELS = 20  # that a panel of the overview has room for
_GREY = "#555555"


@dataclass(frozen=True)
class FamilyStyle:
    """How a family of engines is drawn, in every plot of a report."""

    colour: str
    marker: str
    line: Any


def family_styles(families: Iterable[str]) -> dict[str, FamilyStyle]:
    """A style for each family, by alphabet: the same families always look the same.

    The numbers of colours, markers and line styles have no common divisor (7, 8, 5), so that
    no combination comes back among 280 families.
    """
    return {
        family: FamilyStyle(
            _COLOURS[i % len(_COLOURS)], _MARKERS[i % len(_MARKERS)], _LINES[i % len(_LINES)]
        )
        for i, family in enumerate(sorted(set(families)))
    }


def game_title(game: str) -> str:
    """`Go (go:size=9)`; the specification alone if no such game is installed."""
    from dlgo.games import get_game

    try:
        return f"{get_game(game).title} ({game})"
    except DlgoError:
        return game


def plot_game(
    ratings: pd.DataFrame, game: str, subtitle: str, stem: Path,
    styles: Mapping[str, FamilyStyle] | None = None,
) -> list[Path]:
    """Draw one game's strength per compute into `stem`.png and `stem`.svg.

    Args:
        ratings: from `ratings_frame`; other games in it are ignored.
        game: which game.
        subtitle: what stands below the title: how many games, on which machine.
        stem: the path without its ending.
        styles: from `family_styles`; by default for the families of this game alone.
    """
    part = ratings[ratings["game"] == game]
    styles = styles or family_styles(part["family"])
    with _own_style():
        figure = _new_figure(_WIDTH, _HEIGHT)
        axes = figure.add_subplot()
        points = _draw(axes, part, styles)
        _finish(figure, [axes], _order(part), styles, part)
        left = axes.get_position().x0
        _write(figure, left, 0.24, game_title(game), 12, fontweight="bold")
        _write(figure, left, 0.47, subtitle, 8, color=_GREY)
        place_labels(axes, *points, size=7.5)
        return _save(figure, stem)


def plot_overview(
    ratings: pd.DataFrame, subtitle: str, stem: Path,
    styles: Mapping[str, FamilyStyle] | None = None,
) -> list[Path]:
    """Draw all games of `ratings` side by side into `stem`.png and `stem`.svg.

    Where a game has too many points to label them all, the ends of the lines have labels.
    """
    games = sorted(ratings["game"].unique())
    styles = styles or family_styles(ratings["family"])
    columns = min(3, len(games))
    rows = math.ceil(len(games) / columns)
    with _own_style():
        figure = _new_figure(max(_PANEL_WIDTH * columns, _WIDTH), _PANEL_HEIGHT * rows)
        panels, points = [], []
        for i, game in enumerate(games):
            axes = figure.add_subplot(rows, columns, i + 1)
            part = ratings[ratings["game"] == game]
            points.append(_draw(axes, part, styles, ends_only=len(part) > _MOST_LABELS))
            axes.set_title(game_title(game), fontsize=10, fontweight="bold", loc="left")
            if i % columns:
                axes.set_ylabel("")
            if i + columns < len(games):
                axes.set_xlabel("")
            panels.append(axes)
        _finish(figure, panels, _order(ratings), styles, ratings)
        _write(figure, panels[0].get_position().x0, 0.27, subtitle, 8, color=_GREY)
        for axes, (labels, lines) in zip(panels, points, strict=True):
            place_labels(axes, labels, lines, size=6.5)
        return _save(figure, stem)


def _draw(
    axes: Axes, part: pd.DataFrame, styles: Mapping[str, FamilyStyle], ends_only: bool = False
) -> tuple[list[Label], list[np.ndarray]]:
    """Lines, markers and error bars; returns the labels to place and the ink to avoid."""
    labels: list[Label] = []
    ink: list[np.ndarray] = []
    for family, rows in part.groupby("family", sort=True):
        style = styles[str(family)]
        rows = rows.dropna(subset=["mean_cpu_ms"]).sort_values(["mean_cpu_ms", "rating"])
        cost = rows["mean_cpu_ms"].clip(lower=_LEAST_MS).to_numpy(float)
        rating = rows["rating"].to_numpy(float)
        axes.plot(cost, rating, color=style.colour, linestyle=style.line, linewidth=1.3, zorder=3)
        ink.append(np.column_stack([cost, rating]))
        for i, (x, row) in enumerate(zip(cost, rows.itertuples(), strict=True)):
            axes.errorbar(
                x, row.rating, yerr=[[row.rating - row.low95], [row.high95 - row.rating]],
                color=style.colour, elinewidth=0.9, capsize=2.2, capthick=0.9,
                marker=style.marker, markersize=5.5, markeredgewidth=1.2, zorder=4,
                markerfacecolor="white" if row.note else style.colour,
            )
            ink.append(np.array([[x, row.low95], [x, row.high95]]))
            budget = family_and_budget(row.entrant)[1]
            text = "" if ends_only and 0 < i < len(rows) - 1 else budget or str(family)
            labels.append(Label(x, row.rating, text, style.colour))
    _dress(axes, part)
    return labels, [line for line in ink if len(line)]


def _dress(axes: Axes, part: pd.DataFrame) -> None:
    """Scales, ticks, grid and names of the axes."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

    axes.set_xscale("log")
    cost = part["mean_cpu_ms"].dropna().clip(lower=_LEAST_MS)
    low, high = (cost.min(), cost.max()) if len(cost) else (0.1, 10.0)
    # Room for labels, and at least a decade in all: a shorter axis would show no tick.
    margin = max(0.07 * math.log10(high / low), 0.5 * (1 - math.log10(high / low)), 0.05)
    axes.set_xlim(low / 10 ** (1.6 * margin), high * 10 ** (1.6 * margin))
    bottom, top = part["low95"].min(), part["high95"].max()
    air = 0.06 * max(top - bottom, 50.0)
    axes.set_ylim(bottom - air, top + air)
    axes.xaxis.set_major_locator(LogLocator(numticks=12))
    number = FuncFormatter(lambda value, _: f"{value:,.6g}".replace("-", "\N{MINUS SIGN}"))
    axes.xaxis.set_major_formatter(number)
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_locator(MaxNLocator(nbins=8, steps=[1, 2, 2.5, 5, 10]))
    axes.yaxis.set_major_formatter(number)
    axes.grid(which="major", color="#E2E2E2", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=8)
    axes.set_xlabel("CPU time per move, ms (measured mean, log scale)", fontsize=9)
    axes.set_ylabel("Elo (95% interval)", fontsize=9)


def _order(ratings: pd.DataFrame) -> list[str]:
    """Families by their best rating, the best first: so the legend follows the plot."""
    best = ratings.groupby("family")["rating"].max().sort_values(ascending=False, kind="stable")
    return [str(family) for family in best.index]


def _finish(
    figure: Figure, panels: Sequence[Axes], families: Sequence[str],
    styles: Mapping[str, FamilyStyle], ratings: pd.DataFrame,
) -> None:
    """Legend and caption below the panels, and room for them; the panels keep their size."""
    from matplotlib.lines import Line2D

    lines = ratings.groupby(["family", "game"]).size().groupby("family").max() > 1
    handles = [
        Line2D(
            [], [], color=styles[family].colour, marker=styles[family].marker,
            linestyle=styles[family].line if lines[family] else "none",
            linewidth=1.3, markersize=5.5, label=family,
        )
        for family in families
    ]
    caption = "Maximum-likelihood ratings (Bradley-Terry with draws); 0 is the mean of the field."
    if (ratings["note"] != "").any():
        caption += " Hollow: see the note in the table."
    unmeasured = ratings.loc[ratings["mean_cpu_ms"].isna(), "entrant"].unique()
    if len(unmeasured):
        caption += f" Not drawn, having chosen no move: {listing(unmeasured)}."
    width, inner = figure.get_figwidth(), figure.get_figheight()
    for columns in range(min(len(handles), 6), 0, -1):
        legend = figure.legend(
            handles=handles, loc="lower center", ncols=columns, fontsize=8, frameon=False,
            handlelength=3.2, borderaxespad=0,
        )
        box = legend.get_window_extent(figure.canvas.get_renderer())
        if box.width <= (width - 0.3) * figure.dpi or columns == 1:
            break
        legend.remove()
    below = box.height / figure.dpi + 0.30
    top, bottom = 0.62, 0.52  # inches for titles, and for the axis names of the lowest row
    height = inner + top + below
    figure.set_size_inches(width, height)
    rows = panels[0].get_subplotspec().get_gridspec().nrows
    panel_height = (height - top - below - bottom) / rows
    figure.subplots_adjust(
        left=0.82 / width, right=1 - 0.15 / width, top=1 - top / height,
        bottom=(below + bottom) / height, wspace=0.18, hspace=0.75 / panel_height,
    )
    legend.set_bbox_to_anchor((0.5, 0.27 / height), transform=figure.transFigure)
    _write(figure, 0.15 / width, height - 0.12, caption, 7, color=_GREY)


def _write(figure: Figure, left: float, down: float, text: str, size: float, **style: Any) -> None:
    """One line at `left` (share of the width), `down` inches from the top, shrunk to fit."""
    line = figure.text(
        left, 1 - down / figure.get_figheight(), text, fontsize=size, va="center", **style
    )
    room = (1 - left) * figure.get_figwidth() - 0.1
    width = line.get_window_extent(figure.canvas.get_renderer()).width / figure.dpi
    line.set_fontsize(size * min(1.0, room / width))


def _new_figure(width: float, height: float) -> Figure:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=_DPI, facecolor="white")
    FigureCanvasAgg(figure)
    return figure


@contextmanager
def _own_style() -> Iterator[None]:
    """Matplotlib's defaults whatever the user's own are, and theirs again afterwards."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams["svg.hashsalt"] = "dlgo"  # identifiers in the SVG; random without
        yield


def _save(figure: Figure, stem: Path) -> list[Path]:
    paths = []
    for ending, metadata in (("png", {}), ("svg", {"Date": None})):
        buffer = io.BytesIO()
        figure.savefig(buffer, format=ending, dpi=_DPI, metadata=metadata)
        paths.append(write_bytes(stem.with_name(f"{stem.name}.{ending}"), buffer.getvalue()))
    return paths
