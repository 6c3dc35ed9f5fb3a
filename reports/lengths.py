"""How long games last: a histogram for each game."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from reports.figures import COLOURS, GREY, new_figure, own_style, plain, plain_axes, save

if TYPE_CHECKING:
    import pandas as pd

_RESULTS = ((1.0, "first mover won"), (0.5, "draw"), (0.0, "second mover won"))
_HATCHES = ("", "///", "...")
_MOST_BINS = 24


def plot_lengths(games: pd.DataFrame, stem: Path) -> list[Path]:
    """Draw the lengths of all rated games by result, a panel a game; none if there is no game.

    Repetitions and breakdowns are left out.
    """
    from matplotlib.ticker import MaxNLocator

    from reports.plots import game_title

    games = games[games["counted"] & ~games["failed"]]
    names = sorted(games["game"].unique())
    if not names:
        return []
    columns = min(2, len(names))
    rows = math.ceil(len(names) / columns)
    with own_style():
        width, height = 3.6 * columns if columns > 1 else 5.0, 2.3 * rows + 0.55
        figure = new_figure(width, height)
        for i, name in enumerate(names):
            part = games[games["game"] == name]
            axes = figure.add_subplot(rows, columns, i + 1)
            low, high = int(part["plies"].min()), int(part["plies"].max())
            step = max(1, math.ceil((high - low + 1) / _MOST_BINS))
            edges = np.arange(low, high + step + 1, step) - 0.5
            axes.hist(
                [part.loc[part["result"] == result, "plies"] for result, _ in _RESULTS],
                bins=edges, stacked=True, color=[COLOURS[0], "#FFFFFF", COLOURS[1]],
                edgecolor=GREY, linewidth=0.5, label=[text for _, text in _RESULTS],
            )
            for container, hatch in zip(axes.containers, _HATCHES, strict=True):
                for patch in container:
                    patch.set_hatch(hatch)
            plain_axes(axes)
            axes.xaxis.set_major_locator(MaxNLocator(nbins=6, integer=True))
            axes.yaxis.set_major_locator(MaxNLocator(nbins=4, integer=True))
            axes.set_title(plain(game_title(name)), fontsize=9, fontweight="bold", loc="left")
            axes.set_xlabel("length, plies (opening included)", fontsize=8)
            axes.set_ylabel("games" if i % columns == 0 else "", fontsize=8)
        handles, labels = axes.get_legend_handles_labels()
        figure.legend(
            handles, labels, loc="lower center", ncols=3, fontsize=8, frameon=False,
            bbox_to_anchor=(0.5, 0.0),
        )
        figure.subplots_adjust(
            left=0.62 / width, right=1 - 0.12 / width, top=1 - 0.35 / height,
            bottom=0.75 / height, wspace=0.18, hspace=0.62,
        )
        return save(figure, stem)
