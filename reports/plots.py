"""Plots of a report: Elo against what a move has cost, a line for each family.

Ratings and costs are those of `tables.ratings_frame`. Four costs can be the x axis (`AXES`).
At most eight entrants have a name in a plot. Their families differ by colour (Okabe and Ito's
palette, safe for colour-blind readers), by marker and by line style, so that the plots survive a
grey printer. The other families are grey.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dlgo.errors import DlgoError
from dlgo.text import listing
from reports import figures
from reports.figures import COLOURS, FADED, GREY, LIGHT, plain
from reports.labels import Label, place_labels

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
_LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))

_WIDTH, _HEIGHT = 4.4, 3.0  # inches of a single plot, legend and captions excluded
_PANEL_WIDTH, _PANEL_HEIGHT = 3.5, 2.9  # of a plot in the overview
# Number of points that fit into such a plot. A single plot with more points is larger, at most
# _LARGEST times.
_ROOM, _LARGEST = 12, 1.8
_LONGEST_NAME = 22  # letters of a label; of a longer name it has the budget, in the family's colour


class Axis(NamedTuple):
    """A cost to plot strength against."""

    column: str  # of the ratings frame
    stem: str  # ending of the file's name
    label: str  # of the axis, with the unit
    title: str  # in the page
    # The smallest value drawn; a logarithm needs something, and a clock may report 0 for a move. 0:
    # leave out what is 0; an engine that does no simulations has no place on an axis of them.
    least: float = 0.0


CPU = Axis("mean_cpu_ms", "", "CPU time per move, ms (mean, log scale)",
           "CPU time per move", least=1e-4)
AXES = (
    CPU,
    Axis("mean_wall_ms", "_wall", "Wall time per move, ms (mean, log scale)",
         "Wall time per move", least=1e-4),
    Axis("mean_work", "_work", "Evaluations or simulations per move (mean, log scale)",
         "Evaluations or simulations per move"),
    Axis("training_cpu_hours", "_training", "Training, CPU hours (log scale)", "Training cost"),
)


def main_axis(ratings: pd.DataFrame) -> Axis:
    """CPU time, unless entrants have another cost only."""
    return next((axis for axis in AXES if _drawable(ratings, axis).sum() >= 2), CPU)


class FamilyStyle(NamedTuple):
    """How a family of engines is drawn, in every plot of a report."""

    colour: str
    marker: str
    line: Any


def named_entrants(ratings: pd.DataFrame) -> list[str]:
    """The entrants that a plot names, as many as there are colours: the best of each family, best
    families first, and the weakest of the field; then the others, by their mean rating."""
    means = ratings.groupby(["entrant", "family"])["rating"].mean().reset_index()
    means = means.sort_values("rating", ascending=False, kind="stable")
    best = means.drop_duplicates("family")["entrant"]
    weakest = means["entrant"][-1:]
    order = dict.fromkeys([*best[: len(COLOURS) - 1], *weakest, *best, *means["entrant"]])
    return list(order)[: len(COLOURS)]


def family_styles(ratings: pd.DataFrame) -> dict[str, FamilyStyle]:
    """A style for each family, by alphabet: the same families always look the same. Families of
    which no entrant is named are grey."""
    families = ratings["family"].unique()
    named = ratings[ratings["entrant"].isin(named_entrants(ratings))]["family"].unique()
    styles = {}
    for part, colours in ((named, COLOURS), (set(families) - set(named), [FADED])):
        for i, family in enumerate(sorted(part)):
            styles[family] = FamilyStyle(
                colours[i % len(colours)], _MARKERS[i % len(_MARKERS)], _LINES[i % len(_LINES)])
    return styles


def game_title(game: str) -> str:
    """`Go (go:size=9)`; the specification alone if it is not installed, or not named."""
    from dlgo.games import recorded_game

    try:
        return f"{recorded_game(game).title} ({game})"
    except DlgoError:
        return game


def draw_strength(
    ratings: pd.DataFrame, subtitle: str, game: str = "", axis: Axis = CPU,
    frontier: pd.DataFrame | None = None,
) -> Figure | None:
    """Draw strength per compute; None if fewer than two entrants of a game have such a cost.

    Args:
        ratings: from `ratings_frame`.
        subtitle: a line above.
        game: which one; the others only count for names and styles. None: all, side by side.
        frontier: from `frontier.frontier_frame`; drawn where the axis is CPU time.
    """
    styles, named = family_styles(ratings), named_entrants(ratings)
    games = [game] if game else sorted(ratings["game"].unique())
    ratings = ratings[ratings["game"].isin(games)]
    if axis is not main_axis(ratings) and _drawable(ratings, axis).sum() < 2:
        return None
    columns = min(2 if len(games) == 4 else 3, len(games))
    rows = math.ceil(len(games) / columns)
    width, height = max(_PANEL_WIDTH * columns, _WIDTH), _PANEL_HEIGHT * rows
    if game:
        scale = min(_LARGEST, max(1.0, math.sqrt(len(ratings) / _ROOM)))
        width, height = _WIDTH * scale, _HEIGHT * scale
    with figures.own_style():
        figure = figures.new_figure(width, height)
        panels, marked = {}, False
        for i, name in enumerate(games):
            axes, part = figure.add_subplot(rows, columns, i + 1), ratings[ratings["game"] == name]
            panels[axes] = _draw(axes, part, styles, named, axis)
            marked |= axis is CPU and _draw_frontier(axes, frontier, name)
            if not game:
                title = plain(game_title(name))
                size = min(10, 350 / len(title))  # a panel is as wide as 35 letters of size 10
                axes.set_title(title, fontsize=size, fontweight="bold", loc="left")
            if i % columns:
                axes.set_ylabel("")
            if i + columns < len(games):
                axes.set_xlabel("")
        _finish(figure, list(panels), styles, ratings, axis, marked)
        left = next(iter(panels)).get_position().x0
        if game:
            figures.write_line(figure, left, 0.24, game_title(game), 12, fontweight="bold")
        figures.write_line(figure, left, 0.47 if game else 0.27, subtitle, 8, color=GREY)
        for axes, (labels, lines) in panels.items():
            place_labels(axes, labels, lines, size=7.5 if game else 6.5)
        return figure


def _draw(
    axes: Axes, part: pd.DataFrame, styles: Mapping[str, FamilyStyle], named: Sequence[str],
    axis: Axis,
) -> tuple[list[Label], list[np.ndarray]]:
    """Lines, markers and error bars; returns the labels to place and the ink to avoid."""
    labels: list[Label] = []
    ink: list[np.ndarray] = []
    part = part[_drawable(part, axis)]
    for family, rows in part.groupby("family", sort=True):
        style = styles[str(family)]
        rows = rows.sort_values([axis.column, "rating"])
        cost = rows[axis.column].clip(lower=axis.least).to_numpy(float)
        rating = rows["rating"].to_numpy(float)
        axes.plot(cost, rating, color=style.colour, linestyle=style.line, linewidth=1.3, zorder=3)
        ink.append(np.column_stack([cost, rating]))
        for x, row in zip(cost, rows.itertuples(), strict=True):
            axes.errorbar(
                x, row.rating, yerr=[[row.rating - row.low95], [row.high95 - row.rating]],
                color=style.colour, elinewidth=0.9, capsize=2.2, capthick=0.9,
                marker=style.marker, markersize=5.5, markeredgewidth=1.2, zorder=4,
                markerfacecolor="white" if row.note else style.colour,
            )
            ink.append(np.array([[x, row.low95], [x, row.high95]]))
            name = row.entrant
            if len(name) > _LONGEST_NAME:
                name = row.budget or str(family)
            labels.append(Label(x, row.rating, name if row.entrant in named else "", style.colour))
    _dress(axes, part, axis)
    return labels, ink


def _draw_frontier(axes: Axes, frontier: pd.DataFrame | None, game: str) -> bool:
    """The best rating for each cost or less, with its interval, behind everything else."""
    part = None if frontier is None else frontier[frontier["game"] == game]
    if part is None or len(part) < 2:
        return False
    # Of equal costs the last row has seen them all; the last step extends to the edge.
    part = part.drop_duplicates("cost_ms", keep="last")
    columns = ("level", "level_low95", "level_high95")
    level, low, high = (np.append(part[name], part[name].iloc[-1]) for name in columns)
    cost = np.append(part["cost_ms"].clip(lower=CPU.least), axes.get_xlim()[1])
    axes.fill_between(cost, low, high, step="post", color=LIGHT, alpha=0.5, linewidth=0, zorder=0)
    axes.step(cost, level, where="post", color=LIGHT, linewidth=3, zorder=1)
    return True


def _dress(axes: Axes, part: pd.DataFrame, axis: Axis) -> None:
    """Scales, ticks, grid and names of the axes."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

    axes.set_xscale("log")
    cost = part[axis.column].clip(lower=axis.least)
    low, high = (cost.min(), cost.max()) if len(cost) else (0.1, 10.0)
    # Room for labels, and at least a decade in all: a shorter axis would show no tick.
    margin = max(0.07 * math.log10(high / low), 0.5 * (1 - math.log10(high / low)), 0.05)
    axes.set_xlim(low / 10 ** (1.6 * margin), high * 10 ** (1.6 * margin))
    bottom, top = (part["low95"].min(), part["high95"].max()) if len(part) else (-100, 100)
    air = 0.06 * max(top - bottom, 50.0)
    axes.set_ylim(bottom - air, top + air)
    axes.xaxis.set_major_locator(LogLocator(numticks=12))
    number = FuncFormatter(lambda value, _: f"{value:,.6g}".replace("-", "\N{MINUS SIGN}"))
    axes.xaxis.set_major_formatter(number)
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_locator(MaxNLocator(nbins=8, steps=[1, 2, 2.5, 5, 10]))
    axes.yaxis.set_major_formatter(number)
    figures.plain_axes(axes)
    axes.set_xlabel(axis.label, fontsize=8.5)
    axes.set_ylabel("Elo (95% interval)", fontsize=8.5)


