"""The results in a ledger, for Python and notebooks: DataFrames, a figure, the page."""

from __future__ import annotations

import functools
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from dlgo.errors import SpecError
from dlgo.records.ledger import Ledger
from dlgo.specs import suggest
from dlgo.text import number_of
from reports import tables
from reports.frontier import frontier_frame
from reports.plots import AXES, draw_strength
from reports.report import DEFAULT_REPLICATES, games_text, write_report

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from reports.rating_table import RatingTable

# cost -> axis of the plot
_AXES = {axis.column.removeprefix("mean_"): axis for axis in AXES}
# The columns of the ratings that a notebook shows.
_SHOWN = ["entrant", "rating", "low95", "high95", "games", "score", "mean_cpu_ms"]


class Results:
    """The results of a tournament, from the ledger that `dlgo.tournament` or `dlgo tournament`
    writes. Raises LedgerError if it cannot be read, or holds no games."""

    def __init__(self, ledger: str | Path) -> None:
        self.ledger = Path(ledger)
        with Ledger(ledger, read_only=True) as opened:
            opened.show_names()
            self._games = tables.games_frame(opened, required=True)

    @property
    def games(self) -> pd.DataFrame:
        """All games of the ledger, a row each: players, result (1, 0.5 or 0 for `first`), moves,
        mean costs of a move."""
        return self._games.copy()

    @functools.cached_property
    def _tables(self) -> dict[str, RatingTable]:
        return tables.rate_games(self._games)

    @functools.cached_property
    def _ratings(self) -> pd.DataFrame:
        return tables.ratings_frame(self._games, self._tables)

    @property
    def ratings(self) -> pd.DataFrame:
        """A row for each engine in each game, the best first: Elo with its 95% interval, wins,
        mean costs of a move."""
        return self._ratings.dropna(axis="columns", how="all")

    def plot(self, cost: str = "cpu_ms", game: str = "") -> Figure:
        """Draw Elo against the cost of a move.

        Args:
            cost: "cpu_ms", "wall_ms", "work" (evaluations, or simulations) or
                "training_cpu_hours".
            game: where the ledger has several games, one of them; without it, all are drawn.

        Raises:
            SpecError: for another cost or game, or a cost that fewer than two engines have.
        """
        games = sorted(self._tables)
        for option, value, choices in (("cost", cost, list(_AXES)), ("game", game, ["", *games])):
            if str(value) not in choices:
                names = ", ".join(filter(None, choices))
                raise SpecError(f"there is no {option} {str(value)!r} to plot"
                                f"{suggest(str(value), choices)}; there are {names}")
        axis = _AXES[cost]
        if len(games) > 1 and not game and axis is not AXES[0]:
            raise SpecError(f"a plot of {cost} shows one game; name one of {', '.join(games)}")
        figure = draw_strength(
            self._ratings, games_text(self._games), str(game) or (games[0] * (len(games) == 1)),
            axis, frontier_frame(self._ratings, self._tables))
        if figure is None:
            raise SpecError(f"fewer than two engines have the cost {cost}; plot another cost, such "
                            "as cpu_ms")
        return figure

    def report(self, folder: str | Path) -> Path:
        """Write the page with ratings, tables, plots and games to replay; returns its path."""
        log = functools.partial(print, file=sys.stderr, flush=True)
        return write_report(self.ledger, folder, replicates=DEFAULT_REPLICATES, progress=log)[0]

    def __repr__(self) -> str:
        games, names = ", ".join(sorted(self._tables)), self._ratings["entrant"].unique()
        return (f"<results in {self.ledger}: {number_of(len(self._games), 'game')} of {games} by "
                f"{number_of(len(names), 'engine')}, best {names[0]}>")

    def _repr_html_(self) -> str:
        columns = _SHOWN if len(self._tables) == 1 else ["game", *_SHOWN]
        return str(self._ratings[columns].round(2).to_html(index=False))