def _drawable(ratings: pd.DataFrame, axis: Axis) -> pd.Series:
    """Which rows have a cost of this kind."""
    cost = ratings[axis.column]
    return cost.notna() & ((cost > 0) | (axis.least > 0))


def _finish(
    figure: Figure, panels: Sequence[Axes], styles: Mapping[str, FamilyStyle],
    ratings: pd.DataFrame, axis: Axis, marked: bool,
) -> None:
    """Legend and caption below the panels, and room for them; the panels keep their size."""
    from matplotlib.lines import Line2D

    missing = ratings[~_drawable(ratings, axis)]["entrant"].unique()
    if len(missing) < ratings["entrant"].nunique():
        ratings = ratings[_drawable(ratings, axis)]
    # The family with the best rating first: so the legend follows the plot.
    best = ratings.groupby("family")["rating"].max().sort_values(ascending=False, kind="stable")
    lines = ratings.groupby(["family", "game"]).size().groupby("family").max() > 1
    handles = [
        Line2D(
            [], [], color=styles[family].colour, marker=styles[family].marker,
            linestyle=styles[family].line if lines[family] else "none",
            linewidth=1.3, markersize=5.5, label=plain(family),
        )
        for family in map(str, best.index)
    ]
    captions = ["Maximum-likelihood ratings (Bradley-Terry with draws), 95% intervals."]
    if (ratings["note"] != "").any():
        captions.append("Hollow: bounded by a prior, see the note in the table.")
    if axis.column == "mean_work":
        captions.append("Evaluations of a network; simulations for an engine without one.")
    if marked:
        captions.append("Grey band: Pareto frontier.")
    if len(missing):
        captions.append(f"Not drawn, having no such cost: {listing(missing, most=2)}.")
    width, inner = figure.get_figwidth(), figure.get_figheight()
    for columns in range(min(len(handles), 6), 0, -1):
        legend = figure.legend(
            handles=handles, loc="lower center", ncols=columns, fontsize=8, frameon=False,
            handlelength=3.2, borderaxespad=0,
        )
        box = legend.get_window_extent()
        if box.width <= (width - 0.3) * figure.dpi or columns == 1:
            break
        legend.remove()
    captions = [line for text in captions for line in textwrap.wrap(text, int(17 * width))]
    notes = 0.13 * len(captions) + 0.17  # inches
    below = box.height / figure.dpi + notes
    top, bottom = 0.62, 0.52  # inches for titles, and for the axis names of the lowest row
    height = inner + top + below
    figure.set_size_inches(width, height)
    place = panels[0].get_subplotspec()
    rows = place.get_gridspec().nrows if place else 1
    panel_height = (height - top - below - bottom) / rows
    figure.subplots_adjust(
        left=0.82 / width, right=1 - 0.15 / width, top=1 - top / height,
        bottom=(below + bottom) / height, wspace=0.26, hspace=0.75 / panel_height,
    )
    legend.set_bbox_to_anchor((0.5, (notes - 0.03) / height), transform=figure.transFigure)
    for number, caption in enumerate(reversed(captions)):
        down = height - 0.12 - 0.13 * number
        figures.write_line(figure, 0.15 / width, down, caption, 7, color=GREY)
